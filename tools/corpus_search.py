"""corpus_search.py - what to try when a guess of a kernel's arguments is refused

`Search(guess).adjust(stderr)` changes the guess after a refusal that a wrong guess may have caused, and gives
False when it has no further idea.  Messages say what might help.  A change stays when the next
refusal comes further behind in the kernel, or is one of fewer; else it is taken back.
"""
import ast
import re

from corpus_guess import SHAPE_NAME, INTEGER_NAME, spelt
from corpus_host import DTYPES

ATTEMPTS = 40
OF_WIDTH = {"1": ["i1"], "8": ["u8", "fp8e4nv"], "16": ["bf16", "fp16", "i16"], "32": ["fp32", "i32"],
            "64": ["i64", "fp64"]}
STATE = ("float", "size", "flag", "elements", "scalars", "fixed", "defined", "given", "computed", "launches",
         "qualified", "pointers", "plain", "items", "described", "blocks")
# What a message is about, and texts that are taken there.
WORDS = [("dot_scaled", ("'e2m1'", "'e4m3'")), ("getattr", ("'exp'", "'pow'", "'max'")), ("load", ("'zero'", "'nan'")),
         ("atomic", ("'relaxed'", "'acq_rel'", "'gpu'")), ("", ("'ieee'",))]
TYPE_WORDS = {f"tl.{name}": short for name, short in DTYPES.items()}


def first_error(stderr):
    """The text of the first error with its source and notes."""
    return (re.split(r"^(?=\S.*: error: )", stderr, flags=re.M) + [""])[1]


def places(stderr, path):
    """Lines of the first error: in the kernel, in the helper that it calls there, and so on."""
    block = first_error(stderr)
    own = re.match(r"(.*?):(\d+):\d+: error: ", block)
    calls = [int(n) for n in re.findall(r":(\d+):\d+: note: in `[^`]*`, called from here", block)]
    return calls[::-1] + ([int(own.group(2))] if own else [])


def score(stderr, path):
    """How far the compiler came: more is better."""
    errors = len(re.findall(r": error: ", stderr))
    if "was not given" in stderr:
        return 0, [], -errors
    return 1, places(stderr, path), -errors


def names_of(node):
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]


class Search:
    """A walk from guess to guess."""

    def __init__(self, guess):
        self.guess = guess
        self.best, self.kept, self.ideas = None, None, []
        self.tried = set()

    # --- where the refusal points ---

    def statement(self, line):
        """The smallest statement of the kernel around that line; of a loop or an `if` its head."""
        found = None
        for n in ast.walk(self.guess.kernel.node):
            if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno):
                found = n
        return getattr(found, "test", getattr(found, "iter", found))

    def parameters_at(self, names):
        """Pointers whose elements are in these names, scalars and constexprs there."""
        body = self.guess.body
        pointers, scalars = [], []
        for name in dict.fromkeys(names):
            pointers += sorted(p for p in body.flows.get(name, ()) if p)
            pointers += [p for p in body.bases.get(name, ()) if body.uses[p].pointer]
            if name in body.uses:
                (pointers if body.uses[name].pointer else scalars).append(name)
        constexprs = {a.arg for a in self.guess.kernel.node.args.args if self.guess.is_constexpr(a)}
        constants = [s for s in scalars if s in constexprs and not SHAPE_NAME.search(s)]
        return list(dict.fromkeys(pointers)), [s for s in scalars if s not in constexprs], constants

    # --- ideas ---

    def ideas_for(self, stderr):
        """Changes worth trying, as functions, the likeliest first."""
        block = first_error(stderr)
        message = (re.findall(r"error: (.*)", block) or [""])[0]
        lines = re.findall(r"^    (.*\w.*)$", block, re.M)
        where = places(stderr, self.guess.kernel.path)
        at = self.statement(where[0]) if where else None
        names = names_of(at) if at is not None else []
        if len(where) < 2:
            names = re.findall(r"[A-Za-z_]\w*", " ".join(lines[:1])) + names
        self.found, self.names = self.parameters_at(names), names
        self.list = []
        self.ideas_of_constants(message, lines)
        self.ideas_of_arms(message)
        self.ideas_of_scales(message)
        self.ideas_of_flags(stderr)
        if re.search(r"reshape|shape of|[Ss]hape element|at index \d+: \d+ and", message):
            self.ideas_of_extents(message)
        for size in (128, 256) if "must be at least 1, not 0" in message else ():
            self.kind(size=size)
        self.ideas_of_types(message, lines)
        self.ideas_of_sizes(message)
        return self.list

    def put(self, table, names, value):
        for name in names:
            self.list.append(lambda g, name=name: getattr(g, table).__setitem__(name, value))

    def put_all(self, table, names, value):
        names = list(names)
        if names:
            self.list.append(lambda g: [getattr(g, table).__setitem__(name, value) for name in names])

    def kind(self, **changes):
        self.list.append(lambda g: [setattr(g, k, v) for k, v in changes.items()])

    def ideas_of_constants(self, message, lines):
        _, scalars, constexprs = self.found
        unknown = re.search(r"value of `(\w+)`|`(\w+)` is not known at compile|access global variable `(\w+)`", message)
        unknown = unknown and next(filter(None, unknown.groups()))
        text = ast.unparse(self.guess.file.values.get(unknown, ast.Constant(0)))
        if unknown and ("constexpr" in text or "tl." in text):  # Python computes it; of other globals Triton takes none
            for value in ("False", "4", "True", "0.5", "fp8e4nv"):
                self.list.append(lambda g, value=value: g.defined.__setitem__(unknown, value))
        if "conditionals can only accept" in message:
            self.put("fixed", constexprs, "False")
            self.put("fixed", constexprs, "True")
        if "last dim must be 1" in message:
            strides = [n for n in self.names if n in self.guess.body.uses and re.search("stride|^s_|_s$", n, re.I)]
            self.put("fixed", list(dict.fromkeys(strides))[::-1] + scalars[::-1], "1")
            self.put_all("fixed", scalars, "1")
        if "invalid axis" in message:
            self.put("fixed", constexprs, "0")
            self.put_all("fixed", constexprs, "0")
        if re.search(r"static assertion|is not defined|Raise|Mismatched type", message):
            self.choices(lines)
        if "constexpr 0.5" in message or "must be an int" in message:
            self.put_all("fixed", constexprs, "4")
        if re.search(r"precision|must be a string", message):
            named = [n for n in self.guess.body.uses if re.search(rf"\b{n}\b", " ".join(lines))]
            for word in next(words for start, words in WORDS if message.startswith(start)):
                self.put("fixed", named, word)
                self.put_all("fixed", constexprs, word)
        if "not a constexpr" in message or "must be of type tl.constexpr" in message:
            self.put_all("fixed", scalars, "4")
        if re.search(r"the type (fp|int|u)", message):  # a constant that is no dtype
            self.put_all("fixed", constexprs, "448.0")
            self.put("fixed", constexprs, "448.0")
        if re.search(r"condition could not be determined", message):
            self.put("fixed", self.guess.body.uses.keys() & set(re.findall(r"\w+", " ".join(lines))), "True")
        if re.search(r"index \d+ is outside of a tuple|static assertion.* len|equal length", " ".join([message] + lines)):
            self.ideas_of_tuples(lines)
        self.ideas_of_descriptors(message, lines)
        if re.search(r"is no attribute|has no attribute", message):
            self.put("fixed", constexprs, "fp32")
            self.put("fixed", constexprs, "fp16")

    def ideas_of_tuples(self, lines):
        """Their lengths: of those in the lines that the message shows, then of all."""
        tuples = dict.fromkeys(re.findall(r"^(\w+)=\(", "\n".join(self.guess.arguments()), re.M))
        near = [n for n in tuples if re.search(rf"\b{n}\b", " ".join(lines))]
        for size in (1, 3, 4, 5, 2, 8, 16):
            self.put_all("items", near, size)
            self.put("items", near, size)
        for size in (1, 3, 4, 8, 16):
            self.put_all("items", tuples, size)

    def ideas_of_descriptors(self, message, lines):
        """What is one shows in what is asked of it; the shape of its tiles in what is stored."""
        if re.search(r"has no attribute `(block_shape|load|store|gather|scatter|atomic_\w+)`|tensor descriptor", message):
            names = [n for n in re.findall(r"\w+", " ".join(lines[:1])) if n in self.guess.body.uses]
            self.list += [lambda g, n=n: g.described.add(n) for n in names + self.found[1] + self.found[0]]
        if "scalar pointer type, not tensor descriptor" in message:
            given = [n for n, use in self.guess.body.uses.items() if use.described]
            self.list += [lambda g, n=n: g.pointers.add(n) for n in given] + [lambda g: g.pointers.update(given)]
        stored = re.search(r"the value is \w+\[([\d, ]+)\], but it is stored through a tensor descriptor", message)
        if stored:
            self.put("blocks", self.guess.body.uses, stored.group(1).split(", "))
        if "must have 1 row" in message:
            self.put("blocks", self.guess.body.uses, ["1", "64"])

    def choices(self, lines):
        """What a kernel chooses by: what these lines ask for, and what it compares with."""
        uses, args = self.guess.body.uses, self.guess.kernel.node.args.args
        for name, value in re.findall(r"(\w+)\s*==\s*(\d+|'\w+'|\"\w+\")", " ".join(lines)):
            self.put("fixed", [name] if name in uses else [], value)
        for a in args:
            use = uses[a.arg]
            for value in dict.fromkeys(use.strings + use.numbers if self.guess.is_constexpr(a) else []):
                self.put("fixed", [a.arg], spelt(value))
        for a in args:
            if self.guess.is_constexpr(a) and uses[a.arg].tested:
                self.put("fixed", [a.arg], "True")

    def ideas_of_arms(self, message):
        """Two arms of a condition take one pointer: to elements of one type."""
        arms = re.search(r"\(pointer<(\w+)>.*\(pointer<(\w+)>", message)
        for element in arms.groups() if arms else ():
            short = element.replace("uint", "u").replace("int", "i")
            self.put("elements", self.found[0], short)
            self.put_all("elements", self.found[0], short)

    def ideas_of_scales(self, message):
        """What dot_scaled takes: bytes as scales, and an fp32 tile to add to."""
        if not re.search(r"is no scale for|no operand of this format|expected accumulator", message):
            return
        uses = self.guess.body.uses
        scales = [n for n in self.found[0] if "scale" in n.lower() or re.search("[a-z]s$", n)]
        sums = dict.fromkeys([n for n in uses if uses[n].dtype and "acc" in n], "fp32")
        for element in ("fp8e4nv", "fp8e5", "u8"):
            taken = {n: "u8" if n in scales else element for n in self.found[0]}
            self.list.append(lambda g, taken=taken: (g.elements.update(taken), g.fixed.update(sums)))

    def ideas_of_flags(self, stderr):
        """What was given as a pointer is a number under another flag, or always."""
        given = re.findall(r"note: `(\w+)` was given as pointer", stderr)
        pointers = dict.fromkeys(given + (self.found[0] if "pointer" in first_error(stderr) else []))
        for name in pointers:
            self.list.append(lambda g, name=name: g.plain.add(name))
        if pointers:
            for a in self.guess.kernel.node.args.args:
                if self.guess.is_constexpr(a) and self.guess.body.uses[a.arg].tested:
                    self.put("fixed", [a.arg], "True")
                    self.put("fixed", [a.arg], "False")

    def ideas_of_types(self, message, lines):
        pointers, scalars, _ = self.found
        kernel = self.guess.kernel.node.args.args
        if "pointer" in message or "ptr type" in message:
            for name in scalars:
                self.list.append(lambda g, name=name: g.pointers.add(name))
            self.list.append(lambda g: g.pointers.update(scalars))
        for word in re.findall(r"tl\.\w+", " ".join(lines[:1])):
            if word in TYPE_WORDS:
                self.put_all("elements", pointers, TYPE_WORDS[word])
                self.put("elements", pointers, TYPE_WORDS[word])
        pair = re.search(r"Got (\w+) and (\w+)", message)
        for element in pair.groups() if pair else ():
            self.put_all("elements", pointers, element.replace("int", "i"))
            if element in ("fp16", "bf16", "fp32"):
                self.kind(float=element)
        if re.search(r"same dtype|[lr]hs dtype|Expected dtype|floating", message):
            values = [a.arg for a in kernel if not INTEGER_NAME.search(a.arg)]
            for element in ("fp32", "bf16", "fp16"):
                self.put_all("elements", values, element)
        dtypes = [a.arg for a in kernel if self.guess.is_constexpr(a) and self.guess.body.uses[a.arg].dtype]
        if "to data-type of size 8" in message:
            self.put("fixed", dtypes, "fp8e4nv")
        width = re.search(r"Cannot bitcast data-type of size \d+ to data-type of size (\d+)", message)
        for element in OF_WIDTH.get(width.group(1), ()) if width else ():
            self.put_all("elements", pointers, element)
            self.put("elements", pointers, element)
        if re.search(r"Expected dtype|floating|needs an? float", message):
            self.put_all("elements", pointers, "fp32")
            self.put("scalars", scalars, "fp32")
        if re.search(r"no operand of this format|[Ii]nvalid mx_tensor|uint8|8-bit", message):
            for element in ("u8", "fp8e4nv"):
                self.put_all("elements", pointers, element)
                self.put("elements", pointers, element)
        if re.search(r"unsigned integers|invalid operands|unexpected type|integers|integer|For loop bounds|For range|ints"
                     r"|offset|arange|Cannot use /|shift|signed|only supports|does not support|index", message):
            for element in ("i32", "u8", "u32") if "unsigned" not in message else ("u32", "u8"):
                self.put_all("elements", pointers, element)
                self.put("elements", pointers, element)
            self.put_all("scalars", scalars, "i32")
        if re.search(r"invalid operands|unexpected type", message):
            self.put_all("fixed", dtypes, "i32")
        if re.search(r"boolean|int1|bitcast|Bitcast|Mask|invert", message):
            self.put("elements", pointers, "i1")
            self.put_all("elements", pointers, "i1")
        if re.search(r"ptr type|pointer", message):
            self.put_all("elements", pointers, "i64")
            self.put("elements", pointers, "i64")
        for element in ("bf16", "fp16", "fp32", "i32", "i64", "i8", "u8", "fp8e4nv"):
            self.put_all("elements", pointers, element)
        self.put_all("scalars", scalars, "i64")
        self.put_all("scalars", scalars, "fp32")
        for element in ("bf16", "fp16", "fp32", "i64", "i8"):
            self.put("elements", pointers, element)
        decorators = " ".join(map(ast.unparse, self.guess.kernel.node.decorator_list))
        optional = dict.fromkeys(re.findall(r"\[['\"](\w+)['\"]\] is not None", decorators))
        self.put("fixed", [n for n in optional if n in self.guess.body.uses], "None")
        if "None" in message:
            for name in scalars:
                self.list.append(lambda g, name=name: g.pointers.add(name))
        self.kind(float="bf16")
        self.kind(float="fp16")

    def ideas_of_sizes(self, message):
        sizes = r"dimension|reshape|rank|broadcast|static assertion|power|permut|shape|Shape|split|divi|numel|range" \
                r"|stored through|at least|arange"
        if re.search(sizes, message):
            self.ideas_of_extents(message)
            for size in (64, 16, 128, 32, 256):
                self.kind(size=size)
            numbers = dict(re.findall(r"^(\w+)=(\d+)$", "\n".join(self.guess.arguments()), re.M))
            for name, value in numbers.items() if "at least" in message or "arange" in message else ():
                for factor in (2, 16):
                    self.put("fixed", [name], str(int(value) * factor))
            for size in ("1", "2", "8", "16", "32", "64", "128", "256", "512"):
                self.put("fixed", self.found[2], size)
        names = [a.arg for a in self.guess.kernel.node.args.args]
        if re.search(r"fp32|0\.5", message):  # something is a float that should count
            self.put_all("scalars", [n for n in names if not re.search("scale|eps", n)], "i32")
            self.put_all("elements", [n for n in names if INTEGER_NAME.search(n)], "i32")
        self.kind(flag=True)
        self.kind(flag=True, size=64)
        self.kind(float="bf16", size=64)
        self.kind(float="fp16", size=32)

    def ideas_of_extents(self, message):
        """One constant that would make the two numbers of the message agree."""
        pair = re.search(r"has (\d+), the new shape (\d+)|at index \d+: (\d+) and (\d+)", message)
        if not pair:
            return
        have, want = [int(n) for n in pair.groups() if n]
        numbers = dict(re.findall(r"^(\w+)=(\d+)$", "\n".join(self.guess.arguments()), re.M))
        there = [n for n in self.found[1] + self.found[2] + list(numbers) if n in numbers]
        for name in dict.fromkeys(there):
            for top, bottom in ((have, want), (want, have)):
                if int(numbers[name]) * top % bottom == 0:
                    self.put("fixed", [name], str(int(numbers[name]) * top // bottom))

    # --- the walk ---

    def state(self):
        copies = {k: getattr(self.guess, k) for k in STATE}
        return {k: v.copy() if hasattr(v, "copy") else v for k, v in copies.items()}

    def restore(self, state):
        for k, v in state.items():
            setattr(self.guess, k, v.copy() if hasattr(v, "copy") else v)

    def give(self, stderr):
        """Values for what is missing; gives whether something was."""
        g = self.guess
        if "has no kernel" in stderr and g.qualified != g.kernel.name:
            g.qualified = g.kernel.name
            return True
        missing = re.findall(r"(?:argument|constexpr) `(\w+)` was not given", stderr)
        missing += re.findall(r"`(\w+)` was not given, and its", stderr)
        fresh = [m for m in missing if m not in g.given]
        g.given.update(fresh)
        g.computed -= set(fresh)
        for m in fresh:
            g.launches.setdefault(m, [])
        return bool(fresh)

    def adjust(self, stderr):
        """(is this the best refusal yet?, is there something left to try?)"""
        now = score(stderr, self.guess.kernel.path)
        better = self.best is None or now > self.best
        if better:
            self.best, self.kept = now, self.state()
            if self.give(stderr):
                self.best = None
                return True, True
            self.ideas = self.ideas_for(stderr)
        while self.ideas:
            self.restore(self.kept)
            self.ideas.pop(0)(self.guess)
            words = tuple(self.guess.arguments())
            if words not in self.tried:
                self.tried.add(words)
                return better, True
        return better, False
