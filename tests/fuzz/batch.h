/* Runs many damaged files in child processes, a batch in each, so that a crash names the file that made it. The
 * stack is that of tsmc. */
#ifndef TESTS_FUZZ_BATCH_H
#define TESTS_FUZZ_BATCH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t count, size; /* numbers 0 to count - 1, `size` of them in each child */
    unsigned seconds;     /* of processor time that one number may take, whatever else the machine does */
    /* Does the work of one number; true when the damaged file was accepted. */
    bool (*one)(void *context, uint64_t number);
    /* Called, in the parent, for the number at which a child ended with a signal or a status other than 0. */
    void (*failed)(void *context, uint64_t number);
    void *context;
} batch;

typedef struct {
    uint64_t accepted, failures;
} batch_result;

/* Every number is run, also those behind one that fails. */
batch_result batch_run(const batch *b);

/* Does the work of one number in this process. */
bool batch_run_one(const batch *b, uint64_t number);

#endif
