/*
 * test_sim_tensor.c - tensor maps in the simulator
 *
 * The kernels of tests/sim/tensor_case.h, whose results are said there element by element, and what
 * must be refused.
 */
#include "sim_run.h"
#include "../../src/device/device.h"
#include "../sim/tensor_case.h"

static TensorMap map_of(const TensorCase *c, void *address)
{
    TensorMap m = {.address = (uint64_t)(uintptr_t)address,
                   .rank = (uint8_t)c->rank,
                   .element = (uint8_t)c->element};

    for (int s = c->swizzle; s > 16; s /= 2)
        m.swizzle++;
    for (int d = 0; d < c->rank; d++) {
        m.extent[d] = (uint64_t)c->extent[d];
        m.stride[d] = (uint64_t)c->stride[d];
        m.box[d] = (uint32_t)c->box[d];
    }
    return m;
}

/* A launch of a case; the maps lie in it. */
typedef struct {
    TensorData data;
    SimRun run;
    _Alignas(64) unsigned char maps[2][TENSOR_MAP_BYTES];
} Scene;

static Scene *open_scene(const TensorCase *c, const char *text)
{
    Scene *s = aligned_alloc(256, (sizeof *s + 255) / 256 * 256);

    assert_non_null(s);
    tensor_make(c, &s->data);
    s->run = sim_open(text ? text : s->data.text, TENSOR_THREADS / 32);
    sim_array(&s->run, 0, s->data.from, sizeof s->data.from);
    sim_array(&s->run, 1, s->data.to, sizeof s->data.to);
    sim_array(&s->run, 2, s->data.image, sizeof s->data.image);
    for (int i = 0; i < 2; i++) {
        TensorMap m = map_of(c, i == 0 ? s->data.from : s->data.to);

        assert_null(sim_encode_tensor_map(&m, s->maps[i]));
        s->run.args[i] = (uint64_t)(uintptr_t)s->maps[i];
    }
    s->run.args[3] = (uint64_t)s->data.bytes;
    for (int d = 0; d < c->rank; d++)
        s->run.args[4 + d] = (uint32_t)c->first[d];
    return s;
}

static void close_scene(Scene *s)
{
    sim_close(&s->run);
    free(s);
}

static void test_tiles(void **state)
{
    char name[200];

    (void)state;
    for (int i = 0; i < TENSOR_CASES; i++) {
        Scene *s = open_scene(&tensor_cases[i], NULL);

        tensor_name(&tensor_cases[i], name, sizeof name);
        print_message("%s\n", name);
        sim_run(&s->run, "tile");
        assert_memory_equal(s->data.image, s->data.image_after, sizeof s->data.image);
        assert_memory_equal(s->data.to, s->data.to_after, sizeof s->data.to);
        close_scene(s);
    }
}

/* The launch must stop with that message. */
static void stops(Scene *s, SimFault kind, const char *why)
{
    sim_go(&s->run, "tile");
    if (!strstr(s->run.error.text, why))
        fprintf(stderr, "'%s' is not in '%s'\n", why, s->run.error.text);
    assert_int_equal(s->run.status, SIM_FAULT);
    assert_non_null(strstr(s->run.error.text, why));
    assert_int_equal(s->run.error.kind, kind);
}

/* An mbarrier is brought all bytes of a tile, also where most of it is outside. */
static void test_bytes(void **state)
{
    static const TensorCase ragged = {2, 2, 0, {3, 5}, {2, 16}, {64, 64}, {0, 0}};
    Scene *s = open_scene(&ragged, NULL);

    (void)state;
    s->run.args[3] -= 16;
    stops(s, SIM_SYNC, "copies bring 16 bytes more than the mbarrier");
    s->run.args[3] += 32;
    stops(s, SIM_SYNC, "where 0 arrivals and 16 bytes are missing");
    close_scene(s);
}

static void test_misuse(void **state)
{
    static const TensorCase plain = {2, 2, 0, {64, 40}, {2, 128}, {32, 16}, {8, 3}};
    Scene *s = open_scene(&plain, NULL);

    (void)state;
    s->maps[0][0] ^= 1;
    stops(s, SIM_CODE, "there is no tensor map of 2 dimensions");
    s->maps[0][0] ^= 1;
    s->run.ranges[0].bytes = 128 * 18 + 16; /* the last row that the tile has is not there */
    stops(s, SIM_ACCESS, "of an array of 2320 bytes");
    s->run.ranges[0].bytes = sizeof s->data.from;
    s->run.ranges[1].read_only = true;
    stops(s, SIM_ACCESS, "read-only");
    close_scene(s);
}

/* The kernel with one text for another. */
static void changed(const char *from, const char *to, SimFault kind, const char *why)
{
    static const TensorCase plain = {2, 2, 0, {64, 40}, {2, 128}, {32, 16}, {8, 3}};
    static TensorData data;
    char text[9000];

    tensor_make(&plain, &data);
    const char *at = strstr(data.text, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - data.text), data.text, to,
             at + strlen(from));
    Scene *s = open_scene(&plain, text);
    stops(s, kind, why);
    close_scene(s);
}

static void test_flaws(void **state)
{
    (void)state;
    changed("[%r3], [%rd2", "[%r3+16], [%rd2", SIM_ACCESS, "which is not a multiple of 128");
    changed("cvta.param.u64 %rd2, %rd1;", "mov.b64 %rd2, %rd1;", SIM_ACCESS,
            "at address 0x0, which no argument reaches");
    changed("cvta.param.u64 %rd2, %rd1;", "cvta.param.u64 %rd2, %rd1;\nadd.s64 %rd2, %rd2, 16;",
            SIM_ACCESS, "which is not a multiple of 64");
    changed("$wait:", "bra.uni $end;\n$wait:", SIM_SYNC, "the block ends while cp.async.bulk");
    changed("cp.async.bulk.wait_group 0;", "", SIM_SYNC, "nobody has waited for");
    changed("ld.param.b32 %c0, [first0];", "mov.b32 %c0, 9;", SIM_CODE,
            "begins at element 9 along dimension 0, which is at no multiple of 16");
    changed("ld.param.b32 %c1, [first1];", "mov.b32 %c1, -1;", SIM_CODE,
            "stores a tile that begins at element -1 along dimension 1");
}

static void test_refusals(void **state)
{
    static const struct {
        TensorCase c;
        int address;
        const char *why;
    } wrong[] = {
        {{2, 2, 0, {64, 40}, {2, 128}, {32, 16}, {0}}, 8, "address is a multiple of 16"},
        {{2, 2, 0, {64, 40}, {2, 120}, {32, 16}, {0}}, 0, "stride of a tensor map is a multiple"},
        {{2, 2, 0, {64, 0}, {2, 128}, {32, 16}, {0}}, 0, "1 to 2^32 elements"},
        {{2, 2, 0, {64, 40}, {2, 128}, {32, 257}, {0}}, 0, "1 to 256 elements"},
        {{2, 2, 0, {64, 40}, {2, 128}, {32, 0}, {0}}, 0, "1 to 256 elements"},
        {{2, 2, 0, {64, 40}, {2, 128}, {12, 16}, {0}}, 0, "multiples of 16 bytes"},
        {{2, 2, 32, {64, 40}, {2, 128}, {32, 16}, {0}}, 0, "longer than its swizzle"},
        {{2, 2, 128, {64, 40}, {2, 128}, {32, 16}, {0}}, 0, "shorter than its swizzle"},
        {{2, 3, 0, {64, 40}, {3, 192}, {16, 16}, {0}}, 0, "1, 2, 4 or 8 bytes"},
        {{0, 2, 0, {64, 40}, {2, 128}, {32, 16}, {0}}, 0, "1 to 5 dimensions"},
    };
    unsigned char out[TENSOR_MAP_BYTES];

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++) {
        TensorMap m = map_of(&wrong[i].c, (void *)(uintptr_t)(4096 + wrong[i].address));
        const char *why = sim_encode_tensor_map(&m, out);

        assert_non_null(why);
        if (!strstr(why, wrong[i].why))
            fprintf(stderr, "'%s' is not in '%s'\n", wrong[i].why, why);
        assert_non_null(strstr(why, wrong[i].why));
    }
}

/* By a recipe: the launch gives two tensors, where the image goes, and the
 * coordinates, of which the first one is a term of the tensor's width, and makes both maps. */
static RunStatus launch_recipe(const TensorCase *c, TensorData *data, int width, char **error)
{
    GenMap map = {
        .extent = {{.scale = {1}, .param = {4}, .bytes = {4}}, {.constant = c->extent[1]}},
        .stride[1] = {.scale = {c->element}, .param = {4}, .bytes = {4}},
        .box = {c->box[0], c->box[1]},
        .rank = 2,
        .element = c->element,
        .swizzle = (int32_t)map_of(c, data).swizzle};
    GenOutput output = {.data = data->text,
                        .len = strlen(data->text),
                        .warps = TENSOR_THREADS / 32,
                        .recipe = {.nmaps = 2}};
    /* the maps, the image, the tile's bytes, x, y, and both pointers */
    uint64_t args[8] = {0,
                        0,
                        (uint64_t)(uintptr_t)data->image,
                        (uint64_t)data->bytes,
                        (uint32_t)c->first[0],
                        (uint32_t)c->first[1],
                        (uint64_t)(uintptr_t)data->from,
                        (uint64_t)(uintptr_t)data->to};
    const DeviceLaunch launch = {
        .args = args, .nargs = 8, .grid = {1, 1, 1}, .records_arg = -1, .nranges = -1, .id = -1};
    const DeviceObject object = {.output = &output};
    const char *why;
    void *code;

    map.extent[0].constant = width - c->first[0];
    map.stride[1].constant = (width - c->first[0]) * c->element;
    for (int i = 0; i < 2; i++) {
        output.recipe.maps[i] = map;
        output.recipe.maps[i].pointer = 6 + i;
        output.recipe.maps[i].arg = i;
    }
    assert_int_equal(sim_device.load(&object, &code, &why), RUN_OK);
    RunStatus status = sim_device.launch(NULL, code, &launch, error);
    sim_device.unload(code);
    return status;
}

static void test_recipes(void **state)
{
    static const TensorCase c = {2, 2, 128, {104, 40}, {2, 208}, {64, 32}, {56, 16}};
    static TensorData data;
    char *error = NULL;

    (void)state;
    tensor_make(&c, &data);
    assert_int_equal(launch_recipe(&c, &data, 104, &error), RUN_OK);
    assert_null(error);
    assert_memory_equal(data.image, data.image_after, sizeof data.image);
    assert_memory_equal(data.to, data.to_after, sizeof data.to);
    assert_int_equal(launch_recipe(&c, &data, 100, &error), RUN_FAILED); /* rows of 200 bytes */
    assert_non_null(error);
    assert_non_null(strstr(error, "a stride of a tensor map is a multiple of 16 bytes"));
    free(error);
}

/* A parameter beside a map, of 4 bytes: where it is negative there is no map. */
static void test_what_must_not_be_negative(void **state)
{
    const GenRecipe recipe = {
        .nmaps = 1,
        .maps = {{.extent = {{.constant = 64}, {.constant = 64}},
                  .stride = {{.scale = {1}, .param = {1}, .bytes = {4}}, {.constant = 128}},
                  .box = {64, 8},
                  .rank = 2,
                  .element = 2,
                  .swizzle = 3}}};
    uint64_t args[] = {4096, 5};
    TensorMap map;

    (void)state;
    assert_true(device_maps_fit(&recipe, args));
    assert_null(device_tensor_map(&recipe.maps[0], args, &map));
    assert_int_equal(map.stride[0], 2);
    args[1] = (uint32_t)-1;
    assert_false(device_maps_fit(&recipe, args));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_flaws),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_what_must_not_be_negative),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
