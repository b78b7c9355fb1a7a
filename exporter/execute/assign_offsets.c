/* Offsets of blocks: greedy placements in several orders, and the best one repaired from the top. */
#include "exporter/execute/assign_offsets.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/base/mem.h"

/* Rounds of improvement, and the work that they may cost together. */
enum { ROUNDS = 400, WORK = 100000000 };

typedef struct {
    memory_block *blocks;
    size_t n;
    uint32_t bound;
    uint32_t *order;   /* block numbers, in which to place them */
    uint32_t *placed;  /* by offset */
    uint32_t *offsets; /* of the best assignment so far */
    uint32_t best;
} assignment;

/* ---- The bound ---- */

typedef struct {
    uint32_t step;
    int64_t change;
} size_event;

/* Ends before beginnings in the same step. */
static int compare_events(const void *a, const void *b) {
    const size_event *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->change > y->change) - (x->change < y->change);
}

uint32_t assign_offsets_bound(const memory_block *blocks, size_t n) {
    size_event *events = MEM_ARRAY(size_event, 2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        events[2 * i] = (size_event){blocks[i].from, blocks[i].size};
        events[2 * i + 1] = (size_event){blocks[i].to, -(int64_t)blocks[i].size};
    }
    qsort(events, 2 * n, sizeof *events, compare_events);
    int64_t live = 0, most = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        live += events[i].change;
        most = live > most ? live : most;
    }
    return (uint32_t)most;
}

/* ---- One assignment ---- */

static bool meet(const memory_block *a, const memory_block *b) {
    return a->from < b->to && b->from < a->to;
}

/* The gap for b among the blocks placed so far: the lowest one, or the one that it fills best. */
static uint32_t find_gap(const assignment *p, size_t placed, const memory_block *b, bool tightest) {
    uint32_t end = 0, best = UINT32_MAX, best_gap = UINT32_MAX;
    for (size_t i = 0; i < placed; i++) {
        const memory_block *other = &p->blocks[p->placed[i]];
        if (!meet(b, other))
            continue;
        uint32_t gap = other->offset > end ? other->offset - end : 0;
        if (gap >= b->size && gap < best_gap) {
            best = end;
            best_gap = tightest ? gap : 0;
        }
        end = other->offset + other->size > end ? other->offset + other->size : end;
    }
    return best == UINT32_MAX ? end : best;
}

/* Places all blocks in the order; keeps the result when it is the best. Returns the region's end. */
static uint32_t place_all(assignment *p, bool tightest) {
    uint32_t end = 0;
    for (size_t i = 0; i < p->n; i++) {
        memory_block *b = &p->blocks[p->order[i]];
        b->offset = find_gap(p, i, b, tightest);
        size_t at = i;
        for (; at > 0 && p->blocks[p->placed[at - 1]].offset > b->offset; at--)
            p->placed[at] = p->placed[at - 1];
        p->placed[at] = p->order[i];
        end = b->offset + b->size > end ? b->offset + b->size : end;
    }
    if (end < p->best) {
        p->best = end;
        for (size_t i = 0; i < p->n; i++)
            p->offsets[i] = p->blocks[i].offset;
    }
    return end;
}

/* ---- Orders ---- */

static double weight_size(const memory_block *b) {
    return b->size;
}
static double weight_area(const memory_block *b) {
    return (double)b->size * (b->to - b->from);
}
static double weight_length(const memory_block *b) {
    return (double)(b->to - b->from) * 1e10 + b->size;
}
static double weight_start(const memory_block *b) {
    return -(double)b->from;
}

typedef struct {
    double weight;
    uint32_t number;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void order_by(assignment *p, double (*weight)(const memory_block *)) {
    ranked *all = MEM_ARRAY(ranked, p->n + 1);
    for (size_t i = 0; i < p->n; i++)
        all[i] = (ranked){weight(&p->blocks[i]), (uint32_t)i};
    qsort(all, p->n, sizeof *all, compare_ranked);
    for (size_t i = 0; i < p->n; i++)
        p->order[i] = all[i].number;
}

/* Brings the blocks that end above the bound to the front, the others keep their order. False when there is none. */
static bool promote(assignment *p) {
    uint32_t *front = NULL, *rest = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const memory_block *b = &p->blocks[p->order[i]];
        if (b->offset + b->size > p->bound)
            arrput(front, p->order[i]);
        else
            arrput(rest, p->order[i]);
    }
    size_t at = 0;
    for (size_t i = 0; i < arrlenu(front); i++)
        p->order[at++] = front[i];
    for (size_t i = 0; i < arrlenu(rest); i++)
        p->order[at++] = rest[i];
    return arrlenu(front) > 0;
}

uint32_t assign_offsets(memory_block *blocks, size_t n) {
    static double (*const weights[])(const memory_block *) = {weight_size, weight_area, weight_length, weight_start};
    assignment p = {.blocks = blocks, .n = n, .bound = assign_offsets_bound(blocks, n), .best = UINT32_MAX};
    p.order = MEM_ARRAY(uint32_t, n + 1);
    p.placed = MEM_ARRAY(uint32_t, n + 1);
    p.offsets = MEM_ARRAY(uint32_t, n + 1);
    size_t rounds = n ? WORK / (n * n) : 0;
    rounds = rounds < ROUNDS ? rounds : ROUNDS;
    for (size_t w = 0; w < sizeof weights / sizeof *weights && p.best > p.bound; w++)
        for (int tightest = 0; tightest < 2 && p.best > p.bound; tightest++) {
            order_by(&p, weights[w]);
            place_all(&p, tightest);
            for (size_t i = 0; i < rounds && p.best > p.bound && promote(&p); i++)
                place_all(&p, tightest);
        }
    for (size_t i = 0; i < n; i++)
        blocks[i].offset = p.offsets[i];
    return n ? p.best : 0;
}
