/*
 * threads.h - how many threads this process has
 */
#ifndef TILEC_TEST_THREADS_H
#define TILEC_TEST_THREADS_H

#include <dirent.h>
#include <unistd.h>

static inline int threads_now(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");

    for (const struct dirent *e; tasks && (e = readdir(tasks)) != NULL;)
        n += e->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n;
}

/* How many it has once there are no more than `most`, or after a minute: the system may show one
 * that was joined as long as nothing lets it go on to its end. */
static inline int thread_count(int most)
{
    int n = threads_now();

    for (int waited = 0; n > most && waited < 60000; waited++) {
        usleep(1000);
        n = threads_now();
    }
    return n;
}

#endif
