"""python -m tilec program.py [argument...] - run a program whose `import triton` means tilec

    python -m tilec program.py ...     a file
    python -m tilec -m package ...     a module, as python -m does
    python -m tilec -c 'code' ...      a text

    --device NAME   run host arrays on cpu (the default), interp or sim
    --cuda-as NAME  run what asks for tensors on "cuda" on the host: cpu, interp or sim
    --check         stop at accesses outside of arrays, with place, program and index
    --check=first   warn of what a check of each kernel's first launch finds
    --version       print the versions of tilec and of the language

    python -m tilec run|list|dump|test|build|debug|report|devices|help ...    the command `tilec`
    python -m tilec profile ...                                  `tilec run --profile ...`
"""

import builtins
import importlib.util
import linecache
import os
import runpy
import sys
import types

from . import cuda_as, device
from .install import TRITON_VERSION, inherit, install


def _is_ours(frame):
    return frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>")


# what PyTorch says of tensors on "cuda" where there is no GPU
_NO_GPU = ("Found no NVIDIA driver", "Torch not compiled with CUDA enabled", "No CUDA GPUs are available")


def _forget_our_frames():
    """A traceback begins with the program's own frames, as that of `python program.py`."""
    print_exception = sys.excepthook

    def hook(kind, value, traceback):
        while traceback and _is_ours(traceback.tb_frame):
            traceback = traceback.tb_next
        print_exception(kind, value.with_traceback(traceback), traceback)
        if any(text in str(value) for text in _NO_GPU) and not cuda_as.wanted():
            print("hint: `python -m tilec --cuda-as cpu ...` runs what asks for \"cuda\" on the host",
                  file=sys.stderr)

    sys.excepthook = hook


def _run_as_main(code, path=None):
    """In a module of its own, that stays `__main__` until the end: pickle and multiprocessing look
    for it.
    """
    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    if path is not None:
        module.__file__ = path
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def _run_file(path, arguments):
    sys.argv = [path] + arguments
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not set("./") & set(path):
            return _refuse_word("there is neither a file nor a command", path, _COMMANDS)
        return _refuse(f"cannot open {path}: {error.strerror}")
    _run_as_main(compile(text, path, "exec"), path)
    return 0


def _run_module(name, arguments):
    sys.argv = [name] + arguments
    sys.path[0] = os.getcwd()
    if not _has_module(name):
        return _refuse(f"there is no module {name}")
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _has_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:  # the package that it is in
        if name.startswith(f"{error.name}."):
            return False
        raise


def _run_text(text, arguments):
    sys.argv = ["-c"] + arguments
    sys.path[0] = ""
    # where inspect looks for the source of kernels
    linecache.cache["<tilec -c>"] = (len(text), None, text.splitlines(True), "<tilec -c>")
    _run_as_main(compile(text, "<tilec -c>", "exec"))
    return 0


_COMMANDS = {name: [name] for name in "run list dump test build debug report devices help".split()}
_COMMANDS["profile"] = ["run", "--profile"]


def _become_command(words, arguments):
    """The program beside this file in place of Python."""
    from .told import command_path

    program = command_path()
    if program is None:
        return _refuse("this package was built without the command")
    sys.stdout.flush()
    os.execv(program, ["tilec", *words, *arguments])


def _refuse(why):
    print(f"tilec: {why}", file=sys.stderr)
    return 2


def _refuse_word(what, word, known):
    """A word that is none of those known; the one that is near, or where all are listed."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return _refuse(f"{what} `{word}`" + (f"; did you mean `{near[0]}`?" if near else
                                         ": `python -m tilec --help` lists what there is"))


def _usage():
    print(__doc__.strip(), file=sys.stderr)
    return 2


_OPTIONS = ("--device", "--cuda-as", "--check", "--version", "--help")
_WITH_VALUE = {"--device": device.NAMES, "--cuda-as": cuda_as.DEVICES}


def _take_option(text, arguments):
    """Handle one `--option`; True: go on, otherwise the status to end with."""
    option, equals, value = text.partition("=")
    if option not in _OPTIONS:
        return _refuse_word("there is no option", option, _OPTIONS)
    if option == "--check" and equals and value != "first":
        return _refuse(f"--check takes no value but `first`, not `{value}`")
    if equals and option not in (*_WITH_VALUE, "--check"):
        return _refuse(f"{option} takes no value")
    if option in _WITH_VALUE and not value and (equals or not arguments):
        return _refuse(f"{option} takes a name: {', '.join(_WITH_VALUE[option])}")
    if option == "--version":
        from . import __version__

        print(f"tilec {__version__}, language of Triton {TRITON_VERSION}")
        return 0
    if option == "--help":
        print(__doc__.strip())
        return 0
    if option == "--check":
        device.check_accesses(value or True)
        os.environ["TILEC_CHECK"] = value or "1"
        return True
    if option == "--device":
        name = value or arguments.pop(0)
        if name not in device.NAMES:
            return _refuse(f"there is no device `{name}`; there are {', '.join(device.NAMES)}")
        device.use_device(name)
        os.environ["TILEC_DEVICE"] = device.selected
        return True
    name = value or arguments.pop(0)
    if name not in cuda_as.DEVICES:
        return _refuse(f"--cuda-as is {', '.join(cuda_as.DEVICES)}, not `{name}`")
    cuda_as.begin(name)
    return True


def main(arguments):
    if arguments and arguments[0] in _COMMANDS:
        return _become_command(_COMMANDS[arguments[0]], arguments[1:])
    given = list(arguments)
    while arguments and arguments[0].startswith("--"):
        status = _take_option(arguments.pop(0), arguments)
        if status is not True:
            return status
    if not arguments:
        return _refuse(f"{' '.join(given)} needs a program behind it") if given else _usage()
    install()
    inherit()
    _forget_our_frames()
    first = arguments.pop(0)
    if first[0:1] == "-" and first not in ("-m", "-c") and not os.path.exists(first):
        return _refuse_word("there is no option", first, (*_OPTIONS, "-m", "-c"))
    if first not in ("-m", "-c"):
        return _run_file(first, arguments)
    if not arguments:
        return _refuse(f"{first} needs {'the name of a module' if first == '-m' else 'a text'} behind it")
    run = _run_module if first == "-m" else _run_text
    return run(arguments[0], arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
