"""triton.tools.mxfp: numbers of the microscaling formats, for tests of tl.dot_scaled.

MXFP4Tensor holds floats of 4 bits (e2m1), MXScaleTensor scales of 8 (e8m0), both as codes in an array
of uint8 called `data`.  Arrays are those of PyTorch; of NumPy where the data given are one, or where
PyTorch is not installed.
"""

import math

import numpy


def _torch():
    """PyTorch, or None: this module is only imported by programs that work with it, as a rule."""
    try:
        import torch
    except ImportError:
        return None
    return torch


def _random_codes(begin, end, size, device):
    """Codes in [begin, end), each as likely as the others."""
    torch = _torch()
    if torch is None:
        return numpy.random.randint(begin, end, size).astype(numpy.uint8)
    return torch.randint(begin, end, size, dtype=torch.uint8, device=device)


def _converted(array, name):
    """The array with the dtype of this name."""
    if hasattr(array, "astype"):
        return array.astype(name)
    return array.to(getattr(_torch(), name))


def _library(array):
    return numpy if isinstance(array, numpy.ndarray) else _torch()


def _looked_up(table, codes):
    """table[code] for each of the codes, as float32."""
    if isinstance(codes, numpy.ndarray):
        return numpy.array(table, numpy.float32)[codes]
    torch = _torch()
    return torch.tensor(table, dtype=torch.float32, device=codes.device)[codes.long()]


def _refuse_dtype(dtype):
    if str(dtype).rpartition(".")[2] != "float32" and dtype is not numpy.float32:
        raise AssertionError(f"these formats convert to float32, not to {dtype}")


class _Codes:
    """An array of codes: of numbers that are given, or to be filled by random()."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("give the numbers as `data`, or how many there will be as `size`")
        self.device = device
        if data is None:
            self.size = size if isinstance(size, tuple) else (size,)
            return
        if not hasattr(data, "shape"):
            raise AssertionError(f"data is an array of numbers, not a {type(data).__name__}")
        self.device = getattr(data, "device", device)
        self.data = self._encode(data)


# the magnitudes that three bits stand for, and the bounds between them: what lies on a bound goes to
# the code that is even
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_E2M1_BOUNDS = tuple((a + b) / 2 for a, b in zip(_E2M1, _E2M1[1:]))


class MXFP4Tensor(_Codes):
    """Floats of a sign, two bits of exponent and one of mantissa; there is no infinity and no NaN:
    what is too large, or neither, becomes 6.
    """

    def random(self):
        """Any code at each place."""
        self.data = _random_codes(0, 16, self.size, self.device)
        return self

    def to(self, dtype):
        """The numbers, as float32; -0 keeps its sign."""
        _refuse_dtype(dtype)
        return _looked_up(_E2M1 + tuple(-value for value in _E2M1), self.data)

    def _encode(self, values):
        sign = _converted(_library(values).signbit(values), "uint8")
        size = abs(values)
        code = _converted(size != size, "uint8") * 7
        for below, bound in enumerate(_E2M1_BOUNDS):
            above = size >= bound if below % 2 else size > bound
            code = code + _converted(above, "uint8")
        return code | sign << 3

    def to_packed_tensor(self, dim):
        """Two neighbours along `dim` in each uint8, the first in the lower bits; an odd one out is
        beside a zero.
        """
        rank = len(self.data.shape)
        if not 0 <= dim < rank:
            raise AssertionError(f"codes of {rank} dimensions cannot be packed along dimension {dim}")
        every = [slice(None)] * rank
        low, high = (self.data[tuple(every[:dim] + [slice(first, None, 2)])] for first in (0, 1))
        if high.shape[dim] == low.shape[dim]:
            return high << 4 | low
        packed = low + 0
        packed[tuple(every[:dim] + [slice(high.shape[dim])])] |= high << 4
        return packed

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The codes that to_packed_tensor(dim) packed, of an array of this shape."""
        both = _library(packed_tensor).stack((packed_tensor & 15, packed_tensor >> 4), dim + 1)
        shape = list(packed_tensor.shape)
        shape[dim] *= 2
        return both.reshape(shape)[(slice(None),) * dim + (slice(original_shape[dim]),)]


class MXScaleTensor(_Codes):
    """Powers of two from 2^-127 to 2^127; the code 255 is NaN."""

    def random(self, low=None, high=None):
        """Powers between `low` and `high`, which they may reach; never NaN."""
        first = 0 if low is None else max(0, self._code_of(low))
        last = 254 if high is None else min(254, max(0, self._code_of(high)))
        if first > last:
            raise AssertionError(f"there is no power of two between {low} and {high}")
        self.data = _random_codes(first, last + 1, self.size, self.device)
        return self

    @staticmethod
    def _code_of(value):
        return math.floor(math.log2(value)) + 127

    def to(self, dtype):
        """The scales, as float32."""
        _refuse_dtype(dtype)
        return _looked_up([2.0**(code - 127) for code in range(255)] + [math.nan], self.data)

    def _encode(self, values):
        """The power of two that does not exceed each value; NaN of what is no positive number."""
        exponent = _library(values).frexp(values)[1] + 126
        code = exponent.clip(0, 254)
        # also of NaN this is false
        is_number = (values > 0) & (values < math.inf)
        return _converted(_library(values).where(is_number, code, 255), "uint8")
