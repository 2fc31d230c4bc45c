"""Run by Python at its start in processes of a program that `python -m tilec` started: `import
triton` means tilec there, too.  Then the sitecustomize of the machine, if there is one.
"""

import importlib.machinery
import importlib.util
import os
import sys

if os.environ.get("TILEC_INSTALL") == "1":
    import tilec

    tilec.install()

_here = os.path.dirname(os.path.abspath(__file__))
_other = importlib.machinery.PathFinder.find_spec(
    "sitecustomize", [p for p in sys.path if os.path.abspath(p or ".") != _here])
if _other is not None and _other.loader is not None:
    _other.loader.exec_module(importlib.util.module_from_spec(_other))
