/*
 * gpu_tensor.c - do a GPU's copies by tensor maps give what tensor_case.h expects?
 *
 *     cc -O1 -o gpu_tensor gpu_tensor.c -ldl && ./gpu_tensor
 *
 * Needs gpu_driver.h and tensor_case.h beside it, libcuda.so.1 and a GPU of compute capability 9.0.
 * Cases that differ, or that the driver refuses, are named, and make it fail.
 */
#include "gpu_driver.h"
#include "tensor_case.h"

typedef unsigned long long Address;
/* cuTensorMapEncodeTiled: by the types of cuda.h */
typedef Result Encode(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
                      const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                      int interleave, int swizzle, int promotion, int fill);
typedef struct {
    _Alignas(64) uint8_t bytes[128];
} Map;

static Encode *encode;
static TensorData data;
static Address from, to, image;

static Result make_map(const TensorCase *c, Address address, Map *out)
{
    /* CU_TENSOR_MAP_DATA_TYPE_UINT8, _UINT16, _UINT32 and _UINT64 */
    int type = c->element == 1 ? 0 : c->element == 2 ? 1 : c->element == 4 ? 2 : 4;
    int swizzle = c->swizzle == 0 ? 0 : c->swizzle == 32 ? 1 : c->swizzle == 64 ? 2 : 3;
    uint64_t extent[TENSOR_RANK], stride[TENSOR_RANK];
    uint32_t box[TENSOR_RANK], steps[TENSOR_RANK];

    for (int d = 0; d < c->rank; d++) {
        extent[d] = (uint64_t)c->extent[d];
        box[d] = (uint32_t)c->box[d];
        steps[d] = 1;
        if (d > 0)
            stride[d - 1] = (uint64_t)c->stride[d];
    }
    return encode(out, type, (uint32_t)c->rank, (void *)(uintptr_t)address, extent, stride, box,
                  steps, 0, swizzle, 0, 0);
}

static bool run(const TensorCase *c, const char *name)
{
    Map maps[2];
    void *module, *function;
    int first[TENSOR_RANK];
    void *params[4 + TENSOR_RANK] = {&maps[0], &maps[1], &image, &data.bytes};

    memcpy(first, c->first, sizeof first);
    for (int d = 0; d < c->rank; d++)
        params[4 + d] = &first[d];
    if (make_map(c, from, &maps[0]) != 0 || make_map(c, to, &maps[1]) != 0 ||
        cuda.load(&module, data.text, 0, NULL, NULL) != 0)
        return false;
    must(cuda.function(&function, module, "tile"), "cuModuleGetFunction");
    must(cuda.to_device(from, data.from, sizeof data.from), "cuMemcpyHtoD");
    must(cuda.to_device(to, data.to, sizeof data.to), "cuMemcpyHtoD");
    must(cuda.to_device(image, data.image, sizeof data.image), "cuMemcpyHtoD");
    must(cuda.launch(function, 1, 1, 1, TENSOR_THREADS, 1, 1, 0, NULL, params, NULL),
         "cuLaunchKernel");
    must(cuda.synchronize(), name);
    must(cuda.from_device(data.to, to, sizeof data.to), "cuMemcpyDtoH");
    must(cuda.from_device(data.image, image, sizeof data.image), "cuMemcpyDtoH");
    cuda.unload(module);
    return true;
}

static int differences(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    int n = 0;

    for (size_t i = 0; i < bytes; i++)
        n += a[i] != b[i];
    return n;
}

int main(void)
{
    char device[100] = "", name[200];
    int good = 0, bad = 0;
    void *library;

    open_device(device, sizeof device);
    library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, "cuTensorMapEncodeTiled") : NULL;
    if (!found) {
        fprintf(stderr, "cuTensorMapEncodeTiled is missing\n");
        return 1;
    }
    memcpy(&encode, &found, sizeof found);
    must(cuda.allocate(&from, TENSOR_BYTES), "cuMemAlloc");
    must(cuda.allocate(&to, TENSOR_BYTES), "cuMemAlloc");
    must(cuda.allocate(&image, TENSOR_TILE), "cuMemAlloc");
    for (int i = 0; i < TENSOR_CASES; i++) {
        const TensorCase *c = &tensor_cases[i];
        int tile = 0, tensor = 0;

        tensor_name(c, name, sizeof name);
        tensor_make(c, &data);
        bool ran = run(c, name);
        if (ran) {
            tile = differences(data.image, data.image_after, sizeof data.image);
            tensor = differences(data.to, data.to_after, sizeof data.to);
        }
        if (!ran)
            printf("refused: %s\n", name);
        else if (tile + tensor > 0)
            printf("%d bytes of the tile and %d of the tensor differ: %s\n", tile, tensor, name);
        good += ran && tile + tensor == 0;
        bad += !ran || tile + tensor > 0;
    }
    printf("%s: %d cases agree, %d do not\n", device, good, bad);
    return bad > 0;
}
