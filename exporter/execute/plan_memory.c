/* The memory plan: a run that records requests, their placement, and the search for the smallest buffer. */
#include "exporter/execute/plan_memory.h"

#include <inttypes.h>
#include <string.h>

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
    size_t rest;
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
    r->rest = tsm_instance_usage(t->inst).high_water_bytes;
    return status;
}

/* A workspace, the requests of a run with it, and the most of the buffer that was in use beside these. */
typedef struct {
    const workspace *workspace;
    request *requests; /* stb_ds array */
    size_t rest;
} recording_of;

/* The requests of a call. What is not given back when its result is released is left out of the plan (`to` stays
 * UINT32_MAX). */
static recording_of record(runner *t, uint32_t method, const example *e, const workspace *w) {
    t->workspace = w;
    recorded_run r = {.example = e, .method = method};
    if (runner_run(t, &r.recorder, run_recorded, &r) != TSM_OK)
        diag_fail("the example cannot be run: %s", t->message);
    return (recording_of){w, r.requests, r.rest};
}

/* ---- Several workspaces ---- */

static bool are_alike(const recording_of *first, const recording_of *second) {
    const request *a = first->requests, *b = second->requests;
    if (arrlenu(a) != arrlenu(b) || first->rest != second->rest)
        return false;
    for (size_t i = 0; i < arrlenu(a); i++)
        if (a[i].bytes != b[i].bytes || a[i].call != b[i].call || a[i].from != b[i].from || a[i].to != b[i].to)
            return false;
    return true;
}

/* What was found out with other targets; the program and its examples are the same. */
typedef struct {
    const example *example;
    recording_of recording;
} known_recording;

typedef struct {
    uint32_t method;
    const recording_of **recordings; /* of each of its examples: stb_ds arrays */
    const size_t *placed;
    size_t need;
} known_need;

struct plan_knowledge {
    known_recording *recordings; /* stb_ds arrays */
    known_need *needs;
};

static recording_of record_once(runner *t, uint32_t method, const example *e, const workspace *w,
                                plan_knowledge *known) {
    for (size_t i = 0; i < arrlenu(known->recordings); i++) {
        const known_recording *k = &known->recordings[i];
        if (k->example == e && workspace_is_alike(k->recording.workspace, w))
            return k->recording;
    }
    const known_recording made = {e, record(t, method, e, w)};
    arrput(known->recordings, made);
    return made.recording;
}

/* Runs with each workspace, those that ask for the same once. */
static recording_of *record_all(runner *t, uint32_t method, const example *e, const workspace **workspaces,
                                plan_knowledge *known) {
    recording_of *all = NULL;
    for (size_t i = 0; i < arrlenu(workspaces); i++) {
        const recording_of r = record_once(t, method, e, workspaces[i], known);
        bool is_new = true;
        for (size_t k = 0; k < arrlenu(all) && is_new; k++)
            is_new = !are_alike(&all[k], &r);
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

/* Calls of a method in turn, which the buffer has to be large enough for. */
typedef struct {
    ir_constant *const **calls; /* stb_ds array */
    uint32_t method;
    const workspace *workspace;
    bool may_raise;
    attempt result;
} trial;

/* Each call twice: the second finds what the first leaves, as all that follow do. Where the program's state does not
 * allow it, the first counts. */
static tsm_status run_trial(runner *t, void *data) {
    trial *m = data;
    tsm_status status = TSM_OK;
    size_t placed = 0;
    for (size_t i = 0; i < 2 * arrlenu(m->calls); i++) {
        const tsm_status s = runner_call(t, m->method, m->calls[i % arrlenu(m->calls)], NULL);
        if (!i)
            placed = t->inst->exec.placed_bytes;
        if (!i || s == TSM_OUT_OF_MEMORY)
            status = s;
        if (status != TSM_OK)
            break;
    }
    size_t missing = t->inst->exec.heap.missing;
    m->result =
        (attempt){status, tsm_instance_usage(t->inst).high_water_bytes, missing > STEP ? missing : STEP, placed};
    return status;
}

static attempt try_buffer(runner *t, size_t bytes, trial *m) {
    t->workspace = m->workspace;
    m->result = (attempt){TSM_OUT_OF_MEMORY, 0, STEP, 0};
    if (runner_start(t, bytes, NULL)) {
        run_trial(t, m);
        runner_end(t);
    }
    return m->result;
}

static size_t round_up(size_t n) {
    return (n + STEP - 1) / STEP * STEP;
}

/* The size of a buffer, at least `enough`, in which the calls run. Those that are not the example's may raise. */
static size_t enlarge_buffer(runner *t, trial *m, size_t enough) {
    attempt a;
    for (int i = 0; i < ATTEMPTS && (a = try_buffer(t, enough, m)).status == TSM_OUT_OF_MEMORY; i++)
        enough += round_up(a.missing);
    if (a.status != TSM_OK && !m->may_raise)
        diag_internal("the example does not run with its plan: %s", t->message);
    return enough;
}

/* The size of the smallest buffer in which the example runs. The search starts at the most that was in use: gaps
 * between blocks may need more, and less may do, since a smaller buffer has smaller tables. */
static size_t measure(runner *t, trial *m, size_t *placed) {
    t->workspace = m->workspace;
    runner_run(t, NULL, run_trial, m);
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

/* An example of a method, and its plan. */
typedef struct {
    const example *example;
    image_plan *plan;
    const recording_of *recordings; /* with each workspace: an stb_ds array */
    const request *requests;
    uint32_t live;
    size_t placed;
} planned_example;

static trial *add_trial(trial *trials, const planned_example *p, size_t workspace, ir_constant *const *call) {
    trial t = {.workspace = p->recordings[workspace].workspace, .may_raise = call != p->example->arguments};
    arrput(t.calls, call);
    arrput(trials, t);
    return trials;
}

/* How many of the example's other calls are tried: samples as far as the bytes that they move, at most those of the
 * largest call each, are not more than MOST_MOVED in all, so that the export of large models takes no longer. */
static size_t count_others(const planned_example *p, size_t weights) {
    static const size_t MOST_MOVED = (size_t)1 << 28;
    const request *requests = p->recordings[0].requests;
    size_t moved = weights + 1;
    for (size_t i = 0; i < arrlenu(requests); i++)
        moved += requests[i].bytes;
    const size_t samples = p->example->samples, affordable = MOST_MOVED / moved;
    return arrlenu(p->example->others) - samples + (affordable < samples ? affordable : samples);
}

/* Every call of the examples with every workspace, and all examples in turn. */
static trial *list_trials(const planned_example *planned, uint32_t method, size_t weights) {
    trial *trials = NULL;
    for (size_t i = 0; i < arrlenu(planned); i++)
        for (size_t w = 0; w < arrlenu(planned[i].recordings); w++) {
            const example *e = planned[i].example;
            trials = add_trial(trials, &planned[i], w, e->arguments);
            for (size_t k = 0, others = count_others(&planned[i], weights); k < others; k++)
                trials = add_trial(trials, &planned[i], w, e->others[k]);
            for (size_t k = 1; k < arrlenu(planned); k++)
                arrput(trials[arrlenu(trials) - 1].calls, planned[(i + k) % arrlenu(planned)].example->arguments);
        }
    for (size_t i = 0; i < arrlenu(trials); i++)
        trials[i].method = method;
    return trials;
}

/* The size of a buffer in which all trials run. A buffer of exactly this size does with all; one that is larger may
 * not, since it has larger tables. */
static size_t measure_all(runner *t, planned_example *planned, uint32_t method) {
    size_t enough = 0, agree = 0;
    for (size_t i = 0; i < arrlenu(planned); i++) {
        trial *alone = add_trial(NULL, &planned[i], 0, planned[i].example->arguments);
        alone->method = method;
        const size_t need = measure(t, alone, &planned[i].placed);
        enough = need > enough ? need : enough;
    }
    trial *trials = list_trials(planned, method, t->program.segment_bytes);
    for (size_t i = 0; agree < arrlenu(trials); i = (i + 1) % arrlenu(trials)) {
        const size_t more = enlarge_buffer(t, &trials[i], enough);
        agree = more == enough ? agree + 1 : 1;
        enough = more;
    }
    return enough;
}

static bool are_recordings_alike(const recording_of *a, const recording_of *b) {
    bool alike = arrlenu(a) == arrlenu(b);
    for (size_t i = 0; i < arrlenu(a) && alike; i++)
        alike = are_alike(&a[i], &b[i]);
    return alike;
}

/* What was measured with workspaces that ask for the same, for which the plans are the same; NULL: nothing was. */
static const known_need *recall_need(const planned_example *planned, uint32_t method, const plan_knowledge *known) {
    for (size_t i = 0; i < arrlenu(known->needs); i++) {
        const known_need *k = &known->needs[i];
        bool alike = k->method == method;
        for (size_t e = 0; e < arrlenu(planned) && alike; e++)
            alike = are_recordings_alike(planned[e].recordings, k->recordings[e]);
        if (alike)
            return k;
    }
    return NULL;
}

static size_t measure_once(runner *t, planned_example *planned, uint32_t method, plan_knowledge *known) {
    const known_need *k = recall_need(planned, method, known);
    size_t *placed = mem_alloc((arrlenu(planned) + 1) * sizeof *placed);
    known_need made = {.method = method, .placed = placed};
    if (!k)
        made.need = measure_all(t, planned, method);
    for (size_t i = 0; i < arrlenu(planned); i++) {
        if (k)
            planned[i].placed = k->placed[i];
        placed[i] = planned[i].placed;
        arrput(made.recordings, planned[i].recordings);
    }
    if (!k)
        arrput(known->needs, made);
    return k ? k->need : made.need;
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
    if (!d->is_settled)
        strbuf_printf(out, "not decided from here on: %s\n", d->unsettled);
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

/* The examples of a method in the order of its guards, their blocks placed. */
static planned_example *plan_examples(runner *t, image *m, const image_method *method, const example *examples,
                                      const char *target, plan_knowledge *known) {
    const uint32_t *plans = image_plans_of(m, method);
    planned_example *planned = NULL;
    for (size_t i = 0; i < arrlenu(examples) && arrlenu(planned) < arrlenu(plans); i++) {
        const example *e = &examples[i];
        if (e->is_refused || strcmp(e->entry->base_name, method->name) != 0)
            continue;
        planned_example p = {.example = e, .plan = &m->plans[plans[arrlenu(planned)]]};
        p.recordings = record_all(t, (uint32_t)(method - m->methods), e, target_workspaces(target), known);
        p.requests = merge(p.recordings);
        arrput(planned, p);
    }
    for (size_t i = 0; i < arrlenu(planned); i++)
        planned[i].live = place(planned[i].plan, planned[i].requests);
    return planned;
}

static plan_details details_of_example(const image_method *method, const planned_example *p, size_t need) {
    plan_details d = {.method = method->name,
                      .blocks = details_of(p->plan, p->requests),
                      .live = (uint64_t)p->live * IMAGE_GRANULE,
                      .region = (uint64_t)p->plan->region * IMAGE_GRANULE,
                      .buffer = need,
                      .is_settled = p->example->is_settled,
                      .unsettled = p->example->unsettled,
                      .placed = p->placed};
    const request *first = p->recordings[0].requests;
    for (size_t i = 0; i < arrlenu(first); i++)
        d.wanted += is_planned(&first[i]) ? first[i].bytes : 0;
    return d;
}

static plan_details *plan_method(image *m, const image_method *method, const example *examples, const char *target,
                                 plan_knowledge *known, plan_details *all) {
    runner t = {0};
    runner_open(&t, m);
    planned_example *planned = plan_examples(&t, m, method, examples, target, known);
    if (!planned)
        return all;
    runner_open(&t, m); /* with the plans */
    const size_t need = measure_once(&t, planned, (uint32_t)(method - m->methods), known);
    bool are_settled = true;
    for (size_t i = 0; i < arrlenu(planned); i++)
        are_settled &= planned[i].example->is_settled;
    for (size_t i = 0; i < arrlenu(planned); i++) {
        const plan_details d = details_of_example(method, &planned[i], need);
        planned[i].plan->buffer_bytes = are_settled ? need : 0;
        arrput(all, d);
    }
    return all;
}

plan_details *plan_memory(image *m, const example *examples, const char *target, plan_knowledge *known) {
    plan_knowledge none = {NULL, NULL};
    plan_details *all = NULL;
    for (size_t i = 0; i < arrlenu(m->methods); i++)
        if (m->methods[i].plan != IMAGE_NO_INDEX)
            all = plan_method(m, &m->methods[i], examples, target, known ? known : &none, all);
    return all;
}

plan_knowledge *plan_knowledge_new(void) {
    return MEM_NEW(plan_knowledge);
}

image_plan *plan_for_target(image *m, const example *examples, const char *target, plan_knowledge *known) {
    image_plan *kept = m->plans;
    m->plans = NULL;
    for (size_t i = 0; i < arrlenu(kept); i++) {
        const image_plan unplanned = {.guards = kept[i].guards};
        arrput(m->plans, unplanned);
    }
    plan_memory(m, examples, target, known);
    image_plan *made = m->plans;
    m->plans = kept;
    return made;
}

static uint64_t largest_need(const image_plan *plans) {
    uint64_t most = 0;
    for (size_t i = 0; i < arrlenu(plans); i++) {
        if (!plans[i].buffer_bytes)
            return 0;
        most = plans[i].buffer_bytes > most ? plans[i].buffer_bytes : most;
    }
    return most;
}

uint64_t plan_need(image *m, const example *examples, const char *target, plan_knowledge *known) {
    return largest_need(plan_for_target(m, examples, target, known));
}
