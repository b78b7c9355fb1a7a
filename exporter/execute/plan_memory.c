/* The memory plan: a run that records requests, their placement, and the search for the smallest buffer. */
#include "exporter/execute/plan_memory.h"

#include <inttypes.h>

#include "exporter/base/diag.h"
#include "exporter/execute/assign_offsets.h"
#include "exporter/execute/runner.h"

/* The search for the smallest buffer, in steps of STEP bytes: at most ATTEMPTS enlargements until the example runs,
 * then a bisection of the SLACK bytes below that size. */
enum { ATTEMPTS = 64, STEP = 64, SLACK = 8192 };

/* ---- Recording ---- */

/* A request for a large block. Steps count requests and returns. */
typedef struct {
    size_t bytes;
    void *memory; /* NULL: given back */
    uint32_t from, to;
    uint32_t call; /* of an operator, counted from the guard on */
    const char *operator;
} request;

typedef struct {
    request *requests; /* stb_ds array */
    uint32_t step;
} recorder;

static void *take(tsm_exec *x, size_t bytes) {
    recorder *r = x->platform.context;
    request q = {bytes,     mem_borrow(bytes), /* without this block the plan would be another one */
                 r->step++, UINT32_MAX,        x->calls - tsm_instance_of(x)->plan.calls, x->op ? x->op->name : ""};
    arrput(r->requests, q);
    return q.memory;
}

static bool give(tsm_exec *x, void *block) {
    recorder *r = x->platform.context;
    for (size_t i = arrlenu(r->requests); block && i-- > 0;)
        if (r->requests[i].memory == block) {
            mem_return(block);
            r->requests[i].memory = NULL;
            r->requests[i].to = r->step++;
            return true;
        }
    return false;
}

static const tsm_placement recording = {take, give};

typedef struct {
    const example *example;
    uint32_t method;
    recorder recorder;
    request *requests; /* of the call that counts: an stb_ds array */
} recorded_run;

/* The second call of an instance is the one that counts: it finds what a first call leaves in the buffer. Where the
 * program's state does not allow a second call, the first one counts. */
static tsm_status run_recorded(runner *t, void *data) {
    recorded_run *r = data;
    request **all = &r->recorder.requests;
    *all = r->requests = NULL; /* those of an attempt that failed are gone with its buffer */
    t->inst->exec.placement = &recording;
    tsm_status status = runner_call(t, r->method, r->example->arguments, NULL);
    size_t first = arrlenu(*all);
    bool twice = status == TSM_OK && runner_call(t, r->method, r->example->arguments, NULL) == TSM_OK;
    for (size_t i = twice ? first : 0; i < (twice ? arrlenu(*all) : first); i++)
        arrput(r->requests, (*all)[i]);
    return status;
}

/* The requests of a call. What is not given back when its result is released is left out of the plan (`to` stays
 * UINT32_MAX). */
static request *record(runner *t, uint32_t method, const example *e, const workspace *w) {
    t->workspace = w;
    recorded_run r = {e, method, {0}, NULL};
    if (runner_run(t, &r.recorder, run_recorded, &r) != TSM_OK)
        diag_fail("the example cannot be run: %s", t->message);
    return r.requests;
}

/* ---- Several workspaces ---- */

/* A workspace, and the requests of a run with it. */
typedef struct {
    const workspace *workspace;
    request *requests; /* stb_ds array */
} recording_of;

static bool are_alike(const request *a, const request *b) {
    if (arrlenu(a) != arrlenu(b))
        return false;
    for (size_t i = 0; i < arrlenu(a); i++)
        if (a[i].bytes != b[i].bytes || a[i].call != b[i].call || a[i].from != b[i].from || a[i].to != b[i].to)
            return false;
    return true;
}

/* Runs with each workspace, those that ask for the same once. */
static recording_of *record_all(runner *t, uint32_t method, const example *e, const workspace **workspaces) {
    recording_of *all = NULL;
    for (size_t i = 0; i < arrlenu(workspaces) && (e->is_settled || !i); i++) {
        recording_of r = {workspaces[i], record(t, method, e, workspaces[i])};
        bool is_new = true;
        for (size_t k = 0; k < arrlenu(all) && is_new; k++)
            is_new = !are_alike(all[k].requests, r.requests);
        if (is_new)
            arrput(all, r);
    }
    return all;
}

static size_t end_of_call(const request *r, size_t i) {
    const uint32_t call = r[i].call;
    while (i < arrlenu(r) && r[i].call == call)
        i++;
    return i;
}

/* Enlarges requests to those of another run, in calls that make as many in both. */
static void enlarge(request *to, const request *from) {
    for (size_t a = 0, b = 0; a < arrlenu(to) && b < arrlenu(from);) {
        const size_t end_a = end_of_call(to, a), end_b = end_of_call(from, b);
        if (to[a].call != from[b].call) {
            if (to[a].call < from[b].call)
                a = end_a;
            else
                b = end_b;
            continue;
        }
        for (size_t i = 0; end_a - a == end_b - b && i < end_a - a; i++)
            if (to[a + i].bytes < from[b + i].bytes)
                to[a + i].bytes = from[b + i].bytes;
        a = end_a;
        b = end_b;
    }
}

/* Requests that the plan has room for: those of the run with most of them, each as large as in any run. */
static request *merge(const recording_of *all) {
    size_t most = 0;
    request *merged = NULL;
    for (size_t i = 1; i < arrlenu(all); i++)
        if (arrlenu(all[i].requests) > arrlenu(all[most].requests))
            most = i;
    for (size_t i = 0; i < arrlenu(all[most].requests); i++)
        arrput(merged, all[most].requests[i]);
    for (size_t i = 0; i < arrlenu(all); i++)
        enlarge(merged, all[i].requests);
    return merged;
}

/* ---- Placing ---- */

static bool is_planned(const request *q) {
    return q->to != UINT32_MAX;
}

static uint32_t granules_of(const request *q) {
    return (uint32_t)((q->bytes + IMAGE_GRANULE - 1) / IMAGE_GRANULE);
}

static uint32_t count_most_live(const memory_block *blocks, size_t n) {
    memory_block *ones = MEM_ARRAY(memory_block, n + 1);
    for (size_t i = 0; i < n; i++)
        ones[i] = (memory_block){1, blocks[i].from, blocks[i].to, 0};
    return assign_offsets_bound(ones, n);
}

/* Returns the largest sum of what lives at once, in granules. */
static uint32_t place(image_plan *plan, const request *requests) {
    memory_block *blocks = NULL;
    for (size_t i = 0; i < arrlenu(requests); i++)
        if (is_planned(&requests[i])) {
            memory_block b = {granules_of(&requests[i]), requests[i].from, requests[i].to, 0};
            arrput(blocks, b);
        }
    plan->region = assign_offsets(blocks, arrlenu(blocks));
    plan->most_live = count_most_live(blocks, arrlenu(blocks));
    size_t next = 0;
    for (size_t i = 0; i < arrlenu(requests); i++) {
        image_plan_block b = {IMAGE_NO_INDEX, granules_of(&requests[i]), requests[i].call};
        if (is_planned(&requests[i]))
            b.offset = blocks[next++].offset;
        arrput(plan->blocks, b);
    }
    return assign_offsets_bound(blocks, arrlenu(blocks));
}

/* ---- Measuring ---- */

typedef struct {
    tsm_status status;
    size_t high_water, missing, placed;
} attempt;

typedef struct {
    ir_constant *const *arguments;
    uint32_t method;
    bool may_raise;
    attempt result;
} measured_run;

/* Two calls: the second finds what the first leaves, as all that follow do. */
static tsm_status run_measured(runner *t, void *data) {
    measured_run *m = data;
    tsm_status status = runner_call(t, m->method, m->arguments, NULL);
    size_t placed = t->inst->exec.placed_bytes;
    if (status == TSM_OK && runner_call(t, m->method, m->arguments, NULL) == TSM_OUT_OF_MEMORY)
        status = TSM_OUT_OF_MEMORY;
    size_t missing = t->inst->exec.heap.missing;
    m->result =
        (attempt){status, tsm_instance_usage(t->inst).high_water_bytes, missing > STEP ? missing : STEP, placed};
    return status;
}

static attempt try_buffer(runner *t, size_t bytes, measured_run *m) {
    m->result = (attempt){TSM_OUT_OF_MEMORY, 0, STEP, 0};
    if (runner_start(t, bytes, NULL)) {
        run_measured(t, m);
        runner_end(t);
    }
    return m->result;
}

static size_t round_up(size_t n) {
    return (n + STEP - 1) / STEP * STEP;
}

/* The size of a buffer, at least `enough`, in which the call runs. Calls other than the example's may raise. */
static size_t enlarge_buffer(runner *t, measured_run *m, size_t enough) {
    attempt a;
    for (int i = 0; i < ATTEMPTS && (a = try_buffer(t, enough, m)).status == TSM_OUT_OF_MEMORY; i++)
        enough += round_up(a.missing);
    if (a.status != TSM_OK && !m->may_raise)
        diag_internal("the example does not run with its plan: %s", t->message);
    return enough;
}

/* The size of the smallest buffer in which the example runs. The search starts at the most that was in use: gaps
 * between blocks may need more, and less may do, since a smaller buffer has smaller tables. */
static size_t measure(runner *t, measured_run *m, size_t *placed) {
    runner_run(t, NULL, run_measured, m);
    *placed = m->result.placed;
    size_t enough = enlarge_buffer(t, m, round_up(m->result.high_water));
    size_t too_little = enough > SLACK ? enough - SLACK : 0;
    while (enough - too_little > STEP) {
        size_t middle = too_little + round_up((enough - too_little) / 2);
        if (try_buffer(t, middle, m).status == TSM_OK)
            enough = middle;
        else
            too_little = middle;
    }
    return enough;
}

/* The size of a buffer in which the example and the other calls run with every workspace. A buffer of exactly this size
 * does with all: one that is larger may not, since it has larger tables. */
static size_t measure_all(runner *t, uint32_t method, const example *e, const recording_of *all, size_t *placed) {
    measured_run m = {.arguments = e->arguments, .method = method};
    const size_t workspaces = arrlenu(all), runs = workspaces * (1 + arrlenu(e->others));
    t->workspace = all[0].workspace;
    size_t enough = measure(t, &m, placed), agree = 1;
    for (size_t i = 1 % runs; agree < runs; i = (i + 1) % runs) {
        const size_t call = i / workspaces; /* 0: the example's */
        t->workspace = all[i % workspaces].workspace;
        m.arguments = call ? e->others[call - 1] : e->arguments;
        m.may_raise = call != 0;
        const size_t more = enlarge_buffer(t, &m, enough);
        agree = more == enough ? agree + 1 : 1;
        enough = more;
    }
    return enough;
}

/* ---- The table ---- */

static void print_block(strbuf *out, size_t number, const plan_detail *b) {
    strbuf_printf(out, "%6zu %12" PRIu64, number, b->bytes);
    if (b->offset != PLAN_KEPT)
        strbuf_printf(out, " %12" PRIu64 " %6u %6u", b->offset, b->from, b->to);
    else
        strbuf_printf(out, " %12s %6u %6s", "kept", b->from, "-");
    strbuf_printf(out, "  %s\n", b->operator);
}

void plan_print(const plan_details *d, strbuf *out) {
    strbuf_printf(out, "method %s\n block        bytes       offset   from     to  operator\n", d->method);
    for (size_t i = 0; i < arrlenu(d->blocks); i++)
        print_block(out, i, &d->blocks[i]);
    strbuf_printf(out, "%zu blocks; largest sum of live bytes %" PRIu64 ", planned region %" PRIu64 " (%.1f%% more)\n",
                  arrlenu(d->blocks), d->live, d->region,
                  d->live ? 100.0 * (double)(d->region - d->live) / (double)d->live : 0.0);
    strbuf_printf(out, "buffer %" PRIu64 " bytes%s; %" PRIu64 " of %" PRIu64 " bytes lay where the plan says\n",
                  d->buffer, d->is_settled ? "" : " with this example, which does not decide all", d->placed,
                  d->wanted);
}

static plan_detail *details_of(const image_plan *plan, const request *requests) {
    plan_detail *all = NULL;
    for (size_t i = 0; i < arrlenu(requests); i++) {
        const request *q = &requests[i];
        const uint64_t offset = (uint64_t)plan->blocks[i].offset * IMAGE_GRANULE;
        const plan_detail d = {q->bytes, is_planned(q) ? offset : PLAN_KEPT, q->from, q->to, q->operator};
        arrput(all, d);
    }
    return all;
}

/* ---- The plan ---- */

static image_method *planned_method(image *m) {
    for (size_t i = 0; i < arrlenu(m->methods); i++)
        if (m->methods[i].plan != IMAGE_NO_INDEX)
            return &m->methods[i];
    diag_internal("no method has a guard");
}

void plan_memory(image *m, const example *e, const char *target, plan_details *details) {
    image_method *method = planned_method(m);
    image_plan *plan = &m->plans[method->plan];
    uint32_t number = (uint32_t)(method - m->methods);
    runner t = {0};
    runner_open(&t, m);
    const recording_of *all = record_all(&t, number, e, target_workspaces(target));
    const request *requests = merge(all);
    uint32_t live = place(plan, requests);
    runner_open(&t, m);
    size_t placed, wanted = 0, need = measure_all(&t, number, e, all, &placed);
    for (size_t i = 0; i < arrlenu(all[0].requests); i++)
        wanted += is_planned(&all[0].requests[i]) ? all[0].requests[i].bytes : 0;
    plan->buffer_bytes = e->is_settled ? need : 0;
    if (details)
        *details = (plan_details){.method = method->name,
                                  .blocks = details_of(plan, requests),
                                  .live = (uint64_t)live * IMAGE_GRANULE,
                                  .region = (uint64_t)plan->region * IMAGE_GRANULE,
                                  .buffer = need,
                                  .is_settled = e->is_settled,
                                  .wanted = wanted,
                                  .placed = placed};
}

uint64_t plan_need(image *m, const example *e, const char *target) {
    image_plan *plan = &m->plans[planned_method(m)->plan], kept = *plan;
    *plan = (image_plan){.guards = kept.guards};
    plan_memory(m, e, target, NULL);
    const uint64_t need = plan->buffer_bytes;
    *plan = kept;
    return need;
}
