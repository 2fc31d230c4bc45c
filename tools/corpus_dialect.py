"""corpus_dialect.py - which kernels are not in Triton's own dialect, by rules that are printed

A kernel under triton.jit may use what another compiler or a fork adds, what Triton itself no longer has
or refuses, or a package that the corpus lacks.  `foreign(kernel, files, helpers)` says so of what the
kernel and its helpers name, before it is compiled; `refused_by_triton(result, kernel, files, helpers)`
of a refusal.  Both give the title of a rule, or None.
"""
import ast
import re

from corpus_guess import helper_of
from corpus_kernels import dotted

# Title, and what a dotted name looks like, with its import in front.
NAMES = [
    ("Gluon, TLX: lower dialects", r"(^|\.)(gluon|tlx)(\.|$)"),
    ("Triton-distributed, Iris, SHMEM: memory of several GPUs", r"^triton_dist\b|^iris\b|[a-z]*shmem"),
    ("a package that the corpus lacks", r"^torch\._inductor\."),
    ("a vendor's functions (HIP, CANN, MLU, MUSA, XPU ...)", r"^triton\.language\.extra\.(?!cuda\b|libdevice\b)\w"),
]
# Title, and what a message says.  First what Triton 3 says no to as well.
MESSAGES = [
    ("names and keywords that Triton lacks: older, or of a fork",
     r"module `triton[\w.]*` has no `|got an unexpected keyword argument|`\*\*` parameters|`with` is not supported"),
    ("plain globals and host functions, which Triton refuses, too",
     r"Cannot access global variable|Unsupported function referenced"),
    ("a package that the corpus lacks", r"comes from module `|cannot be read here"),
]
UNPACKED = "tuples that are unpacked into another number of names, which Python refuses"
TEMPLATE = "names that nothing defines: templates, of which a test makes kernels"
DEEPEST = 4  # helpers of helpers


def full_name(file, name):
    """With the module that its first part was imported from."""
    first, _, rest = name.partition(".")
    module, member = file.imports.get(first, (first, None))
    return ".".join(part for part in (module, member, rest) if part)


def files_of_helpers(kernel, files, helpers):
    seen = set()
    list(names_in(kernel, files, helpers, 0, seen))
    return {k.path for found in helpers.values() for k in found if k.node in seen}


def names_in(kernel, files, helpers, depth=0, seen=None):
    """All dotted names of a kernel and of the jit functions that it calls."""
    seen = seen if seen is not None else set()
    file = files[kernel.path]
    for n in ast.walk(kernel.node):
        name = dotted(n) if isinstance(n, (ast.Name, ast.Attribute)) else ""
        if not name:
            continue
        yield full_name(file, name)
        helper = helper_of(file, helpers, name) if isinstance(n, ast.Name) and depth < DEEPEST else None
        if helper is not None and helper.node not in seen:
            seen.add(helper.node)
            yield from names_in(helper, files, helpers, depth + 1, seen)


def foreign(kernel, files, helpers):
    found = set(names_in(kernel, files, helpers))
    return next((title for title, pattern in NAMES if any(re.search(pattern, name) for name in found)), None)


def binds(tree, name):
    """Does anything in the file give that name a meaning, wherever it stands?"""
    for n in ast.walk(tree):
        if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) \
                or isinstance(n, ast.arg) and n.arg == name \
                or isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name \
                or isinstance(n, ast.alias) and (n.asname or n.name.split(".")[0]) in (name, "*"):
            return True
    return False


def refused_by_triton(result, kernel, files, helpers):
    message = result.message
    if "values to unpack" in message and not any("=(" in word for word in result.words):  # no length is guessed
        return UNPACKED
    lost = re.match(r"`(\w+)` is not defined$", message)
    if lost:
        near = {kernel.path} | files_of_helpers(kernel, files, helpers)
        return None if any(binds(files[path].tree, lost.group(1)) for path in near) else TEMPLATE
    return next((title for title, pattern in MESSAGES if re.search(pattern, message)), None)
