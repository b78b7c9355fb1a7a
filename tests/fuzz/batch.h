/* Runs many damaged files in child processes, a batch in each, so that a crash names the file that made it. */
#ifndef TESTS_FUZZ_BATCH_H
#define TESTS_FUZZ_BATCH_H

#include <stdint.h>

/* Calls one(context, number) for the numbers 0 to count - 1, `batch` of them in each child. A child that ends with a
 * signal or a status other than 0, or takes more than `seconds` for one number, is reported with the number. Returns
 * how many children failed. */
int batch_run(uint64_t count, uint64_t batch, unsigned seconds, void (*one)(void *context, uint64_t number),
              void *context);

#endif
