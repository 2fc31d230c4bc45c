/*
 * ranges.c - does a profiler of PyTorch look on?  Then launches are to be ranges in what it records
 *
 * Asked in every launch, so it costs two look-ups at most: PyTorch keeps the answer in a global of
 * a module, for such questions, which is there once the program has imported PyTorch.  Such
 * launches go the slow way, through JITFunction.run(), which makes the range.
 */
#include "core.h"

bool ranges_wanted(void)
{
    PyObject *module = PyDict_GetItemWithError(PyImport_GetModuleDict(), core.profiler_module);
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;

    return dict && PyDict_GetItemWithError(dict, core.names._is_profiler_enabled) == Py_True;
}
