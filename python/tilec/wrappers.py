"""Arguments that stand for arrays: one seen with another dtype, one that is not there."""


class TensorWrapper:
    """An array whose elements a kernel takes for another dtype of the same size."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.shape = base.shape
        self.device = getattr(base, "device", "cpu")

    @property
    def data(self):
        return self.base.data

    @data.setter
    def data(self, other):
        """The elements of another array in place of these, as `tensor.data = other` of PyTorch."""
        self.base.data = other.base if isinstance(other, TensorWrapper) else other
        self.shape = self.base.shape

    def data_ptr(self):
        if hasattr(self.base, "data_ptr"):
            return self.base.data_ptr()
        return self.base.__array_interface__["data"][0]

    def stride(self, *which):
        if hasattr(self.base, "stride"):
            return self.base.stride(*which)
        strides = tuple(s // self.base.itemsize for s in self.base.strides)
        return strides[which[0]] if which else strides

    def element_size(self):
        return self.base.itemsize

    def numel(self):
        return self.base.numel() if hasattr(self.base, "numel") else self.base.size

    def _same(self, base):
        return TensorWrapper(base, self.dtype)

    def cpu(self):
        return self._same(self.base.cpu() if hasattr(self.base, "cpu") else self.base)

    def to(self, device):
        return self._same(self.base.to(device))

    def clone(self):
        return self._same(copy_of(self.base))

    def copy_(self, other):
        copy_into(self.base, other.base)
        return self

    def zero_(self):
        self.base[...] = 0
        return self

    def new_empty(self, sizes):
        return self._same(self.base.new_empty(sizes))

    def __repr__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """`tensor` with elements of `dtype`, without a copy; a wrapped one gives its base back when that
    has the dtype.
    """
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if not hasattr(base, "data_ptr") and not hasattr(base, "__array_interface__"):
        raise TypeError(f"a {type(tensor).__name__} is no array to reinterpret")
    return base if base is not tensor and dtype == base.dtype else TensorWrapper(base, dtype)


class MockTensor:
    """A dtype and a shape in the place of an array: enough for warmup()."""

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    @staticmethod
    def wrap_dtype(argument):
        """A MockTensor for a dtype of PyTorch, anything else as it is."""
        kind = type(argument)
        is_dtype = kind.__name__ == "dtype" and kind.__module__ == "torch"
        return MockTensor(argument) if is_dtype else argument

    def stride(self):
        strides = [1]
        for extent in self.shape[:0:-1]:
            strides.insert(0, strides[0] * extent)
        return tuple(strides)

    @staticmethod
    def data_ptr():
        return 0


# --- arrays of any library -------------------------------------------------------------------


def is_array(value):
    """Has `value` elements that are known, so that they can be copied?"""
    return hasattr(value, "data_ptr") and hasattr(value, "stride") or hasattr(value, "__array_interface__") or \
        hasattr(value, "__dlpack__")


def copy_of(array):
    return array.clone() if hasattr(array, "clone") else array.copy()


def copy_into(array, source):
    """Write the elements of `source`, which has the same shape, into `array`."""
    if hasattr(array, "copy_"):
        array.copy_(source)
    else:
        array[...] = source


def fill_with_zeros(array):
    if hasattr(array, "zero_"):
        array.zero_()
    else:
        array[...] = 0
