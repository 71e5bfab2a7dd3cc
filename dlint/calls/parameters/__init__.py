"""Parameters: what certain calls pass, and what any do; and which objects ``self`` may be."""
