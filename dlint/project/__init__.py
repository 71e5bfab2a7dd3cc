"""Many files: which there are, which mention a word, what an import means, and what the project declares.

Answers which files a question must look at, so that no others are parsed.
"""
