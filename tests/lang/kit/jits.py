from triton import jit
import triton as _triton

fast = _triton.jit
