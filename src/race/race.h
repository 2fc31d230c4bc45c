/*
 * race.h - do programs of a launch race in global memory?  For whatever runs them one access at a
 * time: the simulator and the interpreter
 *
 * Whoever runs programs tells of each access before it makes it, and race_store() makes it.  Any
 * number of threads may tell of different programs at once.  docs/simulator.md says what is a race.
 */
#ifndef TILEC_RACE_H
#define TILEC_RACE_H

#include "../base/base.h"

typedef struct Races Races;

/* Memory that is looked at: elements of `unit` bytes; 0: it is not. */
typedef struct {
    uint64_t address, bytes;
    uint32_t unit;
} RaceRange;

/* A program that runs: race_begin() makes it, and the functions below change it. */
typedef struct {
    uint32_t number;                    /* from 1 */
    uint32_t horizon, observed, fenced; /* what it has seen, may have seen, and last fenced */
} RaceProgram;

/* What was found: with whom, and about which element. */
typedef struct {
    uint64_t address;
    bool other_stores;    /* else it loads */
    int64_t other;        /* program, from 0, x fastest */
    uint32_t other_place; /* what it gave for `place` */
} Race;

/* For programs 0 to `programs` - 1, of which there are fewer than 2^32 - 1; 44 bytes an element.
 * NULL: out of memory. */
Races *races_new(const RaceRange *ranges, int n, int64_t programs);
/* What to tell people where memory is out: how much it takes, and what to do. */
void races_put_need(char *out, size_t room, const RaceRange *ranges, int n);
void races_free(Races *r); /* NULL is allowed */

RaceProgram race_begin(int64_t program);
/* In front of a plain read of `bytes`; `place` is any number that names it.  False: *out is a race.
 */
bool race_load(Races *r, const RaceProgram *p, uint32_t place, const void *host, uint32_t bytes,
               Race *out);
/* A plain write, which it does unless it is a race. */
bool race_store(Races *r, const RaceProgram *p, uint32_t place, void *host, const void *bytes,
                uint32_t n, Race *out);
void race_fence(Races *r, RaceProgram *p);
void race_atomic(Races *r, RaceProgram *p, const void *host, uint32_t bytes); /* in front of one */
/* A read that may wait for another program. */
void race_observe(Races *r, RaceProgram *p, const void *host, uint32_t bytes);

/* tell.c: what people are told of it: the access ("load of") to `what` ("x[3]") at one place, by
 * which program of which grid, and the other's at another place */
void race_tell(Diags *d, const Race *race, const char *access, const char *what, Span at,
               Span other_at, const int32_t grid[3]);

#endif
