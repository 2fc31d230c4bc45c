"""What the compiler says of a kernel that it compiles: tl.static_print, and warnings."""

import re
import sys

_PRINTED = re.compile(r"(?:.*: )?static_print: (.*)")


def say(text):
    """Print what tl.static_print printed as print() does, and all else on stderr."""
    rest = []
    printed = False
    for line in text.splitlines():
        match = _PRINTED.fullmatch(line)
        if match:
            print(match[1])
        elif not (printed and line.startswith("    ")):  # its line of source and the caret
            rest.append(line)
        printed = bool(match) or (printed and line.startswith("    "))
    if rest:
        print("\n".join(rest), file=sys.stderr)
