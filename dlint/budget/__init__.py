"""The work of a run: counted and bounded (``budget``), and booked to the file it is for (``accounts``)."""
