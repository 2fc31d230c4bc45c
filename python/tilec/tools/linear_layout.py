"""triton.tools.LinearLayout: maps of indices that are linear in their bits.

Triton describes by them which element each register of each thread holds.  An index in each of the input
dimensions gives one in each of the output dimensions: the exclusive or of the basis vectors of those
input bits that are 1.  All extents are powers of two.
"""


def _bits(extent):
    if extent < 1 or extent & (extent - 1):
        raise ValueError(f"{extent} is no power of two")
    return extent.bit_length() - 1


def _solve(columns, wanted):
    """Bits x for each of `wanted` with the exclusive or of the columns in x equal to it; bits that are
    free are 0.
    """
    pivots = {}  # highest bit -> (reduced column, the columns it is made of)
    for i, column in enumerate(columns):
        column, made_of = _reduced(pivots, column, 1 << i)
        if column:
            pivots[column.bit_length()] = column, made_of
    found = [_reduced(pivots, value, 0) for value in wanted]
    if any(rest for rest, _ in found):
        raise ValueError("the other layout does not reach all elements of this one")
    return [made_of for _, made_of in found]


def _reduced(pivots, column, made_of):
    rest = 0
    while column:
        pivot = pivots.get(column.bit_length())
        if pivot is None:
            top = 1 << column.bit_length() - 1
            rest, column = rest | top, column ^ top
        else:
            column, made_of = column ^ pivot[0], made_of ^ pivot[1]
    return rest, made_of


def _rank(columns):
    pivots = {}
    for column in columns:
        while column and column.bit_length() in pivots:
            column ^= pivots[column.bit_length()]
        if column:
            pivots[column.bit_length()] = column
    return len(pivots)


class LinearLayout:
    """LinearLayout.from_bases([("in", [[0, 1], [1, 0]])], ["row", "column"])"""

    def __init__(self):
        self._ins = {}  # name -> a vector for each bit, as numbers whose lowest bits are the first output's
        self._outs = {}  # name -> extent

    # --- making one -------------------------------------------------------------------------

    @classmethod
    def _of(cls, ins, outs):
        made = cls()
        made._ins, made._outs = ins, outs
        return made

    @classmethod
    def identity_1d(cls, size, inDim, outDim):
        return cls.strided_1d(size, 1, inDim, outDim)

    @classmethod
    def strided_1d(cls, size, stride, inDim, outDim):
        return cls._of({inDim: [stride << bit for bit in range(_bits(size))]},
                       {outDim: size << _bits(stride)})

    @classmethod
    def zeros_1d(cls, size, inDim, outDim, outDimSize=1):
        _bits(outDimSize)
        return cls._of({inDim: [0] * _bits(size)}, {outDim: outDimSize})

    @classmethod
    def from_bases(cls, bases, out_dim_names, out_dim_sizes=None, require_surjective=True):
        """`bases`: (input dimension, vectors) in order; without sizes the outputs are as large as the
        vectors ask for.
        """
        vectors = [vector for _, of_dim in bases for vector in of_dim]
        if any(len(vector) != len(out_dim_names) for vector in vectors):
            raise ValueError("a basis vector has a number for each output dimension")
        if out_dim_sizes is None:
            if not require_surjective:
                raise ValueError("out_dim_sizes must be given for a layout that need not be surjective")
            out_dim_sizes = [1 << max((v[d] for v in vectors), default=0).bit_length()
                             for d in range(len(out_dim_names))]
        if len(out_dim_sizes) != len(out_dim_names):
            raise ValueError("out_dim_names and out_dim_sizes must have one length")
        made = cls._of({}, dict(zip(out_dim_names, out_dim_sizes)))
        made._ins = {name: [made._packed(vector) for vector in of_dim] for name, of_dim in bases}
        if require_surjective and not made.is_surjective():
            raise ValueError("the layout does not reach all elements of its outputs")
        return made

    # --- numbers for vectors ----------------------------------------------------------------

    def _packed(self, vector):
        number = shift = 0
        for value, extent in zip(vector, self._outs.values()):
            if not 0 <= value < extent:
                raise ValueError(f"{value} is outside of an output dimension of {extent}")
            number |= value << shift
            shift += _bits(extent)
        return number

    def _unpacked(self, number):
        vector = []
        for extent in self._outs.values():
            vector.append(number % extent)
            number //= extent
        return vector

    def _columns(self):
        return [column for columns in self._ins.values() for column in columns]

    def _out_bits(self):
        return sum(map(_bits, self._outs.values()))

    def _seen_as(self, outs):
        """The columns with output dimensions in the order, and of the extents, of `outs`."""
        if set(outs) != set(self._outs):
            raise ValueError(f"the dimensions {list(self._outs)} are not {list(outs)}")
        seen = LinearLayout._of({}, outs)
        return [seen._packed([dict(zip(self._outs, self._unpacked(column)))[name] for name in outs])
                for column in self._columns()]

    def _with_columns(self, columns, outs):
        """The same input dimensions with other columns."""
        columns = iter(columns)
        return LinearLayout._of({name: [next(columns) for _ in old] for name, old in self._ins.items()}, outs)

    # --- what it is -------------------------------------------------------------------------

    bases = property(lambda self: [(name, [self._unpacked(c) for c in columns])
                                   for name, columns in self._ins.items()])
    out_dims = property(lambda self: list(self._outs.items()))
    num_in_dims = property(lambda self: len(self._ins))
    num_out_dims = property(lambda self: len(self._outs))

    def get_in_dim_names(self):
        return list(self._ins)

    def get_out_dim_names(self):
        return list(self._outs)

    def is_surjective(self):
        return _rank(self._columns()) == self._out_bits()

    def is_injective(self):
        return _rank(self._columns()) == len(self._columns())

    def is_invertible(self):
        return self.is_surjective() and self.is_injective()

    def get_matrix_view(self):
        """Rows are bits of the outputs, columns bits of the inputs, the lowest of the first dimension first."""
        columns = self._columns()
        return [[column >> row & 1 for column in columns] for row in range(self._out_bits())]

    def __eq__(self, other):
        return isinstance(other, LinearLayout) and (self.bases, self.out_dims) == (other.bases, other.out_dims)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        lines = [f"  {name}={1 << bit} -> ({', '.join(map(str, self._unpacked(column)))})\n"
                 for name, columns in self._ins.items() for bit, column in enumerate(columns)]
        outs = ", ".join(f"{name} (size {extent})" for name, extent in self._outs.items())
        return f"{''.join(lines)}where out dims are: [{outs}]"

    # --- what is done with it ---------------------------------------------------------------

    def apply(self, inputs):
        """{output dimension: index} of {input dimension: index}."""
        if set(inputs) != set(self._ins):
            raise ValueError(f"the inputs are {list(self._ins)}")
        number = 0
        for name, columns in self._ins.items():
            if not 0 <= inputs[name] < 1 << len(columns):
                raise ValueError(f"`{name}` has {1 << len(columns)} indices, and {inputs[name]} is none of them")
            for bit, column in enumerate(columns):
                number ^= column if inputs[name] >> bit & 1 else 0
        return dict(zip(self._outs, self._unpacked(number)))

    def __mul__(self, other):
        """Both side by side: in dimensions that both have the other's bits are the higher ones."""
        outs = dict(self._outs)
        for name, extent in other._outs.items():
            outs[name] = outs.get(name, 1) * extent
        made = LinearLayout._of({}, outs)
        names = list(dict.fromkeys([*self._ins, *other._ins]))
        for name in names:
            made._ins[name] = [
                made._packed([dict(zip(of._outs, of._unpacked(column))).get(out, 0) * scale.get(out, 1) for out in outs])
                for of, scale in ((self, {}), (other, self._outs)) for column in of._ins.get(name, [])]
        return made

    def compose(self, outer):
        """outer(self(index))"""
        inner = LinearLayout._of({}, {name: 1 << len(columns) for name, columns in outer._ins.items()})
        steps = outer._columns()
        columns = []
        for seen in self._seen_as(inner._outs):
            number = 0
            for bit, step in enumerate(steps):
                number ^= step if seen >> bit & 1 else 0
            columns.append(number)
        return self._with_columns(columns, dict(outer._outs))

    def invert_and_compose(self, outer):
        """The layout c with outer(c(index)) == self(index); where there are several, bits that are free are 0."""
        wanted = self._seen_as(outer._outs)
        return self._with_columns(_solve(outer._columns(), wanted),
                                  {name: 1 << len(columns) for name, columns in outer._ins.items()})

    def pseudoinvert(self):
        """For each output an input that gives it."""
        identity, shift = LinearLayout._of({}, dict(self._outs)), 0
        for name, extent in self._outs.items():
            identity._ins[name] = [1 << shift + bit for bit in range(_bits(extent))]
            shift += _bits(extent)
        return identity.invert_and_compose(self)

    def invert(self):
        if not self.is_invertible():
            raise ValueError("the layout is not invertible")
        return self.pseudoinvert()
