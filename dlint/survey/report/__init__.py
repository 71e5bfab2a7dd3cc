"""What a survey comes to: figures, as Markdown and as a page with plots, and what two surveys differ in."""
