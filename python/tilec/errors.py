"""Exceptions of the package; all of them are a TritonError.

Texts are those of the command: place, line of source, caret, hint.  Classes that programs catch by
Triton's names keep these names and their constructors' arguments.
"""


class TritonError(Exception):
    """What every exception of the package derives from."""


class CompilationError(TritonError):
    """A kernel that cannot be compiled; str() is the message with its place in the source.

    `src` and `node` are there for programs that make such errors themselves: a text of source, and
    an object with `lineno` and `col_offset` in it.
    """

    def __init__(self, src=None, node=None, error_message=None):
        super().__init__(src, node, error_message)
        self.src = src
        self.node = node
        self.error_message = error_message
        self.message = self._text()

    def _text(self):
        text = str(self.error_message or "")
        line = getattr(self.node, "lineno", None)
        if line is None:
            return text
        column = getattr(self.node, "col_offset", 0)
        place = f"at {line}:{column}:"
        lines = (self.src or "").split("\n")
        if 0 < line <= len(lines):
            place += f"\n{lines[line - 1]}\n{' ' * column}^"
        return f"{place}\n{text}" if text else place

    def __str__(self):
        return self.message


class CompileTimeAssertionFailure(CompilationError):
    """A tl.static_assert that does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that kernels do not have."""


class OptionError(CompilationError, AssertionError):
    """An option of a launch that no kernel can be compiled with."""


class OutOfResources(TritonError):
    """A configuration that the device has no room for; tuning goes on with the next one."""

    def __init__(self, required, limit, name):
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name

    def __str__(self):
        return (f"out of resource: {self.name} takes {self.required}, the device has {self.limit}; "
                "smaller blocks or fewer stages may fit")


class _WithMessage(TritonError):
    def __init__(self, error_message=None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return self.error_message or ""


class ArgumentNameError(TritonError, KeyError):
    """A name that a grid, a heuristic or a hook asks for, and that no argument has."""

    def __str__(self):
        return self.args[0]


class InterpreterError(_WithMessage):
    """A kernel that failed in the interpreter."""


class PTXASError(_WithMessage):
    """The driver's assembler refused the code of a kernel."""


class AutotunerError(_WithMessage):
    """Tuning came to no result."""

    def __str__(self):
        return f"Autotuner error: {self.error_message}"


class AssertionFault(TritonError, AssertionError, RuntimeError):
    """A tl.device_assert that failed in a launch: its text, place and program."""


class AccessFault(TritonError, IndexError):
    """An access outside of an array in a launch with check=True: place, program, index, array."""


class RaceFault(TritonError, RuntimeError):
    """Two programs of a launch with check=True on "interp" or "sim" that touch one element, one of
    them changing it, with nothing that orders them: array, index, both places and programs.  Or, on
    "sim", two warps that do so in shared memory.
    """


class SyncFault(TritonError, RuntimeError):
    """On the device "sim": a barrier that not all warps come to, a wait that is missing, or an
    instruction of a whole warp that only a part of it executes.
    """


class OutsideKernelError(TritonError, ValueError):
    """A function of the language called by Python, where there is no program and no tile."""


class ArgumentError(TritonError, TypeError, ValueError):
    """A launch whose arguments, grid or options make no sense: which, and why."""


class DeviceError(TritonError, RuntimeError):
    """A device that is not here, or that refused."""


class ChangedGlobalError(TritonError, RuntimeError):
    """A global that a kernel was compiled with has another value now."""


class CheckWarning(RuntimeWarning):
    """What check="first" has found in the first launch of its kind."""


# --- what a launch gives ------------------------------------------------------------------------

# tilec_status of tilec.h
_REFUSED, _NOT_FOUND, _IO, _NO_MEMORY, _BAD_ARGUMENT, _FAILED, _FAULT = range(1, 8)


def of_status(status, kind, text):
    """The exception for a call that gave `status` with this text; `kind` is "access" where a fault
    is an access outside of an array.
    """
    text = _errors_first(text)
    if " bytes of shared memory" in text:
        return _out_of_shared_memory(text)
    if "error: num_warps is " in text:
        return _too_many_warps(text)
    if status == _REFUSED:
        return _refusal(text)
    if status == _FAULT:
        return _fault(kind, text)
    if status == _NO_MEMORY:
        return MemoryError(text)
    if status in (_NOT_FOUND, _BAD_ARGUMENT):
        return ArgumentError(_with_near_option(text))
    return DeviceError(text)


# options of a launch that the package takes itself, so that the library, which refuses unknown ones, has none
_OPTIONS = ("device", "stream", "arch", "check", "unspecialised", "grid", "warmup", "ir_override")


def _with_near_option(text):
    """With a hint at the option that a name was meant for, where the library knew of none."""
    import difflib
    import re

    unknown = re.search(r" has no parameter `(\w+)`$", text.partition("\n")[0])
    near = difflib.get_close_matches(unknown[1], _OPTIONS, 1) if unknown and "\nhint: " not in text else ()
    return f"{text}\nhint: did you mean `{near[0]}`?" if near else text


def _errors_first(text):
    """What the compiler says, with its warnings behind the errors: programs show the first line."""
    import re

    if ": warning: " not in text:
        return text
    parts = re.split(r"^(?=\S[^\n]*: (?:error|warning): )", text, flags=re.MULTILINE)
    warnings = [part for part in parts if ": warning: " in part.partition("\n")[0]]
    others = [part for part in parts if part not in warnings]
    return "".join(part if part.endswith("\n") else part + "\n"
                   for part in others + warnings if part)


# How the first line of what a device says begins, behind its place
_FAULTS = (("race: ", RaceFault), ("a race: ", RaceFault), ("synchronisation: ", SyncFault),
           ("in the code: ", TritonError))


def _fault(kind, text):
    reason = text.partition("\n")[0].partition("error: ")[2]
    for title, fault in _FAULTS:
        if reason.startswith(title):
            return fault(text)
    if kind == "access":
        return AccessFault(text)
    # what PyTorch says of a GPU's, which programs look for
    return AssertionFault(f"{text}\nnote: a device-side assert was triggered")


def _refusal(text):
    """What the compiler does not take.  The cause of a plain CompilationError is the reason alone,
    without its place: there programs look for it.
    """
    line = text.partition("\n")[0]
    kind = _class_of_refusal(line)
    made = kind(None, None, text)
    if kind is CompilationError:
        made.__cause__ = ValueError(line.partition("error: ")[2] or line)
    return made


def _class_of_refusal(line):
    """By the first line of what the compiler says."""
    if "error: num_warps must be " in line:
        return OptionError
    if "error: static assertion failed" in line:
        return CompileTimeAssertionFailure
    if "error: unsupported AST node type" in line or " is not supported" in line:
        return UnsupportedLanguageConstruct
    return CompilationError


def _too_many_warps(text):
    import re

    match = re.search(r"num_warps is (\d+); a GPU's block has at most (\d+)", text)
    return OutOfResources(int(match[1]), int(match[2]), "num_warps") if match else DeviceError(text)


def _out_of_shared_memory(text):
    import re

    match = re.search(r"needs (\d+) bytes of shared memory[^\n]* has (\d+)", text)
    return OutOfResources(int(match[1]), int(match[2]), "shared memory") if match else DeviceError(text)
