"""Every command that README.md, docs/*.md and docs/tutorial/*.md show runs as it is printed.

    documents.py TILEC SOURCE [PAGE.md...]

Commands stand in blocks that say so behind their three quotes:

    ```sh               each runs, one behind the other, and must exit with 0
    ```sh unrun REASON  they cannot run in a test
    ```console          `$ COMMAND` and what it prints, but for times and the last digits of numbers
    ```usage            the words of a command, not one
    ```LANGUAGE FILE    what is in the block is in that file; of a lesson, a part of the file beside it

A document has a folder of its own, with kernels/, examples/ and the build folder in it, which is $HOME,
too; where it speaks of $HOME/tilec the command is installed there.  A lesson's has the files of the
tutorial.  Links must lead to a file and heading that there are, and docs/README.md to every page.
"""

import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TILEC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
TUTORIAL = os.path.join(SOURCE, "docs/tutorial")
COMMAND = re.compile(r"\s*(\$ |(\S*/)?(tilec|tilec-bench|pip|python3?|make|cc|c\+\+|gcc|g\+\+|cmake|ctest|ninja|"
                     r"git|sh|pytest|gdb|perf|man|gnuplot) [-\w./$<]|tools/\S+\.sh|[A-Z_]+=\S+ \S)")
NUMBER = re.compile(r"-?\d+\.\d*(?:e-?\d+)?|-?\d+")
TIME = re.compile(r"\d+(\.\d+)? (s|ms|us)\b")
Block = collections.namedtuple("Block", "line kind rest body")
problems = []


def blocks_of(text):
    """Fenced blocks, and those that are indented, whose kind is None."""
    found, fence, body, start = [], None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if fence is None:
                fence, body, start = line[3:].split(None, 1), [], number
            else:
                kind, rest = (fence + ["", ""])[:2]
                found.append(Block(start, kind, rest, body))
                fence = None
        elif fence is not None:
            body.append(line)
        elif line.startswith("    "):
            found.append(Block(number, None, "", [line]))
    return found


def same(got, want):
    """Equal but for times, the last digits of numbers, and spaces."""
    got, want = (TIME.sub("TIME", text) for text in (got, want))
    a, b = NUMBER.findall(got), NUMBER.findall(want)
    close = len(a) == len(b) and all(
        abs(float(x) - float(y)) <= 1e-5 * abs(float(y)) for x, y in zip(a, b))
    return close and NUMBER.sub("#", got).split() == NUMBER.sub("#", want).split()


def run(command, folder):
    """The exit code, and what it prints."""
    path = os.path.dirname(TILEC) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, check=False,
                          env={**os.environ, "PATH": path, "HOME": folder},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def sessions(body):
    """The commands of a ```console block, each with what it prints."""
    command, output, goes_on = None, [], False
    for line in body:
        if goes_on:
            command += "\n" + line
        elif line.startswith("$ "):
            if command is not None:
                yield command, "\n".join(output)
            command, output = line[2:], []
        else:
            output.append(line)
        goes_on = line.endswith("\\") and not output
    yield command or "false", "\n".join(output)


def check_excerpt(where, block, path):
    """The tutorial's pages show parts of the files that they are about."""
    if "\n" + "\n".join(block.body) + "\n" not in "\n" + read(path):
        problems.append(f"{where}: {block.rest} has no such lines")


def check_block(where, block, folder):
    if block.kind == "sh" and not block.rest.startswith("unrun "):
        code, output = run("\n".join(block.body), folder)
        if code != 0:
            problems.append(f"{where}: exit code {code}:\n{output}")
    elif block.kind == "console" and not block.rest.startswith("unrun "):
        for command, want in sessions(block.body):
            output = run(command, folder)[1]
            if not same(output, want):
                problems.append(f"{where}: {command}\nprints:\n{output}")
    elif block.kind not in ("sh", "console", "usage"):
        if block.rest and os.path.exists(os.path.join(folder, block.rest)):
            check_excerpt(where, block, os.path.join(folder, block.rest))
        elif block.rest:
            with open(os.path.join(folder, block.rest), "w", encoding="utf-8") as f:
                f.write("\n".join(block.body) + "\n")
        elif block.kind in (None, "") and any(COMMAND.match(line) for line in block.body):
            problems.append(f"{where}: commands stand in blocks that begin with ```sh, "
                            "```sh unrun REASON, ```console or ```usage")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def anchors(text):
    """The headings, as links call them."""
    for line in re.findall(r"^#+ (.*)", text, re.MULTILINE):
        line = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line).lower()
        yield re.sub(r"[^\w\- ]", "", line).replace(" ", "-")


def check_links(path, text):
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", outside)):
        to, _, anchor = link.partition("#")
        target = os.path.join(os.path.dirname(path), to) if to else path
        if ":" in to:
            continue
        if not os.path.exists(target):
            problems.append(f"{path}: the link {link} leads nowhere")
        elif anchor and target.endswith(".md") and anchor not in anchors(read(target)):
            problems.append(f"{path}: the link {link} leads to no heading")


def check_index(pages):
    index = read(os.path.join(SOURCE, "docs/README.md"))
    for page in pages:
        if os.path.basename(page) != "README.md" and f"]({os.path.basename(page)})" not in index:
            problems.append(f"docs/README.md leads to no {os.path.basename(page)}")


def check_document(path):
    text = read(path)
    name = os.path.relpath(path, SOURCE)
    check_links(path, text)
    with tempfile.TemporaryDirectory(prefix="tilec-documents-") as folder:
        for link in ("kernels", "examples"):
            os.symlink(os.path.join(SOURCE, link), os.path.join(folder, link))
        os.symlink(os.path.dirname(TILEC), os.path.join(folder, "build"))
        if os.path.dirname(path) == TUTORIAL:
            shutil.copytree(TUTORIAL, folder, dirs_exist_ok=True)
        if "$HOME/tilec" in text:
            subprocess.run(["cmake", "--install", os.path.dirname(TILEC), "--prefix",
                            os.path.join(folder, "tilec")], check=True, stdout=subprocess.DEVNULL)
        for block in blocks_of(text):
            check_block(f"{name}:{block.line}", block, folder)


def main():
    pages = glob.glob(os.path.join(SOURCE, "docs/*.md"))
    check_index(pages)
    lessons = glob.glob(os.path.join(TUTORIAL, "*.md"))
    documents = sys.argv[3:] or [os.path.join(SOURCE, "README.md")] + pages + lessons
    for path in sorted(os.path.abspath(path) for path in documents):
        check_document(path)
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
