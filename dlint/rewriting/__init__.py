"""Editing Python source with libcst so that everything outside the edit stays as it was, byte for byte.

``source`` reads a file into a tree and finds the node a finding points at; ``edits`` collects changes to
that tree and applies them together; ``files`` puts the new text in the old one's place. The shapes of change
that several remedies share are in the packages: ``pieces`` of code, code that is ``moved``, things made in
``each_process``, and ``seeding``.
"""
