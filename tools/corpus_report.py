"""corpus_report.py - the tables that corpus.py prints

Packages, what was left out by which rule, targets with their compile times, reasons of refusals, warnings,
and what crashed or hung.  Takes the results of corpus.py.
"""
import collections
import re

OUTCOMES = ["compiled", "slow", "refused", "hung", "crashed"]  # from good to bad; "foreign" is none of them
GOOD = OUTCOMES[:2]


def per_package(results):
    table = collections.OrderedDict()
    for r in results:
        row = table.setdefault(r.package, collections.Counter())
        row[r.outcome] += 1
        row["kernels"] += r.outcome != "foreign"
    return table


def print_packages(results):
    print(f"{'package':40} {'kernels':>7} {'compiled':>8} {'refused':>7} {'crashed':>7} {'hung':>5} {'slow':>5} {'foreign':>8}      %")
    rates = []
    for package, row in sorted(per_package(results).items()):
        good = row["compiled"] + row["slow"]
        rates.append(100 * good / max(row["kernels"], 1))
        print(f"{package[:40]:40} {row['kernels']:7} {row['compiled']:8} {row['refused']:7} {row['crashed']:7} "
              f"{row['hung']:5} {row['slow']:5} {row['foreign']:8} {rates[-1]:6.1f}")
    own = [r for r in results if r.outcome != "foreign"]
    good = sum(all(o in GOOD for o in [r.outcome, *r.targets.values()]) for r in own)
    print(f"\n{good} of {len(own)} kernels compile: {100 * good / max(len(own), 1):.1f}%; "
          f"mean over packages {sum(rates) / max(len(rates), 1):.1f}%")


def print_foreign(results):
    """What is left out of all shares, and why."""
    rules = collections.Counter(r.reason for r in results if r.outcome == "foreign")
    print(f"\n{sum(rules.values())} are not in Triton's own dialect")
    for rule, n in rules.most_common():
        print(f"{n:5}  {rule}")


def spread(times):
    """Median, 99th percentile and the most, of sorted seconds."""
    return [times[int(share * (len(times) - 1))] for share in (0.5, 0.99, 1)] if times else [0.0] * 3


def print_targets(results, targets):
    print(f"\n{'target':12} " + " ".join(f"{o:>8}" for o in OUTCOMES) + f" {'%':>6} {'median':>8} {'p99':>8} {'worst':>8} s")
    for target in targets:
        row = collections.Counter(r.targets[target] for r in results if target in r.targets)
        share = 100 * sum(row[o] for o in GOOD) / max(sum(row.values()), 1)
        times = spread(sorted(r.times[target] for r in results if r.targets.get(target) in GOOD))
        print(f"{target:12} " + " ".join(f"{row[o]:8}" for o in OUTCOMES) + f" {share:6.1f} "
              + " ".join(f"{t:8.3f}" for t in times))


def print_launches(results, devices):
    """How many devices gave what the interpreter did, and each launch where one did not."""
    ran = [r for r in results if r.launches.get("interp") == "equal"]
    tried = sum(bool(r.launches) for r in results)
    print(f"\n{len(ran)} of {tried} launches with random arrays make sense to the interpreter")
    for device in devices:
        row = collections.Counter(r.launches.get(device) for r in ran)
        print(f"{device:12} " + ", ".join(f"{n} {fate}" for fate, n in row.most_common()))
    for r in ran:
        if any(not fate.startswith(("equal", "differs as")) for fate in r.launches.values()):
            print(f"\n{r.told}\n  tilec {r.launch}")


def print_warnings(results):
    """Each kind once, with how many kernels have it."""
    kinds = collections.Counter()
    for r in results:
        kinds.update({generic(re.sub(r".*?warning: ", "", w)) for w in r.warnings} if r.outcome in GOOD else ())
    print("\nkernels with a warning")
    for text, n in kinds.most_common():
        print(f"{n:5}  {text}")


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


def print_refused(results):
    for r in results:
        if r.outcome in ("refused", "foreign"):
            print(f"\n{r.outcome}, {r.reason}: {r.message}\n  {r.path}:{r.name} {' '.join(r.words)}")


def print_report(results, options):
    print_packages(results)
    print_foreign(results)
    if options.code:
        print_targets(results, options.code)
    if options.run:
        print_launches(results, options.run)
    print_reasons(results)
    print_warnings(results)
    print_bad_ends(results)
    if options.refused:
        print_refused(results)
