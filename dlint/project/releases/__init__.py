"""Releases: which torch and which Python a project declares, needs by what its code uses, and so runs on."""
