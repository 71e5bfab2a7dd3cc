"""Seeds and generators: what a seed is made of, and what draws from the state that it sets.

Answers whether workers, epochs or runs get the same random numbers.
"""
