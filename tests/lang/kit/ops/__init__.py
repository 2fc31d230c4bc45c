from .basic import scale, twice
from .basic import *
from .listed import *

__all__ = ["scale", "twice", "thrice", "_hidden"]
