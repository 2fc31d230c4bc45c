/*
 * fake_nvtx.c - a stand-in for the library of a tool that looks on, as NVTX_INJECTION64_PATH names
 * it: it keeps what it is told, "[add " for a range that begins, "]" for its end
 *
 * It asks for all that tools may ask for, by the numbers of NVTX's interface, and says "refused"
 * where an answer is not as that has it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* found by their names alone, as the real ones are */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define API __attribute__((visibility("default")))

typedef void (*Function)(void);
typedef struct {
    size_t size;
    int (*find)(int group, Function ***places, unsigned *n);
} Groups;
typedef struct {
    size_t size;
    uint32_t version, reserved;
    void (*hear)(uint32_t of_tool);
} Version;

static char heard[1000];

static int push(const char *name)
{
    size_t n = strlen(heard);

    return snprintf(heard + n, sizeof heard - n, "[%s ", name);
}

static int pop(void)
{
    size_t n = strlen(heard);

    return snprintf(heard + n, sizeof heard - n, "]");
}

/* How many of its functions have no place, or -1. */
static int missing(const Groups *groups, int group)
{
    Function **places = NULL;
    unsigned n = 0;
    int none = 0;

    if (!groups->find(group, &places, &n) || !groups->find(group, NULL, NULL))
        return -1;
    for (unsigned i = 1; i < n; i++)
        none += !places[i];
    return n < 7 ? -1 : none;
}

static int is_complete(const Groups *groups, const Version *version)
{
    int bad = !groups || !version || groups->size < sizeof *groups ||
              version->size < sizeof *version || version->version != 3;

    for (int group = 1; !bad && group < 7; group++)
        bad = missing(groups, group) != 0;
    return !bad && missing(groups, 0) < 0 && missing(groups, 7) < 0;
}

API int InitializeInjectionNvtx2(const void *(*find)(uint32_t table))
{
    const Groups *groups = find(1);
    const Version *version = find(3);
    Function **core = NULL;
    unsigned n = 0;

    if (!is_complete(groups, version) || find(2) || !groups->find(1, &core, &n) || n < 16) {
        strcpy(heard, "refused");
        return 0;
    }
    version->hear(3);
    *core[9] = (Function)push;
    *core[11] = (Function)pop;
    return 1;
}

API char *fake_nvtx_heard(void)
{
    return heard;
}
