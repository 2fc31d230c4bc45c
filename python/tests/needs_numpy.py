"""NumPy as `np`; where it is not installed the test file that imports this is skipped."""

import unittest

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("needs NumPy") from None
