"""What a program's own files of configuration say: the names of its classes, the numbers of Hydra."""
