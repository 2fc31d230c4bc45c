"""triton.language.extra.cuda.utils: the functions of triton.language.extra.cuda."""

from ..._fill import fill as _fill

_fill(globals(), "triton.language.extra.cuda", ["cuda"])
