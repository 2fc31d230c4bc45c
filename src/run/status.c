/* status.c - what the status codes of src/run/ say to people */
#include "run.h"

const char *run_status_text(RunStatus s)
{
    static const char *const texts[] = {
        [RUN_OK] = "done",
        [RUN_NO_MEMORY] = "out of memory",
        [RUN_IO] = "a file could not be read or written",
        [RUN_BAD_OBJECT] = "the compiled object is damaged",
        [RUN_BAD_GRID] = "the grid is negative or too large",
        [RUN_NO_THREADS] = "no threads can be started",
        [RUN_FAILED] = "the device refused",
        [RUN_STOPPED] = "the launch was stopped",
        [RUN_FAULT] = "an access outside of the launch's arrays, or a race",
        [RUN_CANCELLED] = "the launch was cancelled",
    };

    return (unsigned)s < (unsigned)COUNT(texts) ? texts[s] : "unknown status";
}
