"""dlint as a process of its own: from where it imports, how it ends by a signal or a fault of its own."""
