/* Limits of time, counts, guarded memory and numbers for the fuzzing harnesses. */
#define _GNU_SOURCE /* gettid */
#include "tests/fuzz/harness.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char *at_work = "start";

void harness_at(const char *name) {
    at_work = name;
}

void harness_fault(const char *what, ...) {
    va_list args;
    va_start(args, what);
    fputs("harness fault: ", stderr);
    vfprintf(stderr, what, args);
    fprintf(stderr, ", at %s\n", at_work);
    va_end(args);
    abort();
}

/* ---- Counts ---- */

enum { MAX_SLOW = 64 };

static struct {
    uint64_t executions, accepted, slow;
    struct {
        const char *name;
        uint64_t count;
    } names[MAX_SLOW];
} counts;

void harness_print_counts(void) {
    fprintf(stderr, "harness: %llu executions, %.1f%% accepted, %llu stopped\n", (unsigned long long)counts.executions,
            counts.executions ? 100.0 * (double)counts.accepted / (double)counts.executions : 0.0,
            (unsigned long long)counts.slow);
    fprintf(stderr, "harness: at %s\n", at_work);
    for (int i = 0; i < MAX_SLOW && counts.names[i].name; i++)
        fprintf(stderr, "harness: stopped %llu times: %s\n", (unsigned long long)counts.names[i].count,
                counts.names[i].name);
}

void harness_count(bool accepted) {
    if (counts.executions++ == 0)
        atexit(harness_print_counts);
    counts.accepted += accepted;
}

static void count_slow(void) {
    counts.slow++;
    for (int i = 0; i < MAX_SLOW; i++) {
        if (!counts.names[i].name)
            counts.names[i].name = at_work;
        if (!strcmp(counts.names[i].name, at_work)) {
            counts.names[i].count++;
            return;
        }
    }
}

__attribute__((weak)) uint64_t harness_blocks(void) {
    return 0;
}

/* ---- Limits of time ---- */

enum { TICK_NANOSECONDS = 10000000 };

static sigjmp_buf out_of_time;
static volatile sig_atomic_t ticks_left;
static bool ticking, slow_is_fault;

static void tick(int signal_number) {
    (void)signal_number;
    if (ticks_left > 0 && --ticks_left == 0)
        siglongjmp(out_of_time, 1);
}

/* Counts the time of all threads, and tells the one that calls this and runs the inputs: a signal of setitimer comes to
 * any thread, and LibFuzzer has one of its own. */
static void begin_ticking(void) {
    struct sigaction action;
    struct sigevent event;
    timer_t timer;
    memset(&action, 0, sizeof action);
    memset(&event, 0, sizeof event);
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = gettid();
    const struct itimerspec interval = {{0, TICK_NANOSECONDS}, {0, TICK_NANOSECONDS}};
    if (sigaction(SIGPROF, &action, NULL) || timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) ||
        timer_settime(timer, 0, &interval, NULL))
        harness_fault("there is no timer");
    const char *slow = getenv("HARNESS_SLOW");
    slow_is_fault = slow && !strcmp(slow, "fault");
    ticking = true;
}

bool harness_run(void (*f)(void *), void *context, int ticks) {
    if (!ticking)
        begin_ticking();
    if (sigsetjmp(out_of_time, 0)) {
        if (slow_is_fault)
            harness_fault("the limit of time was reached");
        count_slow();
        return false;
    }
    ticks_left = ticks + 1; /* the first one may come at once */
    f(context);
    ticks_left = 0;
    return true;
}

/* ---- Memory ---- */

uint8_t *harness_guarded(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    uint8_t *p = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + whole, page, PROT_NONE))
        harness_fault("there is no memory");
    return p + whole - bytes;
}

/* ---- Numbers ---- */

uint64_t harness_next(harness_random *r) {
    uint64_t x = r->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

size_t harness_below(harness_random *r, size_t limit) {
    return (size_t)(harness_next(r) % limit);
}

uint64_t harness_mix(uint64_t sum, uint64_t v) {
    return (sum ^ v) * 0x9E3779B97F4A7C15u + (sum >> 29);
}

int64_t harness_extreme_int(unsigned number) {
    static const int64_t numbers[] = {INT64_MIN,
                                      INT64_MIN + 1,
                                      INT64_MAX,
                                      INT64_MAX - 1,
                                      INT32_MIN,
                                      INT32_MAX,
                                      -INT64_C(2147483649),
                                      INT64_C(2147483648),
                                      INT64_C(4294967295),
                                      INT64_C(4294967296),
                                      INT64_C(4294967297),
                                      -INT64_C(4294967296),
                                      INT64_C(1) << 33,
                                      INT64_C(1) << 40,
                                      INT64_C(1) << 62,
                                      INT64_C(1) << 61,
                                      INT64_C(1) << 60,
                                      INT64_C(7905747460161236407),
                                      INT64_C(3037000500),
                                      65536,
                                      65535,
                                      32768,
                                      32767,
                                      -32769,
                                      256,
                                      257,
                                      255,
                                      128,
                                      127,
                                      -128,
                                      -129,
                                      1000000007,
                                      100,
                                      64,
                                      63,
                                      65,
                                      4096,
                                      1 << 20,
                                      1 << 24,
                                      -100,
                                      16,
                                      17,
                                      31,
                                      33};
    return numbers[number % (sizeof numbers / sizeof *numbers)];
}

double harness_extreme_float(unsigned number) {
    static const double numbers[] = {NAN,      INFINITY, -INFINITY, -0.0,  DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, FLT_MAX,
                                     -FLT_MAX, 1e39,     FLT_MIN,   1e-45, 0x1p31,  -0x1p31,  0x1p32,  0x1p53, 0x1p62,
                                     0x1p63,   -0x1p63,  0x1p64,    1e300, 1e-300,  65504,    65520,   127.5,  -128.5,
                                     255.5,    1e-5,     1e-12,     0.1,   -0.1,    1.0 / 3,  2.5,     1e6,    -1e6};
    return numbers[number % (sizeof numbers / sizeof *numbers)];
}
