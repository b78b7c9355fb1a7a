/* A run of the example with every operator's kernel wrapped by one that notes shapes. */
#include "exporter/execute/observe_shapes.h"

#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/execute/runner.h"
#include "exporter/execute/watch_operators.h"
#include "runtime/value/value.h"

static const shape *shape_of_value(tsm_value v) {
    stack_check();
    shape *s = MEM_NEW(shape);
    if (v.tag == TSM_TAG_NONE)
        return s;
    if (v.tag == TSM_TAG_TENSOR) {
        const tsm_tensor *t = tsm_as_tensor(v);
        s->kind = SHAPE_TENSOR;
        s->dtype = t->dtype;
        s->dims = t->dims;
        s->has_strides = true;
        for (int d = 0; d < t->dims; d++) {
            s->sizes[d] = t->sizes[d];
            s->strides[d] = t->strides[d];
        }
        return s;
    }
    if (v.tag != TSM_TAG_LIST && v.tag != TSM_TAG_TUPLE)
        return NULL;
    s->kind = SHAPE_SEQUENCE;
    for (size_t i = 0; i < tsm_sequence_size(v); i++)
        arrput(s->items, shape_of_value(tsm_sequence_get(v, i)));
    return s;
}

static void see(void *data, tsm_instance *inst, const ir_node *n, const tsm_value *out) {
    example *e = data;
    (void)inst;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        shape_see(&e->seen, n->outputs[i], shape_of_value(out[i]));
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
    watch_operators(t->inst, o->nodes, see, o->example);
    return runner_call(t, o->method, o->example->arguments, NULL);
}

void observe_shapes(example *e, program *p, function *const *entries, function *const *functions) {
    observation o = {e, method_of(entries, e->entry), NULL};
    runner t = {0};
    runner_open(&t, codegen_run(p, entries, functions, (codegen_options){.observed = &o.nodes}));
    if (runner_run(&t, NULL, run, &o) != TSM_OK)
        diag_fail("the example cannot be run: %s", t.message);
}
