"""What an expression stands for at a program point: names, control flow, containers, tests, library calls.

Each part answers one kind of question and asks the others through ``interface.Evaluator``.
"""
