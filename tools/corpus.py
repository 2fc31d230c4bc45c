#!/usr/bin/env python3
"""corpus.py - how many kernels of real packages does tilec compile, and what stops the others?

    tools/corpus.py DIR [--tilec PATH] [--jobs N] [--code [TARGET,...]] [--json FILE] ...

DIR holds one folder a package, sources as they lie.  Every kernel is compiled once (`tilec dump --stage
opt`) with guessed arguments, several times with other guesses when a refusal may come from the guess;
with --code then to code for each target.  Prints a table of the packages, one of the targets, one of
the reasons, and what crashed or hung.
docs/testing.md explains how to read it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

from corpus_guess import ATTEMPTS, Guess
from corpus_kernels import find_kernels

# Reason, what its message looks like, whether another guess might help.  The first match counts.
REASONS = [
    ("internal error", r"internal error|bug:", False),
    ("imports another file", r"comes from module|cannot be read here|no module `", False),
    ("global unknown", r"Cannot access global|value is not known at compile time|global variable", False),
    ("host function", r"Unsupported function referenced|is plain Python", False),
    ("missing builtin", r"(tl|libdevice)\.[\w.]+ is not supported yet|module `triton[\w.]*` has no", False),
    ("raise reached", r"AST node type: Raise", True),
    ("syntax", r"unsupported AST|syntax|nested function definitions|`in` is not|__setitem__|expected|`with`|"
               r"class of values", True),
    ("argument not given", r"was not given", True),
    ("no such kernel", r"there is no kernel|is not a kernel", False),
    ("name not defined", r"is not defined", True),
    ("attribute", r"has no attribute", True),
    ("shape", r"dimension|reshape|rank|broadcast|permut|shape|axis|numel", True),
    ("static assertion", r"static assertion", True),
    ("pointer", r"ptr type|pointer", True),
    ("type", r"type|dtype|cast|operands|integers|constexpr|None", True),
]
OUTCOMES = ["compiled", "slow", "refused", "hung", "crashed"]  # from good to bad
GOOD = OUTCOMES[:2]
UNWRITABLE = {"descriptor": "argument: host descriptor", "function": "argument: function", "tuple": "argument: tuple"}


class Result:
    """What became of one kernel."""

    def __init__(self, kernel):
        self.package, self.path, self.name = kernel.package, kernel.path, kernel.qualified
        self.outcome, self.reason, self.message = "refused", "", ""
        self.words, self.seconds, self.attempts = [], 0.0, 0
        self.targets = {}  # what became of its code: target -> outcome


def run(command, limit):
    """(exit code, stderr, seconds); the code is None when the time was up."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit,
                              errors="replace", check=False)
        return done.returncode, done.stderr, time.monotonic() - start
    except subprocess.TimeoutExpired:
        return None, "", limit


def reason_of(stderr):
    """(reason, first message, might another guess help?)"""
    stderr = "\n".join(line for line in stderr.splitlines() if "warning: " not in line)
    messages = re.findall(r"(?:error|tilec): (.*)", stderr)
    text = "\n".join(messages)
    for reason, pattern, again in REASONS[:6]:
        found = re.search(r".*(?:" + pattern + r").*", text + "\n" + stderr)
        if found:
            return reason, found.group(0).strip(), again
    first = messages[0] if messages else stderr.strip()[:200]
    for reason, pattern, again in REASONS[6:]:
        if re.search(pattern, first):
            return reason, first, again
    return "other", first, True


def unwritable(words):
    for word in words:
        value = re.split("[=:]", word, maxsplit=1)[1]
        if value in UNWRITABLE:
            return UNWRITABLE[value]
    return None


def outcome_of(code, seconds, options):
    if code == 0:
        return "compiled" if seconds < options.slow else "slow"
    if code is None:
        return "hung"
    return "crashed" if code < 0 or code > 3 else "refused"


def compile_once(result, words, stage, options):
    """(outcome, stderr) of `tilec dump`."""
    command = [options.tilec, "dump", f"{result.path}:{result.name}", "--stage"] + stage + words
    code, stderr, seconds = run(command, options.limit)
    result.seconds = max(result.seconds, seconds)
    return outcome_of(code, seconds, options), stderr


def attempt(result, guess, options):
    """Compile with the guess as it is; gives whether another guess is worth it."""
    words = guess.arguments()
    guess.tried.add(tuple(words))
    cannot = unwritable(words)
    if cannot and not options.force:
        result.reason, result.message, result.words = cannot, cannot, words
        return False
    result.name = guess.qualified
    outcome, stderr = compile_once(result, words, ["opt"], options)
    result.attempts += 1
    if outcome != "refused":
        result.outcome, result.words = outcome, words
        result.reason, result.message = ("", "") if outcome in GOOD else (outcome, stderr[:300])
        return False
    reason, message, again = reason_of(stderr)
    if not result.reason or not again:
        result.reason, result.message, result.words = reason, message, words
    return again and guess.adjust(stderr)


def make_code(result, options):
    """For each target; the worst of them is the kernel's outcome."""
    for target in options.code:
        stage = ["asm"] if target == "cpu" else ["ptx", "--arch", target]
        outcome, stderr = compile_once(result, result.words, stage, options)
        result.targets[target] = outcome
        if OUTCOMES.index(outcome) <= OUTCOMES.index(result.outcome):
            continue
        result.outcome = outcome
        if outcome not in GOOD:
            result.reason = outcome if outcome != "refused" else reason_of(stderr)[0]
            result.message = f"{target}: {stderr[:300] if outcome != 'refused' else reason_of(stderr)[1]}"


def examine(job):
    kernel, files, helpers, options = job
    result = Result(kernel)
    guess = Guess(kernel, files, helpers)
    while attempt(result, guess, options) and result.attempts < ATTEMPTS:
        pass
    if result.outcome in GOOD:
        make_code(result, options)
    return result


def per_package(results):
    table = collections.OrderedDict()
    for r in results:
        row = table.setdefault(r.package, collections.Counter())
        row["kernels"] += 1
        row[r.outcome] += 1
    return table


def print_packages(results):
    print(f"{'package':24} {'kernels':>7} {'compiled':>8} {'refused':>7} {'crashed':>7} {'hung':>5} {'slow':>5}      %")
    rates = []
    for package, row in sorted(per_package(results).items()):
        good = row["compiled"] + row["slow"]
        rates.append(100 * good / row["kernels"])
        print(f"{package:24} {row['kernels']:7} {row['compiled']:8} {row['refused']:7} {row['crashed']:7} "
              f"{row['hung']:5} {row['slow']:5} {rates[-1]:6.1f}")
    good = sum(r.outcome in GOOD for r in results)
    print(f"\n{good} of {len(results)} kernels compile: {100 * good / max(len(results), 1):.1f}%; "
          f"mean over packages {sum(rates) / max(len(rates), 1):.1f}%")


def print_targets(results, targets):
    print(f"\n{'target':24} " + " ".join(f"{o:>8}" for o in OUTCOMES))
    for target in targets:
        row = collections.Counter(r.targets.get(target) for r in results)
        print(f"{target:24} " + " ".join(f"{row[o]:8}" for o in OUTCOMES))


def print_bad_ends(results):
    """What no kernel may do to a compiler, whatever else is wrong with it."""
    bad = [r for r in results if r.outcome in ("crashed", "hung")]
    print(f"\n{len(bad)} crashed or hung")
    for r in bad:
        print(f"\n{r.outcome}: {r.message}\n  {r.path}:{r.name} {' '.join(r.words)}")


def generic(message):
    """A message without the names and numbers of its kernel, to count by."""
    return re.sub(r"\b\d+\b", "N", re.sub(r"`[^`]*`", "`..`", message))[:110]


def print_reasons(results):
    refused = [r for r in results if r.outcome == "refused"]
    reasons = collections.Counter(r.reason for r in refused)
    print("\nreasons")
    for reason, n in reasons.most_common():
        print(f"{n:5}  {reason}")
        keep = reason in ("missing builtin", "global unknown", "imports another file", "host function")
        kinds = collections.Counter(r.message[:140] if keep else generic(r.message) for r in refused
                                    if r.reason == reason)
        for message, k in kinds.most_common(12):
            print(f"          {k:4}  {message}")


def parse_options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder")
    p.add_argument("--tilec", default=os.path.join(os.path.dirname(__file__), "..", "build", "tilec"))
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--code", nargs="?", const="cpu,sm_80,sm_90a", default="",
                   help="to code, not only through the passes, for these targets: cpu and chips")
    p.add_argument("--limit", type=float, default=5.0, help="seconds for one compilation")
    p.add_argument("--slow", type=float, default=2.0, help="seconds from which one counts as slow")
    p.add_argument("--copies", action="store_true", help="near-copies count, too")
    p.add_argument("--force", action="store_true", help="try arguments that the command line cannot write")
    p.add_argument("--only", default="", help="regular expression on PACKAGE/.../FILE.py:KERNEL")
    p.add_argument("--every", type=int, default=1, help="only each N-th kernel")
    p.add_argument("--json", help="write all results there")
    p.add_argument("--refused", action="store_true", help="list what did not compile, with its command")
    options = p.parse_args()
    options.code = [target for target in options.code.split(",") if target]
    return options


def main():
    options = parse_options()
    kernels, files, helpers = find_kernels(options.folder, options.copies)
    kernels = [k for k in kernels if re.search(options.only, f"{k.path}:{k.qualified}")][::options.every]
    jobs = [(k, files, helpers, options) for k in kernels]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(examine, jobs))
    print_packages(results)
    if options.code:
        print_targets(results, options.code)
    print_reasons(results)
    print_bad_ends(results)
    if options.refused:
        for r in results:
            if r.outcome == "refused":
                print(f"\n{r.reason}: {r.message}\n  {r.path}:{r.name} {' '.join(r.words)}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump([vars(r) for r in results], f, indent=1)
    return 0 if not any(r.outcome in ("crashed", "hung") for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
