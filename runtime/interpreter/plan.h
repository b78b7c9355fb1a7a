/* Memory plans: in a call that a GUARD instruction has let through, large blocks (elements of tensors, scratch) lie
 * where the exporter has put them, in a region that is one block of the heap.
 *
 * A plan is a list of blocks in the order in which the call asks for them, operator by operator (schema/tsmobile.fbs).
 * The runtime need not follow it: a request that the list does not have for this operator, as where another instruction
 * set wants other scratch, and one whose place is still taken, gets its memory from the heap like any other. So the
 * worst that a wrong list can do is to waste memory. What the call leaves behind (its result, what was stored in
 * attributes) stays in the region, which goes back to the heap with the last of them. */
#ifndef TSM_INTERPRETER_PLAN_H
#define TSM_INTERPRETER_PLAN_H

#include "runtime/value/exec.h"
#include "schema/generated/tsmobile_reader.h"

enum { TSM_GRANULE = 64 };

/* A part of the region that is in use, in granules. */
typedef struct {
    uint32_t begin, end;
} tsm_placed;

typedef struct {
    const tsmf_PlanBlock *next, *end; /* what is still to be asked for */
    tsm_placed *placed;               /* at the start of the region's block, `most` of them */
    uint8_t *region;                  /* behind them */
    uint32_t granules, used, most;
    uint32_t calls;  /* of operators before the guard */
    bool is_running; /* between GUARD and the end of the call */
} tsm_plan;

/* Whether v is what the guard at *at says, which may read up to `end`; *at moves behind it. */
bool tsm_plan_admits(tsm_value v, const uint32_t **at, const uint32_t *end);
/* From here on blocks are placed, unless another plan is running or holds the region. */
tsm_status tsm_plan_begin(tsm_instance *inst, tsmf_Plan plan);
/* The call has ended, in whichever way. */
void tsm_plan_end(tsm_instance *inst);

#endif
