"""Generators that workers draw from: which, who makes them at the first use, and who makes them anew."""
