"""What libraries do, as tables: a new library is a row here.

Answers "is this call one of those?" by its documented name. Knows nothing of any program.
"""
