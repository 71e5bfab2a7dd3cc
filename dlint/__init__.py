"""dlint finds PyTorch data-loading mistakes, proves that they hurt, and repairs them."""

__version__ = "0.1.0"
