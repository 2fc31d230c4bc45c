#!/usr/bin/env python3
"""reference.py - docs/reference.md: every function of the language, every option of the command

    tools/reference.py [ROOT]                  writes the page
    tools/reference.py --check TILEC [ROOT]    is it what the tables say, and do its examples compile?

The signatures are those of the compiler's tables, src/tl/builtins.h and src/libdevice/libdevice.h, and what options
do is said in src/options/table.c.  The sentences and examples stand in a reference.txt beside each.  --check
compiles the examples of all functions as one kernel, and compares the types of what they give with those that
are written there; it exits with 1, and says why, where something is missing, stale or wrong.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

from python_names import places, rows

Entry = collections.namedtuple("Entry", "names text example result")
PREFIX = {"tl": "tl.", "method": "x.", "triton": "triton.", "python": "", "descriptor": "descriptor.",
          "cuda": "tl.extra.cuda.", "target": "tl.target_info."}
ARGUMENTS = "x y z w".split()
TAKES = {"f": "fp32 or fp64", "p": "fp32, fp64 or integers", "i": "integers", "w": "integers of 32 bits",
         "n": "integers", "x": "any dtype"}
ROUNDED = {"rn": "to the nearest number (`_rn`)", "rz": "towards 0 (`_rz`)", "rd": "down (`_rd`)",
           "ru": "up (`_ru`)"}
KERNEL = """import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.core import _aggregate as aggregate


@triton.jit
def larger(a, b):
    return a if a > b else b


@aggregate
class Pair:
    first: tl.constexpr
    second: tl.tensor


@triton.jit
def examples(x, y, out, p, n, B: tl.constexpr):
"""
HEAD = """# Reference

Every function of the language, then every option of the command, a line each; below, each with its signature, an example, and
the type of what that gives. `tilec help tl.load` and `tilec help --save` print an entry. [The language](language.md)
has the rules, [the command line](cli.md) the whole of the command. This page is written by `tools/reference.py` from
the compiler's tables, and every example in it is compiled or run by a test.

In the examples `x`, `y` and `out` are addresses of fp32 and `p` of i32, `n` is a number, `B` a constant, 8; and
"""


def split(text):
    return re.split(r" \| ", text)


def plain(text):
    """As it stands outside of a table."""
    return text.replace(r"\|", "|")


class Texts:
    """The lines of one reference.txt: sections of entries, and the lines in front of all examples."""

    def __init__(self, path):
        self.preamble, self.sections = [], []
        for line in path.read_text().splitlines():
            if line.startswith("> "):
                self.preamble.append(line[2:])
            elif line.startswith("# "):
                self.sections.append((line[2:], []))
            elif line and not line.startswith("//"):
                names, text, example = split(line)
                example, _, result = example.partition(" -> ")
                self.sections[-1][1].append(Entry(names.split(", "), text, example, result))


def spelled(name, where):
    """The ways in which kernels write the name of a function."""
    at = places(where)
    return [PREFIX[place] + name for place in PREFIX
            if place in at and not (place == "method" and "tl" in at) and
            not (place in ("cuda", "python") and "tl" in at)]


def signatures(root):
    """Name -> (its signatures, whether it is a method of tiles, too)."""
    found = {}
    for name, where, _, words, _ in rows(root, "src/tl/builtins.h", "BUILTIN", 5):
        words = words.split()
        for full in spelled(name, where) if not name.startswith("_") else []:
            bound = words[1:] if full.startswith(("x.", "descriptor.")) else words
            found[full] = (f"{full}({', '.join(bound)})", "method" in places(where) and full.startswith("tl."))
    for name, takes, *_ in rows(root, "src/libdevice/libdevice.h", "LIBDEVICE", 6):
        found["libdevice." + name] = (f"libdevice.{name}({', '.join(ARGUMENTS[:len(takes)])})", takes)
    return found


def functions(root):
    """The preamble of the examples, and [(section, [Entry...])...]."""
    tl, libdevice = Texts(root / "src/tl/reference.txt"), Texts(root / "src/libdevice/reference.txt")
    return tl.preamble, tl.sections + libdevice.sections


def rounded(entry):
    """The entry with what {rounded} stands for."""
    words = [ROUNDED[name[-2:]] for name in entry.names if name[-3:-2] == "_" and name[-2:] in ROUNDED]
    return entry.text.replace("{rounded}", " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])))


def example_of(entry, name):
    return entry.example.replace("{name}", name).replace("{last}", name.rpartition(".")[2])


# --- options -------------------------------------------------------------------------------------

STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
COMMANDS = {"RUN": "run", "DUMP": "dump", "LIST": "list", "TEST": "test", "BUILD": "build", "GRAD": "grad", "DEBUG": "debug", "REPORT": "report", "DEVICES": "devices"}


def text_of(literal):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace(r"\n", " ").replace(r"\"", '"')


def options(root):
    """[(name, another name, [(commands, operand, text)...])...] of options/table.c."""
    table = (root / "src/options/table.c").read_text().partition("static const Option options[]")[2]
    found = []
    for name, other, helps in re.findall(
            r'\{"(-[^"]*)", (NULL|"-\w"), \w+, \w+, .*?\{(\{.*?\})\}\}', table, re.DOTALL):
        said = [([COMMANDS[word] for word in commands.split(" | ")], text_of(value), text_of(text))
                for commands, value, text in
                re.findall(rf"\{{([A-Z| ]+), (NULL|{STRING}),\s*({STRING})\}}", helps)]
        if not said[0][2] and found:  # it shares the words of the one before
            said[0] = (said[0][0], said[0][1], found[-1][2][0][2])
        found.append((name, text_of(other), said))
    return [o for o in found if o[0] != "--"]


def option_examples(root):
    found = {}
    for line in (root / "src/options/reference.txt").read_text().splitlines():
        if line and not line.startswith("//"):
            name, _, command = line.partition(" | ")
            found[name] = command
    return found


def option_entry(name, other, said, example):
    lines = [f"### {name}", ""]
    for commands, value, text in said:
        who = ", ".join(f"`{command}`" for command in commands)
        words = name + (f"{'' if value.startswith('[=') else ' '}{value}" if value else "")
        lines += [f"`{words}`" + (f" or `{other}`" if other else "") + f" of {who}: {text}.", ""]
    unrun, _, command = example.rpartition(": ") if example.startswith("unrun ") else ("", "", example)
    return lines + [f"```sh {unrun}".strip(), command, "```", ""]


# --- the page ------------------------------------------------------------------------------------


def glance(sections, said):
    """Tables with a line for each function and option."""
    lines = ["<!-- topic: functions, tl: all functions of the language, a line each -->", "## Functions at a glance", ""]
    for title, entries in sections:
        lines += [f"### {title}", "", "| function | what it does |", "|---|---|"]
        lines += [f"| {', '.join(f'`{n}`' for n in entry.names)} | {rounded(entry)} |" for entry in entries]
        lines += [""]
    lines += ["<!-- end of topic -->", "## Options at a glance", "", "| option | what it does |", "|---|---|"]
    for name, other, helps in said:
        lines.append(f"| `{name}`{f', `{other}`' if other else ''} | {helps[0][2]} |".replace("A|B", r"A\|B"))
    return lines + [""]


def function_entry(entry, known):
    """What is behind one line of the sentences: the signatures, the sentence, the example."""
    lines = [f"### {', '.join(entry.names)}", ""]
    lines += [f"    {known[name][0]}" for name in entry.names if name in known]
    text = plain(rounded(entry))
    takes = known.get(entry.names[0], ("", False))[1]
    text = (text[0].upper() if re.match("[a-z]{2,} |a ", text) else text[0]) + text[1:]
    text += "" if text.endswith("?") else "."
    if takes is True:
        text += " A method of tiles, too."
    elif takes:
        text += f" Takes {' and '.join(dict.fromkeys(TAKES[letter] for letter in takes))}."
    if entry.example:
        gives = f" gives `{entry.result}`" if entry.result not in ("", "*") else ""
        text += f" `{example_of(entry, entry.names[0])}`{gives}."
    return lines + ["", text, ""]


def page(root):
    preamble, sections = functions(root)
    said, examples, known = options(root), option_examples(root), signatures(root)
    lines = HEAD.splitlines() + ["```py", *preamble, "```", ""] + glance(sections, said)
    lines += ["<!-- entries -->", "## Each function", ""]
    for _, entries in sections:
        for entry in entries:
            lines += function_entry(entry, known)
    lines += ["## Each option", ""]
    for name, other, helps in said:
        lines += option_entry(name, other, helps, examples.get(name, ""))
    return "\n".join(lines).rstrip() + "\n"


# --- the test ------------------------------------------------------------------------------------


def missing(root):
    """Functions and options without a line, lines without one."""
    written = [name for _, entries in functions(root)[1] for entry in entries for name in entry.names]
    for kind, known, have in (("function", signatures(root), written),
                              ("option", [o[0] for o in options(root)], list(option_examples(root)))):
        for name in have:
            if name not in known:
                yield f"reference.txt has the {kind} {name}, which no table has"
        for name in known:
            if have.count(name) != 1 and name != "@FILE":
                yield f"the {kind} {name} has {have.count(name)} lines in reference.txt, not 1"


def wrong_examples(root, tilec):
    """Compile all examples as one kernel; give what does not, and what gives another type."""
    preamble, sections = functions(root)
    lines, wanted = KERNEL + "".join(f"    {line}\n" for line in preamble), {}
    for name, entry in ((n, entry) for _, entries in sections for entry in entries for n in entry.names):
        made = f"r{len(wanted)}_"
        wanted[made] = (name, entry.result)
        lines += f"    {made + ' = ' if entry.result else ''}{example_of(entry, name)}\n"
    lines += "    tl.store(out, 0.0)\n"
    with tempfile.TemporaryDirectory(prefix="tilec-reference-") as folder:
        path = pathlib.Path(folder) / "examples.py"
        path.write_text(lines)
        done = subprocess.run([tilec, "dump", f"{path}:examples", "--stage", "vars", "x:*fp32", "y:*fp32",
                               "out:*fp32", "p:*i32", "n:i32", "B=8"], capture_output=True, text=True, check=False)
    if done.returncode:
        yield done.stderr
        return
    given = dict(re.findall(r"(r\d+_)(?::| =) (.*?)(?=$|, (?:r\d+_|-\w))", done.stdout, re.MULTILINE))
    for made, (name, result) in wanted.items():
        got = given.get(made, "nothing")  # maybe with a value: `i32 = 3`
        if result not in ("", "*") and got != result and not got.startswith(result + " = "):
            yield f"{name}: the example gives {got}, not {result}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", metavar="TILEC")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parent.parent, type=pathlib.Path)
    given = parser.parse_args()
    path = given.root / "docs/reference.md"
    if not given.check:
        path.write_text(page(given.root))
    wrong = list(missing(given.root))
    if given.check:
        wrong += wrong_examples(given.root, given.check)
        if not path.exists() or path.read_text() != page(given.root):
            wrong.append(f"{path} is out of date: run tools/reference.py")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
