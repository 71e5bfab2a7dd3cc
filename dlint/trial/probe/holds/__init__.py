"""What there is to be seen at one moment: what objects hold, and what a process has open and has set."""
