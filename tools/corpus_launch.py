"""corpus_launch.py - does a kernel give on every device what the interpreter gives?

`launch(result, kernel, options)` takes the arguments with which a kernel compiled, makes random arrays and small
numbers of them, and runs it: in the interpreter with --check, which must find nothing (else the guess is no
launch that makes sense), then on each device, whose arrays must be the interpreter's (`--compare interp`).
"""
import ast
import re

from corpus_kernels import dotted

ELEMENTS = 1 << 20  # of each array: more than the strides below reach
COUNT = 40  # of everything that is counted: no multiple of a tile
ROW = 64  # what lies between two rows
INTEGERS = re.compile(r"[iu]\d+$")
DIFFERS, ROUNDS, NO_LAUNCH = "differs", "differs as the interpreter does from fp64", "no launch"


def axes(kernel):
    """How many programs along x, y and z: two where the kernel asks for their number."""
    grid = [1, 1, 1]
    for n in ast.walk(kernel.node):
        if isinstance(n, ast.Call) and dotted(n.func).endswith("program_id"):
            given = [a.value for a in n.args + [k.value for k in n.keywords] if isinstance(a, ast.Constant)]
            if given and given[0] in (0, 1, 2):
                grid[given[0]] = 2
    return ",".join(map(str, grid))


def array(dtype, seed):
    if dtype == "i1":
        return f"randint(i1,{ELEMENTS},0,2,seed={seed})"
    if INTEGERS.match(dtype):  # an index, or a length
        return f"randint({dtype},{ELEMENTS},0,4,seed={seed})"
    return f"randn({dtype},{ELEMENTS},seed={seed})"


def strides(names):
    """Name -> elements from one index to the next: those of one array differ in the last letter."""
    found = {}
    groups = {}
    for name in names:
        groups.setdefault(re.sub(r"(.[A-Za-z]|\d)$", "", name) if len(name) > 2 else name, []).append(name)
    for group in groups.values():
        for place, name in enumerate(reversed(group)):
            found[name] = ROW ** min(place, 3) if len(group) > 1 else ROW
    return found


def launch_words(words):
    """The words of `tilec run` for those of `tilec dump`."""
    types = dict(w.split(":", 1) for w in words if re.match(r"\w+:", w))
    steps = strides([n for n in types if "stride" in n.lower() and not types[n].startswith("*")])
    found = []
    for seed, word in enumerate(words):
        name, _, dtype = word.partition(":")
        if not re.match(r"\w+:", word):
            found.append(word)
        elif dtype.startswith("*"):
            found.append(f"{name}={array(dtype[1:], seed)}")
        elif INTEGERS.match(dtype):
            found.append(f"{name}={steps.get(name, COUNT)}")
        else:
            found.append(f"{name}=0.5")
    return found


def launch(result, kernel, options, run):
    """Fills result.launches: device -> 'equal', 'differs', 'no launch' and so on, or what a compiler may not do."""
    base = [options.tilec, "run", f"{result.path}:{result.name}", "--grid", axes(kernel), "--timeout", "20"]
    words = launch_words(result.words)
    result.launch = " ".join(base[2:5] + words)
    code, stderr, _ = run(base + ["--device", "interp", "--check", "-q"] + words, options.limit)
    result.launches["interp"] = "equal" if code == 0 else NO_LAUNCH
    if code != 0:
        result.told = stderr[:300]
        return
    for device in options.run:
        code, output, _ = run(base + ["--device", device, "--compare", "interp"] + words, options.limit, True)
        fate = "equal" if code == 0 else "hung" if code is None else "crashed" if code < 0 or code > 3 else \
            DIFFERS if "differs" in output else "refused"
        if fate == DIFFERS:  # the interpreter rounds, too: is it as far from what is exact?
            exact, _, _ = run(base + ["--device", "interp", "--compare", "fp64"] + words, options.limit, True)
            fate = DIFFERS if exact == 0 else ROUNDS
        result.launches[device] = fate
        if fate != "equal":
            result.told = f"{device}: {output[:400]}"
