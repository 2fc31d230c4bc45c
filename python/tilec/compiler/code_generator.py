"""triton.compiler.code_generator: names that programs import."""

from ..absent import fill as _fill

_fill(globals(), "CodeGenerator ContainsReturnChecker ast_to_ttir enter_sub_region kernel_suffix "
                 "mangle_fn",
      "kernel.warmup(..., grid=(1,)).asm[\"ttir\"] shows what the core makes of a kernel")
