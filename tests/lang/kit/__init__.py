from .constants import WIDTH
from .ops import *
from .ops.basic import twice as doubled
