"""Items and iterations: what an item may be, what a pass reads, and how it ends.

Answers whether workers share a source or repeat it, and where an item may be None.
"""
