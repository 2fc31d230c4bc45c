"""corpus_host.py - what the Python around a kernel says of its arguments

Reads launches, configurations and values of modules as syntax trees, and runs none of them.
`launched_with(kernel, files)` gives what each launch passes, `tuned(kernel)` the first configuration.
Used by corpus_guess.py.
"""
import ast

from corpus_kernels import assigned, dotted

DTYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64", "int32": "i32",
          "int64": "i64", "int16": "i16", "int8": "i8", "uint8": "u8", "uint16": "u16", "uint32": "u32",
          "uint64": "u64", "bool": "i1", "int1": "i1", "float": "fp32", "half": "fp16", "long": "i64",
          "int": "i32", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "float8e4nv": "fp8e4nv",
          "float8e5": "fp8e5", "float8_e4m3fnuz": "fp8e4b8", "float8e4b8": "fp8e4b8"}


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
