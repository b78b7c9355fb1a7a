/* Batches of damaged files in child processes. */
#include "tests/fuzz/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared with the child: what the parent needs to know after a crash. */
typedef struct {
    uint64_t next; /* one more than the number that runs */
    uint64_t accepted;
} progress;

static void run_child(const batch *b, volatile progress *shared, uint64_t end) {
    while (shared->next < end) {
        const uint64_t number = shared->next++;
        const struct itimerval limit = {.it_value = {.tv_sec = b->seconds}};
        setitimer(ITIMER_PROF, &limit, NULL);
        shared->accepted += b->one(b->context, number);
    }
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
            run_child(b, shared, end);
            _exit(0);
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
