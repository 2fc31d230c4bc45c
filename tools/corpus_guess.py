"""corpus_guess.py - arguments for a kernel that nobody launches: types, constants and what to try next

`Guess(kernel, files, helpers)` reads the kernel's body (what is loaded through is a pointer, what is
used as an index points to integers), its launches, configurations, defaults and names.  `arguments()`
gives words of tilec's command line; `adjust(stderr)` changes the guess after a refusal that a wrong
guess may have caused, and gives False when it has no further idea.
"""
import ast
import re

from corpus_kernels import assigned, dotted

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
DTYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64", "int32": "i32",
          "int64": "i64", "int16": "i16", "int8": "i8", "uint8": "u8", "uint16": "u16", "uint32": "u32",
          "uint64": "u64", "bool": "i1", "int1": "i1", "float": "fp32", "half": "fp16", "long": "i64",
          "int": "i32", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "float8e4nv": "fp8e4nv",
          "float8e5": "fp8e5", "float8_e4m3fnuz": "fp8e4b8", "float8e4b8": "fp8e4b8"}
OF_WIDTH = {"1": ["i1"], "8": ["u8", "fp8e4nv"], "16": ["bf16", "fp16", "i16"], "32": ["fp32", "i32"],
            "64": ["i64", "fp64"]}
ATTEMPTS = 24


class Use:
    """What the body of a function does with one parameter."""

    def __init__(self):
        self.pointer = self.index = self.mask = self.described = self.called = False
        self.shape = self.tested = self.dtype = self.none = self.addresses = self.packed = False
        self.strings, self.numbers, self.items = [], [], 0
        self.rank = 0  # of what is described: dimensions of its tiles


def pointer_score(name):
    if re.search(r"ptr|pointer", name, re.I):
        return 3
    return 0 if re.search(r"stride|off|idx|start|len|size|^num|^n_|pid", name, re.I) else 1


class Body(ast.NodeVisitor):
    """Walks a function and fills `uses`; `flows` says which pointers' elements are in a name."""

    def __init__(self, node, resolve, depth=0):
        self.resolve, self.depth = resolve, depth
        self.params = [a.arg for a in node.args.args]
        self.uses = {p: Use() for p in self.params}
        self.bases, self.flows = {}, {}
        for _ in range(2):  # the second time a loop's names have their sources
            for statement in node.body:
                self.visit(statement)

    def pointer(self, bases):
        bases = [b for b in dict.fromkeys(bases) if b in self.uses]
        if not bases:
            return None
        best = max(bases, key=lambda b: (self.uses[b].pointer, pointer_score(b), -bases.index(b)))
        self.uses[best].pointer = True
        return best

    def integers(self, flows):
        for name in flows:
            self.uses[name].index = True

    def look(self, node):
        """(parameters that may be its base address, pointers whose elements are in it)"""
        if node is None or isinstance(node, ast.Constant):
            return [], set()
        if isinstance(node, ast.Name):
            own = [node.id] if node.id in self.uses else []
            return self.bases.get(node.id, own), self.flows.get(node.id, set())
        if isinstance(node, ast.BinOp):
            return self.look_binary(node)
        if isinstance(node, ast.Call):
            return self.look_call(node)
        if isinstance(node, ast.IfExp):
            self.test(node.test)
            left, right = self.look(node.body), self.look(node.orelse)
            return left[0] + right[0], left[1] | right[1]
        if isinstance(node, ast.Subscript):
            return self.look_subscript(node)
        if isinstance(node, ast.Attribute):
            return self.look_attribute(node)
        if isinstance(node, ast.Compare):
            self.compare(node)
            flows = set()
            for e in [node.left] + node.comparators:
                flows |= self.look(e)[1]
            return [], flows
        flows = set()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                flows |= self.look(child)[1]
        return [], flows

    def look_binary(self, node):
        left, right = self.look(node.left), self.look(node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            return left[0] + right[0], left[1] | right[1]
        if isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)):
            self.integers(left[1] | right[1])
        if isinstance(node.op, (ast.RShift, ast.LShift)):
            for name in left[1]:
                self.uses[name].packed = True
        return [], left[1] | right[1]

    def look_subscript(self, node):
        index = node.slice
        if isinstance(node.value, ast.Name) and node.value.id in self.uses:
            use = self.uses[node.value.id]
            last = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else 7
            use.items = max(use.items, last + 1)
        return self.look(node.value)

    def look_attribute(self, node):
        name = dotted(node)
        root = name.split(".")[0]
        if ".element_ty" in name and root:
            self.pointer(self.look(ast.Name(id=root))[0])
        return ([], set()) if node.attr in ("dtype", "element_ty", "shape") else self.look(node.value)

    def look_call(self, node):
        full = dotted(node.func)
        last = full.rpartition(".")[2] or getattr(node.func, "attr", "")
        args = {k.arg: k.value for k in node.keywords}
        first = node.args[0] if node.args else None
        if isinstance(node.func, ast.Name) and node.func.id in self.uses:
            self.uses[node.func.id].called = True
        is_method = isinstance(node.func, ast.Attribute) and not full.startswith(("tl.", "triton.", "libdevice."))
        if is_method and isinstance(node.func.value, ast.Name) and last in ("load", "store", "gather", "scatter"):
            self.describe(node.func.value.id, node)
        if last in ("load", "store") and not is_method or last.startswith("atomic_"):
            return self.look_access(node, first or args.get("pointer"), args, is_method)
        if last in ("make_block_ptr", "make_tensor_descriptor") and (first or "base" in args):
            self.pointer(self.look(first or args["base"])[0])
            for e in node.args[1:] + list(args.values()):
                self.integers(self.look(e)[1])
            return [], set()
        if last in ("range", "static_range", "arange"):
            self.look_bounds(node, last == "arange")
        if last in ("zeros", "full", "reshape", "broadcast_to", "view") and not is_method:
            self.mark_shape(node.args[0 if last in ("zeros", "full") else 1:] + [args.get("shape")])
        self.mark_dtype(node, last, args)
        helper = self.resolve(last) if self.depth < 4 else None
        if helper is not None:
            self.look_helper(helper, node)
        parts = [self.look(e) for e in node.args] + [self.look(e) for e in args.values()]
        if is_method:
            parts.insert(0, self.look(node.func.value))
            if last == "to" and "pointer_type" in ast.dump(node):
                for name in parts[0][1]:
                    self.uses[name].addresses = True
        flows = set().union(*[p[1] for p in parts]) if parts else set()
        keeps = last in ("to", "multiple_of", "max_contiguous", "cast", "broadcast_to", "advance", "where",
                         "expand_dims", "trans", "reshape")
        return [b for p in parts for b in p[0]] if keeps else [], flows

    def look_access(self, node, address, args, is_method):
        if is_method and isinstance(node.func.value, ast.Name):
            address = node.func.value
        bases, flows = self.look(address)
        self.integers(flows)
        pointer = self.pointer(bases)
        for e in node.args[1:] + list(args.values()):
            self.look(e)
        masks = self.look(args.get("mask"))[1]
        for name in masks:
            self.uses[name].mask = not self.uses[name].index
        return [], {pointer} if pointer else set()

    def look_bounds(self, node, is_arange):
        for e in node.args:
            self.integers(self.look(e)[1])
        if is_arange:
            self.mark_shape(node.args)

    def look_helper(self, helper, node):
        inner = Body(helper, self.resolve, self.depth + 1)
        given = list(zip(inner.params, node.args))
        given += [(k.arg, k.value) for k in node.keywords if k.arg in inner.uses]
        for param, e in given:
            use = inner.uses[param]
            bases, flows = self.look(e)
            if use.pointer:
                target = self.pointer(bases)
                if target:
                    for word in ("index", "mask", "addresses", "packed"):
                        setattr(self.uses[target], word, getattr(self.uses[target], word) or getattr(use, word))
            if isinstance(e, ast.Name) and e.id in self.uses and not use.pointer:
                mine = self.uses[e.id]
                for word in ("described", "called", "shape", "tested", "dtype", "none"):
                    setattr(mine, word, getattr(mine, word) or getattr(use, word))
                mine.rank = max(mine.rank, use.rank)
                mine.strings += use.strings
                mine.numbers += use.numbers

    def mark_shape(self, nodes):
        for e in nodes:
            for n in ast.walk(e) if e is not None else ():
                if isinstance(n, ast.Name) and n.id in self.uses:
                    self.uses[n.id].shape = True

    def mark_dtype(self, node, last, args):
        places = [args.get("dtype"), args.get("out_dtype")]
        places += node.args[:1] if last == "to" else node.args[1:2] if last in ("zeros", "cast") else []
        places += node.args[2:3] if last == "full" else []
        for e in places:
            if isinstance(e, ast.Name) and e.id in self.uses:
                self.uses[e.id].dtype = True

    def describe(self, name, call):
        offsets = [e for e in call.args + [k.value for k in call.keywords] if isinstance(e, (ast.List, ast.Tuple))]
        if name in self.uses and offsets:
            self.uses[name].described = True
            self.uses[name].rank = len(offsets[0].elts)

    def test(self, node):
        if isinstance(node, ast.Name) and node.id in self.uses:
            self.uses[node.id].tested = True
        elif isinstance(node, ast.BoolOp):
            for e in node.values:
                self.test(e)
        elif isinstance(node, ast.UnaryOp):
            self.test(node.operand)
        else:
            self.look(node)

    def compare(self, node):
        for e in ast.walk(node.left):
            if not isinstance(e, ast.Name) or e.id not in self.uses:
                continue
            use = self.uses[e.id]
            for other in node.comparators:
                for c in other.elts if isinstance(other, (ast.Tuple, ast.List)) else [other]:
                    if isinstance(c, ast.Constant) and e is node.left:
                        if isinstance(c.value, str):
                            use.strings.append(c.value)
                        elif c.value is None:
                            use.none = True
                        elif isinstance(c.value, (int, float)):
                            use.numbers.append(c.value)
                    elif dotted(c).startswith("tl.") and e is node.left:
                        use.dtype = True

    def bind(self, target, value):
        if isinstance(target, ast.Name):
            self.bases[target.id], self.flows[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for e in target.elts:
                self.bind(e, ([], value[1]))

    def visit_Assign(self, node):
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) \
                and len(target.elts) == len(node.value.elts):
            values = [self.look(e) for e in node.value.elts]
            for t, v in zip(target.elts, values):
                self.bind(t, v)
            return
        self.bind(target, self.look(node.value))

    def visit_AnnAssign(self, node):
        if node.value:
            self.bind(node.target, self.look(node.value))

    def visit_AugAssign(self, node):
        old, new = self.look(node.target), self.look(node.value)
        adds = isinstance(node.op, (ast.Add, ast.Sub))
        self.bind(node.target, ((old[0] + new[0]) if adds else [], old[1] | new[1]))

    def visit_Expr(self, node):
        self.look(node.value)

    def visit_If(self, node):
        self.test(node.test)
        for statement in node.body + node.orelse:
            self.visit(statement)

    def visit_For(self, node):
        self.bind(node.target, ([], set()))
        self.look(node.iter)
        for statement in node.body + node.orelse:
            self.visit(statement)

    def visit_While(self, node):
        self.test(node.test)
        for statement in node.body:
            self.visit(statement)

    def visit_Return(self, node):
        self.look(node.value)


# --- what the host gives ---

def host_name(name, around, file, depth):
    """The same for a name in the function `around`."""
    found = None
    for n in ast.walk(around) if around is not None else ():
        target, value = assigned(n)
        if target == name:
            found = value
    if found is None and around is not None:
        for a in around.args.args + around.args.kwonlyargs:
            if a.arg == name and a.annotation is not None:
                text = ast.unparse(a.annotation)
                kinds = ("Tensor", "tensor"), ("bool", "bool"), ("float", "float"), ("int", "int"), ("str", "str")
                return next((("kind", k) for word, k in kinds if word in text), None)
    if found is None and name in file.jits:
        return "function", name
    if found is None:
        found = file.values.get(name)
    return host(found, around, file, depth + 1) if found is not None else None


def host(node, around, file, depth=0):
    """What an expression outside of kernels is: ('value', Python value), ('dtype', name),
    ('function', name), ('kind', word)."""
    if depth > 6:
        return None
    if isinstance(node, ast.Constant):
        return "value", node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return "value", -node.operand.value
    if isinstance(node, ast.Name):
        return host_name(node.id, around, file, depth)
    if isinstance(node, ast.Attribute):
        if node.attr in DTYPES and dotted(node).split(".")[0] in ("torch", "tl", "triton"):
            return "dtype", DTYPES[node.attr]
        kinds = {"dtype": "dtype", "shape": "tuple", "ndim": "int", "eps": "float"}
        return ("kind", kinds[node.attr]) if node.attr in kinds else None
    if isinstance(node, ast.Subscript):
        return ("kind", "int") if "shape" in ast.unparse(node.value) else None
    if isinstance(node, (ast.Compare, ast.BoolOp)) or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "kind", "bool"
    if isinstance(node, ast.IfExp):
        return host(node.body, around, file, depth + 1) or host(node.orelse, around, file, depth + 1)
    if isinstance(node, ast.BinOp):
        return "kind", "float" if isinstance(node.op, (ast.Div, ast.Pow)) else "int"
    if isinstance(node, ast.Call):
        name = dotted(node.func).rpartition(".")[2] or getattr(node.func, "attr", "")
        kinds = {"stride": "int", "size": "int", "numel": "int", "len": "int", "cdiv": "int", "int": "int",
                 "next_power_of_2": "power", "min": "power", "max": "power", "float": "float", "bool": "bool",
                 "sqrt": "float", "element_size": "int"}
        if name in ("stride", "size") and not node.args:
            return "kind", "tuple"
        return ("kind", kinds[name]) if name in kinds else None
    if isinstance(node, (ast.Tuple, ast.List)):
        return "kind", "tuple"
    return None


def launched_with(kernel, files):
    """Parameter -> what launches give for it, one entry a launch."""
    given = {}
    params = [a.arg for a in kernel.node.args.args]
    for call, around in kernel.launches:
        pairs = []
        for param, e in zip(params, call.args):
            if isinstance(e, ast.Starred):
                break
            pairs.append((param, e))
        pairs += [(k.arg, k.value) for k in call.keywords if k.arg in params]
        for param, e in pairs:
            given.setdefault(param, []).append(host(e, around, files[kernel.path]))
    return given


def tuned(kernel):
    """(first configuration as a dict of known values, names that decorators compute)"""
    config, names = {}, set()
    for decorator in kernel.node.decorator_list:
        for n in ast.walk(decorator):
            if not isinstance(n, ast.Call):
                continue
            last = dotted(n.func).rpartition(".")[2]
            dicts = [d for d in n.args[:1] if isinstance(d, ast.Dict)]
            if last not in ("Config", "heuristics") or not dicts:
                continue
            for key, value in zip(dicts[0].keys, dicts[0].values):
                if isinstance(key, ast.Constant):
                    names.add(key.value)
                    if last == "Config" and isinstance(value, ast.Constant):
                        config.setdefault(key.value, value.value)
    return config, names


def spelt(value):
    """A Python value as the command line writes it."""
    return repr(value) if isinstance(value, str) else str(value)


class Guess:
    def __init__(self, kernel, files, helpers):
        self.kernel = kernel
        node = kernel.node
        own = {n.name: n for s in kernel.scopes for n in s.body if isinstance(n, ast.FunctionDef)}

        def resolve(name):
            found = helpers.get((kernel.package, name))
            return own.get(name) or (found.node if found and found.node is not node else None)

        self.body = Body(node, resolve)
        self.launches = launched_with(kernel, files)
        self.config, self.computed = tuned(kernel)
        self.defaults = dict(zip([a.arg for a in node.args.args[::-1]], node.args.defaults[::-1]))
        self.qualified = kernel.qualified
        self.float, self.size = "fp32", None
        self.flag = False
        self.elements, self.scalars, self.fixed = {}, {}, {}
        self.given = set()  # computed by decorators, but given all the same
        self.tried = set()
        self.ideas = None

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
        if use.described:
            return "=", self.descriptor(name)
        if note.strip("'\"") in ("i32", "i64", "u32", "u64", "fp32"):
            return ":", note.strip("'\"")
        if use.pointer:
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
            return "=", "tuple"
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
        rank = max(self.body.uses[name].rank, 1)
        extents = ["1"] * (rank - 2) + [str(self.size)] * min(rank, 2)  # batches are taken one by one
        return f"descriptor(zeros({self.element_type(name)},{'x'.join(extents)}),({','.join(extents)},))"

    def size_of(self, name):
        """An extent: all equal when self.size says so."""
        if re.search(r"subtile|factor$|specialize", name, re.I):
            return "1"
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
            optional = use.none or use.tested or ("value", None) in kinds
            return named[0] if named else "None" if optional else "function"
        if shape and self.size and not use.strings:
            return str(self.size)
        if name in self.config:
            return spelt(self.config[name])
        dtypes = [k[1] for k in kinds if k[0] == "dtype"]
        if dtypes:
            return dtypes[0]
        if values and values[0] is not None:
            return spelt(values[0])
        if re.search("precision", name, re.I) and not use.numbers:
            return "'ieee'"
        if re.search(r"order_?\d$", name):  # of strides: what is written there is a permutation
            return name[-1]
        if use.items and not values:
            return "(" + ", ".join(["4"] * use.items) + ")"
        named_so = re.search(r"dtype$|^dtype|_type$", name, re.I) and not re.search("value|min|max", name)
        if use.dtype or "dtype" in words or named_so and not use.strings:
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
            return "(" + ", ".join(["4"] * max(use.items, 2)) + ")"
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
        words = []
        for a in self.kernel.node.args.args:
            name = a.arg
            if self.is_constexpr(a):
                leave = name in self.computed and name not in self.given and name not in self.fixed
                if leave or name in self.defaults and name not in self.given and name not in self.launches:
                    continue
                words.append(f"{name}={self.constant(a)}")
                continue
            if name in self.defaults and name not in self.launches and not self.body.uses[name].pointer \
                    and name not in self.scalars:
                continue
            sign, text = self.run_time(a)
            words.append(name + sign + text)
        return words

    # --- after a refusal ---

    def parameters_on(self, lines):
        """Pointers whose elements are in the names of these lines, scalars and constexprs there."""
        names = re.findall(r"[A-Za-z_]\w*", " ".join(lines))
        pointers, scalars = [], []
        for name in dict.fromkeys(names):
            pointers += [p for p in self.body.flows.get(name, ()) if p]
            pointers += [p for p in self.body.bases.get(name, ()) if self.body.uses[p].pointer]
            if name in self.body.uses:
                (pointers if self.body.uses[name].pointer else scalars).append(name)
        constexprs = {a.arg for a in self.kernel.node.args.args if self.is_constexpr(a)}
        constants = [s for s in scalars if s in constexprs and not SHAPE_NAME.search(s)]
        return list(dict.fromkeys(pointers)), [s for s in scalars if s not in constexprs], constants

    def ideas_for(self, message, lines):
        """Changes worth trying, as functions, the likeliest first."""
        pointers, scalars, constexprs = self.parameters_on(lines)
        ideas = []

        def put(table, names, value):
            for name in names:
                ideas.append(lambda: table.__setitem__(name, value) or True)

        def put_all(table, names, value):
            ideas.append(lambda: [table.__setitem__(name, value) for name in names])

        def kind(**changes):
            ideas.append(lambda: [setattr(self, k, v) for k, v in changes.items()])

        if "last dim must be 1" in message:
            put(self.fixed, [s for s in scalars if "stride" in s][-1:], "1")
        if re.search(r"static assertion|is not defined|: Raise", message):
            self.put_choices(put, lines)
        width = re.search(r"Cannot bitcast data-type of size \d+ to data-type of size (\d+)", message)
        for element in OF_WIDTH.get(width.group(1), ()) if width else ():
            put_all(self.elements, pointers, element)
            put(self.elements, pointers, element)
        if "constexpr 0.5" in message or "must be an int" in message:
            put_all(self.fixed, constexprs, "4")
        if re.search(r"precision|must be a string", message):
            put_all(self.fixed, constexprs, "'ieee'")
        if re.search(r"Expected dtype|floating|needs an? float", message):
            put_all(self.elements, pointers, "fp32")
            put(self.scalars, scalars, "fp32")
        if re.search(r"invalid operands|unexpected type", message):
            dtypes = [a.arg for a in self.kernel.node.args.args if self.is_constexpr(a) and self.body.uses[a.arg].dtype]
            put_all(self.fixed, dtypes, "i32")
        if re.search(r"invalid operands|unexpected type|integers|For loop bounds|For range|ints|offset|arange"
                     r"|Cannot use /|shift|signed", message):
            put_all(self.elements, pointers, "i32")
            put(self.elements, pointers, "i32")
            put_all(self.scalars, scalars, "i32")
            put(self.elements, pointers, "u8")
        if re.search(r"pointer<\w+> and fp|arange|constexpr|range", message):
            put_all(self.scalars, scalars, "i32")
            put_all(self.fixed, constexprs, "4")
        if re.search(r"pointer<\w+> and pointer", message):
            put_all(self.elements, pointers, "fp32")
        if "dot" in " ".join(lines):
            put_all(self.elements, pointers, "i8")
        if re.search(r"boolean|int1|bitcast|Bitcast|Mask|invert", message):
            put(self.elements, pointers, "i1")
            put_all(self.elements, pointers, "i1")
        if re.search(r"ptr type|pointer", message):
            for name in scalars:
                ideas.append(lambda name=name: setattr(self.body.uses[name], "pointer", True))
            put(self.elements, pointers, "i64")
        if re.search(r"same dtype|dtype|[Tt]ype|cast|Unsupported|operands", message):
            kind(float="bf16")
            kind(float="fp16")
            put_all(self.elements, pointers, "i64")
            put(self.elements, pointers, "i64")
            put_all(self.elements, pointers, "i32")
            put_all(self.elements, pointers, "bf16")
            put_all(self.elements, pointers, "fp16")
            put(self.elements, pointers, "fp16")
            put(self.scalars, scalars, "i64")
            put_all(self.elements, pointers, "i8")
            put_all(self.elements, pointers, "u8")
            put_all(self.elements, pointers, "fp32")
        if re.search(r"None", message):
            for name in scalars:
                ideas.append(lambda name=name: setattr(self.body.uses[name], "pointer", True))
        sizes = r"dimension|reshape|rank|broadcast|static assertion|power|permut|shape|Shape|split|divi|numel|range"
        if re.search(sizes, message):
            for size in (64, 16, 128, 32):
                kind(size=size)
        if re.search(r"fp32|0\.5", message):  # something is a float that should count
            names = [a.arg for a in self.kernel.node.args.args]
            put_all(self.scalars, [n for n in names if not re.search("scale|eps", n)], "i32")
            put_all(self.elements, [n for n in names if INTEGER_NAME.search(n)], "i32")
        kind(flag=True)
        kind(flag=True, size=64)
        kind(float="bf16", size=64)
        kind(float="fp16", size=32)
        return ideas

    def put_choices(self, put, lines):
        """Ideas for what a kernel chooses by: what these lines ask for, and what it compares with."""
        for name, value in re.findall(r"(\w+)\s*==\s*(\d+|'\w+'|\"\w+\")", " ".join(lines)):
            put(self.fixed, [name] if name in self.body.uses else [], value)
        for a in self.kernel.node.args.args:
            use = self.body.uses[a.arg]
            for value in dict.fromkeys(use.strings + use.numbers if self.is_constexpr(a) else []):
                put(self.fixed, [a.arg], spelt(value))

    def adjust(self, stderr):
        """Change the guess after a refusal; False when there is nothing left to try."""
        missing = re.findall(r"(?:argument|constexpr) `(\w+)` was not given", stderr)
        missing += re.findall(r"`(\w+)` was not given, and its", stderr)
        if "has no kernel" in stderr and self.qualified != self.kernel.name:
            self.qualified = self.kernel.name
            return True
        fresh = [m for m in missing if m not in self.given]
        if fresh:
            self.given.update(fresh)
            self.computed -= set(fresh)
            for m in fresh:
                self.launches.setdefault(m, [])
            return True
        first = re.search(r"error: (.*)", stderr)
        # source lines of the first error and of the calls that lead to it
        lines = re.findall(r"^    (.*\w.*)$", stderr.split("error:", 2)[1] if first else "", re.M)
        ideas = self.ideas_for(first.group(1) if first else "", lines)
        state = (self.float, self.size, self.flag, dict(self.elements), dict(self.scalars), dict(self.fixed))
        for idea in ideas:
            idea()
            words = tuple(self.arguments())
            if words not in self.tried:
                return True
            self.float, self.size, self.flag = state[:3]
            self.elements, self.scalars, self.fixed = dict(state[3]), dict(state[4]), dict(state[5])
        return False
