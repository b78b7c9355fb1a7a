/* tsmc --verify: runs the program after every pass and compares what its nodes give. */
#include "exporter/execute/verify_passes.h"

#include <float.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/limits.h"
#include "exporter/execute/runner.h"
#include "exporter/execute/snapshot.h"
#include "exporter/execute/watch_operators.h"

/* What is kept of one run's operators at most. */
enum { MOST_EXECUTIONS = 1 << 20 };
static const size_t MOST_BYTES = (size_t)1 << 31;

/* The first call may change the program's state; the second shows it. */
enum { CALLS = 2 };

/* An operator that ran. Passes change nodes, so what is needed of one is kept. */
typedef struct {
    const ir_node *node;
    const char *operator;
    source_range range;
    uint32_t occurrence; /* how many of the same operator at the same place ran before */
    snapshot **outputs;  /* stb_ds array */
} execution;

typedef struct {
    char *key;
    uint32_t value;
} place_count;

typedef struct {
    tsm_status status;
    const char *message;      /* of a failure */
    snapshot *results[CALLS]; /* what each call returned, and its arguments afterwards; NULL: the call failed */
    bool records;
    execution *executions; /* stb_ds array */
    place_count *places;
    size_t bytes;
} run;

struct verification {
    program *program;
    function *const *entries;
    const example *example;
    codegen_options lowering;
    double tolerance;
    run *reference;      /* NULL: the program could not be lowered so far, */
    const char *refusal; /* with this message */
    const char *reference_pass;
    struct {
        const char *pass, *why;
    } * lossy;               /* stb_ds array: passes that change results, and what they do */
    const char **losses;     /* stb_ds array: how much they have changed */
    checked_pass *passes;    /* stb_ds array */
    const char *first_wrong; /* the report of what differs; NULL: nothing */
};

verification *verify_new(program *p, function *const *entries, const example *e, double tolerance,
                         codegen_options lowering) {
    verification *v = MEM_NEW(verification);
    v->program = p;
    v->entries = entries;
    v->example = e;
    v->lowering = lowering;
    v->tolerance = tolerance;
    return v;
}

void verify_expect_loss(verification *v, const char *pass, const char *why) {
    arrput(v->lossy, ((__typeof__(*v->lossy)){pass, why}));
}

/* ---- Runs ---- */

static const char *place_of(const char *operator, source_range range) {
    return range.file ? mem_printf("%s %u %u %s", operator, range.start, range.end, range.file->name) : operator;
}

static void record(void *data, tsm_instance *inst, const ir_node *n, const tsm_value *out) {
    run *r = data;
    if (!r->records || arrlenu(r->executions) == MOST_EXECUTIONS || r->bytes > MOST_BYTES)
        return;
    execution e = {n, n->schema ? n->schema->full_name : ir_kind_name(n->kind), ir_authors_range(n), 0, NULL};
    const char *place = place_of(e.operator, e.range);
    e.occurrence = shget(r->places, place);
    shput(r->places, mem_strdup(place), e.occurrence + 1);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        arrput(e.outputs, snapshot_of(inst, out[i]));
        r->bytes += snapshot_bytes(e.outputs[i]);
    }
    arrput(r->executions, e);
}

/* What a call returned and its arguments as they are now, as one tuple. */
static void keep_results(void *data, runner *t, tsm_value result, const tsm_value *arguments, size_t n) {
    snapshot **kept = data, *all = MEM_NEW(snapshot);
    all->tag = TSM_TAG_TUPLE;
    arrput(all->items, snapshot_of(t->inst, result));
    for (size_t i = 0; i < n; i++)
        arrput(all->items, snapshot_of(t->inst, arguments[i]));
    *kept = all;
}

static uint32_t method_of(function *const *entries, const function *f) {
    uint32_t i = 0;
    while (entries[i] != f)
        i++;
    return i;
}

/* Calls the method; only operators of the first call are recorded. */
static void call_twice(const verification *v, runner *t, run *r) {
    bool records = r->records;
    for (int i = 0; i < CALLS && (i == 0 || r->status == TSM_OK); i++) {
        tsm_status status = runner_call_with(t, method_of(v->entries, v->example->entry), v->example->arguments,
                                             keep_results, &r->results[i]);
        if (i == 0 || status == TSM_OUT_OF_MEMORY)
            r->status = status;
        r->records = false;
    }
    r->records = records;
    r->message = r->status == TSM_OK ? NULL : mem_strdup(t->message);
}

typedef struct {
    const verification *v;
    const ir_node *const *nodes;
    run *run;
} attempt;

/* What an attempt in a smaller buffer left is forgotten. */
static tsm_status run_once(runner *t, void *data) {
    const attempt *a = data;
    *a->run = (run){.records = a->nodes != NULL};
    if (a->nodes)
        watch_operators(t->inst, a->nodes, record, a->run);
    call_twice(a->v, t, a->run);
    return a->run->status;
}

/* `nodes` NULL: operators are not recorded. */
static run *run_image(const verification *v, const image *m, const ir_node *const *nodes) {
    attempt a = {v, nodes, MEM_NEW(run)};
    runner t = {0};
    runner_open(&t, m);
    a.run->status = runner_run(&t, NULL, run_once, &a);
    return a.run;
}

static run *run_functions(const verification *v, function *const *functions, bool records) {
    const ir_node **nodes = NULL;
    codegen_options lowering = v->lowering;
    lowering.observed = records ? &nodes : NULL;
    const image *m = codegen_run(v->program, v->entries, functions, lowering);
    return run_image(v, m, records ? nodes : NULL);
}

/* ---- The node ---- */

/* The search for an execution that gave something that no operator of the reference gave. */
typedef struct {
    const verification *v;
    const run *now;
} search;

static bool same(const search *s, const snapshot *got, const snapshot *want) {
    snapshot_comparison c = {.tolerance = s->v->tolerance};
    return snapshot_same(got, want, &c);
}

/* What the same operator at the same place gave in the reference; NULL: it did not run there. */
static const execution *counterpart(const search *s, const execution *e) {
    const run *reference = s->v->reference;
    for (size_t i = 0; i < arrlenu(reference->executions); i++) {
        const execution *k = &reference->executions[i];
        if (k->occurrence == e->occurrence && k->range.start == e->range.start && k->range.end == e->range.end &&
            !strcmp(k->operator, e->operator) && arrlenu(k->outputs) == arrlenu(e->outputs) &&
            !strcmp(place_of(k->operator, k->range), place_of(e->operator, e->range)))
            return k;
    }
    return NULL;
}

static bool is_anywhere(const search *s, const snapshot *got) {
    const run *reference = s->v->reference;
    for (size_t i = 0; i < arrlenu(reference->executions); i++)
        for (size_t k = 0; k < arrlenu(reference->executions[i].outputs); k++)
            if (same(s, got, reference->executions[i].outputs[k]))
                return true;
    return false;
}

/* Whether the reference run has all that the operator gave, perhaps from another node: an operator that a pass fuses
 * from several gives what the last of them gave. */
static bool is_known(const search *s, const execution *e) {
    const execution *k = counterpart(s, e);
    for (size_t i = 0; i < arrlenu(e->outputs); i++)
        if (!(k && same(s, e->outputs[i], k->outputs[i])) && !is_anywhere(s, e->outputs[i]))
            return false;
    return true;
}

/* Whether the reference run has results that follow from n's outputs, through nodes that are no operators too. If so,
 * n gives a new intermediate value, not a wrong one. */
static bool is_known_later(const search *s, const ir_node *n, size_t from, int depth) {
    stack_check();
    enum { DEPTH = 4 };
    for (uint32_t o = 0; depth < DEPTH && o < ir_output_count(n); o++)
        for (size_t u = 0; u < arrlenu(n->outputs[o]->uses); u++) {
            const ir_node *user = n->outputs[o]->uses[u].user;
            bool ran = false;
            for (size_t i = from; i < arrlenu(s->now->executions) && !ran; i++) {
                ran = s->now->executions[i].node == user;
                if (ran && is_known(s, &s->now->executions[i]))
                    return true;
            }
            if (is_known_later(s, user, from, depth + 1))
                return true;
        }
    return false;
}

static const execution *first_wrong(const search *s) {
    for (size_t i = 0; i < arrlenu(s->now->executions); i++) {
        const execution *e = &s->now->executions[i];
        if (!is_known(s, e) && !is_known_later(s, e->node, i + 1, 0))
            return e;
    }
    return NULL;
}

static void describe_node(const search *s, strbuf *out) {
    const execution *e = first_wrong(s);
    if (!e) {
        strbuf_add(out,
                   "Every operator gives what some operator gave before: the difference comes from branches, loops "
                   "or arithmetic on numbers.\n");
        return;
    }
    strbuf_add(out, "The first operator that gives another value:\n  ");
    ir_print_node(e->node, out);
    const execution *k = counterpart(s, e);
    for (size_t i = 0; k && i < arrlenu(e->outputs); i++) {
        snapshot_comparison c = {.tolerance = s->v->tolerance};
        if (!snapshot_same(e->outputs[i], k->outputs[i], &c))
            strbuf_printf(out, "Its output %zu: %s\n", i, c.why);
    }
    source_highlight(e->range, out);
}

/* ---- Comparison ---- */

/* Where two runs differ; NULL: nowhere. */
static const char *difference(const verification *v, const run *now, double *largest) {
    snapshot_comparison c = {.tolerance = v->tolerance};
    const run *reference = v->reference;
    if (now->status != TSM_OK)
        return mem_printf("the program fails: %s", now->message);
    for (int i = 0; i < CALLS; i++) {
        if (!now->results[i] != !reference->results[i])
            return mem_printf("call %d %s", i + 1, now->results[i] ? "does not fail any more" : "fails");
        for (size_t k = 0; now->results[i] && k < arrlenu(now->results[i]->items); k++)
            if (!snapshot_same(now->results[i]->items[k], reference->results[i]->items[k], &c))
                return mem_printf("%s of call %d, %s", k ? mem_printf("argument %zu", k) : "the result", i + 1, c.why);
    }
    *largest = c.largest;
    return NULL;
}

static void compare(verification *v, const char *what, const run *now, function *const *functions) {
    checked_pass checked = {what, 0};
    const char *why = difference(v, now, &checked.largest);
    if (!why) {
        arrput(v->passes, checked);
        return;
    }
    strbuf b = {0};
    strbuf_printf(&b, "%s: %s\n", what, why);
    if (functions) {
        search s = {v, run_functions(v, functions, true)};
        describe_node(&s, &b);
    }
    v->first_wrong = strbuf_text(&b);
}

/* What differs now is meant to. */
static void measure_loss(verification *v, const char *pass, const char *why, run *now) {
    snapshot_comparison c = {.tolerance = DBL_MAX};
    const run *reference = v->reference;
    for (int i = 0; i < CALLS && now->status == TSM_OK; i++)
        for (size_t k = 0; now->results[i] && reference->results[i] && k < arrlenu(now->results[i]->items); k++)
            snapshot_same(now->results[i]->items[k], reference->results[i]->items[k], &c);
    const checked_pass checked = {pass, c.largest};
    arrput(v->passes, checked);
    const char *loss =
        mem_printf("%s: results change by at most %.3g; the greatest number in them is %.3g (%.2g %%)%s%s\n"
                   "passes behind %s are compared with the program after it\n",
                   why, c.largest, c.greatest, c.greatest > 0 ? 100 * c.largest / c.greatest : 0,
                   c.why ? "; besides, " : "", c.why ? c.why : "", pass);
    arrput(v->losses, loss);
    v->reference = now;
}

/* Why the pass changes results; NULL: it is not to. */
static const char *reason_of_loss(const verification *v, const char *pass) {
    for (size_t i = 0; i < arrlenu(v->lossy); i++)
        if (!strcmp(v->lossy[i].pass, pass))
            return v->lossy[i].why;
    return NULL;
}

static void check_functions(verification *v, const char *pass, function *const *functions) {
    const char *why = reason_of_loss(v, pass);
    const bool is_reference = !v->reference || why;
    run *now = run_functions(v, functions, is_reference);
    if (v->reference && is_reference && now->status == TSM_OK) {
        measure_loss(v, pass, why, now);
        return;
    }
    if (v->reference) {
        compare(v, pass, now, functions);
        return;
    }
    if (now->status != TSM_OK)
        diag_fail("the example cannot be run: %s", now->message);
    v->reference = now;
    v->reference_pass = pass;
}

void verify_after_pass(void *verification_, const char *pass, function *const *functions) {
    verification *v = verification_;
    diag_handler h;
    if (v->first_wrong)
        return;
    if (!DIAG_TRY(&h)) {
        check_functions(v, pass, functions);
        diag_end(&h);
    } else if (!v->reference && h.internal) {
        diag_rethrow(&h);
    } else if (!v->reference) {
        v->refusal = h.message;
    } else {
        v->first_wrong = mem_printf("%s: the program cannot be lowered any more: %s\n", pass, h.message);
    }
}

void verify_image(verification *v, const char *what, const image *m) {
    if (!v->first_wrong)
        compare(v, what, run_image(v, m, NULL), NULL);
}

bool verify_agrees(const verification *v) {
    if (!v->reference)
        diag_fail("%s", v->refusal);
    return !v->first_wrong;
}

const checked_pass *verify_passes(const verification *v) {
    return v->passes;
}

const char *verify_reference(const verification *v) {
    return v->reference_pass;
}

const char *verify_wrong(const verification *v) {
    return v->first_wrong;
}

void verify_report(const verification *v, strbuf *out) {
    strbuf_printf(out, "%-28s largest difference from the program after %s\n", "pass", v->reference_pass);
    for (size_t i = 0; i < arrlenu(v->passes); i++)
        strbuf_printf(out, "%-28s %.3g\n", v->passes[i].pass, v->passes[i].largest);
    for (size_t i = 0; i < arrlenu(v->losses); i++)
        strbuf_add(out, v->losses[i]);
    if (v->first_wrong)
        strbuf_printf(out, "%s", v->first_wrong);
    else
        strbuf_printf(out, "all agree to %g, relative and absolute\n", v->tolerance);
}
