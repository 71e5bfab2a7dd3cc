"""Trees made plain when a file is parsed: whoever looks for one kind of statement need know no other."""
