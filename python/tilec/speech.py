"""What the compiler says of a kernel that it compiles: tl.static_print, and warnings."""

import sys

DERIVED = "<gradient "  # how names of files begin that tilec.grad() derives
written = set()  # names of files that programs have written: nobody reads what is to be said of them


def _printed(line):
    """The text of a line "PLACE: static_print: TEXT"; None for any other line."""
    place, mark, text = line.partition("static_print: ")
    return text if mark and (not place or place.endswith(": ")) else None


def _is_written(line):
    return line.startswith(DERIVED) or line.partition(":")[0] in written


def _not_of_written(lines):
    """Without warnings of kernels that nobody wrote: what is to be said of what they are derived from was."""
    dropped = False
    for line in lines:
        if not line.startswith(("    ", "hint: ")):
            dropped = _is_written(line) and (": warning: " in line or (dropped and ": note: " in line))
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
    rest = list(_not_of_written(rest))
    if rest:
        print("\n".join(rest), file=sys.stderr)
