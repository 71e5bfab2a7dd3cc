"""Functions: who calls them, what their parameters are then, and what they return.

``evaluator`` puts the parts of ``evaluation``, ``objects`` and this package together: one answers for all.
"""
