"""pytest --tilec: a project's tests of kernels on tilec, wherever they run.

    --tilec             `import triton` means tilec, in processes that tests start, too
    --tilec-check       the same, and accesses outside of arrays are exceptions
    --tilec-device=NAME the same, host arrays on cpu (the default), interp or sim

Without a GPU the fixtures and parameters called `device` that say "cuda" give "cpu", and tests that
have no such fixture of their own get ours.  torch.cuda.is_available() is left alone.
"""

import pytest

_DEVICES = ("device", "DEVICE", "dev")


def pytest_addoption(parser):
    group = parser.getgroup("tilec", "kernels of the Triton language")
    group.addoption("--tilec", action="store_true", help="let `import triton` mean tilec")
    group.addoption("--tilec-check", action="store_true",
                    help="as --tilec, and stop at accesses outside of arrays")
    group.addoption("--tilec-device", metavar="NAME", choices=("cpu", "interp", "sim"),
                    help="as --tilec, and run host arrays on NAME: cpu, interp or sim")


def _is_on(options):
    return options.tilec or options.tilec_check or bool(options.tilec_device)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Before any conftest.py of the project imports triton."""
    _set_up(early_config.known_args_namespace)


def pytest_configure(config):
    """For those who name the plugin in a conftest.py, where the hook above is not called."""
    _set_up(config.option)


def _set_up(options):
    import os

    if not _is_on(options):
        return
    from . import device
    from .install import inherit, install

    install()
    inherit()
    if options.tilec_device:
        device.use_device(options.tilec_device)
        os.environ["TILEC_DEVICE"] = options.tilec_device
    if options.tilec_check:
        device.check_accesses()
        os.environ["TILEC_CHECK"] = "1"


def pytest_report_header(config):
    if not _is_on(config.option):
        return None
    from . import __version__, device

    checks = ", accesses are checked" if config.option.tilec_check else ""
    where = device.selected or ("cuda" if _has_gpu() else "cpu")
    return f"tilec {__version__}: `import triton` means tilec, kernels run on {where}{checks}"


def _has_gpu():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


# --- where tests put their tensors ---------------------------------------------------------------


@pytest.fixture
def device(request):
    """Where the tests of a project that has no such fixture put tensors."""
    on_gpu = _has_gpu() and not request.config.option.tilec_device
    return "cuda" if on_gpu else "cpu"


def _on_host(value):
    """A device as it is called here, or the value."""
    kind = type(value).__name__
    if kind == "device" and value.type == "cuda":
        return type(value)("cpu")
    is_cuda = isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))
    return "cpu" if is_cuda else value


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef, request):
    outcome = yield
    if fixturedef.argname not in _DEVICES or not _is_on(request.config.option) or _has_gpu():
        return
    if outcome.excinfo is None:
        value = _on_host(outcome.get_result())
        _, *rest = fixturedef.cached_result
        fixturedef.cached_result = (value, *rest)
        outcome.force_result(value)
