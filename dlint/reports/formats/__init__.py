"""The formats of reports, one file each; ``by_name`` has them all."""
