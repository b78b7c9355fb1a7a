/* Damaged programs in Python, by tokens and lines: most of them can still be parsed. */
#ifndef TESTS_FUZZ_MUTATE_SOURCE_H
#define TESTS_FUZZ_MUTATE_SOURCE_H

#include <stdbool.h>

#include "tests/fuzz/mutate.h"

/* A function or module class at the outermost level of a file. */
typedef struct {
    const char *file, *name;
    char *before; /* what it needs of its file: imports, functions, classes, variables */
    char *own;    /* its own text */
} source_seed;

/* Appends those of a file's text to an stb_ds array. */
void source_seeds_add(source_seed **seeds, const char *file, const char *text);

/* The text `own`, damaged; pieces come from it and from `other`. Both are Python, or JSON where `is_python` is not set:
 * then only tokens change. From mem_alloc. */
char *mutate_source(mutate_random *r, const char *own, const char *other, bool is_python);

#endif
