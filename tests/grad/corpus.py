"""Each kernel of table.txt: is it derived and right by differences, or refused as the table says?  Do
derived loops and stores say which line of the forward they come from, and do these lines say so, too?

    corpus.py TILEC DEVICES [KERNEL...]

Of eight that are right one runs, on one of DEVICES, which has commas between, as its name and TILEC_SEED say; with
TILEC_THOROUGH in the environment all run on all.  TILEC_JOBS says how many run beside each other.
"""

import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 600


def rows():
    with open(os.path.join(HERE, "table.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield [part.strip() for part in line.split(" | ")]


def kernels_of(path):
    """Names of the kernels that are launched: those of functions that no other one calls."""
    with open(os.path.join(HERE, path), encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r"^@triton\.jit\ndef (\w+)\(", text, re.MULTILINE)
    return {f"{path}:{n}" for n in names if len(re.findall(rf"\b{n}\b(?!=)", text.split('"""', 2)[2])) == 1}


def refusal(done, expected):
    """What is wrong with how it was refused; None: nothing."""
    line, message = re.fullmatch(r"refused `(.*)`: (.*)", expected).groups()
    said = re.search(r"^(\S+):(\d+):\d+: error: (.*)\n(.*)$", done.stderr, re.MULTILINE)
    if done.returncode != 1 or not said:
        return f"exit code {done.returncode}, and no refusal; is it derived now? The table says what it was"
    if message not in said[3]:
        return f"refused for another reason than `{message}`"
    return None if line in said[4] else f"refused at another line than `{line}`"


def statements_of(path):
    """Of a derived kernel: what indents it, its code in one line, and the line of the forward named behind it, with its text;
    (margin, "", number, text) where that stands in front."""
    with open(path, encoding="utf-8") as file:
        body = file.read().split('"""\n', 1)[1].split("\n\n\n@")[0]
    begun = ""
    for line in filter(None, body.split("\n")):
        code, number, text = re.fullmatch(r"(.*?)(?: *# line (\d+)(?:: (.*))?)?", line).groups()
        begun += code if not begun else " " + code.strip()
        if begun.count("(") == begun.count(")"):
            margin = re.match(" *", begun or line).end()
            yield margin, begun.strip(), number, text
            begun = ""


def unnamed(path, forward):
    """What is wrong with the lines of the forward that a derived kernel names; None: nothing."""
    with open(forward, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    named, inside, ahead = "", 4, None
    for margin, code, number, text in statements_of(path):
        if margin < inside or code == "else:":
            named = ""
        inside = margin
        if number:
            named, shown = lines[int(number) - 1], text or code
            if not named.startswith(shown.removesuffix("...")):
                return f"`{code}` is said to come from `{shown}`, but line {number} is `{named}`"
        loop, array = re.fullmatch(r"(?:(for|while) .*|tl\.(?:store|atomic_add)\((\w+).*|.*)", code).groups()
        number = number or ahead
        ahead = None if code else number
        over_programs = re.match(r"for \w+ in range\(first\w*, tl\.minimum\(first", code)  # which the forward's launch does
        over_phases = re.match(r"for phase\w* in range\(0, ", code)  # of elements that windows step over
        if loop and not over_programs and not over_phases and not (number and named.startswith((loop, "while "))):
            return f"`{code}` does not name its loop"
        stands = array and not array.startswith("d_") and re.match(r"tl\.(store|atomic_add)\(", named)
        if array and "load(" not in named and not stands and \
                (array.startswith("d_") or not named.startswith(("for ", "while "))):
            return f"`{code}` names `{named}`"
    return None


def problem(tilec, kernel, arrays, call, expected, device):
    """What to say of a kernel on one device; None: nothing."""
    of, wrt = arrays.split(" by ")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "derived.py")
        done = subprocess.run([tilec, "grad", os.path.join(HERE, kernel), "--of", of, "--wrt", wrt, "--check", "-o", path,
                               "--device", device, *shlex.split(call)],
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        if expected != "right":
            wrong = refusal(done, expected)
        elif done.returncode != 0 or done.stdout.count("agrees") != len(wrt.split(",")) or \
                re.search(r"along 0 directions.*\n +at kinks", done.stdout):
            wrong = "not right"
        else:
            wrong = unnamed(path, os.path.join(HERE, kernel.split(":")[0]))
    return wrong and f"{kernel} on {device}: {wrong}\n{done.stdout}{done.stderr}"


def devices_for(kernel, expected, devices):
    """A refusal is the same everywhere.  Not thoroughly, one kernel of eight runs, on one device."""
    if expected != "right":
        return devices[:1]
    if os.environ.get("TILEC_THOROUGH"):
        return devices
    seed = os.environ.get("TILEC_SEED") or "1"
    dice = zlib.crc32(f"{seed} {kernel}".encode())
    return [devices[dice // 8 % len(devices)]] if dice % 8 == 0 else []


def main(tilec, devices, wanted):
    table = [row for row in rows() if not wanted or row[0].split(":")[1] in wanted]
    files = {row[0].split(":")[0] for row in rows()}
    missing = set().union(*map(kernels_of, files)) - {row[0] for row in rows()}
    failures = [f"{kernel} is not in the table" for kernel in sorted(missing)]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("TILEC_JOBS") or os.cpu_count())) as pool:
        tasks = [pool.submit(problem, os.path.abspath(tilec), *row, device) for row in table
                 for device in devices_for(row[0], row[3], devices)]
        failures += [task.result() for task in tasks if task.result()]
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(tasks)} cases of {len(table)} kernels, {len(failures)} failed")
    return 1 if failures or not tasks else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2].split(","), sys.argv[3:]))
