"""triton.language.target_info: questions about the device, at compile time and on the host."""

from .constants import ConstexprFunction

__tilec_module__ = "triton.language.target_info"


def current_target():
    """The target that launches of this thread compile for, as runtime.driver has it."""
    from ..runtime.driver import driver

    return driver.active.get_current_target()


def _is_cuda():
    return current_target().backend == "cuda"


def _cuda_capability_geq(major, minor=0):
    target = current_target()
    return target.backend == "cuda" and target.arch >= major * 10 + minor


def _is_hip():
    return False


is_cuda = ConstexprFunction(_is_cuda)
cuda_capability_geq = ConstexprFunction(_cuda_capability_geq)
is_hip = ConstexprFunction(_is_hip)
is_hip_cdna3 = is_hip_cdna4 = is_hip_gfx1250 = is_hip
