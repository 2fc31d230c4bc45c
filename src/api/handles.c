/*
 * handles.c - which contexts and files are alive, and what is said of those that are not
 *
 * A program that unloads a file twice, or launches with one that is gone, is told so instead of
 * crashing or waiting for ever.  Each object has a word that says what it is, and another one from
 * when it ends; a call compares it, no more.  Of a file the object itself, without
 * all that it had, stays with its context for a while, so that the word can be read; of a context,
 * and of files beyond that, it is read where the object was: what is found there is as a rule no
 * longer the word of something alive, and that is the best that can be done for such a program.
 *
 * A context that ends takes what its files have with it.  Their objects stay, for tilec_unload().
 */
#include <stdlib.h>

#include "api.h"

const char *handle_problem_of_file(const tilec_file *f)
{
    if (!f)
        return "the file is NULL: tilec_load_file() makes one, or failed";
    switch (atomic_load_explicit(&f->life, memory_order_relaxed)) {
    case FILE_LIVES:
        return NULL;
    case FILE_WITHOUT_CONTEXT:
        return "the context of the file was closed: tilec_close() comes behind the last use of its "
               "files";
    default:
        return "the file was unloaded, or is none: tilec_unload() comes behind its last use";
    }
}

const char *handle_problem_of_context(const tilec_context *ctx)
{
    if (!ctx)
        return "the context is NULL: tilec_open() makes one, or failed";
    if (atomic_load_explicit(&ctx->life, memory_order_relaxed) == CONTEXT_LIVES)
        return NULL;
    return "the context was closed, or is none: tilec_close() comes behind its last use";
}

void handle_add_file(tilec_context *ctx, tilec_file *f)
{
    f->ctx = ctx;
    pthread_mutex_lock(&ctx->lock);
    f->next = ctx->files;
    f->link = &ctx->files;
    if (f->next)
        f->next->link = &f->next;
    ctx->files = f;
    pthread_mutex_unlock(&ctx->lock);
    atomic_store_explicit(&f->life, FILE_LIVES, memory_order_release);
}

static void take_out(tilec_file *f)
{
    *f->link = f->next;
    if (f->next)
        f->next->link = f->link;
}

static void free_object(tilec_file *f)
{
    if (!f)
        return;
    atomic_store(&f->life, HANDLE_ENDED); /* which a compiler may not leave out */
    free(f);
}

void handle_end_file(tilec_file *f)
{
    tilec_context *ctx = f->ctx;

    pthread_mutex_lock(&ctx->lock);
    take_out(f);
    atomic_store(&f->life, HANDLE_ENDED);
    tilec_file **place = &ctx->ended[ctx->nended++ % COUNT(ctx->ended)];
    tilec_file *oldest = *place;
    *place = f;
    pthread_mutex_unlock(&ctx->lock);
    free_object(oldest);
}

void handle_free_orphan(tilec_file *f)
{
    free_object(f);
}

void handle_end_context(tilec_context *ctx, void (*free_contents)(tilec_file *f))
{
    for (tilec_file *f = ctx->files, *next; f; f = next) {
        next = f->next;
        free_contents(f);
        atomic_store(&f->life, FILE_WITHOUT_CONTEXT);
    }
    for (int i = 0; i < COUNT(ctx->ended); i++)
        free_object(ctx->ended[i]);
    atomic_store(&ctx->life, HANDLE_ENDED);
}
