from .powers import Cubes, Squares
