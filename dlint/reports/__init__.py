"""How findings are shown. A report knows findings and nothing of how they came to be."""
