/*
 * test_terminal.c - the command on a terminal: progress of a launch, one that hangs, Ctrl-C, a
 * prompt
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROOM = 1 << 16, PATIENCE = 300000 /* milliseconds */ };

static const char kernels[] = "import triton\n"
                              "import triton.language as tl\n"
                              "@triton.jit\n"
                              "def work(out, n):\n"
                              "    s = 0\n"
                              "    for i in range(n):\n"
                              "        s = (s + i) ^ (s >> 3)\n"
                              "    tl.store(out, s)\n"
                              "@triton.jit\n"
                              "def hang(gate):\n"
                              "    while tl.atomic_add(gate, 0) == 0:\n"
                              "        pass\n"
                              "@triton.jit\n"
                              "def large(out):\n"
                              "    s = tl.load(out + tl.arange(0, 1024))\n"
                              "    for i in tl.static_range(4000):\n"
                              "        s = tl.sin(s) * i\n"
                              "    tl.store(out + tl.arange(0, 1024), s)\n";

/* A command on a terminal of its own, in a folder of its own. */
typedef struct {
    char folder[64];
    pid_t child;
    int terminal;
    int columns;      /* 0: the system's */
    const char *term; /* NULL: xterm */
    char said[ROOM];
    size_t length;
} Terminal;

static int open_terminal(void **state)
{
    Terminal *s = calloc(1, sizeof *s);
    char path[128];
    FILE *f;

    strcpy(s->folder, "/tmp/tilec-terminal-XXXXXX");
    if (!mkdtemp(s->folder))
        return -1;
    snprintf(path, sizeof path, "%s/k.py", s->folder);
    f = fopen(path, "w");
    fputs(kernels, f);
    fclose(f);
    *state = s;
    return 0;
}

static int close_terminal(void **state)
{
    Terminal *s = *state;
    char command[128];

    if (s->child > 0)
        kill(s->child, SIGKILL); /* where a test has failed */
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    int status = system(command);
    free(s);
    return status;
}

static void become_command(const Terminal *s, const char *name, const char *const *words)
{
    int terminal = open(name, O_RDWR);

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing that hangs */
    signal(SIGINT, SIG_DFL);          /* which a shell has its background jobs ignore */
    setenv("TERM", s->term ? s->term : "xterm", 1);
    setsid();
    ioctl(terminal, TIOCSCTTY, 0);
    for (int i = 0; i < 3; i++)
        dup2(terminal, i);
    if (chdir(s->folder) == 0)
        execv(getenv("TILEC_COMMAND"), (char *const *)words);
    _exit(99);
}

static void start(Terminal *s, const char *const *words)
{
    s->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(s->terminal >= 0);
    assert_int_equal(grantpt(s->terminal), 0);
    assert_int_equal(unlockpt(s->terminal), 0);
    if (s->columns)
        ioctl(s->terminal, TIOCSWINSZ,
              &(struct winsize){.ws_row = 24, .ws_col = (unsigned short)s->columns});
    const char *name = ptsname(s->terminal);
    s->child = fork();
    if (s->child == 0)
        become_command(s, name, words);
    assert_true(s->child > 0);
}

/* Wait until it has said `text`; NULL: until it ends. */
static void await(Terminal *s, const char *text)
{
    struct pollfd p = {.fd = s->terminal, .events = POLLIN};

    while (!text || !strstr(s->said, text)) {
        int ready = poll(&p, 1, PATIENCE);
        ssize_t n = ready > 0 ? read(s->terminal, s->said + s->length, ROOM - 1 - s->length) : 0;

        if (n < 0 && !text) /* nobody has the terminal any more */
            return;
        if (n <= 0)
            print_error("it said: %s\n", s->said);
        assert_true(n > 0);
        s->length += (size_t)n;
    }
}

static int finish(Terminal *s)
{
    int status;

    await(s, NULL);
    assert_int_equal(waitpid(s->child, &status, 0), s->child);
    s->child = 0;
    close(s->terminal);
    return status;
}

static void finish_well(Terminal *s)
{
    int status = finish(s);

    if (status != 0)
        print_error("it ended with %#x and said: %s\n", (unsigned)status, s->said);
    assert_int_equal(status, 0);
}

/* Wait until it has used so many seconds of the CPU. */
static void await_computing(const Terminal *s, double seconds)
{
    unsigned long user = 0, system = 0;
    char path[64], does = 'R';

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)s->child);
    while ((double)(user + system) < seconds * (double)sysconf(_SC_CLK_TCK)) {
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        assert_int_equal(fscanf(f, "%*d %*s %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                                &does, &user, &system),
                         3);
        fclose(f);
        assert_int_not_equal(does, 'Z');
        poll(NULL, 0, 10);
    }
}

static void type_interrupt(const Terminal *s)
{
    assert_int_equal(write(s->terminal, "\3", 1), 1);
}

static void check_no_file(const Terminal *s)
{
    char command[160];

    snprintf(command, sizeof command, "test \"$(ls -A %s)\" = k.py", s->folder);
    assert_int_equal(system(command), 0);
}

static void test_a_long_launch_says_how_far_it_is(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec",  "run", "k.py:work",        "--grid",     "40",
                                        "--show", "out", "out=zeros(i32,1)", "n=90000000", NULL};

    start(s, words);
    finish_well(s);
    assert_non_null(strstr(s->said, " of 40 programs"));
    assert_non_null(strstr(s->said, " s left"));
    const char *wiped = strstr(s->said, "\r\033[Kout: i32 1 ");
    assert_non_null(wiped); /* the line is gone before the result comes */
}

static void type(const Terminal *s, const char *keys)
{
    size_t n = strlen(keys);

    assert_int_equal(write(s->terminal, keys, n), (ssize_t)n);
}

/* What is typed before may be lost. */
static void await_prompts(Terminal *s, int n)
{
    static const char prompt[] = "(tilec) ";
    size_t from = 0;

    while (n-- > 0) {
        while (!strstr(s->said + from, prompt)) {
            struct pollfd p = {.fd = s->terminal, .events = POLLIN};
            assert_int_equal(poll(&p, 1, PATIENCE), 1);
            ssize_t got = read(s->terminal, s->said + s->length, ROOM - 1 - s->length);
            assert_true(got > 0);
            s->length += (size_t)got;
        }
        from = (size_t)(strstr(s->said + from, prompt) - s->said) + sizeof prompt - 1;
    }
}

/* The prompt stands there before keys are read one by one, and Ctrl-D that comes between is lost.
 * Without libedit lines are read all the time. */
static void await_keys(const Terminal *s)
{
    struct termios mode;

    for (int i = 0; i < 100; i++) {
        assert_int_equal(tcgetattr(s->terminal, &mode), 0);
        if (!(mode.c_lflag & ICANON))
            return;
        usleep(20000);
    }
}

/* With libedit or without it; an empty line is the last one again. */
static void test_the_debugger_asks_for_commands(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {
        "tilec", "debug", "k.py:work", "--grid", "2", "out=zeros(i32,1)", "n=2", NULL};

    start(s, words);
    await_prompts(s, 1);
    type(s, "step 2\n");
    await_prompts(s, 2);
    type(s, "print i + 70\n");
    await_prompts(s, 3);
    type(s, "\n");
    await_prompts(s, 4);
    type(s, "continue\n");
    await_prompts(s, 5);
    await_keys(s);
    type(s, "\4"); /* Ctrl-D */
    finish_well(s);
    assert_non_null(strstr(s->said, "work at k.py:7"));
    assert_non_null(strstr(s->said, "the launch has ended"));
    const char *first = strstr(s->said, "i + 70 = 70");
    assert_non_null(strstr(first + 1, "i + 70 = 70"));
}

/* Where there is libedit: commands, and behind one what it takes. */
static void test_the_debugger_completes_words(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {
        "tilec", "debug", "k.py:work", "--grid", "2", "out=zeros(i32,1)", "n=2", NULL};

    if (!dlopen("libedit.so.2", RTLD_NOW))
        skip();
    start(s, words);
    await_prompts(s, 1);
    await_keys(s);
    type(s, "cat\tuni\t\n");
    await_prompts(s, 2);
    type(s, "out\t\n"); /* no command begins so */
    await_prompts(s, 3);
    await_keys(s);
    type(s, "\4");
    finish(s);
    assert_non_null(strstr(s->said, "reads of what nobody has written, stop"));
    assert_non_null(strstr(s->said, "there is no command `out`"));
}

/* Its colours are codes of the terminal, which nothing else that is said there may be. */
static void test_the_debugger_draws(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {
        "tilec", "debug", "k.py:work", "--grid", "2", "out=zeros(i32,1)", "n=2", NULL};

    start(s, words);
    await_prompts(s, 1);
    type(s, "picture out\n");
    await_prompts(s, 2);
    type(s, "picture out access\n");
    await_prompts(s, 3);
    type(s, "print tl.zeros([2], tl.float32) / 0\n");
    await_prompts(s, 4);
    await_keys(s);
    type(s, "\4");
    finish(s);
    char *first = strstr(s->said, "out: i32 1 "),
         *second = first ? strstr(first + 1, "out: i32 1") : NULL;
    assert_non_null(second);
    assert_non_null(strstr(second, "\033[38;2;"));
    assert_non_null(strstr(second, "0  \033[1;31mnan\033[0m  \033[1;31mnan\033[0m\r\n"));
    *second = '\0';
    assert_non_null(strstr(first, "\033[38;2;"));
    assert_null(strstr(first, "\\x1b"));
}

/* .. but not in a script, where it is nobody's key. */
static void test_empty_lines_of_a_script_repeat_nothing(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec", "debug",  "k.py:work", "--grid",           "2",
                                        "-x",    "script", "n=2",       "out=zeros(i32,1)", NULL};
    char command[200];

    snprintf(command, sizeof command, "printf 'step 2\n\nprint i + 70\n  \n' >%s/script",
             s->folder);
    assert_int_equal(system(command), 0);
    start(s, words);
    await_prompts(s, 3);
    await_keys(s);
    type(s, "\4");
    finish_well(s);
    const char *first = strstr(s->said, "i + 70 = 70");
    assert_non_null(first);
    assert_null(strstr(first + 1, "i + 70 = "));
}

static void test_ctrl_c_stops_a_run_in_the_debugger(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {
        "tilec", "debug", "k.py:hang", "--grid", "1", "gate=zeros(i32,1)", NULL};

    start(s, words);
    await_prompts(s, 1);
    type(s, "continue\n");
    await(s, "still running: Ctrl-C stops it where it is");
    type_interrupt(s);
    await_prompts(s, 2);
    assert_true(strstr(s->said, "interrupted, program (0, 0, 0), hang at k.py:11") ||
                strstr(s->said, "interrupted, program (0, 0, 0), hang at k.py:12"));
    await_keys(s);
    type(s, "print 3 + ");
    type_interrupt(s); /* that line is dropped */
    await_prompts(s, 3);
    type(s, "print 40 + 2\n");
    await_prompts(s, 4);
    await_keys(s);
    type(s, "\4");
    finish_well(s);
    assert_non_null(strstr(s->said, "40 + 2 = 42"));
    assert_null(strstr(s->said, "is not complete"));
}

/* Keys are read one by one, and Ctrl-C comes in front of such a read(): it ends that all the same.
 */
static void test_ctrl_c_in_front_of_a_key(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {
        "tilec", "debug", "k.py:work", "--grid", "2", "out=zeros(i32,1)", "n=2", NULL};
    const char *library = getenv("TILEC_LATE_SIGNAL");
    struct termios mode;

    if (!library)
        skip();
    setenv("LD_PRELOAD", library, 1);
    start(s, words);
    unsetenv("LD_PRELOAD");
    await_prompts(s, 1);
    await_keys(s);
    assert_int_equal(tcgetattr(s->terminal, &mode), 0);
    if (!(mode.c_lflag & ICANON)) { /* else there is no libedit */
        type(s, "print 7");
        await_prompts(s, 2);
        await_keys(s);
    }
    type(s, "print 40 + 2\n");
    await(s, "40 + 2 = 42");
    type(s, "quit\n");
    finish_well(s);
}

static void test_ctrl_c_ends_a_launch_and_leaves_nothing(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec",      "run",    "k.py:work",   "--grid",
                                        "40000",      "--save", "out=out.npy", "out=zeros(i32,1)",
                                        "n=15000000", NULL};

    start(s, words);
    await(s, " of 40000 programs");
    type_interrupt(s);
    int status = finish(s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT); /* 130 for a shell */
    assert_non_null(strstr(s->said, "\r\033[K"));
    check_no_file(s);
}

static void test_ctrl_c_ends_a_compile(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec",  "run", "k.py:large",           "--grid", "1",
                                        "--show", "out", "out=zeros(fp32,1024)", NULL};

    start(s, words);
    await_computing(s, 0.3); /* it takes seconds */
    type_interrupt(s);
    int status = finish(s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_null(strstr(s->said, "out: fp32"));
    check_no_file(s);
}

static void test_a_launch_that_hangs_is_named(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec",     "run", "k.py:hang",         "--grid", "3,2",
                                        "--threads", "1",   "gate=zeros(i32,1)", NULL};

    start(s, words);
    await(s,
          "kernel 'hang': nothing has moved for 5 s: 0 of 6 programs have ended, and (0, 0, 0) has "
          "begun");
    await(s, "Ctrl-C ends the run");
    type_interrupt(s);
    int status = finish(s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    check_no_file(s);
}

static void hang_on(Terminal *s, const char *device, const char *still)
{
    const char *const words[] = {"tilec",  "run",        "k.py:hang", "--grid",
                                 "3,2",    "--device",   device,      "gate=zeros(i32,1)",
                                 "--save", "gate=g.npy", NULL};

    start(s, words);
    await(s, still);
    type_interrupt(s);
    int status = finish(s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    check_no_file(s);
}

static void test_a_launch_hangs_in_the_interpreter(void **state)
{
    hang_on(*state, "interp", "0 of 6 programs have ended, and (");
}

static void test_a_launch_hangs_in_the_simulator(void **state)
{
    hang_on(*state, "sim", "0 of 6 programs have ended, and (");
}

static const char *const each_words[] = {"tilec",  "run",    "k.py:work", "--grid",     "8",
                                         "--each", "f*.npy", "out=@{}",   "n=90000000", NULL};

static void make_files(const Terminal *s)
{
    char command[400];

    snprintf(command, sizeof command,
             "cd %s && for i in 1 2 3 4 5 6; do \"$TILEC_COMMAND\" run k.py:work --grid 0 "
             "out='zeros(i32,1)' n=0 --save out=f$i.npy 2>/dev/null || exit; done",
             s->folder);
    assert_int_equal(system(command), 0);
}

/* A bar from half a second on, which moves while a launch goes on; and how many files were done. */
static void test_ctrl_c_says_how_many_files_are_done(void **state)
{
    Terminal *s = *state;

    make_files(s);
    start(s, each_words);
    await(s, " of 6 files, ");
    type_interrupt(s);
    int status = finish(s);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    if (!strstr(s->said, "\033[1mtilec:\033[0m stopped: "))
        print_error("it said: %s\n", s->said);
    assert_non_null(strstr(s->said, "\033[1mtilec:\033[0m stopped: "));
    assert_non_null(strstr(s->said, " of 6 files are done"));
}

static void forget(Terminal *s)
{
    memset(s->said, 0, sizeof s->said);
    s->length = 0;
}

static void test_messages_have_colours(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec", "run", "k.py:work", "--frob", NULL};
    static const char *const none[] = {"tilec",  "run",           "k.py:work",
                                       "--frob", "--color=never", NULL};

    unsetenv("NO_COLOR");
    start(s, words);
    finish(s);
    assert_non_null(strstr(s->said, "\033[1;31mtilec:\033[0m there is no option"));
    forget(s);
    start(s, none);
    finish(s);
    assert_null(strchr(s->said, '\033'));
    forget(s);
    s->term = "dumb";
    start(s, words);
    finish(s);
    assert_null(strchr(s->said, '\033'));
}

/* A line that wraps is not wiped. */
static void check_lines_fit(const Terminal *s)
{
    for (const char *at = s->said; (at = strchr(at, '\r')) != NULL;) {
        const char *end = strstr(++at, "\033[K");

        if (*at != '\n' && end)
            assert_in_range(end - at, 0, s->columns - 1);
    }
}

static void test_the_line_is_as_narrow_as_the_terminal(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {
        "tilec", "run", "k.py:work", "--grid", "1000", "out=zeros(i32,1)", "n=90000000", NULL};

    make_files(s);
    s->columns = 20;
    start(s, each_words);
    await(s, " s left");
    type_interrupt(s);
    finish(s);
    check_lines_fit(s);
    s->columns = 12;
    forget(s);
    start(s, words);
    await(s, "work: ");
    type_interrupt(s);
    finish(s);
    check_lines_fit(s);
}

static void test_a_dumb_terminal_gets_lines_alone(void **state)
{
    Terminal *s = *state;
    static const char *const words[] = {"tilec",  "run",    "k.py:work", "--grid",     "8",
                                        "--each", "f*.npy", "out=@{}",   "n=15000000", NULL};

    make_files(s);
    s->term = "dumb";
    start(s, words);
    await(s, "of 6 files in ");
    finish(s);
    assert_null(strchr(s->said, '\033'));
    for (const char *at = s->said; (at = strchr(at, '\r')) != NULL; at++)
        assert_true(at[1] == '\n' || at[1] == '\r');
}

static int exit_code_of(Terminal *s, const char *const *words)
{
    forget(s);
    start(s, words);
    int status = finish(s);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_a_terminal_gets_no_binary_file(void **state)
{
    Terminal *s = *state;
    const char *words[] = {"tilec",           "run", "k.py:work", "--grid", "0",
                           "out=ones(i32,3)", "n=0", "--save",    "out=-",  NULL};

    assert_int_equal(exit_code_of(s, words), 2);
    assert_non_null(strstr(s->said, "--save out=-: stdout is a terminal, and the file is binary"));
    assert_non_null(strstr(s->said, "`> FILE` or `| COMMAND` takes it; --show out prints"));
    words[8] = "out=-.csv";
    assert_int_equal(exit_code_of(s, words), 0);
    assert_non_null(strstr(s->said, "1\r\n1\r\n1\r\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_messages_have_colours, open_terminal, close_terminal),
        cmocka_unit_test_setup_teardown(test_a_long_launch_says_how_far_it_is, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_the_debugger_asks_for_commands, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_the_debugger_completes_words, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_the_debugger_draws, open_terminal, close_terminal),
        cmocka_unit_test_setup_teardown(test_empty_lines_of_a_script_repeat_nothing, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_ctrl_c_stops_a_run_in_the_debugger, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_ctrl_c_in_front_of_a_key, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_ctrl_c_ends_a_launch_and_leaves_nothing, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_ctrl_c_ends_a_compile, open_terminal, close_terminal),
        cmocka_unit_test_setup_teardown(test_a_launch_that_hangs_is_named, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_a_launch_hangs_in_the_interpreter, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_a_launch_hangs_in_the_simulator, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_ctrl_c_says_how_many_files_are_done, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_the_line_is_as_narrow_as_the_terminal, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_a_dumb_terminal_gets_lines_alone, open_terminal,
                                        close_terminal),
        cmocka_unit_test_setup_teardown(test_a_terminal_gets_no_binary_file, open_terminal,
                                        close_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
