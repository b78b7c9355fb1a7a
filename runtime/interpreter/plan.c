/* Guards of memory plans, and blocks that lie where a plan says. */
#include "runtime/interpreter/instance.h"

/* ---- Guards ---- */

bool tsm_plan_admits(tsm_value v, const uint32_t **at, const uint32_t *end) {
    if (*at == end)
        return false;
    uint32_t word = *(*at)++, kind = word >> 8 & 255, dims = word >> 16 & 255;
    if (v.tag != (word & 255) || dims > (uint32_t)(end - *at))
        return false;
    if (v.tag != TSM_TAG_TENSOR)
        return v.tag != TSM_TAG_BOOL || v.as.b == (kind != 0);
    const tsm_tensor *t = tsm_as_tensor(v);
    bool same = t->dtype == kind && t->dims == dims && !(t->flags & word >> 24);
    for (uint32_t d = 0; d < dims && same; d++)
        same = t->sizes[d] == (tsm_dim)(*at)[d];
    *at += dims;
    return same;
}

/* ---- Placing ---- */

static bool is_free(const tsm_plan *p, uint32_t begin, uint32_t end) {
    for (uint32_t i = 0; i < p->used; i++)
        if (begin < p->placed[i].end && p->placed[i].begin < end)
            return false;
    return true;
}

static void *take(tsm_exec *x, size_t bytes) {
    tsm_plan *p = &tsm_instance_of(x)->plan;
    size_t granules = (bytes + TSM_GRANULE - 1) / TSM_GRANULE;
    uint32_t call = x->calls - p->calls;
    while (p->next < p->end && p->next->call < call)
        p->next++;
    for (const tsmf_PlanBlock *b = p->next; b < p->end && b->call == call; b++) {
        if (b->granules < granules)
            continue;
        p->next = b + 1;
        tsm_count_work(x,
                       p->used); /* that is_free looks at; what goes beyond the limit is refused at the next charge */
        if (granules > p->granules || b->offset > p->granules - granules || p->used == p->most ||
            !is_free(p, b->offset, b->offset + b->granules))
            return NULL;
        p->placed[p->used++] = (tsm_placed){b->offset, b->offset + b->granules};
        x->placed_bytes += bytes;
        return p->region + (size_t)b->offset * TSM_GRANULE;
    }
    return NULL;
}

static void close_when_empty(tsm_exec *x, const tsm_plan *p) {
    if (p->is_running || p->used)
        return;
    x->placement = NULL;
    tsm_heap_free(&x->heap, p->placed);
}

static bool give(tsm_exec *x, void *block) {
    tsm_plan *p = &tsm_instance_of(x)->plan;
    size_t at = ((uintptr_t)block - (uintptr_t)p->region) / TSM_GRANULE;
    if (at >= p->granules)
        return false;
    for (uint32_t i = 0; i < p->used; i++)
        if (p->placed[i].begin == at) {
            p->placed[i] = p->placed[--p->used];
            break;
        }
    close_when_empty(x, p);
    return true;
}

static const tsm_placement planned = {take, give};

/* ---- Calls ---- */

/* The region and, in front of it, the table of what is in use there. */
static bool open_region(tsm_exec *x, tsm_plan *p, uint32_t granules, uint32_t most) {
    uint64_t head = ((uint64_t)most * sizeof(tsm_placed) + TSM_GRANULE - 1) / TSM_GRANULE * TSM_GRANULE;
    uint64_t bytes = head + (uint64_t)granules * TSM_GRANULE;
    p->placed = tsm_heap_alloc_aligned(&x->heap, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX, TSM_GRANULE);
    p->region = (uint8_t *)p->placed + (size_t)head;
    p->granules = granules;
    p->most = most;
    return p->placed != NULL;
}

tsm_status tsm_plan_begin(tsm_instance *inst, tsmf_Plan plan) {
    tsm_exec *x = &inst->exec;
    tsm_plan *p = &inst->plan;
    uint32_t granules = tsmf_Plan_region(plan), most = tsmf_Plan_most_live(plan);
    if (!p->is_running)
        p->calls = x->calls;
    if (!x->placement) {
        if (!open_region(x, p, granules, most))
            return tsm_fail_memory(x);
        x->placement = &planned;
    }
    if (x->placement == &planned && !p->is_running && p->granules == granules) {
        p->is_running = true;
        p->next = tsmf_Plan_blocks(plan);
        p->end = p->next + tsmf_Plan_blocks_len(plan);
    }
    return TSM_OK;
}

void tsm_plan_end(tsm_instance *inst) {
    tsm_plan *p = &inst->plan;
    if (!p->is_running)
        return;
    p->is_running = false;
    p->next = p->end;
    close_when_empty(&inst->exec, p);
}
