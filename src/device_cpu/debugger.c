/*
 * debugger.c - tell gdb, and whoever reads its interface, about loaded code
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

JitCode *debugger_register(const void *object, size_t len, const uint64_t *addresses)
{
    JitCode *code = malloc(sizeof *code + len);
    Elf64_Ehdr head;

    if (!code)
        return NULL;
    char *copy = (char *)(code + 1);
    memcpy(copy, object, len);
    memcpy(&head, object, sizeof head);
    for (int i = 0; i < head.e_shnum; i++) {
        uint64_t at = head.e_shoff + (uint64_t)i * sizeof(Elf64_Shdr);
        memcpy(copy + at + offsetof(Elf64_Shdr, sh_addr), &addresses[i], sizeof addresses[i]);
    }
    *code = (JitCode){.object = copy, .bytes = len};
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
    free(code);
}
