"""Many repositories, and many versions of each: read by Dask's workers, kept as Parquet, summed up."""
