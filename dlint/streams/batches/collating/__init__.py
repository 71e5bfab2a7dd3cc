"""What a batch is made of: which part of the items stands where in it, and what that is by then."""
