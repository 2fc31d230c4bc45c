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


def warn_of_gradients(kernel, arguments):
    """Called once for what was compiled anew, by kernel's _compiled()."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "is_grad_enabled"):
        return
    wanting = [name for name, value in arguments if getattr(value, "requires_grad", False) is True]
    if wanting and _is_recording(torch):
        warnings.warn(
            f"kernel `{kernel}`: the tensor given for `{wanting[0]}` requires a gradient, and a launch is no "
            "part of autograd: what it writes has none. Make it an operator with a backward "
            "(tilec.torch, or torch.autograd.Function); torch.no_grad() or .detach() says that none is meant",
            stacklevel=3)
