/*
 * mpi.c - tilec-mpi.so: messages between ranks by whatever MPI this was built with
 *
 * Everything happens in MPI_COMM_WORLD and on one thread.  Errors are given back, not fatal, as far
 * as the MPI lets them be.
 */
#include "ranks.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int begin(int *rank, int *size)
{
    int provided, error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);

    if (!error)
        error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!error)
        error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return error ? error : MPI_Comm_size(MPI_COMM_WORLD, size);
}

static int send_bytes(int to, int tag, const void *bytes, size_t n)
{
    if (n > INT_MAX)
        return MPI_ERR_COUNT;
    return MPI_Send(bytes, (int)n, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static int look(int *is_there, int *from, int *tag, size_t *n)
{
    MPI_Status status;
    int count = 0,
        error = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, is_there, &status);

    if (error || !*is_there)
        return error;
    error = MPI_Get_count(&status, MPI_BYTE, &count);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *n = (size_t)count;
    return error;
}

static int take(int from, int tag, void *bytes, size_t n)
{
    return MPI_Recv(bytes, (int)n, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int end(void)
{
    return MPI_Finalize();
}

static void explain(int error, char *text, size_t room)
{
    char whole[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    MPI_Error_string(error, whole, &n);
    snprintf(text, room, "%s", whole);
}

__attribute__((visibility("default"))) extern const RanksTable tilec_ranks;
const RanksTable tilec_ranks = {RANKS_VERSION, begin, send_bytes, look, take, end, explain};
