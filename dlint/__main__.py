"""``python -m dlint``."""

from dlint.cli import main

if __name__ == "__main__":
    main()
