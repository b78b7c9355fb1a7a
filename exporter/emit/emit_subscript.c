/* Subscripts: reading, storing, updating and deleting items of tensors, lists, dicts, strings, tuples and objects. */
#include <stdlib.h>
#include <string.h>

#include "exporter/emit/emit_module.h"

/* ---- Slices ---- */

/* The parts of a slice; NULL: not given. */
typedef struct {
    ir_value *start, *stop, *step;
} slice_parts;

static slice_parts emit_slice_parts(emitter *e, const ast_node *slice) {
    const ast_node *nodes[] = {slice->slice.start, slice->slice.stop, slice->slice.step};
    ir_value *values[3] = {0};
    for (int i = 0; i < 3; i++)
        values[i] = nodes[i] ? emit_value(e, nodes[i], NULL) : NULL;
    return (slice_parts){values[0], values[1], values[2]};
}

/* The parts of a slice object: v[slice(a, b, c)] means v[a:b:c]. */
static slice_parts parts_of_object(const sugared *s) {
    return (slice_parts){s->items[0].value, s->items[1].value, s->items[2].value};
}

sugared emit_slice_object(emitter *e, const ast_node *n) {
    source_range range = n->apply.callee->range;
    if (n->apply.attributes.count)
        source_fail(range, "Slice does not accept any keyword arguments");
    argument_list a = emit_arguments(e, n, NULL);
    if (!a.count || a.count > 3)
        source_fail(range, "slice accepts exactly 1, 2 or 3 arguments, got: %u", a.count);
    const int64_t otherwise[] = {0, INT64_MAX, 1};
    sugared s = sugar_named(SUGAR_SLICE, "Python slice value");
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at = a.count == 1 ? i - 1 : i; /* slice(stop) */
        bool is_given = at < a.count && a.items[at].value->type->kind != TYPE_NONE;
        arrput(s.items, sugar_value(is_given ? a.items[at].value : emit_int(e, otherwise[i], range)));
    }
    return s;
}

/* ---- Tuples ---- */

static int64_t tuple_bound(ir_value *bound, int64_t otherwise, int64_t count, int64_t lowest, int64_t highest,
                           source_range range) {
    if (!bound || bound->type->kind == TYPE_NONE)
        return otherwise;
    int64_t v;
    if (!ir_constant_int(bound, &v))
        source_fail(range, "tuple slice indices must be integer constants");
    v = v < 0 ? v + count : v;
    return v < lowest ? lowest : v > highest ? highest : v;
}

static ir_value *tuple_item(emitter *e, ir_value *tuple, int64_t i, source_range range) {
    ir_value *inputs[] = {tuple, emit_int(e, i, range)};
    return ir_out(emit_node_with(e, IR_TUPLE_INDEX, range, tuple->type->items[i], inputs, 2), 0);
}

/* A slice with a step: its items one by one. */
static ir_value *emit_stepped_tuple(emitter *e, ir_value *tuple, int64_t start, int64_t stop, int64_t step,
                                    source_range range) {
    sugared items = sugar_named(SUGAR_TUPLE, NULL);
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
        arrput(items.items, sugar_value(tuple_item(e, tuple, i, range)));
    return sugar_to_value(e, &items, range);
}

static ir_value *emit_tuple_slice(emitter *e, ir_value *tuple, slice_parts slice, source_range range) {
    int64_t count = tuple->type->count, step = 1;
    if (slice.step && !ir_constant_int(slice.step, &step))
        source_fail(range, "tuple slice indices must be integer constants");
    if (step == 0)
        source_fail(range, "tuple slice step cannot be zero");
    int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? count : count - 1;
    int64_t start = tuple_bound(slice.start, step > 0 ? 0 : count - 1, count, lowest, highest, range);
    int64_t stop = tuple_bound(slice.stop, step > 0 ? count : -1, count, lowest, highest, range);
    if (step != 1)
        return emit_stepped_tuple(e, tuple, start, stop, step, range);
    stop = stop < start ? start : stop;
    const type *t = type_tuple(tuple->type->items + start, (uint32_t)(stop - start));
    ir_node *n = emit_node_with(e, IR_TUPLE_SLICE, range, t, &tuple, 1);
    n->begin = start;
    n->end = stop;
    return ir_out(n, 0);
}

static ir_value *emit_tuple_index(emitter *e, ir_value *tuple, ir_value *index, source_range range) {
    int64_t at, count = tuple->type->count;
    const type *t = count ? tuple->type->items[0] : type_basic(TYPE_ANY);
    if (index->type->kind != TYPE_INT)
        source_fail(range, "tuple index must be an integer");
    if (ir_constant_int(index, &at)) {
        if (at < -count || at >= count)
            source_fail(range, "Tuple index out of range. Tuple is length %lld and index is %lld", (long long)count,
                        (long long)at);
        t = tuple->type->items[at < 0 ? at + count : at];
    } else
        for (int64_t k = 1; k < count; k++)
            if (tuple->type->items[k] != t)
                source_fail(
                    range,
                    "Cannot index into a %s with a non-integer literal because we cannot resolve the output type",
                    type_annotation(tuple->type));
    ir_value *inputs[] = {tuple, index};
    return ir_out(emit_node_with(e, IR_TUPLE_INDEX, range, t, inputs, 2), 0);
}

/* v[start:stop:step], of a tensor along `dim` (NULL: of a list or string). */
static ir_value *emit_slice(emitter *e, ir_value *v, ir_value *dim, slice_parts slice, source_range range) {
    call_argument arguments[5] = {{0}};
    uint32_t count = 0;
    arguments[count++].value = v;
    if (dim)
        arguments[count++].value = dim;
    arguments[count++].value = slice.start ? slice.start : emit_constant(e, const_none(), range);
    arguments[count++].value = slice.stop ? slice.stop : emit_constant(e, const_none(), range);
    arguments[count++].value = slice.step ? slice.step : emit_int(e, 1, range);
    for (uint32_t i = 0; i < count; i++)
        arguments[i].range = range;
    return ir_out(schema_call("aten::slice", e->at, range, arguments, count), 0);
}

/* ---- Tensors ---- */

/* A tensor under several indices. Slices keep a dimension, None adds one, an int removes one; tensors are collected for
 * aten::index. Dimensions are counted from the left before the ellipsis, and from the right after it. */
typedef struct {
    ir_value *view;     /* after slices, Nones and ints */
    ir_value **tensors; /* stb_ds array, by dimension of the view; NULL where there is none */
} tensor_indices;

typedef struct {
    const ast_node *node;
    sugared object;  /* SLICE: the index is a slice object */
    ir_value *value; /* NULL: slice or ellipsis */
    int64_t dim;
} index_step;

static ir_value *emit_index_value(emitter *e, const sugared *index, const ast_node *n) {
    ir_value *v = sugar_to_value(e, index, n->range);
    if (v->type->kind != TYPE_LIST)
        return v;
    enum { LONG = 4 };
    call_argument arguments[] = {{NULL, v, n->range}, {"dtype", emit_int(e, LONG, n->range), n->range}};
    return ir_out(schema_call("aten::tensor", e->at, n->range, arguments, 2), 0);
}

/* Evaluates one index at dimension `dim` and returns the dimension of the next one. */
static int64_t place_index(emitter *e, index_step *step, int64_t dim, bool from_right, source_range range) {
    step->dim = dim;
    int64_t next = from_right ? dim - 1 : dim + 1;
    if (step->node->kind == AST_SLICE)
        return next;
    step->object = emit_sugared(e, step->node, NULL);
    if (step->object.kind == SUGAR_SLICE)
        return next;
    step->value = emit_index_value(e, &step->object, step->node);
    const type *t = step->value->type;
    if (t->kind == TYPE_NONE)
        return from_right ? dim : next;
    if (t->kind == TYPE_INT)
        return from_right ? next : dim;
    if (!type_is_subtype(t, type_optional(type_basic(TYPE_TENSOR)), NULL))
        source_fail(
            range,
            "Unsupported operation: indexing tensor with unsupported index type '%s'. Only ints, slices, lists and "
            "tensors are supported",
            type_annotation(t));
    if (from_right)
        source_fail(range, "Ellipses followed by tensor indexing is currently not supported");
    return next;
}

static void apply_index(emitter *e, tensor_indices *t, const index_step *step, source_range range) {
    if (step->node->kind == AST_DOTS)
        return;
    if (!step->value) {
        bool is_object = step->object.kind == SUGAR_SLICE;
        slice_parts parts = is_object ? parts_of_object(&step->object) : emit_slice_parts(e, step->node);
        t->view = emit_slice(e, t->view, emit_int(e, step->dim, range), parts, range);
    } else if (step->value->type->kind == TYPE_NONE) {
        t->view = emit_operator2(e, "aten::unsqueeze", range, t->view, emit_int(e, step->dim, range));
    } else if (step->value->type->kind == TYPE_INT) {
        ir_value *arguments[] = {t->view, emit_int(e, step->dim, range), step->value};
        t->view = ir_out(emit_operator(e, "aten::select", range, arguments, 3), 0);
    } else {
        while ((int64_t)arrlen(t->tensors) <= step->dim)
            arrput(t->tensors, NULL);
        t->tensors[step->dim] = step->value;
    }
}

static tensor_indices emit_tensor_indices(emitter *e, ir_value *v, const ast_list *indices, source_range range) {
    if (v->type->kind != TYPE_TENSOR)
        source_fail(range, "Unsupported operation: attempted to use multidimensional indexing on a non-tensor type");
    uint32_t count = indices->count, i = 0;
    index_step *steps = MEM_ARRAY(index_step, count);
    for (uint32_t k = 0; k < count; k++)
        steps[k].node = indices->items[k];
    int64_t dim = 0;
    for (; i < count && steps[i].node->kind != AST_DOTS; i++)
        dim = place_index(e, &steps[i], dim, false, range);
    dim = -1;
    for (uint32_t k = count; k-- > i + 1;) {
        if (steps[k].node->kind == AST_DOTS)
            source_fail(range, "An index can only have a single ellipsis ('...')");
        dim = place_index(e, &steps[k], dim, true, range);
    }
    tensor_indices t = {v, NULL};
    for (uint32_t k = 0; k < count; k++)
        apply_index(e, &t, &steps[k], range);
    return t;
}

static ir_value *emit_index_list(emitter *e, const tensor_indices *t, source_range range) {
    ir_value **items = NULL;
    for (size_t i = 0; i < arrlenu(t->tensors); i++)
        arrput(items, t->tensors[i] ? t->tensors[i] : emit_constant(e, const_none(), range));
    const type *list = type_list(type_optional(type_basic(TYPE_TENSOR)));
    return ir_out(emit_node_with(e, IR_LIST_CONSTRUCT, range, list, items, (uint32_t)arrlenu(items)), 0);
}

static ir_value *emit_tensor_subscript(emitter *e, ir_value *v, const ast_list *indices, source_range range) {
    tensor_indices t = emit_tensor_indices(e, v, indices, range);
    if (!t.tensors)
        return t.view;
    return emit_operator2(e, "aten::index", range, t.view, emit_index_list(e, &t, range));
}

/* ---- Modules that hold modules ---- */

/* The index of item `slot` of a container, as a constant of type `index`. */
static ir_value *slot_index(emitter *e, const class_attribute *a, const type *index, source_range range) {
    return index->kind == TYPE_INT ? emit_int(e, strtol(a->name, NULL, 10), range)
                                   : emit_constant(e, const_str(a->name, strlen(a->name)), range);
}

static void raise_no_item(emitter *e, const class_def *c, ir_value *index, source_range range) {
    const char *text = mem_printf("%s does not have a field with name '{}'", c->name);
    ir_value *message =
        emit_operator2(e, "aten::format", range, emit_constant(e, const_str(text, strlen(text)), range), index);
    ir_node *raise = ir_node_new(e->graph, IR_RAISE_EXCEPTION, 0);
    raise->range = range;
    ir_node_add_input(raise, message);
    ir_node_add_input(raise, emit_constant(e, const_none(), range));
    ir_insert_before(e->at, raise);
}

/* Emits a chain of comparisons that selects the item with this index among the attributes from `slot` on. The result
 * has the type of the interface. */
static ir_value *emit_module_item(emitter *e, ir_value *container, ir_value *index, const type *interface,
                                  uint32_t slot, source_range range) {
    stack_check();
    const class_def *c = container->type->definition;
    while (slot < arrlenu(c->attributes) && !type_is_subtype(c->attributes[slot].type, interface, NULL))
        slot++;
    if (slot == arrlenu(c->attributes)) {
        raise_no_item(e, c, index, range);
        return ir_out(emit_node(e, IR_UNINITIALIZED, range, interface), 0);
    }
    const class_attribute *a = &c->attributes[slot];
    ir_value *is_it = emit_operator2(e, "aten::eq", range, index, slot_index(e, a, index->type, range));
    ir_node *n = emit_node_with(e, IR_IF, range, interface, &is_it, 1);
    ir_node *outer = e->at;
    e->at = ir_node_add_block(n)->result;
    ir_node *get = emit_node_with(e, IR_GET_ATTR, range, a->type, &container, 1);
    get->attribute = a->name;
    ir_block_add_result(n->blocks[0], ir_out(get, 0));
    e->at = ir_node_add_block(n)->result;
    ir_block_add_result(n->blocks[1], emit_module_item(e, container, index, interface, slot + 1, range));
    e->at = outer;
    return ir_out(n, 0);
}

static void check_module_items(const class_def *c, const type *interface, source_range range) {
    for (size_t i = 0; i < arrlenu(c->attributes); i++) {
        const class_attribute *a = &c->attributes[i];
        strbuf why = {0};
        bool is_module = a->type->kind == TYPE_CLASS && a->type->definition && a->type->definition->is_module;
        if (is_module && !type_is_subtype(a->type, interface, &why))
            source_fail(range, "Attribute %s is not of annotated type %s: %s", a->name, type_annotation(interface),
                        strbuf_text(&why));
    }
}

/* ---- Reading ---- */

static ir_value *emit_sliced(emitter *e, ir_value *v, slice_parts parts, source_range range) {
    return v->type->kind == TYPE_TUPLE ? emit_tuple_slice(e, v, parts, range) : emit_slice(e, v, NULL, parts, range);
}

static ir_value *subscript_value(emitter *e, ir_value *v, const ast_node *n, const type *hint) {
    const ast_list *indices = &n->subscript.indices;
    const ast_node *index = indices->items[0];
    if (indices->count != 1)
        return emit_tensor_subscript(e, v, indices, n->range);
    if (v->type->kind == TYPE_TENSOR && index->kind != AST_DOTS)
        return emit_tensor_subscript(e, v, indices, n->range);
    if (index->kind == AST_SLICE)
        return emit_sliced(e, v, emit_slice_parts(e, index), n->range);
    sugared object = emit_sugared(e, index, NULL);
    if (object.kind == SUGAR_SLICE)
        return emit_sliced(e, v, parts_of_object(&object), n->subscript.value->range);
    ir_value *at = sugar_to_value(e, &object, index->range);
    if (v->type->kind == TYPE_TUPLE)
        return emit_tuple_index(e, v, at, n->range);
    if (v->type->kind == TYPE_CLASS && v->type->definition) {
        if (v->type->definition->is_module && hint && hint->kind == TYPE_INTERFACE && e->is_python)
            check_module_items(v->type->definition, hint, n->range);
        if (v->type->definition->is_module && hint && hint->kind == TYPE_INTERFACE)
            return emit_module_item(e, v, at, hint, 0, n->range);
        sugar_has_magic(v, "__getitem__", n->range);
        return emit_method(e, v, intern("__getitem__"), n->range, &at, 1);
    }
    if (v->type->kind != TYPE_LIST && v->type->kind != TYPE_STR && v->type->kind != TYPE_DICT && e->is_python)
        source_fail(n->range, "'%s' object is not subscriptable", type_annotation(v->type));
    return emit_operator2(e, "aten::__getitem__", n->range, v, at);
}

sugared emit_subscript(emitter *e, const ast_node *n, const type *hint) {
    sugared base = emit_sugared(e, n->subscript.value, NULL);
    bool wants_interface = hint && hint->kind == TYPE_INTERFACE;
    if (base.kind == SUGAR_TYPE)
        source_fail(n->range, "type '%s' cannot be used as a value", base.name);
    if (module_is_container(&base) && !wants_interface)
        return module_subscript(e, &base, n);
    return sugar_value(subscript_value(e, sugar_to_value(e, &base, n->subscript.value->range), n, hint));
}

/* ---- Storing ---- */

/* A number that is stored into a tensor becomes a tensor like it. */
static ir_value *as_tensor_like(emitter *e, ir_value *v, ir_value *like, source_range range) {
    if (v->type->kind != TYPE_BOOL && !type_is_subtype(v->type, type_basic(TYPE_NUMBER), NULL))
        return v;
    ir_value *dtype = emit_operator1(e, "prim::dtype", range, like),
             *device = emit_operator1(e, "prim::device", range, like);
    call_argument arguments[] = {{NULL, v, range}, {"dtype", dtype, range}, {"device", device, range}};
    return ir_out(schema_call("aten::tensor", e->at, range, arguments, 3), 0);
}

/* The range from the first to the last index; PyTorch gives a slice the range of the sliced value. */
static source_range indices_range(const ast_list *indices) {
    return source_range_join(indices->items[0]->range, indices->items[indices->count - 1]->range);
}

static ir_value *single_index(emitter *e, const ast_node *target) {
    const ast_list *indices = &target->subscript.indices;
    bool is_slice = indices->items[0]->kind == AST_SLICE;
    if (indices->count != 1 || is_slice)
        source_fail(source_range_join(is_slice ? target->subscript.value->range : indices->items[0]->range,
                                      indices_range(indices)),
                    "Sliced expression not yet supported for subscripted assignment. File a bug if you want this");
    return emit_value(e, indices->items[0], NULL);
}

static void store_into_tensor(emitter *e, ir_value *tensor, const ast_node *target, ir_value *v, source_range range) {
    tensor_indices t = emit_tensor_indices(e, tensor, &target->subscript.indices, target->range);
    v = as_tensor_like(e, v, t.view, range);
    if (!t.tensors) {
        emit_operator2(e, "aten::copy_", range, t.view, v);
        return;
    }
    ir_value *arguments[] = {t.view, emit_index_list(e, &t, target->range), v};
    emit_operator(e, "aten::index_put_", range, arguments, 3);
}

static void store_item(emitter *e, ir_value *container, ir_value *index, ir_value *v, source_range range) {
    if (sugar_has_magic(container, "__setitem__", range)) {
        emit_method(e, container, intern("__setitem__"), range, (ir_value *[]){index, v}, 2);
        return;
    }
    emit_operator(e, "aten::_set_item", range, (ir_value *[]){container, index, v}, 3);
}

void emit_subscript_store(emitter *e, const ast_node *target, ir_value *v, source_range range) {
    ir_value *container = emit_value(e, target->subscript.value, NULL);
    if (container->type->kind == TYPE_TUPLE)
        source_fail(target->range, "%s does not support subscripted assignment", type_annotation(container->type));
    if (container->type->kind == TYPE_TENSOR)
        store_into_tensor(e, container, target, v, range);
    else
        store_item(e, container, single_index(e, target), v, range);
}

/* ---- Updating ---- */

static void update_tensor(emitter *e, ir_value *tensor, const ast_node *target, ast_kind op, const ast_node *value,
                          source_range range) {
    const char *in_place = emit_augmented_operator(op, true);
    tensor_indices t = emit_tensor_indices(e, tensor, &target->subscript.indices, target->range);
    ir_value *right = emit_value(e, value, NULL);
    if (!t.tensors) {
        emit_operator2(e, in_place, range, t.view, right);
        return;
    }
    ir_value *indices = emit_index_list(e, &t, range);
    ir_value *items = emit_operator2(e, "aten::index", range, t.view, indices);
    ir_value *arguments[] = {t.view, indices, emit_operator2(e, in_place, range, items, right)};
    emit_operator(e, "aten::index_put_", range, arguments, 3);
}

void emit_subscript_augmented(emitter *e, const ast_node *target, ast_kind op, const ast_node *value,
                              source_range range) {
    ir_value *container = emit_value(e, target->subscript.value, NULL);
    if (container->type->kind == TYPE_TENSOR) {
        update_tensor(e, container, target, op, value, range);
        return;
    }
    const type *t = container->type;
    const ast_list *indices = &target->subscript.indices;
    if (indices->count != 1)
        source_fail(indices_range(indices),
                    "Sliced expression not yet supported for %s augmented assignment. File a bug if you want this",
                    type_annotation(t));
    if (t->kind != TYPE_LIST && t->kind != TYPE_DICT)
        source_fail(target->range, "%s does not support augmented assignment.", type_annotation(t));
    ir_value *index = emit_value(e, indices->items[0], NULL), *right = emit_value(e, value, NULL);
    ir_value *item = emit_operator2(e, "aten::__getitem__", range, container, index);
    /* As in PyTorch, the first type parameter decides, which is the key's type for a dict: so only items of lists are
     * updated in place. */
    item = emit_operator2(e, emit_augmented_operator(op, emit_is_updated(t->items[0])), range, item, right);
    emit_operator(e, "aten::_set_item", range, (ir_value *[]){container, index, item}, 3);
}

/* ---- Deleting ---- */

void emit_subscript_delete(emitter *e, const ast_node *target) {
    const ast_list *indices = &target->subscript.indices;
    if (indices->count != 1 || indices->items[0]->kind == AST_SLICE)
        source_fail(target->range,
                    "del statements only support deletion at a single index, slicing is not supported (see "
                    "https://github.com/pytorch/pytorch/issues/31430)");
    ir_value *container = emit_value(e, target->subscript.value, NULL);
    ir_value *index = emit_value(e, indices->items[0], NULL);
    if (container->type->kind == TYPE_CLASS && !class_find_method(container->type->definition, "__delitem__"))
        source_fail(target->range, "Class does not define __delitem__");
    if (container->type->kind == TYPE_TUPLE)
        source_fail(target->range, "%s does not support item deletion", type_annotation(container->type));
    if (container->type->kind == TYPE_CLASS)
        emit_method(e, container, intern("__delitem__"), target->range, &index, 1);
    else
        emit_operator(e, "aten::Delete", target->range, (ir_value *[]){container, index}, 2);
}
