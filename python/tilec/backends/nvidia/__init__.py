"""triton.backends.nvidia: names that programs import."""
