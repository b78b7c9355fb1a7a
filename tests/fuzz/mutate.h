/* Damaged copies of files, the same for the same seed. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} mutate_random;

/* A generator for one damaged copy: its number and the seed of the run. */
mutate_random mutate_start(uint64_t seed, uint64_t number);
/* A number below `limit`, which is not 0. */
size_t mutate_below(mutate_random *r, size_t limit);

typedef struct {
    uint8_t *data;
    size_t bytes;
} mutate_file;

/* A block of so many bytes, aligned to 64; ends the program when there is no memory. Free `data`. */
mutate_file mutate_make(size_t bytes);

/* Reads a file whole; ends the program when it cannot. Free `data`. */
mutate_file mutate_read(const char *path);

/* Returns a damaged copy of `file` in a block of its exact size, aligned to 64 bytes: one to eight bytes changed, or
 * cut short, or a piece of `other` (or of itself) written over, put in or taken out. Free `data`. */
mutate_file mutate_copy(mutate_random *r, mutate_file file, mutate_file other);

/* The same for a pickle: its instructions are taken out, doubled, exchanged, or get other operands. */
mutate_file mutate_pickle(mutate_random *r, mutate_file file);

#endif
