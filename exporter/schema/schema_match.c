/* Matching calls to schemas: which overload is meant, and what its inputs are. */
#include <string.h>

#include "exporter/schema/schema.h"

/* One try. Reasons for a misfit are written only when somebody wants them. */
typedef struct {
    const op_schema *schema;
    ir_node *at;
    source_range range;
    const char **variable_names; /* stb_ds arrays: type variables and what they stand for */
    const type **variable_types;
    ir_node **inserted; /* stb_ds array, taken back when the schema does not fit */
    bool conversions;
    strbuf *why;
} matching;

#define EXPLAIN(m, ...) ((m)->why ? strbuf_printf((m)->why, __VA_ARGS__) : (void)0)

/* ---- Inserting ---- */

static ir_value *insert_node(matching *m, ir_kind kind, const type *t, ir_value *const *inputs, uint32_t count) {
    ir_node *n = ir_node_new(m->at->graph, kind, 1);
    n->outputs[0]->type = t;
    n->range = m->range;
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(n, inputs[i]);
    ir_insert_before(m->at, n);
    arrput(m->inserted, n);
    return n->outputs[0];
}

static ir_value *insert_operator(matching *m, const char *name, const type *t, ir_value *input) {
    ir_value *v = insert_node(m, ir_kind_of(name), t, &input, 1);
    v->node->schema = schema_find(name);
    return v;
}

static ir_value *insert_constant(matching *m, ir_constant *c) {
    ir_value *v = ir_insert_constant(m->at, c);
    v->node->range = m->range;
    arrput(m->inserted, v->node);
    return v;
}

static void take_back(matching *m) {
    while (arrlenu(m->inserted))
        ir_destroy(arrpop(m->inserted));
}

/* ---- Type variables ---- */

static const char *bind(matching *m, const type *formal, const type *actual);

static const char *bind_variable(matching *m, const type *formal, const type *actual) {
    for (size_t i = 0; i < arrlenu(m->variable_names); i++)
        if (m->variable_names[i] == formal->name) {
            if (type_unify(m->variable_types[i], actual, false))
                return NULL;
            return !m->why ? ""
                           : mem_printf("Type variable '%s' previously matched to type %s is matched to type %s",
                                        formal->name, type_annotation(m->variable_types[i]), type_annotation(actual));
        }
    arrput(m->variable_names, formal->name);
    arrput(m->variable_types, actual);
    return NULL;
}

/* A tuple may stand for a list when its items have a common type. */
static const char *bind_list(matching *m, const type *formal, const type *actual) {
    if (actual->kind == TYPE_LIST)
        return bind(m, formal->items[0], actual->items[0]);
    const type *common = actual->kind == TYPE_TUPLE && actual->count ? actual->items[0] : NULL;
    for (uint32_t i = 1; common && i < actual->count; i++)
        common = type_unify(common, actual->items[i], false);
    if (common)
        return bind(m, formal->items[0], common);
    return !m->why ? "" : mem_printf("Cannot match %s to %s", type_annotation(formal), type_annotation(actual));
}

static const char *bind_optional(matching *m, const type *formal, const type *actual) {
    if (actual->kind == TYPE_OPTIONAL)
        return bind(m, formal->items[0], actual->items[0]);
    if (actual->kind != TYPE_NONE)
        return bind(m, formal->items[0], actual);
    return "Cannot match an Optional[T] to None, because there is no way to determine T from None";
}

/* Finds what the variables of `formal` stand for when an `actual` is given; returns why that cannot be, or NULL. */
static const char *bind(matching *m, const type *formal, const type *actual) {
    stack_check();
    if (!type_has_variables(formal))
        return NULL;
    switch (formal->kind) {
    case TYPE_VAR:
        return bind_variable(m, formal, actual);
    case TYPE_LIST:
        return bind_list(m, formal, actual);
    case TYPE_OPTIONAL:
        return bind_optional(m, formal, actual);
    default:
        break;
    }
    if (formal->kind != actual->kind)
        return !m->why
                   ? ""
                   : mem_printf("Cannot match %s to %s", formal->kind == TYPE_DICT ? "a dict" : type_annotation(formal),
                                type_annotation(actual));
    if (formal->count != actual->count)
        return "Cannot match tuples of mismatched size";
    for (uint32_t i = 0; i < formal->count; i++) {
        const char *reason = bind(m, formal->items[i], actual->items[i]);
        if (reason)
            return reason;
    }
    return NULL;
}

static const type *resolve(const matching *m, const type *t) {
    return type_substitute(t, m->variable_names, m->variable_types, (uint32_t)arrlenu(m->variable_names));
}

/* ---- Conversions ---- */

static ir_value *convert(matching *m, ir_value *v, const type *wanted);

static bool tuple_fits_list(const type *tuple, const type *list) {
    for (uint32_t i = 0; i < tuple->count; i++)
        if (!type_is_subtype(tuple->items[i], list->items[0], NULL))
            return false;
    return true;
}

/* The parts of a tuple; those of a constant are constants, those of a display its items. */
static ir_value **insert_unpack(matching *m, ir_value *tuple) {
    const ir_constant *known = ir_constant_of(tuple);
    ir_value **parts = NULL;
    for (uint32_t i = 0; known && known->kind == CONST_TUPLE && i < known->list.count; i++)
        arrput(parts, ir_insert_constant(m->at, known->list.items[i]));
    if (parts || tuple->node->kind == IR_TUPLE_CONSTRUCT)
        return parts ? parts : tuple->node->inputs;
    ir_node *n = ir_node_new(m->at->graph, IR_TUPLE_UNPACK, tuple->type->count);
    n->range = m->range;
    ir_node_add_input(n, tuple);
    for (uint32_t i = 0; i < tuple->type->count; i++)
        n->outputs[i]->type = tuple->type->items[i];
    ir_insert_before(m->at, n);
    arrput(m->inserted, n);
    return n->outputs;
}

static ir_value *convert_tuple(matching *m, ir_value *v, const type *wanted) {
    const type *t = v->type;
    if (wanted->kind == TYPE_LIST && tuple_fits_list(t, wanted))
        return insert_node(m, IR_LIST_CONSTRUCT, wanted, insert_unpack(m, v), t->count);
    if (wanted->kind != TYPE_TUPLE || wanted->count != t->count || type_is_subtype(t, wanted, NULL))
        return v;
    ir_value **parts = insert_unpack(m, v), **items = NULL;
    const type **types = NULL;
    for (uint32_t i = 0; i < t->count; i++) {
        arrput(items, convert(m, parts[i], wanted->items[i]));
        arrput(types, items[i]->type);
    }
    return insert_node(m, IR_TUPLE_CONSTRUCT, type_tuple(types, t->count), items, t->count);
}

/* `[]`, which nothing has used (but a tuple display), named or annotated yet, is an empty list of any type. */
static bool is_empty_display(const ir_value *v) {
    for (uint32_t i = 0; i < ir_use_count(v); i++)
        if (v->uses[i].user->kind != IR_TUPLE_CONSTRUCT)
            return false;
    return v->node->kind == IR_LIST_CONSTRUCT && !ir_input_count(v->node) && !v->name && !v->node->type_operand &&
           v->type == type_list(type_basic(TYPE_TENSOR));
}

/* Bools are numbers since PyTorch 2. */
static const struct {
    type_kind wanted;
    const char *of_tensor, *of_number, *of_bool;
} number_conversions[] = {
    {TYPE_INT, "aten::IntImplicit", "aten::Int.Scalar", "aten::Int.bool"},
    {TYPE_FLOAT, "aten::FloatImplicit", "aten::Float.Scalar", "aten::Float.bool"},
    {TYPE_COMPLEX, "aten::ComplexImplicit", "aten::Complex.Scalar", NULL},
    {TYPE_NUMBER, "aten::ScalarImplicit", NULL, "aten::Int.bool"},
};

static ir_value *convert_number(matching *m, ir_value *v, const type *wanted) {
    for (size_t i = 0; i < sizeof number_conversions / sizeof *number_conversions; i++) {
        if (number_conversions[i].wanted != wanted->kind)
            continue;
        const char *full = v->type->kind == TYPE_TENSOR ? number_conversions[i].of_tensor
                           : v->type->kind == TYPE_BOOL ? number_conversions[i].of_bool
                                                        : number_conversions[i].of_number;
        if (!full)
            return v;
        const op_schema *s = schema_find(full);
        const bool is_int = v->type->kind == TYPE_BOOL && wanted->kind == TYPE_NUMBER;
        ir_value *number = insert_node(m, s->kind, is_int ? type_basic(TYPE_INT) : wanted, &v, 1);
        number->node->schema = s;
        return number;
    }
    return v;
}

/* Archives print floats of ten and more digits without a point: an int constant where a float is wanted is that float.
 */
static ir_value *repair_float(matching *m, ir_value *v) {
    enum { TEN_DIGITS = 1000000000 };
    int64_t number;
    if (!ir_constant_int(v, &number) || (number < 10 * (int64_t)TEN_DIGITS && number > -10 * (int64_t)TEN_DIGITS))
        return v;
    return insert_constant(m, const_float((double)number));
}

/* Returns v itself when there is no conversion. */
static ir_value *convert(matching *m, ir_value *v, const type *wanted) {
    stack_check();
    if (type_is_subtype(v->type, wanted, NULL))
        return v;
    if (wanted->kind == TYPE_OPTIONAL)
        return v->type->kind == TYPE_OPTIONAL ? v : convert(m, v, wanted->items[0]);
    if (wanted->kind == TYPE_LIST && is_empty_display(v))
        return insert_node(m, IR_LIST_CONSTRUCT, wanted, NULL, 0);
    if (v->type->kind == TYPE_TUPLE)
        return convert_tuple(m, v, wanted);
    if (!m->conversions)
        return v;
    if (wanted->kind == TYPE_FLOAT && v->type->kind == TYPE_INT)
        return repair_float(m, v);
    if (v->type->kind == TYPE_TENSOR || v->type->kind == TYPE_NUMBER || v->type->kind == TYPE_BOOL)
        return convert_number(m, v, wanted);
    if (v->type->kind == TYPE_STR && wanted->kind == TYPE_DEVICE)
        return insert_operator(m, "aten::device", wanted, v);
    return v;
}

ir_value *schema_convert(ir_node *at, source_range range, ir_value *v, const type *wanted) {
    matching m = {.at = at, .range = range, .conversions = true};
    return convert(&m, v, wanted);
}

/* A single number given for `int[2]`: the list of it twice. NULL when that is not the case. */
static ir_value *broadcast(matching *m, const schema_argument *a, ir_value *v) {
    const type *list = type_without_none(a->type);
    bool is_number = v->type->kind == TYPE_INT || v->type->kind == TYPE_FLOAT;
    if (!a->list_size || !is_number || list->kind != TYPE_LIST || list->items[0] != v->type)
        return NULL;
    ir_value **items = NULL;
    for (int32_t i = 0; i < a->list_size; i++)
        arrput(items, v);
    return insert_node(m, IR_LIST_CONSTRUCT, list, items, (uint32_t)a->list_size);
}

/* ---- Arguments ---- */

static void explain_mismatch(matching *m, const schema_argument *a, const ir_value *v, const strbuf *detail) {
    const type *t = v->type;
    EXPLAIN(m, "Expected a value of type '%s' for argument '%s' but instead found type '%s'.\n",
            type_annotation(a->type), a->name, ir_value_annotation(v));
    if (t->kind == TYPE_LIST && t->items[0]->kind == TYPE_TENSOR)
        EXPLAIN(m, "Empty lists default to List[Tensor]. Add a variable annotation to the assignment to create an "
                   "empty list of another "
                   "type (torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)\n");
    EXPLAIN(m, "%s", strbuf_text(detail));
}

/* The input for one argument; NULL when the value does not fit. */
static ir_value *match_value(matching *m, const schema_argument *a, ir_value *v) {
    ir_value *list = broadcast(m, a, v);
    if (list)
        return list;
    const type *wanted = a->type;
    if (type_has_variables(wanted)) {
        const char *reason = bind(m, wanted, v->type);
        if (reason) {
            EXPLAIN(m, "Could not match type %s to %s in argument '%s': %s.\n", type_annotation(v->type),
                    type_annotation(wanted), a->name, reason);
            return NULL;
        }
        wanted = resolve(m, wanted);
    }
    v = convert(m, v, wanted);
    if (a->literal) {
        const ir_constant *c = ir_constant_of(v);
        if (c && const_equal(c, a->literal))
            return v;
        EXPLAIN(m, "Expected the constant %s for argument '%s'.\n", a->literal->boolean ? "True" : "False", a->name);
        return NULL;
    }
    strbuf detail = {0};
    if (type_is_subtype(v->type, wanted, m->why ? &detail : NULL))
        return v;
    if (m->why)
        explain_mismatch(m, a, v, &detail);
    return NULL;
}

/* `x.view(2, 3)`: the positional rest is the list that the last positional argument wants. A conversion: overloads that
 * take the arguments as they are come first. */
static bool takes_rest_as_list(const matching *m, uint32_t i, const ir_value *next) {
    const op_schema *s = m->schema;
    const type *t = s->arguments[i].type;
    bool is_last = i + 1 == s->argument_count || s->arguments[i + 1].keyword_only;
    bool is_given_as_list = next->type->kind == TYPE_LIST ||
                            (next->type->kind == TYPE_TUPLE && t->kind == TYPE_LIST && tuple_fits_list(next->type, t));
    return m->conversions && is_last && t->kind == TYPE_LIST && t->items[0]->kind != TYPE_VAR &&
           !s->arguments[i].list_size && !is_given_as_list;
}

static ir_value *rest_as_list(matching *m, const schema_argument *a, const call_argument *rest, uint32_t count) {
    ir_value **items = NULL;
    schema_argument element = {.name = "<varargs>", .type = a->type->items[0]};
    for (uint32_t i = 0; i < count; i++) {
        ir_value *v = match_value(m, &element, rest[i].value);
        if (!v)
            return NULL;
        arrput(items, v);
    }
    return insert_node(m, IR_LIST_CONSTRUCT, a->type, items, count);
}

static int find_keyword(const call_argument *keywords, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(keywords[i].name, name))
            return (int)i;
    return -1;
}

static bool has_argument(const op_schema *s, const char *name) {
    for (uint32_t i = 0; i < s->argument_count; i++)
        if (!strcmp(s->arguments[i].name, name))
            return true;
    return false;
}

/* Finds the values for all arguments of the schema; NULL stands for those that have their default. */
static ir_value **match_arguments(matching *m, const call_argument *given, uint32_t positional, uint32_t keywords) {
    const op_schema *s = m->schema;
    ir_value **inputs = NULL;
    uint32_t used = 0;
    bool *used_keywords = MEM_ARRAY(bool, keywords + 1);
    for (uint32_t i = 0; i < s->argument_count; i++) {
        const schema_argument *a = &s->arguments[i];
        ir_value *v = NULL;
        int keyword = -1;
        if (!a->keyword_only && used < positional) {
            bool takes_rest = takes_rest_as_list(m, i, given[used].value);
            v = takes_rest ? rest_as_list(m, a, given + used, positional - used) : match_value(m, a, given[used].value);
            used = takes_rest ? positional : used + 1;
        } else if ((keyword = find_keyword(given + positional, keywords, a->name)) >= 0) {
            v = match_value(m, a, given[positional + (uint32_t)keyword].value);
            used_keywords[keyword] = true;
        } else if (a->default_value) {
            arrput(inputs, NULL);
            continue;
        } else
            EXPLAIN(m, "Argument %s not provided.\n", a->name);
        if (!v)
            return NULL;
        arrput(inputs, v);
    }
    while (s->variable_arguments && used < positional)
        arrput(inputs, given[used++].value);
    if (used < positional) {
        EXPLAIN(m, "Expected at most %u arguments but found %u positional arguments.\n", used, positional);
        return NULL;
    }
    for (uint32_t i = 0; i < keywords; i++)
        if (!used_keywords[i]) {
            const char *name = given[positional + i].name;
            EXPLAIN(m, "Keyword argument %s %s.\n", name, has_argument(s, name) ? "specified twice" : "unknown");
            return NULL;
        }
    if (!inputs)
        arrsetcap(inputs, 1);
    return inputs;
}

/* The number of a dtype and a size are both ints, so PyTorch hides view.dtype: x.view(1) is a size. Here it can be
 * called by the name of its argument. */
static bool is_hidden(const op_schema *s, uint32_t positional) {
    return positional > 1 && !strcmp(s->full_name, "aten::view.dtype");
}

schema_match *schema_try(const op_schema *s, ir_node *at, source_range range, const ir_value *self,
                         const call_argument *arguments, uint32_t count, bool implicit_conversions, strbuf *why) {
    matching m = {s, at, range, NULL, NULL, NULL, implicit_conversions, why};
    if (self) {
        call_argument *with_self = MEM_ARRAY(call_argument, count + 1);
        with_self[0].value = (ir_value *)self;
        for (uint32_t i = 0; i < count; i++)
            with_self[i + 1] = arguments[i];
        arguments = with_self;
        count++;
    }
    uint32_t positional = 0;
    while (positional < count && !arguments[positional].name)
        positional++;
    ir_value **inputs =
        is_hidden(s, positional) ? NULL : match_arguments(&m, arguments, positional, count - positional);
    if (!inputs) {
        take_back(&m);
        return NULL;
    }
    schema_match *match = MEM_NEW(schema_match);
    match->inputs = inputs;
    for (size_t i = 0; i < arrlenu(inputs); i++)
        if (!inputs[i])
            inputs[i] = insert_constant(&m, s->arguments[i].default_value);
    for (uint32_t i = 0; i < s->return_count; i++) {
        const type *t = resolve(&m, s->returns[i].type);
        arrput(match->returns, t ? t : type_basic(TYPE_NONE));
    }
    return match;
}

/* ---- Operators ---- */

ir_node *schema_insert(const op_schema *s, const schema_match *match, ir_node *at, source_range range) {
    ir_node *n = ir_node_new(at->graph, s->kind, (uint32_t)arrlenu(match->returns));
    n->schema = s;
    n->range = range;
    for (size_t i = 0; i < arrlenu(match->inputs); i++)
        ir_node_add_input(n, match->inputs[i]);
    for (size_t i = 0; i < arrlenu(match->returns); i++)
        n->outputs[i]->type = match->returns[i];
    ir_insert_before(at, n);
    return n;
}

static void add_indented(strbuf *out, const char *text) {
    bool starts_line = true;
    for (; *text; text++) {
        strbuf_add(out, starts_line ? "  " : "");
        strbuf_add_n(out, text, 1);
        starts_line = *text == '\n';
    }
}

/* Tries all candidates once more, to say why each of them does not fit. */
_Noreturn static void fail_call(const op_schema *const *list, uint32_t candidates, ir_node *at, source_range range,
                                const call_argument *arguments, uint32_t count) {
    strbuf all = {0}, indented = {0};
    for (uint32_t i = 0; i < candidates; i++) {
        strbuf why = {0};
        schema_try(list[i], at, range, NULL, arguments, count, true, &why);
        strbuf_printf(&all, "\n%s:\n%s", schema_text(list[i]), strbuf_text(&why));
    }
    if (candidates == 1)
        source_fail(range, "%s", strbuf_text(&all));
    add_indented(&indented, strbuf_text(&all));
    source_fail(range,
                "Arguments for call are not valid.\nThe following variants are available:\n%s\nThe original call is",
                strbuf_text(&indented));
}

uint32_t schema_choose(const op_schema *const *candidates, uint32_t candidate_count, ir_node *at, source_range range,
                       const call_argument *arguments, uint32_t count, schema_match **match) {
    for (int conversions = candidate_count == 1; conversions < 2; conversions++)
        for (uint32_t i = 0; i < candidate_count; i++) {
            *match = schema_try(candidates[i], at, range, NULL, arguments, count, conversions, NULL);
            if (*match)
                return i;
        }
    fail_call(candidates, candidate_count, at, range, arguments, count);
}

/* What operators that PyTorch has and tsmobile refuses are for, by parts of their names. */
static const struct {
    const char *part, *reason;
} refusals[] = {
    {"c10d", "it speaks to other processes"},
    {"_dtensor::", "it speaks to other processes"},
    {"fsdp::", "it speaks to other processes"},
    {"symm_mem::", "it speaks to other processes"},
    {"prim::rpc_", "PyTorch saves it without its arguments; give tsmc the program as .py"},
    {"sparse", "sparse tensors are not supported"},
    {"_cslt_", "sparse tensors are not supported"},
    {"_spsolve", "sparse tensors are not supported"},
    {"spdiags", "sparse tensors are not supported"},
    {"sspaddmm", "sparse tensors are not supported"},
    {"aten::smm", "sparse tensors are not supported"},
    {"aten::hspmm", "sparse tensors are not supported"},
    {"coalesce", "sparse tensors are not supported"},
    {"indices", "sparse tensors are not supported"},
    {"values", "sparse tensors are not supported"},
    {"_nnz", "sparse tensors are not supported"},
    {"aten::_to_dense", "sparse tensors are not supported"},
    {"_dimI", "sparse tensors are not supported"},
    {"_dimV", "sparse tensors are not supported"},
    {"dense_dim", "sparse tensors are not supported"},
    {"_rowwise_prune", "sparse tensors are not supported"},
    {"nested_", "nested tensors of this kind are not supported"},
    {"jagged", "nested tensors of this kind are not supported"},
    {"cudnn", "it is for GPUs"},
    {"cuda", "it is for GPUs"},
    {"miopen", "it is for GPUs"},
    {"mps", "it is for GPUs"},
    {"xla", "it is for accelerators"},
    {"vulkan", "it is for GPUs"},
    {"_efficient_attention", "it is for GPUs"},
    {"_triton_", "it is for GPUs"},
    {"_thnn_fused_", "it is for GPUs"},
    {"batch_norm_", "it is for GPUs"},
    {"_fused_dropout", "it is for GPUs"},
    {"_masked_scale", "it is for GPUs"},
    {"record_stream", "it is for GPUs"},
    {"_overrideable", "it is for accelerators"},
    {"_flash_attention", "it is for GPUs"},
    {"_flash_scaled_dot_product", "it is for GPUs"},
    {"_scaled_dot_product_efficient", "it is for GPUs"},
    {"_scaled_mm", "it is for GPUs"},
    {"int4pack", "its weights are packed for one machine"},
    {"_mixed_dtypes_linear", "its weights are packed for one machine"},
    {"mkldnn", "its weights are packed for one machine"},
    {"onednn::", "its weights are packed for one machine"},
    {"wrapped_", "its weights are packed for one machine"},
    {"legacy", "it is an old form of quantization"},
    {"fbgemm_", "it is an old form of quantization"},
    {"aten::quantized_", "it is an old form of quantization"},
    {"make_quantized_cell_params", "it is an old form of quantization"},
    {"choose_qparams_optimized", "it is an old form of quantization"},
    {"align_", "dimensions have no names here"},
    {"refine_names", "dimensions have no names here"},
    {"imname", "dimensions have no names here"},
    {"aten::flatten.", "dimensions have no names here"},
    {"_dual", "it belongs to derivatives taken forwards"},
    {"_fw_primal", "it belongs to derivatives taken forwards"},
    {"_batch_dim", "it belongs to functions over batches (vmap)"},
    {"owner", "it speaks to other processes"},
    {"aten::to_here", "it speaks to other processes"},
    {"aten::local_value", "it speaks to other processes"},
    {"aten::set", "tensors over the storage of others are not supported"},
    {"from_file", "tensors over the storage of others are not supported"},
    {"_sobol_engine_initialize", "its table of numbers is not here; the state that Python makes can be a buffer"},
    {"aten::seed", "devices have no source of chance; manual_seed takes a number"},
    {"_symeig_helper", "it is a part of torch.symeig, which linalg.eigh replaced"},
    {"_linalg_check_errors", "it is a part of the operators of torch.linalg, which check by themselves"},
    {"aten::_version", "it belongs to PyTorch's autograd"},
    {"aten::retain_grad", "it belongs to PyTorch's autograd"},
    {"aten::einsum.sublist", "the equation is to be a text"},
    {"_backward", "derivatives are asked of the operator itself here"},
    {"profiler::", "it belongs to PyTorch's profiler"},
    {"static_runtime::", "it belongs to another runtime"},
    {"inductor", "it belongs to another compiler"},
    {"_low_memory_max_pool2d", "it belongs to another compiler"},
    {"rngprims::", "it belongs to another compiler"},
    {"debugprims::", "it belongs to another compiler"},
    {"flex_lib::", "it belongs to another compiler"},
    {"onnx::", "it belongs to another format"},
    {"_test", "it is a test of PyTorch"},
    {"prim::", "it belongs to PyTorch's interpreter and stands in no program"},
    {"max_pool2d_backward", "it is for GPUs"},
    {"_fill_mem_eff", "it is for GPUs"},
    {"_simulate_rir", "it simulates rooms, to make sounds to train with"},
    {"_make_rir_filter", "it simulates rooms, to make sounds to train with"},
    {"ray_tracing", "it simulates rooms, to make sounds to train with"},
    {"torchaudio_sox::", "it reads and writes files of sound"},
    {"image::", "it reads and writes files of images"},
    {"video_reader::", "it reads files of videos"},
};

const char *schema_refusal(const char *name) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strstr(name, refusals[i].part))
            return refusals[i].reason;
    return NULL;
}

_Noreturn static void fail_unknown(const char *name, source_range range) {
    const char *reason = schema_refusal(name);
    if (reason)
        source_fail(range, SCHEMA_UNKNOWN "%s.\ntsmobile does not have it: %s", name, reason);
    source_fail(range,
                SCHEMA_UNKNOWN
                "%s.\nCould not find any similar ops to %s. This op may not exist or may not be currently "
                "supported in TorchScript.\n",
                name, name);
}

ir_node *schema_call(const char *name, ir_node *at, source_range range, const call_argument *arguments,
                     uint32_t count) {
    uint32_t candidates;
    const op_schema *const *list = schema_overloads(name, &candidates);
    if (!candidates)
        fail_unknown(name, range);
    schema_match *match;
    uint32_t chosen = schema_choose(list, candidates, at, range, arguments, count, &match);
    return schema_insert(list[chosen], match, at, range);
}
