"""What a program's own files of configuration say: the names of its classes, Hydra's numbers and devices."""
