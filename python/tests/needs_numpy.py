"""NumPy as `np`, None where it is not installed: there setUpModule() skips the tests of the file that
imports both.
"""

import unittest

try:
    import numpy as np
except ImportError:
    np = None


def setUpModule():
    if np is None:
        raise unittest.SkipTest("needs NumPy")
