"""Words of texts: which a file must mention to matter at all, and what a mention alone tells."""
