"""``# noqa``: the comments that silence findings, read and written as flake8 reads them."""
