/* What `for` iterates over: lists, strings, tensors, dicts, ranges, zip and enumerate, tuples and enums. */
#include "exporter/emit/emit_module.h"

static ir_value *enum_members(emitter *e, const class_def *c, source_range range) {
    ir_node *list = ir_node_new(e->graph, IR_LIST_CONSTRUCT, 1);
    list->range = range;
    list->outputs[0]->type = type_list(c->type);
    for (size_t i = 0; i < arrlenu(c->constants); i++) {
        ir_constant *member = const_new(CONST_ENUM, c->type);
        member->integer = (int64_t)i;
        ir_node_add_input(list, emit_constant(e, member, range));
    }
    ir_insert_before(e->at, list);
    return ir_out(list, 0);
}

sugared emit_iterable(emitter *e, const sugared *s, source_range range) {
    if (s->kind == SUGAR_TUPLE || s->kind == SUGAR_RANGE || s->kind == SUGAR_ZIP)
        return *s;
    if (s->kind == SUGAR_CLASS && s->class_def->kind == TYPE_ENUM)
        return sugar_value(enum_members(e, s->class_def, range));
    ir_value *v = sugar_to_value(e, s, range);
    if (module_is_container(s))
        return module_items(e, v, module_iteration(s), range);
    switch (v->type->kind) {
    case TYPE_LIST:
    case TYPE_STR:
    case TYPE_TENSOR:
        return sugar_value(v);
    case TYPE_DICT:
        return sugar_value(emit_operator1(e, "aten::keys", range, v));
    case TYPE_TUPLE: {
        sugared tuple = sugar_named(SUGAR_TUPLE, NULL);
        sugared whole = sugar_value(v);
        tuple.items = sugar_unpack(e, &whole, UINT32_MAX, range);
        return tuple;
    }
    default:
        source_fail(range, "'%s' object is not iterable", type_annotation(v->type));
    }
}

/* enumerate's count: a range without end. */
static bool is_counter(const sugared *it) {
    return it->kind == SUGAR_RANGE && !it->counts && arrlenu(it->items) == 1;
}

/* Loops over tuples are unrolled, and so are loops over what is zipped with a tuple. */
static bool is_unrolled(const sugared *it) {
    stack_check();
    if (it->kind == SUGAR_TUPLE)
        return true;
    for (size_t i = 0; it->kind == SUGAR_ZIP && i < arrlenu(it->items); i++)
        if (is_unrolled(&it->items[i]))
            return true;
    return false;
}

/* The length at compile time: INT64_MAX for a counter, -1 when it is not known. */
static int64_t known_length(const sugared *it) {
    stack_check();
    int64_t length = INT64_MAX;
    if (it->kind == SUGAR_TUPLE)
        return (int64_t)arrlenu(it->items);
    if (is_counter(it))
        return length;
    if (it->kind == SUGAR_RANGE)
        return it->counts && ir_constant_int(it->items[0].value, &length) ? length : -1;
    if (it->kind != SUGAR_ZIP)
        return -1;
    for (size_t i = 0; i < arrlenu(it->items); i++) {
        int64_t n = known_length(&it->items[i]);
        if (n < length)
            length = n;
    }
    return length;
}

int64_t iterable_static_length(const sugared *it, source_range range) {
    if (!is_unrolled(it))
        return -1;
    int64_t length = known_length(it);
    if (length < 0)
        source_fail(
            range,
            "Can not iterate over a module list or tuple with a value that does not have a statically determinable "
            "length\n");
    return length;
}

static void collect_lengths(emitter *e, const sugared *it, ir_value ***lengths, source_range range) {
    stack_check();
    if (it->kind == SUGAR_ZIP)
        for (size_t i = 0; i < arrlenu(it->items); i++)
            collect_lengths(e, &it->items[i], lengths, range);
    else if (!is_counter(it))
        arrput(*lengths, iterable_length(e, it, range));
}

ir_value *iterable_length(emitter *e, const sugared *it, source_range range) {
    if (it->kind == SUGAR_RANGE && it->counts)
        return it->items[0].value;
    if (it->kind == SUGAR_RANGE) {
        ir_value *arguments[] = {it->items[0].value, it->items[1].value, it->items[2].value};
        return ir_out(emit_operator(e, "aten::__range_length", range, arguments, 3), 0);
    }
    if (it->kind != SUGAR_ZIP)
        return emit_operator1(e, "aten::len", range, it->value);
    ir_value **lengths = NULL;
    collect_lengths(e, it, &lengths, range);
    if (arrlenu(lengths) == 1)
        return lengths[0];
    const type *ints = type_list(type_basic(TYPE_INT));
    ir_value *all = ir_out(emit_node_with(e, IR_LIST_CONSTRUCT, range, ints, lengths, (uint32_t)arrlenu(lengths)), 0);
    return emit_operator1(e, "prim::min", range, all);
}

static ir_value *range_item(emitter *e, const sugared *it, ir_value *index, source_range range) {
    int64_t start;
    if (it->counts || (is_counter(it) && ir_constant_int(it->items[0].value, &start) && start == 0))
        return index;
    ir_value *step = is_counter(it) ? emit_int(e, 1, range) : it->items[2].value;
    ir_value *arguments[] = {index, it->items[0].value, step};
    return ir_out(emit_operator(e, "aten::__derive_index", range, arguments, 3), 0);
}

sugared iterable_item(emitter *e, const sugared *it, ir_value *index, source_range range) {
    stack_check();
    if (it->kind == SUGAR_RANGE)
        return sugar_value(range_item(e, it, index, range));
    if (it->kind == SUGAR_ZIP) {
        sugared tuple = sugar_named(SUGAR_TUPLE, NULL);
        for (size_t i = 0; i < arrlenu(it->items); i++)
            arrput(tuple.items, iterable_item(e, &it->items[i], index, range));
        return tuple;
    }
    if (it->value->type->kind == TYPE_TENSOR) {
        ir_value *arguments[] = {it->value, emit_int(e, 0, range), index};
        return sugar_value(ir_out(emit_operator(e, "aten::select", range, arguments, 3), 0));
    }
    return sugar_value(emit_operator2(e, "aten::__getitem__", range, it->value, index));
}

sugared iterable_static_item(emitter *e, const sugared *it, uint32_t index, source_range range) {
    stack_check();
    if (it->kind == SUGAR_TUPLE)
        return it->items[index];
    if (it->kind == SUGAR_ZIP) {
        sugared tuple = sugar_named(SUGAR_TUPLE, NULL);
        for (size_t i = 0; i < arrlenu(it->items); i++)
            arrput(tuple.items, iterable_static_item(e, &it->items[i], index, range));
        return tuple;
    }
    return iterable_item(e, it, emit_int(e, index, range), range);
}
