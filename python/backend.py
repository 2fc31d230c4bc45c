"""Build the wheel: what pip calls (PEP 517), and `make wheel` as `python3 backend.py FOLDER`.

The package is compiled by CMake from the repository around this folder, in its build-wheel; the
environment's TILEC_BUILD names a folder, from the repository on, where that was done already.  Needs what
tools/setup.sh installs, and of Python nothing but its own library.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TARGETS = ("tilec_python_core", "tilec_python_package")
SUMMARY = "Kernels of the Triton language for NumPy and PyTorch, on CPUs and NVIDIA GPUs"


def version():
    text = (ROOT / "include" / "tilec.h").read_text()
    return ".".join(re.search(rf"#define TILEC_VERSION_{part} (\d+)", text)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


def built():
    """The folder that holds the package `tilec` with its libraries, compiled now if need be."""
    given = os.environ.get("TILEC_BUILD")
    build = ROOT / (given or "build-wheel")  # pip starts this in a folder of its choice
    if not given:
        subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DTILEC_TESTS=OFF",
                        f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", *TARGETS], check=True)
    folder = build / "python"
    if not (folder / "tilec" / "_core.abi3.so").exists():
        raise SystemExit(f"{folder} has no tilec/_core.abi3.so: was Python.h missing?")
    return folder


def files_of(folder):
    """(name in the wheel, path) of each file of the package."""
    for path in sorted((folder / "tilec").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(folder).as_posix(), path


def is_machine_code(path):
    return ".so" in path.name or path.name == "tilec-command"


def stripped(path, scratch):
    """A library or program without what only debuggers read."""
    copy = pathlib.Path(scratch) / path.name
    shutil.copy(path, copy)
    if shutil.which("strip"):
        subprocess.run(["strip", "--strip-debug", copy], check=False)
    return copy


def metadata():
    return (f"Metadata-Version: 2.1\nName: tilec\nVersion: {version()}\nSummary: {SUMMARY}\n"
            "Requires-Python: >=3.9\nProvides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n")


def entry_points(folder):
    """pytest finds its plugin by these."""
    has_plugin = (folder / "tilec" / "pytest_plugin.py").exists()
    return "[pytest11]\ntilec = tilec.pytest_plugin\n" if has_plugin else ""


# The `tilec` of an environment: its package's program takes the place of this one.  The package is
# found, not imported, which would cost more than a small kernel.
SCRIPT = b"""#!python
import importlib.util
import os
import sys

package = importlib.util.find_spec("tilec").submodule_search_locations[0]
os.execv(os.path.join(package, "tilec-command"), ["tilec"] + sys.argv[1:])
"""


def tag():
    return "cp39-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


class Wheel:
    """A zip file with a list of what is in it."""

    def __init__(self, folder):
        self.name = f"tilec-{version()}-{tag()}.whl"
        self.info = f"tilec-{version()}.dist-info"
        self.records = []
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        self.zip = zipfile.ZipFile(pathlib.Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)

    def add(self, name, content, mode=0o644):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(content)}")
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content)

    def close(self, entries):
        self.add(f"tilec-{version()}.data/scripts/tilec", SCRIPT, 0o755)
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tilec\n"
                                       f"Root-Is-Purelib: false\nTag: {tag()}\n".encode())
        self.add(f"{self.info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        if entries:
            self.add(f"{self.info}/entry_points.txt", entries.encode())
        self.records.append(f"{self.info}/RECORD,,")
        self.zip.writestr(f"{self.info}/RECORD", "\n".join(self.records) + "\n")
        self.zip.close()
        return self.name


# --- what pip calls -----------------------------------------------------------------------------


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = built()
    wheel = Wheel(wheel_directory)
    with tempfile.TemporaryDirectory() as scratch:
        for name, path in files_of(folder):
            is_code = is_machine_code(path)
            source = stripped(path, scratch) if is_code else path
            wheel.add(name, source.read_bytes(), 0o755 if is_code else 0o644)
    return wheel.close(entry_points(folder))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip install -e`: the build folder's copy of the package, which a build brings up to date."""
    folder = built()
    wheel = Wheel(wheel_directory)
    wheel.add("__editable__.tilec.pth", f"{folder}\n".encode())
    return wheel.close(entry_points(folder))


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the package is built from its repository: pip install ./python")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: backend.py FOLDER")
    print(pathlib.Path(sys.argv[1]) / build_wheel(sys.argv[1]))
