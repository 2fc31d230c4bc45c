"""triton.backends: what compiles for which device; tilec's own are inside of the core."""

backends: dict = {}
