"""What seeds are made of: how one is followed back to numbers that stay, or to what is new in every epoch."""
