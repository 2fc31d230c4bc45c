class Limits:
    LOWEST = -2.0 ** 4
