/*
 * each_shapes.c - of which shapes of arrays `run --each` has looked for elements that nothing wrote
 */
#include "batch.h"

#include <string.h>

bool each_meets_shapes(const EachGroup *group, const char *shapes)
{
    EachShapes *s = group->shapes;
    uint64_t hash = hash_bytes(shapes, strlen(shapes), 0);
    bool is_new;

    pthread_mutex_lock(&s->lock);
    is_new = s->n < MOST_SHAPES;
    for (int i = 0; i < s->n; i++)
        is_new &= s->at[i] != hash;
    if (is_new)
        s->at[s->n++] = hash;
    pthread_mutex_unlock(&s->lock);
    return is_new;
}
