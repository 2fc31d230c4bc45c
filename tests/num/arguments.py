"""Arguments for `tilec run` that several drivers make: new arrays and strided rows, as text."""

import numpy as np

from harness import Tensor


def shape_text(*shape):
    return "x".join(map(str, shape)) if len(shape) > 1 else str(shape[0])


def empty(dtype, *shape):
    return f"empty({dtype},{shape_text(*shape)})"


def zeros(dtype, *shape):
    return f"zeros({dtype},{shape_text(*shape)})"


def apart(suite, x, gap=3):
    """A matrix whose rows lie `gap` elements apart."""
    bits = x.bits if isinstance(x, Tensor) else x
    wide = np.concatenate([bits, np.full((bits.shape[0], gap), 1, bits.dtype)], axis=1)
    wide = Tensor(x.dtype, wide) if isinstance(x, Tensor) else wide
    return suite.write(wide) + f"[:,:{bits.shape[1]}]"


def block_of(columns):
    return 1 << max(0, (columns - 1).bit_length())


def strides(name, *parameters):
    """Parameters that are the strides of an array, one a dimension."""
    return {p: f"{name}.stride({i})" for i, p in enumerate(parameters)}
