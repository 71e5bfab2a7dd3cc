"""What pickle refuses of that which goes to workers, or comes back from them."""
