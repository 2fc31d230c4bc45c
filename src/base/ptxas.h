/*
 * ptxas.h - what the program `ptxas -v` says of code that it makes
 */
#ifndef TILEC_PTXAS_H
#define TILEC_PTXAS_H

typedef struct {
    int registers; /* of a thread; 0: it did not say */
    int spilled;   /* bytes that a thread stores of them */
} PtxasReport;
PtxasReport ptxas_report(const char *said); /* of all functions: the most registers, all spills */

#endif
