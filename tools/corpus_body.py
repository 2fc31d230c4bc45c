"""corpus_body.py - what the body of a kernel does with its parameters

`Body(node, resolve, constants)` walks a function and the helpers it calls (`resolve(name)` gives their
trees, `constants[name]` that of a global) and fills `uses`, a Use for each parameter: is it loaded
through, an index, a mask, an extent?  Used by corpus_guess.py.
"""
import ast
import re

from corpus_kernels import dotted


class Use:
    """What the body of a function does with one parameter."""

    def __init__(self):
        self.pointer = self.index = self.mask = self.described = False
        self.called = 0  # with so many arguments
        self.shape = self.tested = self.dtype = self.none = self.addresses = self.packed = False
        self.strings, self.numbers = [], []
        self.items = 0  # of a tuple, as far as the body shows
        self.rank = 0  # of what is described: dimensions of its tiles


def pointer_score(name):
    if re.search(r"ptr|pointer", name, re.I):
        return 3
    return 0 if re.search(r"stride|off|idx|start|len|size|^num|^n_|pid", name, re.I) else 1


class Body(ast.NodeVisitor):
    """Walks a function and fills `uses`; `flows` says which pointers' elements are in a name."""

    def __init__(self, node, resolve, constants, depth=0):
        self.resolve, self.constants, self.depth = resolve, constants, depth
        self.params = [a.arg for a in node.args.args]
        self.uses = {p: Use() for p in self.params}
        self.bases, self.groups = {}, []  # parameters of which a condition takes one
        self.returned, self.parts = [], {}  # (bases, flows) of each value; the same by call of a helper
        self.flows = {p: {p} for p in self.params} if depth else {}  # of a helper: what it is given
        for _ in range(2):  # the second time a loop's names have their sources
            for statement in node.body:
                self.visit(statement)

    def likeliest(self, bases):
        bases = [b for b in dict.fromkeys(bases) if b in self.uses]
        return max(bases, key=lambda b: (self.uses[b].pointer, pointer_score(b), -bases.index(b)), default=None)

    def pointer(self, bases):
        best = self.likeliest(bases)
        if best is not None:
            for name in set().union({best}, *[g for g in self.groups if best in g]):
                self.uses[name].pointer = True
        return best

    def alternatives(self, *arms):
        """One of them is taken: when that is a pointer the others are."""
        names = {self.likeliest(bases) for bases in arms} - {None}
        if len(names) > 1 and names not in self.groups:
            self.groups.append(names)
        if any(self.uses[name].pointer for name in names):
            self.pointer(names)

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
            self.alternatives(left[0], right[0])
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
        if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
            for e, other in ((node.left, right), (node.right, left)):
                if isinstance(e, ast.Constant) and not isinstance(e.value, bool):
                    self.integers(other[1])
        return [], left[1] | right[1]

    def look_subscript(self, node):
        index = node.slice
        whole = isinstance(index, (ast.Slice, ast.Tuple)) or isinstance(index, ast.Constant) and index.value is None
        if isinstance(node.value, ast.Name) and node.value.id in self.uses and not whole:
            use = self.uses[node.value.id]
            last = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else 1
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
            self.uses[node.func.id].called = len(node.args) + len(node.keywords)
        is_method = isinstance(node.func, ast.Attribute) and not full.startswith(("tl.", "triton.", "libdevice."))
        if is_method and isinstance(node.func.value, ast.Name) and last in ("load", "store", "gather", "scatter"):
            self.describe(node.func.value.id, node)
        if last in ("load", "store") and not is_method or last.startswith("atomic_"):
            return self.look_access(node, first or args.get("pointer"), args, is_method)
        if last in ("make_block_ptr", "make_tensor_descriptor") and (first or "base" in args):
            self.pointer(self.look(first or args["base"])[0])
            for e in node.args[1:] + list(args.values()):
                self.integers(self.look(e)[1])
            return self.look(first or args["base"])[0], set()
        if last in ("range", "static_range", "arange", "cdiv"):
            self.look_bounds(node, last == "arange")
        if last == "len" and isinstance(first, ast.Name) and first.id in self.uses:
            self.uses[first.id].items = max(self.uses[first.id].items, 2)
        if last in ("zeros", "full", "reshape", "broadcast_to", "view") and not is_method:
            self.mark_shape(node.args[0 if last in ("zeros", "full") else 1:] + [args.get("shape")])
        self.mark_dtype(node, last, args)
        helper = self.resolve(last) if self.depth < 4 else None
        if helper is not None:
            self.parts[id(node)] = self.look_helper(helper, node)
        parts = [self.look(e) for e in node.args] + [self.look(e) for e in args.values()]
        if is_method:
            parts.insert(0, self.look(node.func.value))
            if last == "to" and "pointer_type" in ast.dump(node):
                for name in parts[0][1]:
                    self.uses[name].addresses = True
                if parts[0][1] and not pointer_score(self.likeliest(parts[0][0]) or "offset"):
                    parts[0] = [], parts[0][1]  # the address was loaded, and what is added is none
        flows = set().union(*[p[1] for p in parts]) if parts else set()
        if len(self.parts.get(id(node), ())) == 1:
            return self.parts[id(node)][0][0], flows
        if last == "where" and len(parts) == 3:
            self.alternatives(parts[1][0], parts[2][0])
            return parts[1][0] + parts[2][0], flows
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
        """Uses what the helper does with its arguments; gives (bases, flows) of each value that it returns."""
        inner = Body(helper, self.resolve, self.constants, self.depth + 1)
        given = list(zip(inner.params, node.args))
        given += [(k.arg, k.value) for k in node.keywords if k.arg in inner.uses]
        sources = {param: self.look(e) for param, e in given}
        for param, e in given:
            use = inner.uses[param]
            bases, flows = self.look(e)
            if use.pointer:
                target = self.pointer(bases)
                self.integers(flows)
                if target:
                    for word in ("index", "mask", "addresses", "packed"):
                        setattr(self.uses[target], word, getattr(self.uses[target], word) or getattr(use, word))
            elif use.index:
                self.integers(flows)
            if isinstance(e, ast.Name) and e.id in self.uses:
                self.uses[e.id].items = max(self.uses[e.id].items, use.items)
            if isinstance(e, ast.Name) and e.id in self.uses and not use.pointer:
                mine = self.uses[e.id]
                for word in ("described", "called", "shape", "tested", "dtype", "none"):
                    setattr(mine, word, getattr(mine, word) or getattr(use, word))
                mine.rank = max(mine.rank, use.rank)
                mine.strings += use.strings
                mine.numbers += use.numbers
        return [([b for param in bases for b in sources.get(param, ([], ()))[0]],
                 {f for param in flows for f in sources.get(param, ((), ()))[1]}) for bases, flows in inner.returned]

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
                    c = self.constants.get(c.id, c) if isinstance(c, ast.Name) else c
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
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Name) and node.value.id in self.uses:
            self.uses[node.value.id].items = len(target.elts)
            for t in target.elts:
                self.bind(t, self.look(node.value))
            return
        value = self.look(node.value)
        parts = self.parts.get(id(node.value), ())
        if isinstance(target, ast.Tuple) and len(parts) == len(target.elts):
            for t, v in zip(target.elts, parts):
                self.bind(t, v)
            return
        self.bind(target, value)

    def visit_AnnAssign(self, node):
        if node.value:
            self.bind(node.target, self.look(node.value))
            root = dotted(node.value).partition(".")[0]
            if isinstance(node.target, ast.Name) and dotted(node.value).endswith("element_ty") and root in self.uses:
                self.flows[node.target.id] = {root}  # what is asked of the type is asked of its elements

    def visit_AugAssign(self, node):
        old, new = self.look(node.target), self.look(node.value)
        adds = isinstance(node.op, (ast.Add, ast.Sub))
        self.bind(node.target, ((old[0] + new[0]) if adds else [], old[1] | new[1]))

    def visit_Expr(self, node):
        self.look(node.value)

    def visit_If(self, node):
        self.test(node.test)
        before = dict(self.bases), dict(self.flows)
        for statement in node.body:
            self.visit(statement)
        bases, flows = self.bases, self.flows
        self.bases, self.flows = before
        for statement in node.orelse:
            self.visit(statement)
        for name, found in bases.items():  # behind it a name is what either arm makes of it
            mine = self.bases.get(name, [])
            self.alternatives(mine, found)
            self.bases[name] = mine + [b for b in found if b not in mine]
        for name, found in flows.items():
            self.flows[name] = self.flows.get(name, set()) | found

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
        if node.value is None:
            return
        parts = [self.look(e) for e in (node.value.elts if isinstance(node.value, ast.Tuple) else [node.value])]
        if len(parts) != len(self.returned):
            self.returned = parts
        else:  # another `return` may give other values
            self.returned = [(a[0] + b[0], a[1] | b[1]) for a, b in zip(self.returned, parts)]
