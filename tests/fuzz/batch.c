/* Runs many damaged files in child processes, a batch in each. */
#include "tests/fuzz/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int batch_run(uint64_t count, uint64_t batch, unsigned seconds, void (*one)(void *context, uint64_t number),
              void *context) {
    int failures = 0;
    /* The child writes the number at work here, where the parent can read it after a crash. */
    volatile uint64_t *current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (current == MAP_FAILED) {
        perror("mmap");
        exit(3);
    }
    for (uint64_t start = 0; start < count; start += batch) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            for (uint64_t n = start; n < start + batch && n < count; n++) {
                *current = n;
                alarm(seconds);
                one(context, n);
            }
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("fork");
            exit(3);
        }
        if (status != 0) {
            failures++;
            printf("damaged file %llu: %s %d\n", (unsigned long long)*current,
                   WIFSIGNALED(status) ? "ended by signal" : "ended with status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
    munmap((void *)current, sizeof *current);
    return failures;
}
