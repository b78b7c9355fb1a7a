/* Finds weights that layers alone use, and makes the layers take them narrow. */
#include "exporter/passes/optimize/narrow_weights.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/schema/operator_node.h"
#include "runtime/kernels/simd/pack.h"

enum { FEWEST_ELEMENTS = 1024 };
static const float LARGEST_HALF = 65504.0f;

/* What a layer reads of its weight. */
typedef enum {
    NO_LAYER,
    PACKED,     /* it is packed already */
    BY_OUTPUTS, /* [outputs, inputs] */
    BY_INPUTS,  /* [inputs, outputs] */
    TABLE,      /* [rows, numbers] */
    UNPACKED,   /* it is packed, and taken apart: code that does not run together with the layer (unpack_weights.h) */
} weight_form;

typedef struct {
    ir_constant *elements, *scales; /* scales: none for half floats */
} narrow_constants;

/* ---- Layers ---- */

static bool is_none(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_NONE;
}

/* Whether a bias is none, or one float for each output. */
static bool is_bias_of(const ir_value *v, int64_t outputs) {
    const pt_tensor *t;
    return is_none(v) || (tensor_constant_has_floats(ir_constant_of(v), 1, &t) && t->sizes[0] == outputs);
}

/* Depthwise kernels are few numbers. */
static bool is_depthwise(const ir_node *convolution, const pt_tensor *packed) {
    int64_t outputs, groups;
    return !ir_constant_int(ir_in(convolution, 4), &outputs) || !ir_constant_int(ir_in(convolution, 8), &groups) ||
           (groups > 1 && groups == outputs && packed->sizes[packed->ndim - 2] == 1);
}

/* The recurrent layer whose parameters a list is; NULL: it is another list. */
static ir_node *recurrent_layer(const ir_node *list) {
    const ir_value *v = list->kind == IR_LIST_CONSTRUCT ? ir_out(list, 0) : NULL;
    const ir_use *u = v && ir_use_count(v) == 1 ? &v->uses[0] : NULL;
    return u && u->index == 2 && (ir_is_operator(u->user, "tsm::lstm") || ir_is_operator(u->user, "tsm::gru")) ? u->user
                                                                                                               : NULL;
}

/* How many parameters, weights and biases, a direction has; 0: not known. */
static uint32_t parameters_of(const ir_node *recurrent) {
    bool has_biases;
    return ir_constant_bool(ir_in(recurrent, 3), &has_biases) ? has_biases ? 4 : 2 : 0;
}

static bool is_recurrent_weight(const tensor_use *u) {
    const ir_node *layer = recurrent_layer(u->user);
    const uint32_t of_direction = layer ? parameters_of(layer) : 0;
    return of_direction && u->index % of_direction < 2;
}

static weight_form form_of(const tensor_use *u) {
    const ir_node *n = u->user;
    const pt_tensor *t = u->tensor;
    if (!n)
        return NO_LAYER;
    if ((ir_is_operator(n, "tsm::linear") && u->index == 1) || is_recurrent_weight(u))
        return PACKED;
    if (ir_is_operator(n, "tsm::convolution") && u->index == 1)
        return is_depthwise(n, t) ? NO_LAYER : PACKED;
    if (ir_is_operator(n, "aten::reshape") && u->index == 0 && t->ndim > 2 && t->sizes[t->ndim - 1] == TSM_PANEL)
        return UNPACKED;
    if (t->ndim != 2)
        return NO_LAYER;
    if (ir_is_operator(n, "aten::embedding") && u->index == 0)
        return TABLE;
    if (ir_is_operator(n, "aten::linear") && u->index == 1 && is_bias_of(ir_in(n, 2), t->sizes[0]))
        return BY_OUTPUTS;
    return ir_is_operator(n, "aten::matmul") && u->index == 1 ? BY_INPUTS : NO_LAYER;
}

/* ---- Elements ---- */

static bool can_be_narrow(const float *x, size_t n, weight_elements to) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || (to == WEIGHTS_F16 && fabsf(x[i]) > LARGEST_HALF))
            return false;
    return true;
}

/* Element (o, k) of outputs by inputs stands at x[o * output_step + o / 16 * panel_step + k * input_step]. */
typedef struct {
    size_t outputs, inputs, output_step, panel_step, input_step;
} element_order;

static size_t element_at(const element_order *e, size_t o, size_t k) {
    return o % TSM_PANEL * e->output_step + o / TSM_PANEL * e->panel_step + k * e->input_step;
}

static ir_constant *narrow_bytes(const float *x, const pt_tensor *like, const element_order *e, ir_constant **scales) {
    const int64_t outputs = (int64_t)e->outputs;
    void *data;
    float *of_outputs;
    ir_constant *c = tensor_constant_new(PT_INT8, like->ndim, like->sizes, &data);
    *scales = tensor_constant_new_floats(1, &outputs, &of_outputs);
    int8_t *bytes = data;
    for (size_t o = 0; o < e->outputs; o++) {
        float largest = 0;
        for (size_t k = 0; k < e->inputs; k++)
            largest = fmaxf(largest, fabsf(x[element_at(e, o, k)]));
        of_outputs[o] = largest / 127;
        for (size_t k = 0; k < e->inputs && of_outputs[o] > 0; k++) {
            const float number = rintf(x[element_at(e, o, k)] / of_outputs[o]);
            bytes[element_at(e, o, k)] = (int8_t)fmaxf(-127, fminf(127, number));
        }
    }
    return c;
}

static ir_constant *narrow_halves(const float *x, const pt_tensor *like) {
    void *data;
    ir_constant *c = tensor_constant_new(PT_FLOAT16, like->ndim, like->sizes, &data);
    tsm_pack_halves(data, x, (size_t)pt_tensor_numel(like));
    return c;
}

static narrow_constants narrow_elements(const float *x, const pt_tensor *like, const element_order *e,
                                        weight_elements to) {
    narrow_constants n = {0};
    n.elements = to == WEIGHTS_INT8 ? narrow_bytes(x, like, e, &n.scales) : narrow_halves(x, like);
    return n;
}

static narrow_constants narrow_packed(const float *x, const pt_tensor *packed, weight_elements to) {
    const size_t panels = (size_t)packed->sizes[0], inputs = (size_t)pt_tensor_numel(packed) / panels / TSM_PANEL;
    const element_order e = {panels * TSM_PANEL, inputs, 1, inputs * TSM_PANEL, TSM_PANEL};
    return narrow_elements(x, packed, &e, to);
}

static narrow_constants narrow_table(const float *x, const pt_tensor *t, weight_elements to) {
    const size_t numbers = (size_t)t->sizes[1];
    const element_order e = {(size_t)t->sizes[0], numbers, numbers, numbers * TSM_PANEL, 1};
    return narrow_elements(x, t, &e, to);
}

static narrow_constants narrow_matrix(const float *x, const pt_tensor *t, weight_form form, weight_elements to) {
    const bool by_inputs = form == BY_INPUTS;
    const size_t outputs = (size_t)t->sizes[by_inputs ? 1 : 0], inputs = (size_t)t->sizes[by_inputs ? 0 : 1];
    const int64_t sizes[] = {(int64_t)tsm_pack_panels(outputs), (int64_t)inputs, TSM_PANEL};
    float *packed;
    ir_constant *c = tensor_constant_new_floats(3, sizes, &packed);
    tsm_pack_matrix(packed, x, outputs, inputs, by_inputs ? 1 : (ptrdiff_t)inputs, by_inputs ? (ptrdiff_t)outputs : 1);
    return narrow_packed(packed, c->tensor, to);
}

/* ---- Rewriting ---- */

typedef struct {
    ir_value **inputs; /* stb_ds array */
    ir_node *at;
} new_inputs;

static void add_input(new_inputs *i, ir_value *v) {
    arrput(i->inputs, v);
}

static void add_constant(new_inputs *i, ir_constant *c) {
    add_input(i, ir_insert_constant(i->at, c));
}

static void add_narrow(new_inputs *i, const narrow_constants *c) {
    add_constant(i, c->elements);
    add_constant(i, c->scales ? c->scales : const_none());
}

static ir_value *insert_operator(const new_inputs *i, const char *name) {
    return ir_out(operator_insert_node(i->at, name, i->inputs, (uint32_t)arrlenu(i->inputs)), 0);
}

/* The operator in the place of i->at. */
static void replace_by(const new_inputs *i, const char *name) {
    operator_replace(i->at, name, i->inputs, (uint32_t)arrlenu(i->inputs));
}

/* tsm::linear and tsm::convolution: the weight is argument 1, and the others stay in their order. */
static void replace_packed(ir_node *n, const narrow_constants *c) {
    new_inputs i = {.at = n};
    add_input(&i, ir_in(n, 0));
    add_narrow(&i, c);
    for (uint32_t k = 2; k < ir_input_count(n); k++)
        add_input(&i, ir_in(n, k));
    replace_by(&i, ir_is_operator(n, "tsm::linear") ? "tsm::narrow_linear" : "tsm::narrow_convolution");
}

static void replace_matrix(ir_node *n, const narrow_constants *c, int64_t outputs) {
    new_inputs i = {.at = n};
    add_input(&i, ir_in(n, 0));
    add_narrow(&i, c);
    if (ir_is_operator(n, "aten::linear"))
        add_input(&i, ir_in(n, 2));
    else
        add_constant(&i, const_none());
    add_constant(&i, const_none());
    add_constant(&i, const_int(outputs));
    add_constant(&i, const_int(TSM_ACT_NONE));
    add_constant(&i, const_float(-INFINITY));
    add_constant(&i, const_float(INFINITY));
    replace_by(&i, "tsm::narrow_linear");
}

static void replace_embedding(ir_node *n, const narrow_constants *c, int64_t rows) {
    new_inputs i = {.at = n};
    add_narrow(&i, c);
    add_input(&i, ir_in(n, 1));
    add_constant(&i, const_int(rows));
    replace_by(&i, "tsm::narrow_embedding");
}

/* The whole weight as floats. */
static ir_value *insert_floats(ir_node *at, const narrow_constants *c) {
    const pt_tensor *t = c->elements->tensor;
    new_inputs i = {.at = at};
    add_constant(&i, c->elements);
    add_constant(&i, const_int(PT_FLOAT32));
    add_constant(&i, const_bool(false));
    add_constant(&i, const_bool(false));
    add_constant(&i, const_none());
    ir_value *floats = insert_operator(&i, "aten::to.dtype");
    if (!c->scales)
        return floats;
    int64_t sizes[PT_MAX_DIMS];
    float *scales;
    for (int d = 0; d < t->ndim; d++)
        sizes[d] = d == 0 || d == t->ndim - 1 ? t->sizes[d] : 1;
    new_inputs product = {.at = at};
    add_input(&product, floats);
    add_constant(&product, tensor_constant_new_floats(t->ndim, sizes, &scales));
    memcpy(scales, pt_tensor_data(c->scales->tensor), pt_tensor_bytes(c->scales->tensor));
    return insert_operator(&product, "aten::mul.Tensor");
}

/* ---- Recurrent layers: all weights of one at once ---- */

typedef struct {
    const ir_node *key; /* the list of the parameters */
    struct {
        narrow_constants weight;
        uint32_t index;
    } * value; /* stb_ds array */
} * recurrent_weights;

static void add_recurrent(recurrent_weights *all, const tensor_use *u, const narrow_constants *c) {
    __typeof__((*all)->value) weights = hmget(*all, u->user);
    __typeof__(*weights) w = {*c, u->index};
    arrput(weights, w);
    hmput(*all, u->user, weights);
}

/* Behind the parameters of each direction stand the scales of its weights. */
static void replace_recurrent(ir_node *list, recurrent_weights all) {
    ir_node *layer = recurrent_layer(list), *made = ir_node_new(list->graph, IR_LIST_CONSTRUCT, 1);
    const uint32_t of_direction = parameters_of(layer);
    const int64_t nothing = 0;
    float *no_scales;
    ir_constant *scales[2];
    made->range = list->range;
    made->scope = list->scope;
    made->outputs[0]->type = ir_out(list, 0)->type;
    for (uint32_t i = 0; i < ir_input_count(list); i++) {
        const uint32_t place = i % of_direction;
        ir_value *v = ir_in(list, i);
        if (place < 2)
            scales[place] = tensor_constant_new_floats(1, &nothing, &no_scales);
        for (size_t k = 0; k < arrlenu(hmget(all, list)); k++) {
            const narrow_constants *c = &hmget(all, list)[k].weight;
            if (hmget(all, list)[k].index != i)
                continue;
            v = ir_insert_constant(list, c->elements);
            scales[place] = c->scales ? c->scales : scales[place];
        }
        ir_node_add_input(made, v);
        for (int k = 0; k < 2 && place + 1 == of_direction; k++)
            ir_node_add_input(made, ir_insert_constant(list, scales[k]));
    }
    ir_insert_before(list, made);
    ir_node_set_input(layer, 2, ir_out(made, 0));
    ir_node_set_operator(layer,
                         schema_find(ir_is_operator(layer, "tsm::lstm") ? "tsm::narrow_lstm" : "tsm::narrow_gru"));
    ir_destroy(list);
}

/* ---- Storages ---- */

/* How the layers of all uses together read the tensor: NO_LAYER when it has to stay. A table that is also a layer's
 * weight is read as that is packed, where its rows are the layer's outputs. */
static weight_form common_form(const tensor_use *uses) {
    weight_form form = NO_LAYER;
    bool has_table = false, is_unpacked = false;
    for (size_t i = 0; i < arrlenu(uses); i++) {
        const weight_form f = form_of(&uses[i]);
        has_table |= f == TABLE;
        is_unpacked |= f == UNPACKED;
        if (!tensor_is_same(uses[i].tensor, uses[0].tensor) || f == NO_LAYER)
            return NO_LAYER;
        if (f == TABLE || f == UNPACKED)
            continue;
        if (form != NO_LAYER && f != form)
            return NO_LAYER;
        form = f;
    }
    if ((has_table && form == BY_INPUTS) || (is_unpacked && form != PACKED))
        return NO_LAYER;
    return form == NO_LAYER && has_table ? TABLE : form;
}

static void replace_use(const tensor_use *u, weight_form form, const narrow_constants *c,
                        recurrent_weights *recurrent) {
    const int64_t *sizes = u->tensor->sizes;
    if (form_of(u) == TABLE)
        replace_embedding(u->user, c, sizes[0]);
    else if (form_of(u) == UNPACKED)
        ir_node_set_input(u->user, u->index, insert_floats(u->user, c));
    else if (u->user->kind == IR_LIST_CONSTRUCT)
        add_recurrent(recurrent, u, c);
    else if (form == PACKED)
        replace_packed(u->user, c);
    else
        replace_matrix(u->user, c, sizes[form == BY_INPUTS ? 1 : 0]);
}

static void narrow_storage(const tensor_use *uses, weight_elements to, recurrent_weights *recurrent) {
    const pt_tensor *t = uses[0].tensor;
    const weight_form form = common_form(uses);
    if (form == NO_LAYER || t->dtype != PT_FLOAT32 || pt_tensor_numel(t) < FEWEST_ELEMENTS)
        return;
    const float *x = pt_tensor_data(t);
    if (!can_be_narrow(x, (size_t)pt_tensor_numel(t), to))
        return;
    const narrow_constants c = form == PACKED  ? narrow_packed(x, t, to)
                               : form == TABLE ? narrow_table(x, t, to)
                                               : narrow_matrix(x, t, form, to);
    c.elements->tensor->name = t->name;
    for (size_t i = 0; i < arrlenu(uses); i++)
        replace_use(&uses[i], form, &c, recurrent);
}

void narrow_weights(const weight_scope *scope, weight_elements to) {
    recurrent_weights recurrent = NULL;
    tensor_uses uses = tensor_uses_find(scope);
    for (size_t i = 0; i < hmlenu(uses); i++)
        narrow_storage(uses[i].value, to, &recurrent);
    for (size_t i = 0; i < hmlenu(recurrent); i++)
        replace_recurrent((ir_node *)recurrent[i].key, recurrent);
    for (size_t i = 0; i < arrlenu(scope->functions); i++)
        dce(function_graph(scope->functions[i]));
}
