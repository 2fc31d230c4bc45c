/*
 * debugger.c - the code that knows its lines: tell gdb, and whoever reads its interface, about it
 *
 * gdb sets a breakpoint on __jit_debug_register_code(), and when that is called looks at
 * __jit_debug_descriptor: objects in memory, here those that the loader was given, with the
 * addresses of their sections filled in.  The names and layouts are gdb's ("JIT Compilation
 * Interface" in its manual).  They are this library's own even where another compiler in the
 * process, such as LLVM, has the same: gdb reads one of each library.
 *
 * The list is state of the process, as gdb wants it; a lock keeps it whole.
 */
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device_cpu.h"

#define GDB __attribute__((visibility("protected"), used))

struct JitCode {
    JitCode *next, *previous;
    const void *object;
    uint64_t bytes;
    /* what follows is ours */
    uint64_t start, end;
    LineTable *lines;
};

typedef struct {
    uint32_t version, action;
    JitCode *relevant, *first;
} JitDescriptor;

enum { JIT_VERSION = 1 };
enum { JIT_NOTHING, JIT_REGISTER, JIT_UNREGISTER };

GDB JitDescriptor __jit_debug_descriptor = {JIT_VERSION, JIT_NOTHING, NULL, NULL};
GDB __attribute__((noinline)) void __jit_debug_register_code(void);

/* gdb stops here. */
void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static void tell_gdb(JitCode *code, uint32_t action)
{
    __jit_debug_descriptor.relevant = code;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
}

JitCode *debugger_register(const void *object, size_t len, const JitPlaces *places)
{
    JitCode *code = malloc(sizeof *code + len);
    Elf64_Ehdr head;

    if (!code) {
        line_table_free(places->lines);
        return NULL;
    }
    char *copy = (char *)(code + 1);
    memcpy(copy, object, len);
    memcpy(&head, object, sizeof head);
    for (int i = 0; i < head.e_shnum; i++) {
        uint64_t at = head.e_shoff + (uint64_t)i * sizeof(Elf64_Shdr);
        memcpy(copy + at + offsetof(Elf64_Shdr, sh_addr), &places->sections[i],
               sizeof places->sections[i]);
    }
    *code = (JitCode){.object = copy,
                      .bytes = len,
                      .start = places->start,
                      .end = places->end,
                      .lines = places->lines};
    pthread_mutex_lock(&list_lock);
    code->next = __jit_debug_descriptor.first;
    if (code->next)
        code->next->previous = code;
    __jit_debug_descriptor.first = code;
    tell_gdb(code, JIT_REGISTER);
    pthread_mutex_unlock(&list_lock);
    return code;
}

void debugger_unregister(JitCode *code)
{
    if (!code)
        return;
    pthread_mutex_lock(&list_lock);
    if (code->previous)
        code->previous->next = code->next;
    else
        __jit_debug_descriptor.first = code->next;
    if (code->next)
        code->next->previous = code->previous;
    tell_gdb(code, JIT_UNREGISTER);
    pthread_mutex_unlock(&list_lock);
    line_table_free(code->lines);
    free(code);
}

static const JitCode *code_at(uint64_t address)
{
    const JitCode *c = __jit_debug_descriptor.first;

    while (c && (address < c->start || address >= c->end))
        c = c->next;
    return c;
}

void debugger_lines(const uint64_t *addresses, size_t n,
                    void (*fn)(void *ctx, const char *file, int line), void *ctx)
{
    pthread_mutex_lock(&list_lock);
    for (size_t i = 0; i < n; i++) {
        const JitCode *c = code_at(addresses[i]);
        const LineRow *row = c && c->lines ? line_table_find(c->lines, addresses[i]) : NULL;
        fn(ctx, row ? c->lines->files[row->file] : NULL, row ? row->line : 0);
    }
    pthread_mutex_unlock(&list_lock);
}

const LineTable *debugger_table(const JitCode *code)
{
    return code ? code->lines : NULL;
}
