"""What a dataset is made of and holds: objects whose code workers run as well."""
