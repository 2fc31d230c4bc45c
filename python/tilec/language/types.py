"""Types: dtype and its objects, pointers, tiles, and classes that annotations name."""

import enum

from . import _names
from .constants import unwrap
from .marker import BuiltinClass, KernelClass

_ROWS = {row[0]: row for row in _names.DTYPES}
_NAMES = {kind: [r[0] for r in _names.DTYPES if r[3] == kind] for kind in "BSUF"}


class dtype(metaclass=BuiltinClass):
    """An element type: tl.float32 and its kin; `name` is the short one, "fp32"."""

    SINT_TYPES = _NAMES["S"]
    UINT_TYPES = _NAMES["B"] + _NAMES["U"]
    FP_TYPES = _NAMES["F"]
    STANDARD_FP_TYPES = [n for n in _NAMES["F"] if not n.startswith("fp8")]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = unwrap(name)
        if not dtype.is_dtype(name):
            raise ValueError(f"there is no element type `{name}`; there are {', '.join(_ROWS)}")
        self.name = name
        _, self._long, bits, kind, mantissa, bias = _ROWS.get(name, (name, name, 0, "V", 0, 0))
        self.primitive_bitwidth = bits
        self.itemsize = bits // 8
        if kind == "F":
            self.fp_mantissa_width = mantissa
            self.exponent_bias = bias
        elif kind != "V":
            signs = dtype.SIGNEDNESS
            self.int_signedness = signs.SIGNED if kind == "S" else signs.UNSIGNED
            self.int_bitwidth = bits

    @staticmethod
    def is_dtype(name):
        return name in _ROWS or name in dtype.OTHER_TYPES

    def is_void(self):
        return self.name == "void"

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_bool(self):
        return self.name == "int1"

    def is_floating(self):
        return self.name in dtype.FP_TYPES

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in dtype.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_ptr(self):
        return False

    def is_block(self):
        return False

    def is_const(self):
        return False

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        return dtype.KIND.INTEGRAL if self.is_int() else dtype.KIND.FLOATING

    def get_int_max_value(self):
        return 2**(self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        return -2**(self.int_bitwidth - 1) if self.is_int_signed() else 0

    @property
    def scalar(self):
        return self

    @property
    def cache_key_part(self):
        return self.name

    def codegen_name(self):
        return self._long

    def with_element_ty(self, element_ty):
        return element_ty

    def mangle(self):
        """What stands for it in names of compiled kernels: i32, u8, fp16."""
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return "V" if self.is_void() else self.name

    def __eq__(self, other):
        other = unwrap(other)
        return isinstance(other, dtype) and self._key() == other._key()

    def __ne__(self, other):
        return not self == other

    def _key(self):
        return self.name

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        return self.name

    def __repr__(self):
        return "triton.language." + self._long


def _add_predicates():
    """dtype.is_int32, is_fp16, is_bf16...: one for each name."""
    for name in _ROWS:
        def is_it(self, name=name):
            return self.name == name

        is_it.__name__ = "is_" + name
        setattr(dtype, is_it.__name__, is_it)


_add_predicates()


class pointer_type(dtype):
    """A pointer to elements; `const`: nothing may be stored there."""

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = unwrap(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"a pointer points to a dtype, not to {type(element_ty).__name__}")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = unwrap(const)
        self.name = f"{'const_' if self.const else ''}pointer<{element_ty}>"
        self._long = self.name
        self.primitive_bitwidth = 64
        self.itemsize = 8

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def _key(self):
        return (self.name, self.address_space)

    def mangle(self):
        return "P" + self.element_ty.mangle()

    def __repr__(self):
        return self.name


class block_type(dtype):
    """A tile of elements."""

    def __init__(self, element_ty, shape):
        self.element_ty = unwrap(element_ty)
        self.shape = tuple(unwrap(tuple(shape)))
        if not self.shape:
            raise TypeError("a tile has at least one dimension")
        self.numel = 1
        for extent in self.shape:
            self.numel *= extent
        self.name = f"<{self.shape}, {self.element_ty}>"
        self._long = self.name
        self.primitive_bitwidth = self.element_ty.primitive_bitwidth
        self.itemsize = self.element_ty.itemsize

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    @property
    def scalar(self):
        return self.element_ty

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    def mangle(self):
        return self.element_ty.mangle() + "S" + "_".join(map(str, self.shape)) + "S"

    def __repr__(self):
        return self.name


DTYPES = {row[1]: dtype(row[0]) for row in _names.DTYPES}
void = dtype("void")
pi32_t = pointer_type(DTYPES["int32"])


def get_int_dtype(bitwidth, signed):
    """The integer type of so many bits; `signed` does not count for one bit."""
    bitwidth = unwrap(bitwidth)
    name = "int1" if bitwidth == 1 else f"{'' if unwrap(signed) else 'u'}int{bitwidth}"
    if name not in DTYPES:
        raise ValueError(f"there are no integers of {bitwidth} bits")
    return DTYPES[name]


# what a dtype of an array is called in Triton's signatures, and elsewhere
_SHORT = {"bool": "int1", "float16": "fp16", "bfloat16": "bf16", "float32": "fp32",
          "float64": "fp64", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
          "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16"}


def dtype_of(other):
    """The dtype that NumPy, PyTorch or a text such as "float16" or "*fp32" means."""
    other = unwrap(other)
    if isinstance(other, dtype):
        return other
    name = getattr(other, "name", None) or getattr(other, "__name__", None) or str(other)
    name = name.rsplit(".", 1)[-1]
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(dtype_of(name[1 + const:]), const=const)
    if name in DTYPES:
        return DTYPES[name]
    if name[:1] in "iu" and name[1:].isdigit():
        return get_int_dtype(int(name[1:]), name[0] == "i")
    return dtype(_SHORT.get(name, name))


# --- classes that annotations and isinstance name --------------------------------------------


class const(metaclass=BuiltinClass):
    """Annotation of a pointer parameter through which nothing is stored."""


class base_value(KernelClass):
    """A value of a kernel of any kind."""


class tensor(base_value):
    """A value of a kernel: a tile, or a scalar that is known at run time."""


class tuple_type(KernelClass):
    """The type of a tuple in a kernel."""


class tensor_descriptor(base_value):
    """What tl.make_tensor_descriptor gives."""


class tensor_descriptor_type(KernelClass):
    """The type of a tensor descriptor."""


base_type = dtype
