"""What must be known of a program before its text is changed: who says a name, stores it, or only calls it.

Answers whether a definition may move, or an attribute become a property, without anybody seeing it.
"""
