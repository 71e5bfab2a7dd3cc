"""What DL403 finds: handles that workers share, by who keeps them, and what is said of each."""
