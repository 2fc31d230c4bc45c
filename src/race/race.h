/*
 * race.h - do programs of a launch race in global memory, or the lanes of one, and is what they
 * load written?  For whatever runs them one access at a time: the simulator and the interpreter
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
    bool blank; /* nobody has written to any of it yet */
} RaceRange;

/* A program that runs: race_begin() makes it, and the functions below change it. */
typedef struct {
    uint32_t number;                    /* from 1 */
    uint32_t horizon, observed, fenced; /* what it has seen, may have seen, and last fenced */
    uint32_t met, crossed; /* since when its lanes have not waited, and not exchanged anything */
    bool has_read;         /* since it crossed */
} RaceProgram;

/* Who makes an access: any number that names its place, and one of the lane.  Lanes with the same
 * number are one; RACE_ANY_LANE is not looked at. */
typedef struct {
    uint32_t place, lane;
} RaceAt;
enum { RACE_MOST_LANES = INT32_MAX - 1 };
#define RACE_ANY_LANE UINT32_MAX

typedef enum {
    RACE_PROGRAMS, /* with another program */
    RACE_LANES,    /* with another lane of this one */
    RACE_BLANK     /* with nobody: the element was never written */
} RaceKind;

/* What was found: with whom, and about which element. */
typedef struct {
    RaceKind kind;
    uint64_t address;
    bool other_stores;    /* else it loads */
    int64_t other;        /* program, from 0, x fastest */
    uint32_t other_place; /* what it gave for `place` */
} Race;

/* For programs 0 to `programs` - 1, of which there are fewer than 2^32 - 1; 56 bytes an element,
 * and one more of blank memory.  NULL: out of memory. */
Races *races_new(const RaceRange *ranges, int n, int64_t programs);
/* What to tell people where memory is out: how much it takes, and what to do. */
void races_put_need(char *out, size_t room, const RaceRange *ranges, int n);
void races_free(Races *r); /* NULL is allowed */

/* Behind the launch: which elements of a range were loaded, into a byte for each of them.  False:
 * all or none were, somebody has changed one, or the range is a part of another one. */
bool races_part_read(const Races *r, const RaceRange *range, unsigned char *read);

RaceProgram race_begin(int64_t program);
/* In front of a plain read of `bytes`.  False: *out is a race. */
bool race_load(Races *r, RaceProgram *p, RaceAt at, const void *host, uint32_t bytes, Race *out);
/* A plain write, which it does unless it is a race. */
bool race_store(Races *r, const RaceProgram *p, RaceAt at, void *host, const void *bytes,
                uint32_t n, Race *out);
void race_fence(Races *r, RaceProgram *p);
/* In front of an atomic; `reads`: it makes something of what is there.  False: nothing is. */
bool race_atomic(Races *r, RaceProgram *p, const void *host, uint32_t bytes, bool reads, Race *out);
/* Behind that atomic: what another one has left there meanwhile is seen, too. */
void race_seen(Races *r, RaceProgram *p, const void *host, uint32_t bytes);
/* Behind a read that may wait for another program. */
void race_observe(Races *r, RaceProgram *p, const void *host, uint32_t bytes);
/* All lanes have come here before any goes on. */
void race_meet(Races *r, RaceProgram *p);
/* What lanes give from here on may be made of what all have loaded, as behind a sum. */
void race_cross(Races *r, RaceProgram *p);

/* tell.c: what people are told of it: the access ("load of") to `what` ("x[3]") at one place, by
 * which program of which grid, and the other's at another place, if there is another one */
void race_tell(Diags *d, const Race *race, const char *access, const char *what, Span at,
               Span other_at, const int32_t grid[3]);

#endif
