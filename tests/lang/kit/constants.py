import os

import triton.language as tl

WIDTH: tl.constexpr = 8
HALF = tl.constexpr(WIDTH // 2)
PLAIN = 3
FROM_HOST = os.getpid()
QUARTER = HALF // 2
