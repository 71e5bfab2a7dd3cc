"""Libraries that augment images at random: what their transforms draw, and from which generators."""
