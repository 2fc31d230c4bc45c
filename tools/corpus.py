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
import concurrent.futures
import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading

from corpus_dialect import foreign, refused_by_triton
from corpus_guess import Guess
from corpus_kernels import find_kernels
from corpus_launch import launch
from corpus_report import GOOD, OUTCOMES, print_report
from corpus_search import ATTEMPTS, Search

# Reason, what its message looks like, whether another guess might help.  The first match counts.
REASONS = [
    ("internal error", r"internal error|bug:", False),
    ("imports another file", r"comes from module|cannot be read here|no module `", False),
    ("global unknown", r"Cannot access global|value is not known at compile time|global variable", True),
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


class Result:
    """What became of one kernel."""

    def __init__(self, kernel):
        self.package, self.path, self.name = kernel.package, kernel.path, kernel.qualified
        self.key = f"{kernel.path}:{kernel.qualified}"
        self.outcome, self.reason, self.message = "refused", "", ""
        self.words, self.seconds, self.attempts = [], 0.0, 0
        self.targets, self.times = {}, {}  # what became of its code, and in which time: by target
        self.launch, self.launches, self.told = "", {}, ""  # its command, what became of it by device
        self.warnings = []  # of the front end, for a kernel that compiles


def run(command, limit, both=False):
    """(exit code, stderr, or both outputs, seconds of CPU time); the code is None when the time was up.
    prlimit bounds it: a function of ours in the child would need a copy of gigabytes of trees for each."""
    bounded = ["prlimit", f"--cpu={int(limit + 1)}", "--"] + command
    with subprocess.Popen(bounded, stdout=subprocess.PIPE if both else subprocess.DEVNULL,
                          stderr=subprocess.STDOUT if both else subprocess.PIPE) as process:
        asleep = threading.Timer(20 * limit, lambda: os.kill(process.pid, signal.SIGKILL))  # kill() would wait for it
        asleep.start()
        stderr = (process.stdout if both else process.stderr).read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        asleep.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
    late = code in (-signal.SIGXCPU, -signal.SIGKILL)
    return None if late else code, stderr, used.ru_utime + used.ru_stime


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


def outcome_of(code, seconds, options):
    if code == 0:
        return "compiled" if seconds < options.slow else "slow"
    if code is None:
        return "hung"
    return "crashed" if code < 0 or code > 3 else "refused"


def compile_once(result, words, stage, options):
    """(outcome, stderr, seconds) of `tilec dump`."""
    command = [options.tilec, "dump", f"{result.path}:{result.name}", "--stage"] + stage + words
    code, stderr, seconds = run(command, options.limit)
    result.seconds = max(result.seconds, seconds)
    return outcome_of(code, seconds, options), stderr, seconds


def attempt(result, guess, search, options):
    """Compile with the guess as it is; gives whether another guess is worth it."""
    words = guess.arguments()
    search.tried.add(tuple(words))
    result.name = guess.qualified
    outcome, stderr, _ = compile_once(result, words, ["opt"], options)
    result.attempts += 1
    result.warnings = re.findall(r"^\S*?(\d+:\d+: warning: .*)$", stderr, re.M)
    if outcome != "refused":
        result.outcome, result.words = outcome, words
        result.reason, result.message = ("", "") if outcome in GOOD else (outcome, stderr[:300])
        return False
    reason, message, again = reason_of(stderr)
    best, more = search.adjust(stderr)
    if best:
        result.reason, result.message, result.words = reason, message, words
    return again and more


def make_code(result, options):
    """For each target; the worst of them is the kernel's outcome."""
    for target in options.code:
        stage = ["asm"] if target == "cpu" else ["ptx", "--arch", target]
        outcome, stderr, seconds = compile_once(result, result.words, stage, options)
        result.targets[target], result.times[target] = outcome, seconds
        if OUTCOMES.index(outcome) <= OUTCOMES.index(result.outcome):
            continue
        result.outcome = outcome
        if outcome not in GOOD:
            result.reason = outcome if outcome != "refused" else reason_of(stderr)[0]
            result.message = f"{target}: {stderr[:300] if outcome != 'refused' else reason_of(stderr)[1]}"


def examine(job):
    kernel, files, helpers, options, known = job
    result = Result(kernel)
    if known:
        vars(result).update(known)
    elif foreign(kernel, files, helpers):
        result.outcome, result.reason = "foreign", foreign(kernel, files, helpers)
    else:
        guess = Guess(kernel, files, helpers)
        search = Search(guess)
        while attempt(result, guess, search, options) and result.attempts < ATTEMPTS:
            pass
        rule = refused_by_triton(result, kernel, files, helpers) if result.outcome == "refused" else None
        if rule:
            result.outcome, result.reason = "foreign", rule
    if result.outcome in GOOD and not all(target in result.targets for target in options.code):
        make_code(result, options)
    if result.outcome in GOOD and options.run and "interp" not in result.launches:
        launch(result, kernel, options, run)
    options.keep(result)
    return result


def parse_options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("folder")
    p.add_argument("--tilec", default=os.path.join(os.path.dirname(__file__), "..", "build", "tilec"))
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--code", nargs="?", const="cpu,sm_80,sm_90a", default="",
                   help="to code, not only through the passes, for these targets: cpu and chips")
    p.add_argument("--run", nargs="?", const="cpu,sim", default="",
                   help="run it with random arrays, and compare these devices with the interpreter")
    p.add_argument("--limit", type=float, default=5.0, help="seconds of CPU time for one compilation")
    p.add_argument("--slow", type=float, default=2.0, help="seconds from which one counts as slow")
    p.add_argument("--copies", action="store_true", help="near-copies count, too")
    p.add_argument("--only", default="", help="regular expression on PACKAGE/.../FILE.py:KERNEL")
    p.add_argument("--every", type=int, default=1, help="only each N-th kernel")
    p.add_argument("--resume", help="a file that keeps each result, from which a later run goes on")
    p.add_argument("--again", default="", help="with --resume: these outcomes are tried again, as refused,hung")
    p.add_argument("--json", help="write all results there")
    p.add_argument("--refused", action="store_true", help="list what did not compile, with its command")
    options = p.parse_args()
    options.code = [target for target in options.code.split(",") if target]
    options.run = [device for device in options.run.split(",") if device]
    return options


def known_results(options):
    """What earlier runs found, by kernel; and options.keep(result) adds to it."""
    known, again = {}, options.again.split(",")
    options.keep = lambda result: None
    if not options.resume:
        return known
    if os.path.exists(options.resume):
        with open(options.resume, encoding="utf-8") as f:
            known = {r["key"]: r for r in map(json.loads, f)}
    out, lock = open(options.resume, "a", encoding="utf-8"), threading.Lock()  # to the end of the process

    def keep(result):
        with lock:
            if known.get(result.key) != vars(result):
                print(json.dumps(vars(result)), file=out, flush=True)

    options.keep = keep
    return {key: r for key, r in known.items() if r["outcome"] not in again}


def main():
    options = parse_options()
    gc.disable()  # trees of thousands of files have no garbage in them
    kernels, files, helpers = find_kernels(options.folder, options.copies)
    kernels = [k for k in kernels if re.search(options.only, f"{k.path}:{k.qualified}")][::options.every]
    known = known_results(options)
    jobs = [(k, files, helpers, options, known.get(f"{k.path}:{k.qualified}")) for k in kernels]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(examine, jobs))
    print_report(results, options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump([vars(r) for r in results], f, indent=1)
    return 0 if not any(r.outcome in ("crashed", "hung") for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
