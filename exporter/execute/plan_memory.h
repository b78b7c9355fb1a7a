/* The memory plan of the method that was specialized to an example (schema/tsmobile.fbs: Plan). */
#ifndef TSMC_EXECUTE_PLAN_MEMORY_H
#define TSMC_EXECUTE_PLAN_MEMORY_H

#include "exporter/codegen/image.h"
#include "exporter/passes/specialize/guard_entry.h"

/* What is planned, for reports. Steps count requests and returns of blocks. */
typedef struct {
    uint64_t bytes, offset; /* offset PLAN_KEPT: the block outlives the call and is not planned */
    uint32_t from, to;
    const char *operator;
} plan_detail;

typedef struct {
    const char *method;
    plan_detail *blocks;     /* stb_ds array */
    uint64_t live, region;   /* bytes: the largest sum of what lives at once, and what is planned for it */
    uint64_t buffer;         /* of an instance and the call */
    bool is_settled;         /* the buffer follows from what the guard compares */
    const char *unsettled;   /* the first operator that it does not follow for, and its line */
    uint64_t wanted, placed; /* bytes of planned blocks, and how many lay where the plan says */
} plan_details;

#define PLAN_KEPT UINT64_MAX

/* What runs for one target tell of the others: two whose kernels ask for the same are run and measured once. For one
 * program with its examples; may be NULL. */
typedef struct plan_knowledge plan_knowledge;
plan_knowledge *plan_knowledge_new(void);

/* Runs the examples (an stb_ds array) in libtsmobile, records which large blocks each asks for and how long it keeps
 * them, and fills the plans of the methods that have guards: where they lie, and how large a buffer the calls of the
 * method need, one after the other, on `target` or on any (NULL). Returns what was planned, by method and example: an
 * stb_ds array. */
plan_details *plan_memory(image *m, const example *examples, const char *target, plan_knowledge *known);

/* The table of blocks. */
void plan_print(const plan_details *d, strbuf *out);

/* The plans (an stb_ds array, as the image's) made for one target alone; the image stays as it is. */
image_plan *plan_for_target(image *m, const example *examples, const char *target, plan_knowledge *known);

/* The buffer that calls need with plan_for_target's plans, of the method that needs most. 0: it depends on more than
 * the guards compare. */
uint64_t plan_need(image *m, const example *examples, const char *target, plan_knowledge *known);

#endif
