"""Seeds and draws as remedies write them: each worker its own, from the seed that torch gave it."""
