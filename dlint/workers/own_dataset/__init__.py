"""What a worker asks its own dataset for: ``get_worker_info().dataset``."""
