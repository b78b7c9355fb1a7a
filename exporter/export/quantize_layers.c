/* From the quantizing node back through the operators before it, as far as they have a form for quantized tensors. */
#include "exporter/export/quantize_layers.h"

#include <string.h>

#include "exporter/program/packed_weight.h"
#include "exporter/schema/operator_node.h"

#define DECOMPOSED "quantized_decomposed::"

/* How a tensor of int8 or uint8 stands for floats. */
typedef struct {
    double scale;
    int64_t zero_point, dtype;
} range;

/* A quantized tensor that stands for the ints of a value of the graph. */
typedef struct {
    ir_value *key; /* the ints */
    struct {
        ir_value *tensor;
        range range;
    } value;
} known_tensor;

/* The sizes that the file says of a value of the graph. */
typedef struct {
    const ir_value *key;
    json value;
} known_sizes;

typedef struct {
    const program *program;
    known_tensor *known; /* stb_ds hash map */
    known_sizes *sizes;  /* stb_ds hash map */
    ir_node *at;         /* new nodes stand before this one */
    bool has_changed;
} quantizer;

/* ---- Nodes ---- */

static ir_value *insert(const quantizer *q, const char *name, ir_value *const *inputs, uint32_t count) {
    return ir_out(operator_insert_node(q->at, name, inputs, count), 0);
}

static ir_value *integer(const quantizer *q, int64_t i) {
    return ir_insert_constant(q->at, const_int(i));
}

static ir_value *number(const quantizer *q, double d) {
    return ir_insert_constant(q->at, const_float(d));
}

/* A dimension of size 1 more, or less. */
static ir_value *with_dim(const quantizer *q, const char *name, ir_value *v, int64_t dim) {
    ir_value *inputs[] = {v, integer(q, dim)};
    return insert(q, name, inputs, 2);
}

/* The same operator on another first input. */
static ir_value *moved(const quantizer *q, const ir_node *n, ir_value *input) {
    ir_value **inputs = NULL;
    arrput(inputs, input);
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        arrput(inputs, ir_in(n, i));
    return insert(q, n->schema->full_name, inputs, ir_input_count(n));
}

/* ---- Ranges ---- */

static bool constant_float(const ir_value *v, double *d) {
    const ir_constant *c = ir_constant_of(v);
    if (c && c->kind == CONST_FLOAT)
        *d = c->real;
    return c && c->kind == CONST_FLOAT;
}

/* The range of (input, scale, zero_point, quant_min, quant_max, dtype, ...) where it is that of all numbers of the
 * dtype: kernels clamp to no other. */
static bool read_range(const ir_node *n, range *r) {
    int64_t low, high;
    if (!constant_float(ir_in(n, 1), &r->scale) || !ir_constant_int(ir_in(n, 2), &r->zero_point) ||
        !ir_constant_int(ir_in(n, 3), &low) || !ir_constant_int(ir_in(n, 4), &high) ||
        !ir_constant_int(ir_in(n, 5), &r->dtype))
        return false;
    return (r->dtype == PT_INT8 && low == -128 && high == 127) || (r->dtype == PT_UINT8 && low == 0 && high == 255);
}

static bool same_range(const range *a, const range *b) {
    return a->scale == b->scale && a->zero_point == b->zero_point && a->dtype == b->dtype;
}

/* Whether float32 is what a dequantizing node gives, whose input `out_dtype` that is. */
static bool gives_floats(const ir_node *n, uint32_t out_dtype) {
    int64_t dtype;
    const ir_constant *c = ir_constant_of(ir_in(n, out_dtype));
    return c && (c->kind == CONST_NONE || (ir_constant_int(ir_in(n, out_dtype), &dtype) && dtype == PT_FLOAT32));
}

static bool is_dequantized(const ir_value *v, range *r) {
    return ir_is_operator(v->node, DECOMPOSED "dequantize_per_tensor") && read_range(v->node, r) &&
           gives_floats(v->node, 6);
}

/* The quantized tensor of ints. */
static ir_value *tensor_of(quantizer *q, ir_value *ints, const range *r) {
    ptrdiff_t i = hmgeti(q->known, ints);
    if (i >= 0 && same_range(&q->known[i].value.range, r))
        return q->known[i].value.tensor;
    ir_value *inputs[] = {ints, number(q, r->scale), integer(q, r->zero_point)};
    return insert(q, "aten::_make_per_tensor_quantized_tensor", inputs, 3);
}

/* ---- Weights ---- */

/* The constant that a chain of attributes of the root reads; NULL: another value. */
static const ir_constant *constant_of(const quantizer *q, const ir_value *v) {
    stack_check();
    const ir_node *n = v->node;
    if (n == n->graph->block->param)
        return v == n->outputs[0] ? q->program->module : NULL;
    if (n->kind != IR_GET_ATTR)
        return ir_constant_of(v);
    const ir_constant *holder = constant_of(q, ir_in(n, 0));
    if (!holder || holder->kind != CONST_OBJECT)
        return NULL;
    int i = class_find_attribute(holder->type->definition, n->attribute);
    return i < 0 ? NULL : holder->list.items[i];
}

static const pt_tensor *tensor_constant(const quantizer *q, const ir_value *v, pt_dtype dtype) {
    const ir_constant *c = constant_of(q, v);
    bool is_one = c && c->kind == CONST_TENSOR && c->tensor->layout == PT_STRIDED && c->tensor->dtype == dtype;
    return is_one ? c->tensor : NULL;
}

static bool are_zeros(const quantizer *q, const ir_value *v) {
    const pt_tensor *t = tensor_constant(q, v, PT_INT64);
    const ir_constant *c = ir_constant_of(v);
    if (!t)
        return c && c->kind == CONST_NONE;
    const int64_t *elements = pt_tensor_data(t);
    for (int64_t i = 0; i < pt_tensor_numel(t); i++)
        if (elements[i])
            return false;
    return true;
}

/* The elements as doubles. */
static double *as_doubles(const pt_tensor *t) {
    const float *elements = pt_tensor_data(t);
    const size_t count = (size_t)pt_tensor_numel(t);
    double *doubles = MEM_ARRAY(double, count + 1);
    for (size_t i = 0; i < count; i++)
        doubles[i] = (double)elements[i];
    return doubles;
}

/* The weight that a dequantizing node takes, as a quantized tensor: int8, without zero points; NULL: it is another. */
static pt_tensor *weight_of(const quantizer *q, const ir_node *n) {
    double scale = 0;
    int64_t zero_point, axis;
    const bool by_channel = ir_is_operator(n, DECOMPOSED "dequantize_per_channel") && gives_floats(n, 7),
               by_tensor = ir_is_operator(n, DECOMPOSED "dequantize_per_tensor") && gives_floats(n, 6);
    const pt_tensor *ints = by_channel || by_tensor ? tensor_constant(q, ir_in(n, 0), PT_INT8) : NULL,
                    *scales = by_channel ? tensor_constant(q, ir_in(n, 1), PT_FLOAT32) : NULL;
    if (!ints || (by_channel && (!scales || scales->ndim != 1 || !pt_tensor_is_contiguous(scales) ||
                                 !are_zeros(q, ir_in(n, 2)) || !ir_constant_int(ir_in(n, 3), &axis) || axis)))
        return NULL;
    if (by_tensor && (!constant_float(ir_in(n, 1), &scale) || !ir_constant_int(ir_in(n, 2), &zero_point) || zero_point))
        return NULL;
    if (by_channel)
        return ints->ndim > 0 && scales->sizes[0] == ints->sizes[0]
                   ? packed_weight_by_channels(ints, as_doubles(scales))
                   : NULL;
    pt_tensor *made = MEM_NEW(pt_tensor);
    *made = *ints;
    made->dtype = PT_QINT8;
    made->qscheme = PT_PER_TENSOR_AFFINE;
    made->scale = scale;
    return made;
}

/* A weight as the kernels take it. */
typedef struct {
    packed_weight packed;
    bool is_of_lines; /* it has three dimensions */
} layer_weight;

/* The weight of a convolution of lines as one of images that are one line high. */
static pt_tensor *one_line_high(const pt_tensor *t) {
    pt_tensor *made = MEM_NEW(pt_tensor);
    int64_t *sizes = MEM_ARRAY(int64_t, 4), *strides = MEM_ARRAY(int64_t, 4);
    for (int d = 0; d < 4; d++) {
        sizes[d] = d == 2 ? 1 : t->sizes[d - d / 3];
        strides[d] = t->strides[d - d / 3];
    }
    *made = *t;
    made->ndim = 4;
    made->sizes = sizes;
    made->strides = strides;
    return made;
}

/* Packs the weight, of `dims` dimensions, whose floats v has; with four it may have three. */
static bool pack_weight(const quantizer *q, const ir_value *v, int dims, const ir_value *groups, ir_value *bias,
                        layer_weight *w) {
    int64_t number;
    pt_tensor *weight = weight_of(q, v->node);
    w->is_of_lines = weight && dims == 4 && weight->ndim == 3;
    if (w->is_of_lines)
        weight = one_line_high(weight);
    return weight && weight->ndim == dims && ir_constant_int(groups, &number) &&
           packed_weight_make(q->program->evaluate, q->at, weight, number, bias, &w->packed);
}

/* ---- Operators ---- */

/* Operators that give quantized tensors the range of their first argument. */
static bool keeps_range(const ir_node *n) {
    static const char *const names[] = {
        "aten::view",        "aten::reshape",       "aten::flatten.using_ints",
        "aten::permute",     "aten::transpose.int", "aten::unsqueeze",
        "aten::squeeze.dim", "aten::max_pool2d",    "aten::max_pool2d_with_indices",
        "aten::relu",        "aten::hardtanh",      "aten::adaptive_avg_pool2d",
        "aten::clone",       "aten::avg_pool2d",    "aten::contiguous",
        "aten::mean.dim",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ir_is_operator(n, names[i]))
            return true;
    return false;
}

/* The quantized operator that n becomes: pooling with indices has no form of its own. */
static ir_value *keep_range(const quantizer *q, const ir_node *n, ir_value *input) {
    ir_value *inputs[6] = {input};
    if (!ir_is_operator(n, "aten::max_pool2d_with_indices"))
        return moved(q, n, input);
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        inputs[i] = ir_in(n, i);
    return insert(q, "aten::max_pool2d", inputs, ir_input_count(n));
}

static bool is_used_once(const ir_value *v) {
    uint32_t uses = 0;
    for (uint32_t i = 0; i < ir_output_count(v->node); i++)
        uses += ir_use_count(ir_out(v->node, i));
    return uses == 1;
}

/* The quantized tensor whose floats v has, and its range; NULL: v is something else. */
static ir_value *input_tensor(quantizer *q, const ir_value *v, range *r) {
    stack_check();
    if (is_dequantized(v, r))
        return tensor_of(q, ir_in(v->node, 0), r);
    if (!keeps_range(v->node) || v != ir_out(v->node, 0) || !is_used_once(v))
        return NULL;
    ir_value *input = input_tensor(q, ir_in(v->node, 0), r);
    return input ? keep_range(q, v->node, input) : NULL;
}

/* n's arguments of a convolution: (input, weight, bias, stride, padding, dilation) and the groups. */
static ir_value *groups_of(const ir_node *n) {
    bool is_transposed;
    if (ir_is_operator(n, "aten::conv2d") || ir_is_operator(n, "aten::conv1d"))
        return ir_in(n, 6);
    if (!ir_is_operator(n, "aten::convolution") || !ir_constant_bool(ir_in(n, 6), &is_transposed) || is_transposed)
        return NULL;
    return ir_in(n, 8);
}

/* Whether the input of a convolution is one image or line: the kernel takes batches. */
static bool is_unbatched(quantizer *q, const ir_value *input, bool is_of_lines) {
    return json_count(hmget(q->sizes, input)) == (is_of_lines ? 2 : 3);
}

/* A list of one int, for lines, with what stands for it across them before. */
static ir_value *with_height(const quantizer *q, int64_t first, const ir_value *list) {
    const ir_constant *c = ir_constant_of(list);
    ir_node *n = ir_node_new(q->at->graph, IR_LIST_CONSTRUCT, 1);
    ir_node_add_input(n, integer(q, first));
    ir_node_add_input(n, c ? ir_insert_constant(q->at, c->list.items[0]) : ir_in(list->node, 0));
    ir_out(n, 0)->type = list->type;
    ir_insert_before(q->at, n);
    return ir_out(n, 0);
}

static ir_value *convolution(quantizer *q, const ir_node *n, const range *out, bool relu) {
    static const int64_t across[] = {1, 0, 1}; /* stride, padding, dilation */
    layer_weight w;
    range r;
    ir_value *groups = groups_of(n), *input = groups ? input_tensor(q, ir_in(n, 0), &r) : NULL, *lists[3];
    if (!input || r.dtype != out->dtype || !pack_weight(q, ir_in(n, 1), 4, groups, ir_in(n, 2), &w))
        return NULL;
    for (uint32_t i = 0; i < 3; i++)
        lists[i] = w.is_of_lines ? with_height(q, across[i], ir_in(n, 3 + i)) : ir_in(n, 3 + i);
    const bool is_single = is_unbatched(q, ir_in(n, 0), w.is_of_lines);
    input = is_single ? with_dim(q, "aten::unsqueeze", input, 0) : input;
    ir_value *inputs[] = {w.is_of_lines ? with_dim(q, "aten::unsqueeze", input, -2) : input,
                          w.packed.parts[0],
                          w.packed.parts[1],
                          w.packed.parts[2],
                          w.packed.parts[3],
                          w.packed.parts[4],
                          lists[0],
                          lists[1],
                          lists[2],
                          groups,
                          number(q, out->scale),
                          integer(q, out->zero_point),
                          ir_insert_constant(q->at, const_bool(relu))};
    ir_value *y = insert(q, "tsm::quantized_conv.float_bias", inputs, 13);
    y = w.is_of_lines ? with_dim(q, "aten::squeeze.dim", y, -2) : y;
    return is_single ? with_dim(q, "aten::squeeze.dim", y, 0) : y;
}

/* linear(input, weight, bias), or addmm(bias, input, the weight turned round), or mm(input, the same). */
typedef struct {
    const ir_value *input, *weight;
    ir_value *bias;
} linear_layer;

/* A matrix with rows and columns exchanged: permute may also leave them as they are. */
static bool is_turned(const ir_value *v) {
    int64_t first;
    if (!ir_is_operator(v->node, "aten::permute"))
        return ir_is_operator(v->node, "aten::t");
    const ir_node *order = ir_in(v->node, 1)->node;
    return order->kind == IR_LIST_CONSTRUCT && ir_input_count(order) == 2 && ir_constant_int(ir_in(order, 0), &first) &&
           (first == 1 || first == -1);
}

static bool read_linear(const quantizer *q, const ir_node *n, linear_layer *l) {
    int64_t beta, alpha;
    if (ir_is_operator(n, "aten::linear")) {
        *l = (linear_layer){ir_in(n, 0), ir_in(n, 1), ir_in(n, 2)};
        return true;
    }
    if (ir_is_operator(n, "aten::mm") && is_turned(ir_in(n, 1))) {
        *l = (linear_layer){ir_in(n, 0), ir_in(ir_in(n, 1)->node, 0), ir_insert_constant(q->at, const_none())};
        return true;
    }
    if (!ir_is_operator(n, "aten::addmm") || !is_turned(ir_in(n, 2)) || !ir_constant_int(ir_in(n, 3), &beta) ||
        beta != 1 || !ir_constant_int(ir_in(n, 4), &alpha) || alpha != 1)
        return false;
    *l = (linear_layer){ir_in(n, 1), ir_in(ir_in(n, 2)->node, 0), ir_in(n, 0)};
    return true;
}

static ir_value *linear(quantizer *q, const ir_node *n, const range *out, bool relu) {
    linear_layer l;
    layer_weight w;
    range r;
    ir_value *input = read_linear(q, n, &l) ? input_tensor(q, l.input, &r) : NULL;
    if (!input || r.dtype != out->dtype || !pack_weight(q, l.weight, 2, integer(q, 1), l.bias, &w))
        return NULL;
    ir_value *inputs[] = {input,
                          w.packed.parts[0],
                          w.packed.parts[1],
                          w.packed.parts[2],
                          w.packed.parts[3],
                          w.packed.parts[4],
                          number(q, out->scale),
                          integer(q, out->zero_point),
                          ir_insert_constant(q->at, const_bool(relu))};
    return insert(q, "tsm::quantized_linear.float_bias", inputs, 9);
}

/* A size is {"as_int": 3}, or {"as_expr": {"expr_str": "s0", ...}}. */
static bool is_size(json size, int64_t number) {
    json value;
    return !strcmp(argument_kind(size, &value), "as_int") && json_integer(value) == number;
}

static bool are_equal_sizes(json a, json b) {
    json of_a, of_b;
    const char *kind = argument_kind(a, &of_a);
    if (strcmp(kind, argument_kind(b, &of_b)) != 0)
        return false;
    return !strcmp(kind, "as_int") ? json_integer(of_a) == json_integer(of_b)
                                   : json_is(json_need(of_a, "expr_str"), json_string(json_need(of_b, "expr_str")));
}

/* Whether all sizes are equal, or the first `count`, where those behind them are 1 in a. */
static bool are_alike(json a, json b, uint32_t count) {
    if (json_count(a) != json_count(b))
        return false;
    uint32_t d = 0;
    for (json i = json_first(a), j = json_first(b); json_inside(i, a); i = json_next(i), j = json_next(j), d++)
        if (d < count ? !are_equal_sizes(i, j) : !is_size(i, 1))
            return false;
    return true;
}

/* Whether a product's operands have one shape, or one is the gate of images, with a number for each of their channels.
 * Others are broadcast, mostly numbers such as 0.5, with which many products lie in the middle between two steps: the
 * kernel's rounding there is not that of the program's floats. */
static bool is_product_of_steps(quantizer *q, const ir_value *left, const ir_value *right) {
    enum { IMAGES = 4, CHANNELS = 2 }; /* dimensions; those up to the channels' */
    const json a = hmget(q->sizes, left), b = hmget(q->sizes, right);
    if (!a.text || !b.text)
        return false;
    return are_alike(a, b, json_count(a)) ||
           (json_count(a) == IMAGES && (are_alike(a, b, CHANNELS) || are_alike(b, a, CHANNELS)));
}

/* a + b or a * b of two tensors. */
static ir_value *elements(quantizer *q, const ir_node *n, const range *out, bool relu) {
    range a, b;
    int64_t alpha;
    bool is_sum = ir_is_operator(n, "aten::add.Tensor") && ir_constant_int(ir_in(n, 2), &alpha) && alpha == 1;
    if (!is_sum && (!ir_is_operator(n, "aten::mul.Tensor") || !is_product_of_steps(q, ir_in(n, 0), ir_in(n, 1))))
        return NULL;
    ir_value *left = input_tensor(q, ir_in(n, 0), &a), *right = left ? input_tensor(q, ir_in(n, 1), &b) : NULL;
    if (!right || a.dtype != out->dtype || b.dtype != out->dtype)
        return NULL;
    ir_value *inputs[] = {left, right, number(q, out->scale), integer(q, out->zero_point)};
    return insert(q,
                  is_sum ? relu ? "quantized::add_relu" : "quantized::add"
                  : relu ? "quantized::mul_relu"
                         : "quantized::mul",
                  inputs, 4);
}

static ir_value *concatenation(quantizer *q, const ir_node *n, const range *out, bool relu) {
    const ir_node *list = ir_is_operator(n, "aten::cat") ? ir_in(n, 0)->node : NULL;
    if (!list || list->kind != IR_LIST_CONSTRUCT || !is_used_once(ir_in(n, 0)) || !ir_input_count(list))
        return NULL;
    ir_value **items = NULL;
    for (uint32_t i = 0; i < ir_input_count(list); i++) {
        range r;
        ir_value *input = input_tensor(q, ir_in(list, i), &r);
        if (!input || r.dtype != out->dtype)
            return NULL;
        arrput(items, input);
    }
    ir_node *tensors = ir_node_new(q->at->graph, IR_LIST_CONSTRUCT, 1);
    for (size_t i = 0; i < arrlenu(items); i++)
        ir_node_add_input(tensors, items[i]);
    ir_out(tensors, 0)->type = ir_in(n, 0)->type;
    ir_insert_before(q->at, tensors);
    ir_value *inputs[] = {ir_out(tensors, 0), ir_in(n, 1), number(q, out->scale), integer(q, out->zero_point)};
    return insert(q, relu ? "quantized::cat_relu" : "quantized::cat", inputs, 4);
}

static ir_value *layer(quantizer *q, const ir_node *n, const range *out, bool relu) {
    ir_value *y = convolution(q, n, out, relu);
    y = y ? y : linear(q, n, out, relu);
    y = y ? y : elements(q, n, out, relu);
    return y ? y : concatenation(q, n, out, relu);
}

/* v quantized; NULL when it has to be calculated with floats. */
static ir_value *quantized(quantizer *q, const ir_value *v, const range *out) {
    stack_check();
    range r;
    const ir_node *n = v->node;
    if (is_dequantized(v, &r))
        return same_range(&r, out) ? tensor_of(q, ir_in(n, 0), &r) : NULL;
    if (!is_used_once(v) || v != ir_out(n, 0))
        return NULL;
    ir_value *y = layer(q, n, out, false);
    if (!y && ir_is_operator(n, "aten::relu") && is_used_once(ir_in(n, 0)))
        y = layer(q, ir_in(n, 0)->node, out, true);
    if (y || !keeps_range(n))
        return y;
    y = quantized(q, ir_in(n, 0), out);
    return y ? keep_range(q, n, y) : NULL;
}

static void quantize_node(quantizer *q, ir_node *n) {
    range out;
    if (!ir_is_operator(n, DECOMPOSED "quantize_per_tensor") || !read_range(n, &out))
        return;
    q->at = n;
    ir_value *y = quantized(q, ir_in(n, 0), &out);
    if (!y)
        return;
    ir_value *ints = insert(q, "aten::int_repr", &y, 1);
    ir_replace_uses(ir_out(n, 0), ints);
    known_tensor k = {ints, {y, out}};
    hmputs(q->known, k);
    q->has_changed = true;
}

/* ---- Dynamic quantization ---- */

/* The floats whose quantized form v has, by their own range of 8 bits; NULL: something else. */
static ir_value *floats_of(const quantizer *q, const ir_value *v) {
    stack_check();
    const ir_node *n = v->node;
    int64_t low, high;
    if (ir_is_operator(n, "aten::view") && is_used_once(v)) {
        ir_value *input = floats_of(q, ir_in(n, 0));
        return input ? moved(q, n, input) : NULL;
    }
    if (!ir_is_operator(n, DECOMPOSED "dequantize_per_tensor.tensor") || !gives_floats(n, 6))
        return NULL;
    const ir_node *to = ir_in(n, 0)->node, *chosen = ir_in(n, 1)->node;
    if (!ir_is_operator(to, DECOMPOSED "quantize_per_tensor.tensor") ||
        !ir_is_operator(chosen, DECOMPOSED "choose_qparams.tensor") || !ir_constant_int(ir_in(chosen, 1), &low) ||
        !ir_constant_int(ir_in(chosen, 2), &high) || high - low != 255)
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        if (ir_in(n, i + 1) != ir_out(chosen, i) || ir_in(to, i + 1) != ir_out(chosen, i))
            return NULL;
    return ir_in(to, 0) == ir_in(chosen, 0) ? ir_in(to, 0) : NULL;
}

static void quantize_dynamic(quantizer *q, ir_node *n) {
    linear_layer l;
    layer_weight w;
    q->at = n;
    ir_value *input = read_linear(q, n, &l) ? floats_of(q, l.input) : NULL;
    if (!input || !pack_weight(q, l.weight, 2, integer(q, 1), l.bias, &w))
        return;
    ir_value *inputs[] = {input,
                          w.packed.parts[0],
                          w.packed.parts[1],
                          w.packed.parts[2],
                          w.packed.parts[3],
                          w.packed.parts[4],
                          ir_insert_constant(n, const_bool(false))};
    ir_replace_uses(ir_out(n, 0), insert(q, "tsm::quantized_linear_dynamic", inputs, 7));
    q->has_changed = true;
}

static void quantize_block(quantizer *q, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            quantize_block(q, n->blocks[i]);
        quantize_node(q, n);
        quantize_dynamic(q, n);
    }
}

/* Removes what has lost its users. The library functions that dequantizing nodes become change lists, so that dce would
 * leave them. */
static void remove_unused(ir_block *b) {
    stack_check();
    for (ir_node *n = b->result->previous, *before = n->previous; n != b->param; n = before, before = n->previous) {
        bool is_used = !n->schema || schema_has_side_effects(n->schema);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            remove_unused(n->blocks[i]);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            is_used |= ir_use_count(ir_out(n, i)) > 0;
        if (!is_used)
            ir_destroy(n);
    }
}

void quantize_layers(translation *t, ir_graph *g, json metas) {
    quantizer q = {.program = t->program};
    JSON_EACH(name, json_object(metas)) {
        const ptrdiff_t i = shgeti(t->values, json_string(name));
        if (i >= 0)
            hmput(q.sizes, t->values[i].value, json_array(json_need(json_value(name), "sizes")));
    }
    quantize_block(&q, g->block);
    if (q.has_changed)
        remove_unused(g->block);
}
