"""A tensor that wants a gradient, given to a launch: no gradient comes out of it, and nothing says so."""

import sys
import warnings


def _is_recording(torch):
    """Would an operator of torch's own be recorded here?  Inside of operators and of
    autograd.Function it would not."""
    if not torch.is_grad_enabled():
        return False
    try:
        below = torch._C.DispatchKey.AutogradFunctionality
        return not torch._C._dispatch_tls_is_dispatch_key_excluded(below)
    except AttributeError:
        return True


def warn_of_gradients(kernel, parameter):
    """The tensor given for the parameter requires one.  Is it told of, which is done once a kernel?"""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "is_grad_enabled") or not _is_recording(torch):
        return False
    warnings.warn(
        f"kernel `{kernel}`: the tensor given for `{parameter}` requires a gradient, and a launch is no "
        "part of autograd: what it writes has none. Make it an operator with a backward "
        "(tilec.torch, or torch.autograd.Function); torch.no_grad() or .detach() says that none is meant",
        stacklevel=3)
    return True
