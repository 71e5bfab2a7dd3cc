"""Abstract values, and the worlds in which they hold, as data: what an expression can stand for.

A ``Frame`` and a ``Point`` say where it is looked at from; ``outcomes`` joins a value with its world.
"""
