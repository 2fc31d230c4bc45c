/*
 * file_python.h - Python that stands in a file outside of kernels: decorators, heuristics
 */
#ifndef TILEC_NAMES_FILE_PYTHON_H
#define TILEC_NAMES_FILE_PYTHON_H

#include "../python/python.h"
#include "file.h"

/* What names mean to such code. */
typedef struct {
    const FrontFile *file;
    bool is_strict;      /* a name whose value may depend on more than its assignment has none */
    const char *missing; /* the first argument of a launch that was asked for and not given */
    const struct Deciding *deciding;   /* host `if`s whose tests are being evaluated */
    const struct Assigning *assigning; /* assignments whose values are being evaluated */
    const AstGlobal *open;             /* the first that may count or not: its `if` has no value */
} FilePython;

/* An evaluation at module level; it reads the file and changes nothing in it. */
Py file_python(FilePython *context, Arena *a, long budget);
/* Parse the functions that evaluating `n` may call, while the file is still being read. */
void file_parse_callees(FrontFile *f, const Node *n);
/* Has triton.Config(...) made this?  Its items are two dicts, of parameters and of options; what
 * cannot be read has an unknown key. */
bool file_is_config(const Const *c);
Const file_tensor_class(void); /* heuristic.c: torch.Tensor, for isinstance */

#endif
