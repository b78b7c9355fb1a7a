/* Operators are watched while the calls run. What the float program gave is kept until the quantized one has given the
 * same value: of one call, in buffers that serve every call. */
#include "exporter/execute/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/limits.h"
#include "exporter/codegen/codegen.h"
#include "exporter/execute/runner.h"
#include "exporter/execute/watch_operators.h"
#include "exporter/passes/analysis/growing_buffer.h"
#include "runtime/value/value.h"

/* How many results of a layer are kept in a call, and what they may take together: what loops give beyond that is not
 * compared. */
enum { MOST_RUNS = 4096 };
static const size_t MOST_BYTES = (size_t)1 << 31;

static const size_t FIRST_BUFFER = (size_t)1 << 24, LARGEST_BUFFER = LIMIT_BYTES(LIMIT_EXAMPLE);

/* Numbers of one tensor. */
typedef struct {
    float *elements; /* borrowed memory */
    size_t count, room;
} kept_floats;

/* What a layer, or the program, gave in a call. */
typedef struct {
    kept_floats *runs; /* stb_ds array */
    size_t stored, compared;
} kept_runs;

typedef struct {
    runner runner;
    function *const *entries;
    const ir_node **nodes; /* of its operators */
} watched_program;

struct calibration {
    const calibration_call *calls;
    codegen_options lowering;
    watched_program floats;
    /* During a run: */
    value_statistics_map *statistics;
    bool counts; /* into bins */
    quantized_layer *layers;
    kept_runs *of_layers, of_results;
    size_t bytes; /* kept */
    kept_floats room;
    bool is_whole, is_exact; /* comparing programs; the one of floats runs */
    struct {
        const ir_node *key;
        size_t value;
    } * exact, *quantized; /* the layer of a node: stb_ds hash maps */
    calibration_results results;
};

calibration *calibration_new(const calibration_call *calls, codegen_options lowering) {
    calibration *c = MEM_NEW(calibration);
    c->calls = calls;
    c->lowering = lowering;
    return c;
}

calibration_results calibration_whole(const calibration *c) {
    return c->results;
}

/* ---- Elements ---- */

static void make_room(kept_floats *k, size_t count) {
    k->count = count;
    if (k->room >= count)
        return;
    mem_return(k->elements);
    k->elements = mem_borrow(count * sizeof *k->elements);
    k->room = count;
}

static float element_at(const tsm_tensor *t, tsm_dim at) {
    if (t->dtype == TSM_FLOAT32)
        return ((const float *)t->data)[at];
    return (float)((const uint8_t *)t->data)[at] * (float)t->quantizer->scales[0] -
           (float)t->quantizer->zero_points[0] * (float)t->quantizer->scales[0];
}

static bool has_numbers(tsm_value v) {
    const tsm_tensor *t = v.tag == TSM_TAG_TENSOR ? tsm_as_tensor(v) : NULL;
    return t && (t->dtype == TSM_FLOAT32 || (t->dtype == TSM_QUINT8 && t->quantizer && t->quantizer->axis < 0));
}

/* The elements in row-major order. */
static void read_floats(const tsm_tensor *t, kept_floats *to) {
    tsm_dim index[TSM_MAX_DIMS] = {0}, at = 0;
    make_room(to, (size_t)t->elements);
    for (size_t i = 0; i < to->count; i++) {
        to->elements[i] = element_at(t, at);
        for (int d = t->dims - 1; d >= 0; d--) {
            at += t->strides[d];
            if (++index[d] < t->sizes[d])
                break;
            at -= index[d] * t->strides[d];
            index[d] = 0;
        }
    }
}

/* ---- Statistics ---- */

static void see_value(calibration *c, const ir_value *v, tsm_value x) {
    if (x.tag != TSM_TAG_TENSOR)
        return;
    const tsm_tensor *t = tsm_as_tensor(x);
    value_statistics *s = hmget(*c->statistics, v);
    if (!s) {
        s = MEM_NEW(value_statistics);
        s->dims = t->dims;
        hmput(*c->statistics, v, s);
    }
    s->dims = s->dims == t->dims ? s->dims : -1;
    s->is_other |= t->dtype != TSM_FLOAT32;
    if (s->is_other)
        return;
    read_floats(t, &c->room);
    (c->counts ? value_statistics_count : value_statistics_add)(s, c->room.elements, c->room.count);
}

/* Items of a list that is taken apart are values of the graph, too. */
static void see_items(calibration *c, const ir_value *list, tsm_value x) {
    for (size_t u = 0; u < arrlenu(list->uses); u++) {
        const ir_node *user = list->uses[u].user;
        for (uint32_t i = 0; user->kind == IR_LIST_UNPACK && i < ir_output_count(user) && i < tsm_sequence_size(x); i++)
            see_value(c, ir_out(user, i), tsm_sequence_get(x, i));
    }
}

static void see(void *data, tsm_instance *inst, const ir_node *n, const tsm_value *out) {
    (void)inst;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (out[i].tag == TSM_TAG_LIST)
            see_items(data, n->outputs[i], out[i]);
        else
            see_value(data, n->outputs[i], out[i]);
}

/* ---- Comparison ---- */

/* Room for the next result of a layer; NULL: no more is kept. */
static kept_floats *next_room(calibration *c, kept_runs *k, const tsm_tensor *t) {
    c->bytes += (size_t)t->elements * sizeof(float);
    if (c->bytes > MOST_BYTES || k->stored == MOST_RUNS)
        return NULL;
    if (k->stored == arrlenu(k->runs))
        arrput(k->runs, (kept_floats){0});
    return &k->runs[k->stored++];
}

static void keep(calibration *c, kept_runs *k, const tsm_tensor *t) {
    kept_floats *room = next_room(c, k, t);
    if (room)
        read_floats(t, room);
}

/* The exact numbers of what was computed now, in the order of the runs; NULL: they were not kept. */
static const kept_floats *counterpart(calibration *c, kept_runs *k, const tsm_tensor *t) {
    if (k->compared == k->stored)
        return NULL;
    const kept_floats *exact = &k->runs[k->compared++];
    read_floats(t, &c->room);
    return exact->count == c->room.count ? exact : NULL;
}

static void add_loss(quantization_loss *l, const kept_floats *exact, const kept_floats *now) {
    for (size_t i = 0; i < exact->count; i++) {
        const double x = (double)exact->elements[i], difference = x - (double)now->elements[i];
        if (!isfinite(x))
            continue;
        l->signal += x * x;
        l->noise += isfinite(difference) ? difference * difference : x * x;
    }
}

static void compare_layer(calibration *c, size_t i, tsm_value v) {
    quantized_layer *l = &c->layers[i];
    const kept_floats *exact = counterpart(c, &c->of_layers[i], tsm_as_tensor(v));
    if (exact)
        add_loss(c->is_whole ? &l->inside : &l->alone, exact, &c->room);
}

static void see_layers(void *data, tsm_instance *inst, const ir_node *n, const tsm_value *out) {
    calibration *c = data;
    const ptrdiff_t exact = hmgeti(c->exact, n), bytes = hmgeti(c->quantized, n);
    (void)inst;
    if (!has_numbers(out[0]))
        return;
    if (exact >= 0 && (!c->is_whole || c->is_exact))
        keep(c, &c->of_layers[c->exact[exact].value], tsm_as_tensor(out[0]));
    if (bytes >= 0 && !c->is_exact)
        compare_layer(c, c->quantized[bytes].value, out[0]);
}

static size_t greatest_of(const float *row, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = row[i] > row[best] ? i : best;
    return best;
}

static void compare_rows(calibration *c, const tsm_tensor *t, const kept_floats *exact) {
    const size_t columns = t->dims == 2 ? (size_t)t->sizes[1] : 0;
    for (size_t at = 0; columns > 1 && at + columns <= exact->count; at += columns) {
        c->results.rows++;
        c->results.same += greatest_of(exact->elements + at, columns) == greatest_of(c->room.elements + at, columns);
    }
}

/* Tensors of what the call returned, of the float program kept, of the other one compared. */
static void see_result(calibration *c, tsm_value v) {
    stack_check();
    if (v.tag == TSM_TAG_LIST || v.tag == TSM_TAG_TUPLE) {
        for (size_t i = 0; i < tsm_sequence_size(v); i++)
            see_result(c, tsm_sequence_get(v, i));
        return;
    }
    for (size_t i = 0; v.tag == TSM_TAG_DICT && i < tsm_dict_size(v); i++) {
        tsm_value key, item;
        tsm_dict_get(v, i, &key, &item);
        see_result(c, item);
    }
    if (!has_numbers(v))
        return;
    const tsm_tensor *t = tsm_as_tensor(v);
    if (c->is_exact) {
        keep(c, &c->of_results, t);
        return;
    }
    const kept_floats *exact = counterpart(c, &c->of_results, t);
    if (exact) {
        add_loss(&c->results.loss, exact, &c->room);
        compare_rows(c, t, exact);
    }
}

/* ---- Runs ---- */

static watched_program open_program(const calibration *c, program *p, function *const *entries,
                                    function *const *functions) {
    watched_program w = {.entries = entries};
    codegen_options lowering = c->lowering;
    lowering.observed = &w.nodes;
    runner_open(&w.runner, codegen_run(p, entries, functions, lowering));
    return w;
}

static uint32_t method_of(function *const *entries, const function *f) {
    uint32_t i = 0;
    while (entries[i] != f)
        i++;
    return i;
}

typedef struct {
    calibration *calibration;
    const calibration_call *call;
} visited_call;

static void visit_result(void *data, runner *t, tsm_value result, const tsm_value *arguments, size_t n) {
    const visited_call *v = data;
    const function *f = v->call->entry;
    ir_value **parameters = function_graph((function *)f)->block->param->outputs + (f->owner ? 1 : 0);
    (void)t;
    for (size_t i = 0; v->calibration->statistics && i < n; i++)
        see_value(v->calibration, parameters[i], arguments[i]);
    if (v->calibration->is_whole)
        see_result(v->calibration, result);
}

/* All calls, in order, each by all programs; state is kept from call to call. */
typedef struct {
    calibration *calibration;
    watched_program *programs[2]; /* the second may be NULL */
    operator_watcher watcher;
} calibration_run;

static void forget_runs(calibration *c) {
    for (size_t i = 0; i < arrlenu(c->layers); i++)
        c->of_layers[i].stored = c->of_layers[i].compared = 0;
    c->of_results.stored = c->of_results.compared = 0;
    c->bytes = 0;
}

/* What an attempt in a smaller buffer has counted. */
static void forget_counts(calibration *c) {
    for (size_t i = 0; i < arrlenu(c->layers); i++)
        *(c->is_whole ? &c->layers[i].inside : &c->layers[i].alone) = (quantization_loss){0};
    if (c->is_whole)
        c->results = (calibration_results){0};
    for (size_t i = 0; c->statistics && i < hmlenu(*c->statistics); i++)
        if ((*c->statistics)[i].value->bins)
            memset((*c->statistics)[i].value->bins, 0, RANGE_BINS * sizeof(uint64_t));
}

static tsm_status run_call(const calibration_run *r, size_t at) {
    calibration *c = r->calibration;
    const visited_call v = {c, &c->calls[at]};
    forget_runs(c);
    for (int i = 0; i < 2 && r->programs[i]; i++) {
        runner *t = &r->programs[i]->runner;
        c->is_exact = c->is_whole && i == 0;
        const tsm_status status = runner_call_with(t, method_of(r->programs[i]->entries, v.call->entry),
                                                   v.call->arguments, visit_result, (void *)&v);
        if (status == TSM_OUT_OF_MEMORY)
            return status;
        if (status != TSM_OK)
            diag_fail("calibration: call %zu, of %s, cannot be run%s: %s", at + 1, v.call->entry->base_name,
                      i ? " by the quantized program" : "", t->message);
    }
    return TSM_OK;
}

static tsm_status attempt(size_t bytes, void *data) {
    const calibration_run *r = data;
    tsm_status status = TSM_OK;
    int started = 0;
    forget_counts(r->calibration);
    for (; started < 2 && r->programs[started] && status == TSM_OK; started++) {
        watched_program *w = r->programs[started];
        if (!runner_start(&w->runner, bytes, NULL)) {
            status = TSM_OUT_OF_MEMORY;
            break;
        }
        watch_operators(w->runner.inst, w->nodes, r->watcher, r->calibration);
    }
    for (size_t i = 0; i < arrlenu(r->calibration->calls) && status == TSM_OK; i++)
        status = run_call(r, i);
    while (started-- > 0)
        runner_end(&r->programs[started]->runner);
    return status;
}

static void run_all(calibration *c, watched_program *first, watched_program *second, operator_watcher watcher) {
    calibration_run r = {c, {first, second}, watcher};
    if (run_in_growing_buffer(FIRST_BUFFER, LARGEST_BUFFER, attempt, &r) != TSM_OK)
        diag_fail("calibration: the calls need more memory than %zu MiB", LARGEST_BUFFER >> 20);
}

/* Twice: bins lie between the extremes. */
static void watch(void *context, program *p, function *const *entries, function *const *functions,
                  value_statistics_map *statistics) {
    calibration *c = context;
    c->floats = open_program(c, p, entries, functions);
    c->statistics = statistics;
    run_all(c, &c->floats, NULL, see);
    c->counts = true;
    run_all(c, &c->floats, NULL, see);
    c->statistics = NULL;
}

static void compare(void *context, program *p, function *const *entries, function *const *functions,
                    quantized_layer *layers, bool is_whole) {
    calibration *c = context;
    watched_program now = open_program(c, p, entries, functions);
    c->layers = layers;
    c->is_whole = is_whole;
    c->of_layers = MEM_ARRAY(kept_runs, arrlenu(layers) + 1);
    c->exact = NULL;
    c->quantized = NULL;
    for (size_t i = 0; i < arrlenu(layers); i++) {
        if (!layers[i].bytes)
            continue;
        hmput(c->exact, layers[i].exact->node, i);
        hmput(c->quantized, layers[i].bytes->node, i);
    }
    if (is_whole)
        run_all(c, &c->floats, &now, see_layers);
    else
        run_all(c, &now, NULL, see_layers);
}

calibration_runs calibration_runs_of(calibration *c) {
    return (calibration_runs){c, watch, compare};
}

/* ---- Report ---- */

static const char *decibels(quantization_loss l) {
    const double ratio = quantization_ratio(l);
    return isfinite(ratio) ? mem_printf("%.1f dB", ratio) : "exact";
}

void calibration_report(const calibration *c, const quantization *q, strbuf *out) {
    size_t quantized = 0;
    strbuf_printf(out, "%-40s %-28s %10s %10s\n", "layer", "operator", "own loss", "with others");
    for (size_t i = 0; i < arrlenu(q->layers); i++) {
        const quantized_layer *l = &q->layers[i];
        strbuf_printf(out, "%-40s %-28s ", l->name, l->node->schema->full_name);
        quantized += l->bytes != NULL;
        if (l->bytes)
            strbuf_printf(out, "%10s %10s\n", decibels(l->alone), decibels(l->inside));
        else
            strbuf_printf(out, "%10s floats: %s\n", l->alone.noise > 0 ? decibels(l->alone) : "", l->reason);
    }
    strbuf_printf(out, "%zu of %zu layers are int8; signal to noise of the results: %s", quantized, arrlenu(q->layers),
                  decibels(c->results.loss));
    if (c->results.rows)
        strbuf_printf(out, "; their greatest number stays the greatest in %" PRIu64 " of %" PRIu64 " rows",
                      c->results.same, c->results.rows);
    strbuf_add(out, "\n");
}
