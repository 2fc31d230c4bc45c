/*
 * pointer.c - objects that say where elements are, and of what dtype, and no more
 *
 * data_ptr() and `dtype` are all that Triton asks of an array, and some programs pass objects that
 * have nothing else.  How many elements there are nobody knows, nor on which device: where the
 * process has loaded NVIDIA's driver, the driver is asked.
 */
#include <dlfcn.h>

#include "core.h"

/* CUdevice_attribute and CUresult as the driver's interface numbers them. */
enum { CUDA_SUCCESS, ATTRIBUTE_MEMORY_TYPE = 2, ATTRIBUTE_DEVICE_ORDINAL = 9, MEMORY_DEVICE = 2 };
typedef int GetAttribute(void *out, int attribute, uint64_t address);

bool pointer_is(PyObject *o)
{
    return PyObject_HasAttr((PyObject *)Py_TYPE(o), core.names.data_ptr) &&
           PyObject_HasAttr(o, core.names.dtype);
}

/* The library stays loaded: who has loaded it uses it. */
static GetAttribute *attribute_getter(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    GetAttribute *get = driver ? (GetAttribute *)dlsym(driver, "cuPointerGetAttribute") : NULL;

    if (driver)
        dlclose(driver);
    return get;
}

static void find_memory(tilec_tensor *t)
{
    GetAttribute *get = attribute_getter();
    const uint64_t address = (uintptr_t)t->data;
    unsigned memory = 0;
    int device = 0;

    if (!get || get(&memory, ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS ||
        memory != MEMORY_DEVICE || get(&device, ATTRIBUTE_DEVICE_ORDINAL, address) != CUDA_SUCCESS)
        return;
    t->memory = TILEC_MEMORY_DEVICE;
    t->device_id = device;
}

int pointer_read(PyObject *o, tilec_tensor *out, Keep *k)
{
    PyObject *dtype = PyObject_GetAttr(o, core.names.dtype), *address;

    if (keep_object(k, dtype) != 0 || value_dtype(dtype, &out->dtype) != 0)
        return -1;
    address = PyObject_CallMethodObjArgs(o, core.names.data_ptr, NULL);
    if (keep_object(k, address) != 0)
        return -1;
    out->data = PyLong_AsVoidPtr(address);
    if (PyErr_Occurred())
        return -1;
    out->ndim = -1;
    find_memory(out);
    return 0;
}
