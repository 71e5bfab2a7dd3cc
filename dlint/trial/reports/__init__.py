"""A verdict, as text, Markdown or data."""
