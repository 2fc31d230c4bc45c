"""triton.backends: what compiles for which device; tilec's own are inside of the core."""

import collections

Backend = collections.namedtuple("Backend", ["compiler", "driver"])

backends: dict = {}  # which triton.runtime.driver fills
