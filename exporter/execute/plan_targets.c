/* Plans for each target; those that are equal stand in the file once. */
#include "exporter/execute/plan_targets.h"

#include <string.h>

#include "exporter/execute/targets.h"

static bool are_equal(const image_plan *a, const image_plan *b) {
    const size_t n = arrlenu(a->blocks);
    return a->region == b->region && a->most_live == b->most_live && a->buffer_bytes == b->buffer_bytes &&
           n == arrlenu(b->blocks) && (!n || !memcmp(a->blocks, b->blocks, n * sizeof *a->blocks));
}

/* The row for a plan; made when it is new. `own` NULL: the image's. */
static image_target_plan *row_of(image *m, uint32_t plan, const image_plan *own) {
    for (size_t i = 0; i < arrlenu(m->target_plans); i++) {
        image_target_plan *row = &m->target_plans[i];
        if (row->plan == plan && !row->own == !own && (!own || are_equal(row->own, own)))
            return row;
    }
    const image_target_plan row = {NULL, plan, own};
    arrput(m->target_plans, row);
    return &m->target_plans[arrlenu(m->target_plans) - 1];
}

void plan_targets(image *m, const example *examples, plan_knowledge *known) {
    for (const char *const *name = target_names(); *name; name++) {
        const image_plan *own = plan_for_target(m, examples, *name, known);
        for (uint32_t i = 0; i < arrlenu(own); i++) {
            if (!m->plans[i].buffer_bytes || !own[i].buffer_bytes)
                continue;
            image_target_plan *row = row_of(m, i, are_equal(&m->plans[i], &own[i]) ? NULL : &own[i]);
            arrput(row->targets, *name);
        }
    }
}
