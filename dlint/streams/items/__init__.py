"""Items: what a loader gets from its dataset, the names that stand for one, and where its parts come from."""
