/* A list of objects and storages that a walk over values has met, each once, found by address. It lies in the
 * instance's buffer. */
#ifndef TSM_INTERPRETER_MET_H
#define TSM_INTERPRETER_MET_H

#include "runtime/value/exec.h"

enum { TSM_MET_STORAGE = TSM_TAG_COUNT }; /* the kind of a storage, besides the tags of objects */

typedef struct {
    const void *at;
    uint32_t kind;
    TSM_WIDER(8)
} tsm_met_thing;
TSM_WIDE_SIZE(tsm_met_thing, 16);

typedef struct {
    tsm_exec *x;
    tsm_met_thing *things; /* in the order in which they were met; their places are their numbers */
    uint32_t count, capacity;
    uint32_t *index; /* open-addressed, of twice `capacity`: numbers + 1 by address */
    bool is_full;    /* the buffer had no room, and tsm_error has a text; numbers mean nothing then */
} tsm_met;

/* The next number for what lies at `at`, which is new; NULL: for nothing. */
void tsm_met_add(tsm_met *m, const void *at, uint32_t kind);
/* The number of what lies at `at`, which gets one when it is new. */
uint32_t tsm_met_number(tsm_met *m, const void *at, uint32_t kind);
void tsm_met_free(tsm_met *m);

#endif
