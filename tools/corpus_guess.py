"""corpus_guess.py - arguments for a kernel that nobody launches: types and constants

`Guess(kernel, files, helpers)` reads the kernel's body (what is loaded through is a pointer, what is
used as an index points to integers), its launches, configurations, defaults and names.  `arguments()`
gives words of tilec's command line.  corpus_search.py changes a guess that is refused.
"""
import ast
import re

from corpus_body import Body
from corpus_host import DTYPES, launched_with, tuned
from corpus_kernels import dotted, returns_value

INTEGER_NAME = re.compile(
    r"stride|off|idx|index|indices|ids?$|start|end$|len|size|num|count|pid|^n_|_n$|slot|table|loc|map"
    r"|rank|row|col|expert|page|^cu_|seq|pos|perm|order|^step|token|dim|heads|segment|portion|bins|interleave"
    r"|world|ratio|blocks|split|width|height|group|stop|first|last|seed|iter", re.I)
FLOAT_NAME = re.compile(
    r"eps|scale|alpha|beta|gamma|lr|rate|prob|dropout|temp|decay|momentum|softcap|cap$|slope|value$"
    r"|theta|base$|factor|limit|thresh|weight_decay|lambda|norm|^p$|min$|max$|fill|mscale|low|high|std|mean", re.I)
SHAPE_NAME = re.compile(r"block|blk|tile|chunk|^b[a-z]$|^b_[a-z]$|pad|next_pow|_p2|pow2", re.I)
FLAG_NAME = re.compile(
    r"^(is|has|use|enable|do|with|apply|even|need|needs|allow|save|store|load|return|output|skip|causal|"
    r"reverse|transpose|trans|inplace|exact|varlen|tie|ieee|fuse|fused|mask|no)(_|$)|flag|causal|_first$|enabled",
    re.I)


def spelt(value):
    """A Python value as the command line writes it."""
    return repr(value) if isinstance(value, str) else str(value)


def constant_in(node):
    """The constant that a global of a module holds, as `tl.constexpr(4)`; None: it holds another thing."""
    if isinstance(node, ast.Call) and dotted(node.func).endswith("constexpr") and len(node.args) == 1:
        node = node.args[0]
    return node if isinstance(node, ast.Constant) else None


def helper_of(file, helpers, name):
    """The jit function that a kernel of the file calls so; one of another file is known by its import."""
    if name in file.jits:
        return file.jits[name]
    module, member = file.imports.get(name, ("", name))
    found = helpers.get((file.package, member or name), [])
    last = module.rpartition(".")[2]
    return next((k for k in found if k.path.endswith((f"/{last}.py", f"/{last}/__init__.py"))), found[0] if found else None)


class Guess:
    def __init__(self, kernel, files, helpers):
        self.kernel = kernel
        node = kernel.node
        own = {n.name: n for s in kernel.scopes for n in s.body if isinstance(n, ast.FunctionDef)}
        self.file, self.helpers = files[kernel.path], helpers

        def resolve(name):
            found = helper_of(self.file, helpers, name)
            return own.get(name) or (found.node if found and found.node is not node else None)

        constants = {n: constant_in(v) for n, v in self.file.values.items()}
        self.body = Body(node, resolve, {n: c for n, c in constants.items() if c is not None})
        self.launches = launched_with(kernel, files)
        self.config, self.computed = tuned(kernel)
        self.defaults = dict(zip([a.arg for a in node.args.args[::-1]], node.args.defaults[::-1]))
        self.qualified = kernel.qualified
        self.float, self.size = "fp32", None
        self.flag = False
        self.elements, self.scalars, self.fixed = {}, {}, {}
        self.given = set()  # computed by decorators, but given all the same
        self.defined = {}  # globals of the file
        self.items = {}  # of tuples, more than the body shows
        self.pointers = set()  # parameters whose body does not show that they are
        self.plain = set()  # and those that a flag makes numbers
        self.described, self.blocks = set(), {}  # tensor descriptors, and extents of their tiles

    # --- one argument ---

    def annotation(self, a):
        return ast.unparse(a.annotation) if a.annotation is not None else ""

    def is_constexpr(self, a):
        return "constexpr" in self.annotation(a)

    def launch_kinds(self, name):
        return [x for x in self.launches.get(name, []) if x]

    def element_type(self, name):
        use = self.body.uses[name]
        if name in self.elements:
            return self.elements[name]
        if use.addresses:
            return "i64"
        if use.mask and not use.index and re.search("mask", name, re.I):
            return "i1"
        if re.search(r"^is_|^has_|eligible|enabled|_flags?$|valid$|active", name, re.I) and not use.index:
            return "i1"
        if use.index or re.search(r"indices|_ids|idx$|idx_ptr|cu_|seqlens?|table|slot|offsets", name, re.I):
            return "i32"
        if re.search(r"fp8|f8", name, re.I):
            return "fp8e4nv"
        return self.float

    def run_time(self, a):
        """(separator, text) of a parameter that is no constexpr."""
        name, note, use = a.arg, self.annotation(a), self.body.uses[a.arg]
        kinds = self.launch_kinds(name)
        if name in self.fixed:
            return "=", self.fixed[name]
        if (use.described or name in self.described) and name not in self.pointers:
            return "=", self.descriptor(name)
        if use.items:
            return "=", self.tuple_of(name, use)
        if note.strip("'\"") in ("i32", "i64", "u32", "u64", "fp32"):
            return ":", note.strip("'\"")
        if (use.pointer or name in self.pointers) and name not in self.plain:
            return ":", "*" + self.element_type(name)
        if name in self.scalars:
            return ":", self.scalars[name]
        last = note.rpartition(".")[2]
        if last in DTYPES:
            return ":", DTYPES[last]
        values = [k[1] for k in kinds if k[0] == "value"]
        words = [k[1] for k in kinds if k[0] == "kind"]
        if "tensor" in words:
            return ":", "*" + self.element_type(name)
        if any(isinstance(v, bool) for v in values) or "bool" in words:
            return "=", "False"
        if any(isinstance(v, float) for v in values) or "float" in words:
            return ":", "fp32"
        if "tuple" in words:
            return "=", self.tuple_of(name, use)
        if any(isinstance(v, int) for v in values) or "int" in words:
            return ":", "i32"
        if kinds and all(k == ("value", None) for k in kinds):
            return "=", "None"
        if re.search(r"ptr|pointer", name, re.I):
            return ":", "*" + self.element_type(name)
        if FLOAT_NAME.search(name) and not INTEGER_NAME.search(name):
            return ":", "fp32"
        return ":", "i32"

    def descriptor(self, name):
        """One of an array, with tiles as large as all extents of the kernel then are."""
        self.size = self.size or 64
        rank = self.body.uses[name].rank or 2
        extents = ["1"] * (rank - 2) + [str(self.size)] * min(rank, 2)  # batches are taken one by one
        extents = self.blocks.get(name, extents)
        return f"descriptor(zeros({self.element_type(name)},{'x'.join(extents)}),({','.join(extents)},))"

    def function(self, arguments):
        """One of the file that takes so many and gives something; None where there is none."""
        for k in self.file.jits.values():
            if len(k.node.args.args) == arguments and returns_value(k.node) and k.node is not self.kernel.node:
                return k.name
        return "None"

    def tuple_of(self, name, use):
        """As many items as the body asks for: arrays, or numbers."""
        item = f"zeros({self.element_type(name)},4096)" if use.pointer else "4"
        return self.tuple_text(name, item, use)

    def tuple_text(self, name, item, use):
        count = self.items.get(name, max(use.items, 2))
        return "(" + ", ".join([item] * count) + ("," if count == 1 else "") + ")"

    def size_of(self, name):
        """An extent: all equal when self.size says so."""
        if re.search(r"subtile|factor$|specialize", name, re.I):
            return "1"
        if re.search(r"(values|elements|elems|items|weights)_per_", name, re.I):  # of packed ones
            return "2"
        if re.search(r"^group_size$|scale_group|scaling_group|quant_group|scale_vec|vec_size", name, re.I):
            return "32"
        if name == "num_warps":  # an option of launches, too
            return "4"
        if re.search("half", name, re.I):
            return str((self.size or 64) // 2)
        if self.size:
            return str(self.size)
        if re.search(r"group_size_m|group_m$|num_stage", name, re.I):
            return "8"
        return "64" if SHAPE_NAME.search(name) or re.search(r"dim|hidden|^[dkv]$|_d$|n_cols|size", name, re.I) \
            else "4"

    def constant(self, a):
        name, use = a.arg, self.body.uses[a.arg]
        kinds = self.launch_kinds(name)
        shape = use.shape or bool(SHAPE_NAME.search(name))
        values = [k[1] for k in kinds if k[0] == "value"]
        words = [k[1] for k in kinds if k[0] == "kind"]
        if name in self.fixed:
            return self.fixed[name]
        if use.called:
            named = [k[1] for k in kinds if k[0] == "function"]
            return named[0] if named else self.function(use.called)
        if shape and self.size and not use.strings:
            return self.size_of(name)
        if name in self.config:
            return spelt(self.config[name])
        dtypes = [k[1] for k in kinds if k[0] == "dtype"]
        if dtypes:
            return dtypes[0]
        if values and values[0] is not None:
            return spelt(values[0])
        if re.search("precision", name, re.I) and not use.numbers:
            return "'ieee'"
        if re.search("cache_mod|evict", name, re.I) and not use.strings:
            return "''"
        if re.search(r"order_?\d$", name):  # of strides: what is written there is a permutation
            return name[-1]
        if use.items and not values:
            return self.tuple_text(name, "4", use)
        named_so = re.search(r"dtype$|^dtype|_type$", name, re.I) and not re.search("value|min|max", name)
        if use.dtype or "dtype" in words or named_so and not use.strings and not use.numbers:
            return self.float
        if "bool" in words:
            return str(self.flag)
        default = self.defaults.get(name)
        if isinstance(default, ast.Constant) and default.value is not None:
            return spelt(default.value)
        if "float" in words and not shape and not INTEGER_NAME.search(name):
            return "0.5"
        if use.strings:
            return repr(use.strings[0])
        if "tuple" in words or use.items:
            return self.tuple_text(name, "4", use)
        if values or isinstance(default, ast.Constant):
            return "None"
        if use.tested and not shape and not use.numbers or FLAG_NAME.search(name) and not shape:
            return str(self.flag)
        if use.numbers and not shape:
            return spelt(use.numbers[0])
        plain = FLOAT_NAME.search(name) and not INTEGER_NAME.search(name) and name.lower() == name
        if not shape and (plain or re.search("eps", name, re.I)):
            return "0.5"
        return self.size_of(name)

    def arguments(self):
        """Words of the command line; None when one of them cannot be written there."""
        words = [f"--define={name}={value}" for name, value in self.defined.items()]
        for a in self.kernel.node.args.args:
            name = a.arg
            if self.is_constexpr(a):
                leave = name in self.computed and name not in self.given and name not in self.fixed
                if leave or name in self.defaults and name not in self.given and name not in self.launches:
                    continue
                words.append(f"{name}={self.constant(a)}")
                continue
            if name in self.defaults and name not in self.launches and not self.body.uses[name].pointer \
                    and name not in self.scalars and name not in self.pointers:
                continue
            sign, text = self.run_time(a)
            words.append(name + sign + text)
        return words
