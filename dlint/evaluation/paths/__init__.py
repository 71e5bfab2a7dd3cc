"""The paths by which control comes to a place: decisions on the way, and the search along them, backwards."""
