from .rows import *
