/* Packing by libtsmobile's own kernel, and the constants that it gives. */
#include "exporter/program/packed_weight.h"

#include "exporter/schema/operator_node.h"

static pt_tensor *vector_of(pt_dtype dtype, const void *elements, const int64_t *size) {
    static const int64_t one = 1;
    pt_tensor *t = MEM_NEW(pt_tensor);
    t->dtype = dtype;
    t->ndim = 1;
    t->sizes = size;
    t->strides = &one;
    t->storage = MEM_NEW(pt_storage);
    *t->storage = (pt_storage){"", "cpu", elements, (size_t)*size * pt_dtype_size(dtype)};
    return t;
}

pt_tensor *packed_weight_by_channels(const pt_tensor *ints, const double *scales) {
    pt_tensor *made = MEM_NEW(pt_tensor);
    *made = *ints;
    made->dtype = PT_QINT8;
    made->qscheme = PT_PER_CHANNEL_AFFINE;
    made->scale = 0;
    made->scales = vector_of(PT_FLOAT64, scales, &ints->sizes[0]);
    made->zero_points = vector_of(PT_INT64, MEM_ARRAY(int64_t, ints->sizes[0] + 1), &ints->sizes[0]);
    return made;
}

bool packed_weight_make(operator_evaluator *evaluate, ir_node *at, pt_tensor *weight, int64_t groups, ir_value *bias,
                        packed_weight *made) {
    enum { RESULTS = 3 };
    const ir_constant *inputs[] = {const_tensor(weight), const_int(groups)};
    ir_constant *results[RESULTS];
    if (!evaluate)
        return false;
    ir_node *pack = operator_node(at, schema_find("tsm::quantized_pack"), NULL, 0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        ir_node_add_input(pack, ir_insert_constant(at, (ir_constant *)inputs[i]));
    ir_insert_before(at, pack);
    const bool is_packed = evaluate(pack, inputs, results);
    ir_destroy(pack);
    if (!is_packed)
        return false;
    results[0]->tensor->name = weight->name;
    for (uint32_t i = 0; i < RESULTS; i++)
        made->parts[i] = ir_insert_constant(at, results[i]);
    made->parts[3] = bias;
    made->parts[4] = ir_insert_constant(at, const_int_list(weight->sizes, weight->ndim));
    return true;
}
