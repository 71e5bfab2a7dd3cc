"""``python -m dlint``."""

from dlint.own_process.safe_path import leave_tree_out

leave_tree_out()  # before anything else is imported

from dlint.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
