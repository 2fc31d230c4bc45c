"""What the compiler says of a kernel that it compiles: tl.static_print, and warnings."""

import sys

DERIVED = "<gradient "  # how names of files begin that tilec.grad() derives


def _printed(line):
    """The text of a line "PLACE: static_print: TEXT"; None for any other line."""
    place, mark, text = line.partition("static_print: ")
    return text if mark and (not place or place.endswith(": ")) else None


def _not_of_derived(lines):
    """Without warnings of derived kernels: nobody wrote these, and what is to be said of a kernel was."""
    dropped = False
    for line in lines:
        if not line.startswith(("    ", "hint: ")):
            dropped = line.startswith(DERIVED) and (": warning: " in line or (dropped and ": note: " in line))
        if not dropped:
            yield line


def say(text):
    """Print what tl.static_print printed as print() does, and all else on stderr."""
    rest = []
    printed = False
    for line in text.splitlines():
        value = _printed(line)
        if value is not None:
            print(value)
        elif not (printed and line.startswith("    ")):  # its line of source and the caret
            rest.append(line)
        printed = value is not None or (printed and line.startswith("    "))
    rest = list(_not_of_derived(rest))
    if rest:
        print("\n".join(rest), file=sys.stderr)
