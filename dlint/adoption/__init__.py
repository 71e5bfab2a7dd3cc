"""What a project's files get when it adopts dlint: texts from texts; nothing is written here."""
