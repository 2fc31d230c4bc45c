/*
 * fake_cupti.h - what tests ask of the CUPTI that fake_cupti.c stands in for
 */
#ifndef TILEC_TEST_FAKE_CUPTI_H
#define TILEC_TEST_FAKE_CUPTI_H

typedef struct {
    const char *fail; /* the symbol of the function that fails with `result` */
    int result;
    const char *lacks; /* the metric that the chip does not have */
    const char *nan;   /* the one that is not counted */
    int metrics;       /* of the configuration */
    int open;          /* hosts and ranges that there are, now */
    int counting;      /* a kernel that runs now is counted */
    int wrong;         /* calls of the wrong size, or out of order */
} FakeCupti;

typedef FakeCupti *FakeCuptiState(void); /* "fake_cupti_state", exported from the library */

#endif
