"""``dlint survey``, and what it has below itself."""
