from . import backend
from .backend import *
from .backend import libdevice_of_vendor, pick
