"""DataLoaders: where they are made, what their arguments may be together, and who goes through them.

Answers what a loader surely or possibly gets, and how often the program passes over it.
"""
