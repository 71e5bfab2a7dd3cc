"""What is stored in objects once they are made, by whoever has them."""
