/* Batches of damaged files in child processes. */
#include "tests/fuzz/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exporter/base/limits.h"

/* Shared with the child: what the parent needs to know after a crash. */
typedef struct {
    uint64_t next; /* one more than the number that runs */
    uint64_t accepted;
} progress;

typedef struct {
    const batch *batch;
    volatile progress *shared;
    uint64_t end;
} child_work;

/* tsmc keeps what it allocates until it ends: a child leaves the rest of its batch to the next one before programs find
 * no memory because of those that ran before them. */
static bool holds_much(void) {
    enum { MOST_KIBIBYTES = 1 << 20 };
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > MOST_KIBIBYTES;
}

static int run_child(void *data) {
    const child_work *c = data;
    const batch *b = c->batch;
    volatile progress *shared = c->shared;
    bool is_first = true;
    while (shared->next < c->end && (is_first || !holds_much())) {
        is_first = false;
        const uint64_t number = shared->next++;
        const struct itimerval limit = {.it_value = {.tv_sec = b->seconds}};
        setitimer(ITIMER_PROF, &limit, NULL);
        shared->accepted += b->one(b->context, number);
    }
    return 0;
}

static int run_one(void *data) {
    const child_work *c = data;
    return c->batch->one(c->batch->context, c->end);
}

bool batch_run_one(const batch *b, uint64_t number) {
    return limit_run_on_stack(run_one, &(child_work){.batch = b, .end = number});
}

static void report(uint64_t number, int status) {
    printf("damaged file %llu: %s %d\n", (unsigned long long)number,
           WIFSIGNALED(status) ? "ended by signal" : "ended with status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

batch_result batch_run(const batch *b) {
    batch_result result = {0, 0};
    volatile progress *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        exit(3);
    }
    while (shared->next < b->count) {
        const uint64_t end = b->count - shared->next < b->size ? b->count : shared->next + b->size;
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            _exit(limit_run_on_stack(run_child, &(child_work){b, shared, end}));
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("fork");
            exit(3);
        }
        if (status != 0) {
            result.failures++;
            report(shared->next - 1, status);
            b->failed(b->context, shared->next - 1);
        }
    }
    result.accepted = shared->accepted;
    munmap((void *)shared, sizeof *shared);
    return result;
}
