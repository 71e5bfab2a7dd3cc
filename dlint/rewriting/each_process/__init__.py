"""Things that each process makes for itself: pools, handles and generators, kept out of pickles."""
