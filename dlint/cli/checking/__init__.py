"""What ``dlint check`` does besides finding, where its options tell it to."""
