"""corpus_kernels.py - find the kernels of a tree of Python packages, and how each one is launched

Reads files as syntax trees and runs none of them.  `find_kernels(folder)` gives one Kernel for each
function under triton.jit that other kernels do not call, near-copies (equal syntax trees) once.
Used by corpus.py; corpus_guess.py turns a Kernel into arguments.
"""
import ast
import os

SKIPPED = ("gluon", "cute", "cutlass", "tilelang", "numba", "cuda", "jax", "torch")


class Kernel:
    """A function under triton.jit: where it is, its tree, and the calls that launch it."""

    def __init__(self, package, path, node, qualified, scopes):
        self.package, self.path, self.node = package, path, node
        self.name = node.name
        self.qualified = qualified  # with the functions and classes around it
        self.scopes = scopes  # those functions, the innermost first
        self.launches = []  # (ast.Call, function around it or None)


class File:
    """One parsed file: its imports, module-level values and jit functions."""

    def __init__(self, package, path, tree):
        self.package, self.path, self.tree = package, path, tree
        self.imports = {}  # name -> (module, member or None)
        self.values = {}  # module-level name -> expression
        self.jits = {}  # name -> Kernel
        self.may_launch = True
        for node in statements(tree):
            if isinstance(node, ast.Import):
                for a in node.names:
                    self.imports[a.asname or a.name.split(".")[0]] = (a.name, None)
            elif isinstance(node, ast.ImportFrom):
                for a in node.names:
                    self.imports[a.asname or a.name] = (node.module or "", a.name)
        for node in tree.body:
            target, value = assigned(node)
            if target:
                self.values[target] = value


def statements(node):
    """All statements below a node, without what is in expressions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.ExceptHandler)):
            yield child
            yield from statements(child)


def assigned(node):
    """The name and the expression of `name = e` or `name: T = e`; (None, None) for other nodes."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
        return node.target.id, node.value
    return None, None


def dotted(node):
    """The text of a chain of names `a.b.c`; '' for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        return left + "." + node.attr if left else ""
    return ""


def is_jit(file, decorator):
    """Is it triton.jit, under whatever name, bare or called?"""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = dotted(node)
    first, _, rest = name.partition(".")
    module, member = file.imports.get(first, (first, None))
    full = ".".join(part for part in (module, member, rest) if part)
    parts = full.split(".")
    return parts[-1] == "jit" and "triton" in full and not any(p in SKIPPED for p in parts)


def returns_value(node):
    return any(isinstance(n, ast.Return) and n.value is not None
               and not (isinstance(n.value, ast.Constant) and n.value.value is None)
               for n in ast.walk(node))


def has_effect(node):
    """Does it store anything, itself or in a helper that it calls as a statement?"""
    for n in ast.walk(node):
        if isinstance(n, ast.Call):
            name = dotted(n.func).rpartition(".")[2] or getattr(n.func, "attr", "")
            if name.startswith(("store", "atomic_")) or name in ("scatter", "device_print"):
                return True
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call):
            if not dotted(n.value.func).startswith("tl."):
                return True
    return False


def collect_jits(file):
    """Fill file.jits with every jit function, nested ones too."""

    def visit(body, path, scopes):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if any(is_jit(file, d) for d in node.decorator_list):
                    name = ".".join(path + [node.name])
                    file.jits[node.name] = Kernel(file.package, file.path, node, name, scopes)
                else:
                    visit(node.body, path + [node.name], [node] + scopes)
            elif isinstance(node, ast.ClassDef):
                visit(node.body, path + [node.name], scopes)
            else:
                for field in ("body", "orelse", "finalbody"):
                    visit(getattr(node, field, []) or [], path, scopes)
                for handler in getattr(node, "handlers", []):
                    visit(handler.body, path, scopes)

    visit(file.tree.body, [], [])


def parse_files(folder):
    """Every file below `folder` that speaks of triton and jit; its first folder names the package."""
    files = []
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(root, name)
            if not name.endswith(".py"):
                continue
            try:
                with open(path, encoding="utf-8", errors="replace") as f:
                    text = f.read()
                if "triton" not in text or "jit" not in text:
                    continue
                tree = ast.parse(text)
            except (SyntaxError, ValueError, OSError, RecursionError):
                continue
            package = os.path.relpath(path, folder).split(os.sep)[0]
            files.append(File(package, path, tree))
            files[-1].may_launch = "](" in text or "] (" in text
            collect_jits(files[-1])
    return files


def names_used_in_jits(files):
    """Names that jit functions call or hand on, by package."""
    used = {}
    for f in files:
        for k in f.jits.values():
            for n in ast.walk(k.node):
                if isinstance(n, ast.Name) and n.id != k.name:
                    used.setdefault(f.package, set()).add(n.id)
                elif isinstance(n, ast.Attribute):
                    used.setdefault(f.package, set()).add(n.attr)
    return used


def collect_launches(files):
    """Give each kernel the calls `kernel[grid](...)` of its package."""
    by_name = {}
    for f in files:
        for k in f.jits.values():
            by_name.setdefault((f.package, k.name), []).append(k)

    def visit(f, node, around):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            around = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            name = dotted(node.func.value).rpartition(".")[2]
            same = by_name.get((f.package, name), ())
            for k in [k for k in same if k.path == f.path] or same:
                k.launches.append((node, around))
        for child in ast.iter_child_nodes(node):
            visit(f, child, around)

    for f in files:
        if f.may_launch:
            visit(f, f.tree, None)


def aggregates(files):
    """Names of classes whose objects no launch can pass, by package."""
    found = {}
    for f in files:
        for node in statements(f.tree):
            if isinstance(node, ast.ClassDef) and any("aggregate" in dotted(d) for d in node.decorator_list):
                found.setdefault(f.package, set()).add(node.name)
    return found


def find_kernels(folder, all_copies=False):
    """(kernels, files by path, lists of jit functions by package and name)."""
    files = parse_files(folder)
    used, classes = names_used_in_jits(files), aggregates(files)
    collect_launches(files)
    kernels, seen = [], set()
    for f in files:
        for k in f.jits.values():
            helper = k.name in used.get(f.package, ()) and not k.launches
            helper |= any(a.annotation is not None and dotted(a.annotation) in classes.get(f.package, ())
                          for a in k.node.args.args)
            if helper or returns_value(k.node) or not has_effect(k.node) or not k.node.args.args:
                continue
            tree = ast.dump(k.node)
            if tree in seen and not all_copies:
                continue
            seen.add(tree)
            kernels.append(k)
    helpers = {}
    for f in files:
        for k in f.jits.values():
            helpers.setdefault((f.package, k.name), []).append(k)
    return kernels, {f.path: f for f in files}, helpers
