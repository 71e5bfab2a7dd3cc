"""Editing Python source with libcst so that everything outside the edit stays as it was, byte for byte.

``source`` reads a file into a tree and finds the node a finding points at; ``edits`` collects changes to
that tree and applies them together; ``imports``, ``arguments``, ``statements`` and ``per_process`` are the
shapes of change that several remedies share; ``files`` puts the new text in the old one's place.
"""
