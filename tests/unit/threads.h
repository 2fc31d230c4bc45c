/*
 * threads.h - how many threads this process has
 */
#ifndef TILEC_TEST_THREADS_H
#define TILEC_TEST_THREADS_H

#include <dirent.h>
#include <unistd.h>

static inline int thread_count(void)
{
    int n = 0;

    usleep(20000); /* the system may show one that was joined a moment longer */
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *e; tasks && (e = readdir(tasks)) != NULL;)
        n += e->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n;
}

#endif
