/* Finds layers, measures what each loses alone, and puts those that lose little in the place of the float ones. */
#include "exporter/passes/optimize/quantize.h"

#include <math.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/mutation.h"
#include "exporter/passes/analysis/pointwise_step.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/insert_layout_conversions.h"
#include "exporter/program/packed_weight.h"
#include "exporter/schema/operator_node.h"

enum { BYTES = 256 };

/* The bytes of a value of floats. */
typedef struct {
    const ir_value *key;
    struct {
        ir_value *tensor; /* NULL: they are made by quantizing when they are needed */
        byte_range range;
    } value;
} * known_bytes; /* stb_ds hash map */

typedef struct {
    quantization *plan;
    mutation *mutation;
    value_statistics_map statistics;
    bool is_trial; /* layers stand beside those of floats, and take what those take */
    known_bytes known;
    struct {
        const ir_node *key;
        bool value;
    } * absorbed;  /* clamps that are part of a layer (stb_ds hash map) */
    ir_node *like; /* new nodes stand where this one does in the source */
    ir_node *at;   /* and before this one */
} quantizer;

/* ---- Nodes ---- */

static ir_value *insert(const quantizer *q, const char *name, ir_value *const *inputs, uint32_t count) {
    ir_node *n = operator_node(q->like, schema_find(name), inputs, count);
    ir_insert_before(q->at, n);
    return ir_out(n, 0);
}

static ir_value *constant(const quantizer *q, ir_constant *c) {
    return ir_insert_constant(q->at, c);
}

static ir_value *integer(const quantizer *q, int64_t i) {
    return constant(q, const_int(i));
}

static ir_value *scale_of(const quantizer *q, byte_range r) {
    return constant(q, const_float(r.scale));
}

/* ---- Ranges ---- */

static const value_statistics *seen_of(const quantizer *q, const ir_value *v) {
    return hmget(((quantizer *)q)->statistics, v);
}

/* Why v cannot become bytes; NULL: it can. */
static const char *refusal_of(const quantizer *q, const ir_value *v) {
    const char *why = value_range_refusal(seen_of(q, v));
    return why || !mutation_is_written(q->mutation, v) ? why : "it is changed in place";
}

static byte_range chosen_range(const quantizer *q, const ir_value *v) {
    return value_range_choose(seen_of(q, v), q->plan->has_extremes);
}

static bool is_known(const quantizer *q, const ir_value *v) {
    return hmgeti(((quantizer *)q)->known, v) >= 0;
}

static void set_known(quantizer *q, const ir_value *v, ir_value *tensor, byte_range r) {
    hmput(q->known, v, ((__typeof__(q->known->value)){tensor, r}));
}

/* The bytes of v, which has some or can have them, and their range: quantized where it is defined. */
static ir_value *bytes_of(quantizer *q, ir_value *v, byte_range *r) {
    __typeof__(q->known->value) k = {NULL, {0}};
    if (is_known(q, v))
        k = hmget(q->known, v);
    else
        k.range = chosen_range(q, v);
    *r = k.range;
    if (k.tensor)
        return k.tensor;
    quantizer there = *q;
    there.at = v->node->next;
    ir_value *inputs[] = {v, scale_of(&there, k.range), integer(&there, k.range.zero_point),
                          integer(&there, PT_QUINT8)};
    k.tensor = insert(&there, "aten::quantize_per_tensor", inputs, 4);
    set_known(q, v, k.tensor, k.range);
    return k.tensor;
}

/* ---- Names ---- */

/* The modules that the node was inlined from: "layer1.0". */
static const char *module_path(const ir_node *n) {
    const char *path = NULL;
    for (const ir_scope *s = n->scope; s; s = s->caller)
        if (s->module && *s->module)
            path = path ? mem_printf("%s.%s", s->module, path) : s->module;
    return path;
}

/* A layer of weights has their module's name. */
static const char *base_name(const ir_node *n, const pt_tensor *weight) {
    const char *end = weight && weight->name ? strrchr(weight->name, '.') : NULL, *path = module_path(n);
    if (end)
        return mem_strndup(weight->name, (size_t)(end - weight->name));
    const char *operator= strchr(n->schema->name, ':') + strlen("::");
    return path ? mem_printf("%s:%s", path, operator) : operator;
}

static const char *name_layer(const quantizer *q, const ir_node *n, const pt_tensor *weight) {
    const char *base = base_name(n, weight), *name = base;
    for (int times = 2;; times++) {
        size_t i = 0;
        while (i < arrlenu(q->plan->layers) && strcmp(q->plan->layers[i].name, name))
            i++;
        if (i == arrlenu(q->plan->layers))
            return name;
        name = mem_printf("%s#%d", base, times);
    }
}

/* Whether `name` is that of the layer or of a module around it. */
static bool covers(const char *name, const char *layer) {
    const size_t n = strlen(name);
    return !strncmp(name, layer, n) && (!layer[n] || strchr(".:#", layer[n]));
}

static const char *skipping(const quantizer *q, const char *layer) {
    for (size_t i = 0; i < arrlenu(q->plan->skipped); i++)
        if (covers(q->plan->skipped[i], layer))
            return q->plan->skipped[i];
    return NULL;
}

/* ---- Layers ---- */

static quantized_layer *layer_of(const quantizer *q, const ir_value *exact) {
    for (size_t i = 0; i < arrlenu(q->plan->layers); i++)
        if (q->plan->layers[i].exact == exact)
            return &q->plan->layers[i];
    return NULL;
}

/* The row of the report for a layer: new in the trial. */
static quantized_layer *open_layer(quantizer *q, const ir_node *n, const ir_value *exact, const pt_tensor *weight) {
    quantized_layer *found = layer_of(q, exact);
    if (found)
        return found;
    quantized_layer l = {.name = name_layer(q, n, weight), .node = n, .exact = exact};
    l.reason = skipping(q, l.name) ? "--quantize-skip" : NULL;
    arrput(q->plan->layers, l);
    return &q->plan->layers[arrlenu(q->plan->layers) - 1];
}

/* Puts the bytes, of range r, in the place of what the layer gives. In a trial they only stand beside it: what follows
 * takes the exact numbers, quantized. */
static void finish(quantizer *q, quantized_layer *l, ir_value *exact, ir_value *bytes, byte_range r) {
    if (l)
        l->bytes = bytes;
    if (q->is_trial) {
        set_known(q, exact, l ? NULL : bytes, r);
        return;
    }
    ir_value *floats = insert(q, "aten::dequantize.self", &bytes, 1);
    ir_replace_uses(exact, floats);
    set_known(q, floats, bytes, r);
}

/* A clamp to bounds around 0: a range of bytes that ends there clamps as well. */
static bool is_clamp(const ir_node *n) {
    pointwise_step s;
    return pointwise_step_of(n, &s) && (s.letter == 'r' || (s.letter == 'c' && s.numbers[0] <= 0 && s.numbers[1] >= 0));
}

/* What a layer gives with the clamps behind it. */
static ir_value *with_clamps(quantizer *q, ir_node *n) {
    ir_value *v = ir_out(n, 0);
    while (ir_use_count(v) == 1 && v->uses[0].user->block == n->block && is_clamp(v->uses[0].user)) {
        hmput(q->absorbed, v->uses[0].user, true);
        v = ir_out(v->uses[0].user, 0);
    }
    return v;
}

/* ---- Weights ---- */

static const pt_tensor *float_weight(const quantizer *q, const ir_value *v, int ndim) {
    const pt_tensor *t;
    return tensor_constant_floats(q->mutation, v, ndim, &t) && pt_tensor_numel(t) ? t : NULL;
}

/* One scale for each output. Where weights are so small that the bias would be more of their steps than the sums can
 * hold, the steps are larger. */
static double *weight_scales(const float *w, const float *bias, size_t outputs, size_t inputs, double input_scale) {
    enum { MOST_STEPS = 1 << 26 };
    static const double least = 1e-12;
    double *scales = MEM_ARRAY(double, outputs + 1);
    for (size_t o = 0; o < outputs; o++) {
        double largest = 0; /* by comparisons: gcc 12 for 64-bit ARM fails at fmax here */
        for (size_t k = 0; k < inputs; k++) {
            const double size = fabs((double)w[o * inputs + k]);
            largest = size > largest ? size : largest;
        }
        scales[o] = fmax(largest / 127, least);
        if (bias)
            scales[o] = fmax(scales[o], fabs((double)bias[o]) / input_scale / MOST_STEPS);
        scales[o] = (double)(float)scales[o];
    }
    return scales;
}

static pt_tensor *byte_weight(const pt_tensor *t, const float *bias, double input_scale) {
    const float *w = pt_tensor_data(t);
    const size_t outputs = (size_t)t->sizes[0], inputs = (size_t)pt_tensor_numel(t) / outputs;
    const double *scales = weight_scales(w, bias, outputs, inputs, input_scale);
    void *data;
    pt_tensor *ints = tensor_constant_new(PT_INT8, t->ndim, t->sizes, &data)->tensor;
    int8_t *bytes = data;
    for (size_t i = 0; i < outputs * inputs; i++)
        bytes[i] = (int8_t)fmax(-127, fmin(127, rint((double)w[i] / scales[i / inputs])));
    ints->name = t->name;
    return packed_weight_by_channels(ints, scales);
}

static bool is_finite(const pt_tensor *t) {
    const float *x = pt_tensor_data(t);
    for (int64_t i = 0; i < pt_tensor_numel(t); i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* ---- Convolutions and linear layers ---- */

/* (input, weight, bias, stride, padding, dilation, groups) or (input, weight, bias). */
typedef struct {
    ir_node *node;
    ir_value *input;
    const pt_tensor *weight, *bias; /* bias: NULL for none */
    int64_t groups;
    bool is_convolution;
} product_layer;

static bool is_none(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_NONE;
}

static bool read_product(const quantizer *q, ir_node *n, product_layer *p) {
    static const char *const convolutions[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d"};
    int dims = ir_is_operator(n, "aten::linear") ? 2 : 0;
    for (int i = 0; i < 3 && !dims; i++)
        dims = ir_is_operator(n, convolutions[i]) ? i + 3 : 0;
    if (!dims)
        return false;
    *p = (product_layer){.node = n, .input = ir_in(n, 0), .groups = 1, .is_convolution = dims > 2};
    p->weight = float_weight(q, ir_in(n, 1), dims);
    p->bias = float_weight(q, ir_in(n, 2), 1);
    return p->weight && (p->bias || is_none(ir_in(n, 2))) &&
           (!p->is_convolution || ir_constant_int(ir_in(n, 6), &p->groups));
}

/* Why a layer of weights stays with floats; NULL: it need not. */
static const char *product_refusal(const quantizer *q, const product_layer *p, const ir_value *exact) {
    const char *why = is_known(q, p->input) ? NULL : refusal_of(q, p->input);
    if (why)
        return mem_printf("its input: %s", why);
    why = refusal_of(q, exact);
    if (why)
        return mem_printf("its result: %s", why);
    if (!is_finite(p->weight) || (p->bias && !is_finite(p->bias)))
        return "its weights have NaN or infinite numbers";
    const int dims = seen_of(q, exact)->dims, most = p->weight->ndim;
    if (p->is_convolution ? dims != most && dims != most - 1 : dims < 2)
        return "the dimensions of its input";
    return NULL;
}

static ir_value *insert_product(quantizer *q, const product_layer *p, byte_range out) {
    enum { WEIGHT = 1, STRIDE = 3, AFTER_WEIGHT = 6 };
    byte_range in;
    packed_weight w;
    ir_value *input = bytes_of(q, p->input, &in), *inputs[13], **next = inputs + AFTER_WEIGHT;
    const float *bias = p->bias ? pt_tensor_data(p->bias) : NULL;
    if (!packed_weight_make(evaluate_operator, q->at, byte_weight(p->weight, bias, in.scale), p->groups,
                            ir_in(p->node, 2), &w))
        return NULL;
    inputs[0] = input;
    memcpy(inputs + WEIGHT, w.parts, sizeof w.parts);
    for (uint32_t i = STRIDE; p->is_convolution && i < ir_input_count(p->node); i++)
        *next++ = ir_in(p->node, i);
    *next++ = scale_of(q, out);
    *next++ = integer(q, out.zero_point);
    *next++ = constant(q, const_bool(false));
    return insert(q, p->is_convolution ? "tsm::quantized_conv.float_bias" : "tsm::quantized_linear.float_bias", inputs,
                  (uint32_t)(next - inputs));
}

static bool visit_product(quantizer *q, ir_node *n) {
    product_layer p;
    if (!read_product(q, n, &p))
        return false;
    ir_value *exact = with_clamps(q, n);
    quantized_layer *l = open_layer(q, n, exact, p.weight);
    l->reason = l->reason ? l->reason : product_refusal(q, &p, exact);
    if (l->reason)
        return true;
    q->at = exact->node->next;
    const byte_range r = chosen_range(q, exact);
    ir_value *bytes = insert_product(q, &p, r);
    if (bytes)
        finish(q, l, exact, bytes, r);
    else
        l->reason = "its weights cannot be packed";
    return true;
}

/* ---- Operators on bytes ---- */

static bool is_pair(const ir_node *n) {
    int64_t alpha;
    if (ir_is_operator(n, "aten::mul.Tensor"))
        return true;
    return ir_is_operator(n, "aten::add.Tensor") && ir_constant_int(ir_in(n, 2), &alpha) && alpha == 1;
}

/* A row for an operator whose inputs are bytes; NULL when it stays with floats. */
static quantized_layer *open_operator(quantizer *q, const ir_node *n, const ir_value *exact) {
    quantized_layer *l = open_layer(q, n, exact, NULL);
    l->reason = l->reason ? l->reason : refusal_of(q, exact);
    q->at = exact->node->next;
    return l->reason ? NULL : l;
}

static bool visit_pair(quantizer *q, ir_node *n) {
    byte_range a, b;
    if (!is_pair(n) || !is_known(q, ir_in(n, 0)) || !is_known(q, ir_in(n, 1)))
        return false;
    ir_value *exact = with_clamps(q, n);
    quantized_layer *l = open_operator(q, n, exact);
    if (!l)
        return true;
    const byte_range r = chosen_range(q, exact);
    ir_value *inputs[] = {bytes_of(q, ir_in(n, 0), &a), bytes_of(q, ir_in(n, 1), &b), scale_of(q, r),
                          integer(q, r.zero_point)};
    const bool is_sum = ir_is_operator(n, "aten::add.Tensor");
    finish(q, l, exact, insert(q, is_sum ? "quantized::add" : "quantized::mul", inputs, 4), r);
    return true;
}

static bool visit_concatenation(quantizer *q, ir_node *n) {
    const ir_node *list = ir_is_operator(n, "aten::cat") ? ir_in(n, 0)->node : NULL;
    if (!list || list->kind != IR_LIST_CONSTRUCT || !ir_input_count(list) ||
        mutation_is_written(q->mutation, ir_in(n, 0)))
        return false;
    for (uint32_t i = 0; i < ir_input_count(list); i++)
        if (!is_known(q, ir_in(list, i)))
            return false;
    quantized_layer *l = open_operator(q, n, ir_out(n, 0));
    if (!l)
        return true;
    const byte_range r = chosen_range(q, ir_out(n, 0));
    ir_node *bytes = ir_node_new(n->graph, IR_LIST_CONSTRUCT, 1);
    for (uint32_t i = 0; i < ir_input_count(list); i++) {
        byte_range of_item;
        ir_node_add_input(bytes, bytes_of(q, ir_in(list, i), &of_item));
    }
    ir_out(bytes, 0)->type = ir_in(n, 0)->type;
    ir_insert_before(q->at, bytes);
    ir_value *inputs[] = {ir_out(bytes, 0), ir_in(n, 1), scale_of(q, r), integer(q, r.zero_point)};
    finish(q, l, ir_out(n, 0), insert(q, "quantized::cat", inputs, 4), r);
    return true;
}

/* What a function of one element makes of each byte; NULL when it cannot be calculated. */
static ir_constant *table_of(const ir_node *n, byte_range in, byte_range out) {
    enum { MOST_INPUTS = 8 };
    static const int64_t size = BYTES;
    const ir_constant *inputs[MOST_INPUTS];
    ir_constant *result;
    float *floats;
    void *bytes;
    if (ir_input_count(n) > MOST_INPUTS)
        return NULL;
    inputs[0] = tensor_constant_new_floats(1, &size, &floats);
    for (int i = 0; i < BYTES; i++)
        floats[i] = (float)(i - in.zero_point) * (float)in.scale;
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        inputs[i] = ir_constant_of(ir_in(n, i));
    if (!evaluate_operator(n, inputs, &result) || result->kind != CONST_TENSOR || result->tensor->dtype != PT_FLOAT32 ||
        pt_tensor_numel(result->tensor) != size)
        return NULL;
    const float *mapped = pt_tensor_data(result->tensor);
    ir_constant *table = tensor_constant_new(PT_UINT8, 1, &size, &bytes);
    for (int i = 0; i < BYTES; i++)
        ((uint8_t *)bytes)[i] = value_range_byte(out, isnan(mapped[i]) ? 0 : (double)mapped[i]);
    return table;
}

/* Whether n calculates each element from that of its first input alone. */
static bool is_function_of_elements(const ir_node *n) {
    pointwise_step s;
    if (!pointwise_step_of(n, &s) || s.tensors[0] != ir_in(n, 0) || (s.tensors[1] && s.tensors[1] != ir_in(n, 0)))
        return false;
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        if (!ir_constant_of(ir_in(n, i)))
            return false;
    return true;
}

static bool visit_function(quantizer *q, ir_node *n) {
    byte_range in;
    if (!is_function_of_elements(n) || !is_known(q, ir_in(n, 0)))
        return false;
    quantized_layer *l = open_operator(q, n, ir_out(n, 0));
    if (!l)
        return true;
    const byte_range r = chosen_range(q, ir_out(n, 0));
    ir_value *input = bytes_of(q, ir_in(n, 0), &in);
    ir_constant *table = table_of(n, in, r);
    if (!table) {
        l->reason = "it cannot be tabulated";
        return true;
    }
    ir_value *inputs[] = {input, constant(q, table), scale_of(q, r), integer(q, r.zero_point)};
    finish(q, l, ir_out(n, 0), insert(q, "tsm::quantized_lookup", inputs, 4), r);
    return true;
}

/* Operators that give bytes the range of their first argument; the first group only chooses among them. */
static const char *const choosing[] = {"aten::view",
                                       "aten::reshape",
                                       "aten::flatten.using_ints",
                                       "aten::permute",
                                       "aten::transpose.int",
                                       "aten::unsqueeze",
                                       "aten::squeeze.dim",
                                       "aten::squeeze",
                                       "aten::max_pool2d",
                                       "aten::clone",
                                       "aten::contiguous",
                                       "aten::slice.Tensor",
                                       "aten::select.int",
                                       "aten::t",
                                       NULL};
static const char *const averaging[] = {"aten::adaptive_avg_pool2d", "aten::avg_pool2d", "aten::mean.dim", NULL};

static bool visit_same_range(quantizer *q, ir_node *n) {
    byte_range r;
    if (!n->schema || !ir_input_count(n) || !is_known(q, ir_in(n, 0)))
        return false;
    const bool averages = text_is_among(n->schema->full_name, averaging);
    if (!averages && !text_is_among(n->schema->full_name, choosing))
        return false;
    quantized_layer *l = averages ? open_operator(q, n, ir_out(n, 0)) : NULL;
    if (averages ? !l : refusal_of(q, ir_out(n, 0)) != NULL)
        return true;
    q->at = n->next;
    ir_value **inputs = NULL;
    arrput(inputs, bytes_of(q, ir_in(n, 0), &r));
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        arrput(inputs, ir_in(n, i));
    /* Results of convolutions lie channels-last, which a view might not take. */
    const char *name = ir_is_operator(n, "aten::view") ? "aten::reshape" : n->schema->full_name;
    finish(q, l, ir_out(n, 0), insert(q, name, inputs, ir_input_count(n)), r);
    return true;
}

/* ---- The program ---- */

static void visit_block(quantizer *q, ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(q, n->blocks[i]);
        q->like = n;
        if (hmgeti(q->absorbed, n) < 0 && !visit_product(q, n) && !visit_pair(q, n) && !visit_concatenation(q, n) &&
            !visit_function(q, n))
            visit_same_range(q, n);
    }
}

/* ---- Statistics of what no operator gives ---- */

static value_statistics *find_statistics(value_statistics_map *all, const ir_value *v);

static value_statistics *merged(value_statistics_map *all, const ir_value *a, const ir_value *b) {
    value_statistics *of_a = find_statistics(all, a);
    return value_statistics_merge(of_a, find_statistics(all, b));
}

/* What the program's watched values say of v: results of branches and what loops carry come from several. */
static value_statistics *statistics_behind(value_statistics_map *all, const ir_value *v) {
    const ir_node *n = v->node, *owner = n->block ? n->block->owner : NULL;
    enum { CARRIED = 2, BODY_CARRIED = 1 };
    if (n->kind == IR_IF)
        return merged(all, ir_in(n->blocks[0]->result, v->offset), ir_in(n->blocks[1]->result, v->offset));
    if (n->kind == IR_LOOP)
        return merged(all, ir_in(n, v->offset + CARRIED), ir_in(n->blocks[0]->result, v->offset + BODY_CARRIED));
    if (owner && owner->kind == IR_LOOP && n == n->block->param && v->offset >= BODY_CARRIED)
        return merged(all, ir_in(owner, v->offset - BODY_CARRIED + CARRIED), ir_in(n->block->result, v->offset));
    return n->kind == IR_UNCHECKED_CAST ? find_statistics(all, ir_in(n, 0)) : NULL;
}

static value_statistics *find_statistics(value_statistics_map *all, const ir_value *v) {
    stack_check();
    if (hmgeti(*all, v) >= 0)
        return hmget(*all, v);
    hmput(*all, v, NULL); /* a loop may carry it round */
    value_statistics *found = statistics_behind(all, v);
    hmput(*all, v, found);
    return found;
}

static void spread_statistics(value_statistics_map *all, const ir_block *b) {
    stack_check();
    for (const ir_node *n = b->param; n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            spread_statistics(all, n->blocks[i]);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            find_statistics(all, ir_out(n, i));
    }
}

/* ---- All ---- */

/* Results of convolutions lie channels-last: other operators may have to see them as before. */
static void convert_layouts(program *p, function *const *entries, function *const *functions) {
    program_graphs_changed(p);
    mutation *m = mutation_analyse(p, entries, functions, program_module(p));
    for (size_t i = 0; i < arrlenu(functions); i++)
        insert_layout_conversions(function_graph(functions[i]), m);
}

static void visit_all(program *p, function *const *entries, function *const *functions, quantization *plan,
                      value_statistics_map statistics, bool is_trial) {
    quantizer q = {.plan = plan, .statistics = statistics, .is_trial = is_trial};
    program_graphs_changed(p);
    q.mutation = mutation_analyse(p, entries, functions, program_module(p));
    for (size_t i = 0; i < arrlenu(functions); i++)
        visit_block(&q, function_graph(functions[i])->block);
    for (size_t i = 0; !is_trial && i < arrlenu(functions); i++)
        dce(function_graph(functions[i]));
    convert_layouts(p, entries, functions);
    mutation_mark_constants(mutation_analyse(p, entries, functions, program_module(p)));
}

static void check_skipped(const quantization *q) {
    for (size_t i = 0; i < arrlenu(q->skipped); i++) {
        strbuf names = {0};
        bool is_found = false;
        for (size_t k = 0; k < arrlenu(q->layers); k++) {
            is_found |= covers(q->skipped[i], q->layers[k].name);
            strbuf_printf(&names, "%s%s", k ? ", " : "", q->layers[k].name);
        }
        if (!is_found)
            diag_fail("--quantize-skip %s: there is no such layer; layers are %s", q->skipped[i], strbuf_text(&names));
    }
}

/* Layers that lose too much stay with floats. The trial's bytes are forgotten. */
static void reject(quantization *q) {
    for (size_t i = 0; i < arrlenu(q->layers); i++) {
        quantized_layer *l = &q->layers[i];
        if (!l->reason && l->bytes && quantization_ratio(l->alone) < q->least_ratio)
            l->reason = "it would lose too much";
        l->bytes = NULL;
    }
}

void quantize(program *p, function *const *entries, function *const *functions, quantization *q) {
    value_statistics_map statistics = NULL;
    mutation_mark_constants(mutation_analyse(p, entries, functions, program_module(p)));
    q->runs.watch(q->runs.context, p, entries, functions, &statistics);
    for (size_t i = 0; i < arrlenu(functions); i++)
        spread_statistics(&statistics, function_graph(functions[i])->block);
    visit_all(p, entries, functions, q, statistics, true);
    check_skipped(q);
    if (!arrlenu(q->layers))
        diag_fail("--quantize: the program has no layer that can be quantized: convolutions and linear layers whose "
                  "weights are constants");
    q->runs.compare(q->runs.context, p, entries, functions, q->layers, false);
    reject(q);
    for (size_t i = 0; i < arrlenu(functions); i++)
        dce(function_graph(functions[i]));
    visit_all(p, entries, functions, q, statistics, false);
    bool is_any = false;
    for (size_t i = 0; i < arrlenu(q->layers); i++) {
        quantized_layer *l = &q->layers[i];
        is_any |= l->bytes != NULL;
        if (!l->bytes && !l->reason)
            l->reason = "its inputs are floats";
    }
    if (!is_any)
        diag_fail("--quantize: every layer stays with floats, the first (%s) because %s", q->layers[0].name,
                  q->layers[0].reason);
    q->runs.compare(q->runs.context, p, entries, functions, q->layers, true);
}
