/* A .tsm as it is on one target, where it has memory plans for that (tsmc --target each). */
#ifndef TSMC_EMBED_VARIANTS_H
#define TSMC_EMBED_VARIANTS_H

#include <stdbool.h>

#include "runtime/include/tsmobile.h"

typedef struct {
    const char *target;   /* as tsmc --target knows it */
    const char *compiled; /* what C's preprocessor asks to know that it compiles for it */
    tsm_program program;  /* whose bytes have the target's plans in the place of those for all targets */
    uint32_t *plans;      /* stb_ds array: those that are the target's */
} embed_variant;

/* One for each target that the file has plans for: an stb_ds array. */
embed_variant *embed_variants(const tsm_program *program);

/* Whether the method's buffer is known for the target. */
bool embed_variant_has(const embed_variant *v, const tsm_program *program, size_t method);

#endif
