"""Loaders that are started again for one batch: what starts workers, which loop calls for it, and how."""
