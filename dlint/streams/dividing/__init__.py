"""Dividing: how a stream gives each worker its part, and what comes in which order until then."""
