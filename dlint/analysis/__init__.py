"""The rules over one program: block by block, and none of its files spoils what is found in another."""
