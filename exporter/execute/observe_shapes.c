/* A run of the example with every operator's kernel wrapped by one that notes shapes. */
#include "exporter/execute/observe_shapes.h"

#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/execute/runner.h"
#include "runtime/kernels/kernel.h"

/* A row of the instance's operator table: the operator with a kernel that looks on. First member: x->op leads here. */
typedef struct {
    tsm_operator row;
    tsm_kernel kernel; /* the operator's own */
    const ir_node *node;
    example *example;
} watched_operator;

static const shape *shape_of_value(tsm_value v) {
    shape *s = MEM_NEW(shape);
    if (v.tag == TSM_TAG_NONE)
        return s;
    if (v.tag == TSM_TAG_TENSOR) {
        const tsm_tensor *t = tsm_as_tensor(v);
        s->kind = SHAPE_TENSOR;
        s->dtype = t->dtype;
        s->dims = t->dims;
        for (int d = 0; d < t->dims; d++)
            s->sizes[d] = t->sizes[d];
        return s;
    }
    if (v.tag != TSM_TAG_LIST && v.tag != TSM_TAG_TUPLE)
        return NULL;
    s->kind = SHAPE_SEQUENCE;
    for (size_t i = 0; i < tsm_sequence_size(v); i++)
        arrput(s->items, shape_of_value(tsm_sequence_get(v, i)));
    return s;
}

static tsm_status watch(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    const watched_operator *w = (const watched_operator *)(const void *)x->op;
    tsm_status status = w->kernel(x, in, out);
    for (uint32_t i = 0; status == TSM_OK && i < ir_output_count(w->node); i++)
        shape_see(&w->example->seen, w->node->outputs[i], shape_of_value(out[i]));
    return status;
}

static void watch_operators(tsm_instance *inst, example *e, const ir_node *const *nodes) {
    watched_operator *rows = MEM_ARRAY(watched_operator, arrlenu(nodes) + 1);
    for (size_t i = 0; i < arrlenu(nodes); i++) {
        const tsm_operator *own = inst->operators[i];
        rows[i] = (watched_operator){*own, own->kernel, nodes[i], e};
        rows[i].row.kernel = watch;
        inst->operators[i] = &rows[i].row;
    }
}

static uint32_t method_of(function *const *entries, const function *f) {
    uint32_t i = 0;
    while (entries[i] != f)
        i++;
    return i;
}

typedef struct {
    example *example;
    uint32_t method;
    const ir_node **nodes;
} observation;

static tsm_status run(runner *t, void *data) {
    const observation *o = data;
    o->example->seen = NULL;
    watch_operators(t->inst, o->example, o->nodes);
    return runner_call(t, o->method, o->example->arguments, NULL);
}

void observe_shapes(example *e, program *p, function *const *entries, function *const *functions) {
    observation o = {e, method_of(entries, e->entry), NULL};
    runner t;
    runner_open(&t, codegen_run(p, entries, functions, (codegen_options){.observed = &o.nodes}));
    if (runner_run(&t, NULL, run, &o) != TSM_OK)
        diag_fail("the example cannot be run: %s", t.message);
}
