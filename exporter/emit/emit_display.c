/* Lists and dicts: displays, comprehensions, constructors, and the type hints for them. */
#include "exporter/emit/emit_display.h"

#include <string.h>

#include "exporter/base/diag.h"

/* ---- Type hints ---- */

/* The type hint for a list or dict. */
typedef struct {
    const type *asked;       /* the type as it was annotated */
    const type *wanted;      /* the list's or dict's type; NULL: it follows from the items */
    const type **candidates; /* the members of a union that fit when there are several, an stb_ds array */
} container_hint;

static const char *kind_name(type_kind kind) {
    return kind == TYPE_LIST ? "List" : "Dict";
}

static const type **members_of_kind(const type *t, type_kind kind) {
    const type **members = NULL;
    for (uint32_t i = 0; t->kind == TYPE_UNION && i < t->count; i++)
        if (t->items[i]->kind == kind)
            arrput(members, t->items[i]);
    return members;
}

/* Serialized code annotates every display, so there a hint of another kind is ignored; elsewhere it is an error. */
static container_hint read_hint(const emitter *e, type_kind kind, const type *hint, source_range range) {
    container_hint h = {hint, NULL, NULL};
    if (!hint || hint->kind == TYPE_ANY)
        return h;
    const type *plain = hint->kind == TYPE_OPTIONAL ? hint->items[0] : hint;
    const type **members = members_of_kind(plain, kind);
    if (plain->kind == kind)
        h.wanted = plain;
    else if (arrlenu(members) == 1)
        h.wanted = members[0];
    else if (members)
        h.candidates = members;
    else if (e->is_python && plain->kind == TYPE_UNION)
        source_fail(range, "Expected an Union type annotation with an inner %s type, but got %s", kind_name(kind),
                    type_annotation(hint));
    else if (e->is_python)
        source_fail(range, "Expected an annotation of type %s but got %s", kind_name(kind), type_annotation(hint));
    return h;
}

static void refuse_empty(const container_hint *h, type_kind kind, source_range range) {
    if (h->candidates)
        source_fail(range,
                    "Cannot assign an empty %s to a variable annotated to be type %s because there are multiple "
                    "possible %s type candidates in the Union annotation",
                    kind == TYPE_LIST ? "list" : "dict", type_annotation(h->asked), kind_name(kind));
}

/* "List[int] or List[str]", "A, B,  or C" */
static const char *candidate_texts(const type *const *candidates) {
    strbuf b = {0};
    size_t count = arrlenu(candidates);
    for (size_t i = 0; i < count; i++) {
        if (i && count > 2)
            strbuf_add(&b, ", ");
        if (i && i == count - 1)
            strbuf_add(&b, " or ");
        strbuf_add(&b, type_annotation(candidates[i]));
    }
    return strbuf_text(&b);
}

static bool holds(const type *candidate, const type *found) {
    bool fits = true;
    for (uint32_t i = 0; fits && i < found->count; i++)
        fits = type_is_subtype(found->items[i], candidate->items[i], NULL);
    return fits;
}

/* The widest candidate that can hold the type `found`. */
static const type *choose_candidate(const container_hint *h, const type *found, source_range range) {
    const type *chosen = NULL;
    for (size_t i = 0; i < arrlenu(h->candidates); i++)
        if (holds(h->candidates[i], found) && (!chosen || holds(h->candidates[i], chosen)))
            chosen = h->candidates[i];
    const char *asked = type_annotation(h->asked), *texts = candidate_texts(h->candidates);
    if (!chosen && found->kind == TYPE_LIST)
        source_fail(range,
                    "Union type annotation `%s` can hold %s, but none of those types match the types of the given list "
                    "elements, which were unified to %s",
                    asked, texts, type_annotation(type_element(found)));
    if (!chosen)
        source_fail(range,
                    "Union type annotation `%s` can hold %s, but none of those dict types can hold the types of the "
                    "given keys and values, which were unified to Dict[%s, %s",
                    asked, texts, type_annotation(found->items[0]), type_annotation(found->items[1]));
    return chosen;
}

/* ---- Displays ---- */

static const type *unify_items(ir_value *const *items, uint32_t count) {
    const type *t = count ? items[0]->type : type_basic(TYPE_TENSOR);
    for (uint32_t i = 1; i < count; i++)
        t = type_unify(t, items[i]->type, true);
    return t;
}

/* The parts of a starred item. */
static void add_starred(emitter *e, const ast_node *item, ir_value ***items) {
    sugared s = emit_sugared(e, item->operand, NULL);
    sugared *parts = sugar_unpack(e, &s, UINT32_MAX, item->range);
    for (size_t k = 0; k < arrlenu(parts); k++)
        arrput(*items, sugar_to_value(e, &parts[k], item->range));
}

static void check_list_items(const type *list, const type *found, const ir_value *last, source_range range) {
    if (!type_is_subtype(found, type_element(list), NULL))
        source_fail(range,
                    "List type annotation `%s` did not match the types of the given list elements, which were unified "
                    "to %s",
                    type_annotation(list), found == last->type ? ir_value_annotation(last) : type_annotation(found));
}

/* As in PyTorch, the hint applies to the list as a whole; only in archives does it also apply to each item. */
ir_value *emit_list(emitter *e, const ast_node *n, const type *hint) {
    container_hint h = {0};
    ir_value **items = NULL;
    if (!e->is_python)
        h = read_hint(e, TYPE_LIST, hint, n->range);
    for (uint32_t i = 0; i < n->sequence.count; i++) {
        const ast_node *item = n->sequence.items[i];
        if (item->kind == AST_STARRED)
            add_starred(e, item, &items);
        else
            arrput(items, emit_value(e, item, h.wanted ? type_element(h.wanted) : NULL));
    }
    h = read_hint(e, TYPE_LIST, hint, n->range);
    uint32_t count = (uint32_t)arrlenu(items);
    if (!count)
        refuse_empty(&h, TYPE_LIST, n->range);
    for (uint32_t i = 0; h.wanted && !e->is_python && i < count; i++)
        items[i] = emit_convert(e, items[i], type_element(h.wanted), n->range);
    const type *found = unify_items(items, count), *t = h.wanted ? h.wanted : type_list(found);
    if (h.candidates)
        t = choose_candidate(&h, type_list(found), n->range);
    if (count)
        check_list_items(t, found, items[count - 1], n->range);
    return ir_out(emit_node_with(e, IR_LIST_CONSTRUCT, n->range, t, items, count), 0);
}

static const type *key_type(const ast_node *n, ir_value *const *keys) {
    const type *t = n->dict.keys.count ? keys[0]->type : type_basic(TYPE_STR);
    for (uint32_t i = 1; i < n->dict.keys.count; i++)
        if (keys[i]->type != t)
            source_fail(n->dict.keys.items[i]->range,
                        "Dict keys must contain only a single type. Expected: %s but found %s instead",
                        ir_value_annotation(keys[0]), ir_value_annotation(keys[i]));
    return t;
}

/* The type of a display of such keys and values, given what is wanted of it. */
static const type *dict_type(const container_hint *h, const type *key, const type *value, source_range range) {
    if (h->candidates)
        return choose_candidate(h, type_dict(key, value), range);
    const type *t = h->wanted ? h->wanted : type_dict(key, value);
    if (key != t->items[0])
        source_fail(range, "Type annotation was inferred to be %sbut the type of keys given by the dict literal is %s",
                    type_annotation(t), type_annotation(key));
    if (!type_is_subtype(value, t->items[1], NULL))
        source_fail(range,
                    "Type annotation was inferred to be `%s`, but the type of values given by the dict literal is %s",
                    type_annotation(t), type_annotation(value));
    return t;
}

ir_value *emit_dict(emitter *e, const ast_node *n, const type *hint) {
    container_hint h = {0};
    ir_value **keys = NULL, **values = NULL, **inputs = NULL;
    uint32_t count = n->dict.keys.count;
    if (!e->is_python)
        h = read_hint(e, TYPE_DICT, hint, n->range);
    for (uint32_t i = 0; i < count; i++) {
        ir_value *key = emit_value(e, n->dict.keys.items[i], h.wanted ? h.wanted->items[0] : NULL);
        ir_value *value = emit_value(e, n->dict.values.items[i], h.wanted ? h.wanted->items[1] : NULL);
        arrput(keys, h.wanted ? emit_convert(e, key, h.wanted->items[0], n->range) : key);
        arrput(values, h.wanted ? emit_convert(e, value, h.wanted->items[1], n->range) : value);
    }
    const type *key = key_type(n, keys);
    h = read_hint(e, TYPE_DICT, hint, n->range);
    if (!count)
        refuse_empty(&h, TYPE_DICT, n->range);
    const type *t = !count && h.wanted ? h.wanted : dict_type(&h, key, unify_items(values, count), n->range);
    for (uint32_t i = 0; i < count; i++) {
        arrput(inputs, keys[i]);
        arrput(inputs, values[i]);
    }
    return ir_out(emit_node_with(e, IR_DICT_CONSTRUCT, n->range, t, inputs, 2 * count), 0);
}

/* ---- Comprehensions ---- */

typedef struct {
    const ast_node *node;
    container_hint hint;
    ir_value *container;
    bool has_items; /* the body was emitted before; loops over tuples are unrolled */
} comprehension;

static void emit_list_item(emitter *e, void *data) {
    comprehension *c = data;
    const ast_node *element = c->node->comprehension.element;
    source_range range = c->node->range;
    const type *wanted = c->hint.wanted;
    ir_value *v = emit_value(e, element, e->is_python || !wanted ? NULL : type_element(wanted));
    const type *found = c->has_items ? type_unify(type_element(c->container->type), v->type, true) : v->type;
    if (c->hint.candidates)
        wanted = choose_candidate(&c->hint, type_list(found), range);
    else if (wanted)
        check_list_items(wanted, found, v, range);
    else
        wanted = type_list(found);
    c->hint.wanted = c->container->type = wanted;
    c->hint.candidates = NULL;
    c->has_items = true;
    emit_operator2(e, "aten::append", range, c->container, v);
}

static void check_dict_item(const type *t, const type *key, const type *value, source_range range) {
    static const char *const names[] = {"key", "value"};
    const type *found[] = {key, value};
    strbuf b = {0};
    for (int i = 0; i < 2; i++)
        if (!type_is_subtype(found[i], t->items[i], NULL))
            strbuf_printf(&b, "Dict type annotation `%s` did not match the type of an actual %s type `%s`\n",
                          type_annotation(t), names[i], type_annotation(found[i]));
    if (b.length)
        source_fail(range, "%s", b.text);
}

static void emit_dict_item(emitter *e, void *data) {
    comprehension *c = data;
    source_range range = c->node->range;
    const type *wanted = c->hint.wanted;
    bool hints_items = wanted && !e->is_python;
    ir_value *key = emit_value(e, c->node->comprehension.key, hints_items ? wanted->items[0] : NULL);
    ir_value *value = emit_value(e, c->node->comprehension.element, hints_items ? wanted->items[1] : NULL);
    if (key->type->kind == TYPE_UNION)
        source_fail(range, "Dicts may only contain homogeneous keys, but the type of the first generated key was %s",
                    type_annotation(key->type));
    if (c->has_items && key->type != c->container->type->items[0] && !c->hint.asked)
        source_fail(range,
                    "Dicts may only contain homogeneous keys. Expected dict comprehension to generate type %s, but got "
                    "%s",
                    type_annotation(c->container->type->items[0]), type_annotation(key->type));
    if (c->hint.candidates)
        wanted = choose_candidate(&c->hint, type_dict(key->type, value->type), range);
    else if (wanted)
        check_dict_item(wanted, key->type, value->type, range);
    c->container->type = wanted ? wanted : type_dict(key->type, value->type);
    c->has_items = true;
    emit_operator(e, "aten::_set_item", range, (ir_value *[]){c->container, key, value}, 3);
}

/* The comprehension n over an iterable that is already evaluated. */
static ir_value *emit_comprehension_over(emitter *e, const ast_node *n, const sugared *source, const type *hint) {
    bool is_dict = n->kind == AST_DICT_COMP;
    sugared iterable = emit_iterable(e, source, n->comprehension.iterable->range);
    comprehension c = {.node = n, .hint = read_hint(e, is_dict ? TYPE_DICT : TYPE_LIST, hint, n->range)};
    const type *t =
        is_dict ? type_dict(type_basic(TYPE_STR), type_basic(TYPE_TENSOR)) : type_list(type_basic(TYPE_TENSOR));
    t = c.hint.wanted ? c.hint.wanted : t;
    c.container = ir_out(emit_node(e, is_dict ? IR_DICT_CONSTRUCT : IR_LIST_CONSTRUCT, n->range, t), 0);
    env_push(e);
    emit_for_each(e, n->comprehension.target, &iterable, NULL, is_dict ? emit_dict_item : emit_list_item, &c, n->range);
    env_pop(e);
    return c.container;
}

ir_value *emit_comprehension(emitter *e, const ast_node *n, const type *hint) {
    sugared s = emit_sugared(e, n->comprehension.iterable, NULL);
    return emit_comprehension_over(e, n, &s, hint);
}

/* ---- Constructors ---- */

static ast_node *variable(const char *name, source_range range) {
    ast_node *n = ast_new(AST_VAR, range);
    n->name = intern(name);
    return n;
}

/* [_elem for _elem in call's argument] */
static const ast_node *list_comprehension(const ast_node *call) {
    ast_node *n = ast_new(AST_LIST_COMP, call->range);
    n->comprehension.element = n->comprehension.target = variable("_elem", call->range);
    n->comprehension.iterable = ast_new(AST_PASS, call->range);
    return n;
}

sugared emit_list_of(emitter *e, const ast_node *n, const type *hint) {
    if (!n->apply.inputs.count) {
        const type *t = hint && (e->is_python || hint->kind == TYPE_LIST) ? hint : type_list(type_basic(TYPE_TENSOR));
        if (t->kind != TYPE_LIST)
            source_fail(n->range, "Expected list type annotation for list(), found %s", type_annotation(hint));
        return sugar_value(ir_out(emit_node(e, IR_LIST_CONSTRUCT, n->range, t), 0));
    }
    expect_inputs(n, "list", 1);
    sugared source = emit_sugared(e, n->apply.inputs.items[0], NULL);
    if (source.kind == SUGAR_VALUE && (source.value->type->kind == TYPE_LIST || source.value->type->kind == TYPE_STR))
        return sugar_value(emit_operator1(e, "aten::list", n->range, source.value));
    return sugar_value(emit_comprehension_over(e, list_comprehension(n), &source, hint));
}

/* {_key: _value for _key, _value in call's argument} */
static const ast_node *dict_comprehension(const ast_node *call) {
    ast_node *n = ast_new(AST_DICT_COMP, call->range), *target = ast_new(AST_TUPLE, call->range);
    n->comprehension.key = variable("_key", call->range);
    n->comprehension.element = variable("_value", call->range);
    target->sequence.count = 2;
    target->sequence.items = MEM_ARRAY(ast_node *, 2);
    target->sequence.items[0] = n->comprehension.key;
    target->sequence.items[1] = n->comprehension.element;
    n->comprehension.target = target;
    n->comprehension.iterable = ast_new(AST_PASS, call->range);
    return n;
}

static void check_entry(const type *t, const type *value, source_range range) {
    strbuf b = {0};
    if (t->items[0]->kind != TYPE_STR)
        strbuf_printf(&b, "Generated key type str did not match the annotated key type, which was %s\n",
                      type_annotation(t->items[0]));
    if (!type_is_subtype(value, t->items[1], NULL))
        strbuf_printf(&b, "Generated value type %s did not match the annotated value type, which was %s\n",
                      type_annotation(value), type_annotation(t->items[1]));
    if (b.length)
        source_fail(range, "%s", b.text);
}

/* The keyword arguments of dict(x, a=1) as entries of the dict. */
static void add_entries(emitter *e, const ast_node *n, ir_value *dict) {
    for (uint32_t i = 0; i < n->apply.attributes.count; i++) {
        const ast_node *entry = n->apply.attributes.items[i];
        const char *name = entry->attribute.name;
        ir_value *key = emit_constant(e, const_str(name, strlen(name)), n->range);
        ir_value *value = emit_value(e, entry->attribute.value, NULL);
        check_entry(dict->type, value->type, n->range);
        emit_operator(e, "aten::_set_item", n->range, (ir_value *[]){dict, key, value}, 3);
    }
}

/* dict(a=1, b=2) */
static ir_value *dict_of_entries(emitter *e, const ast_node *n, const container_hint *h) {
    ir_value **values = NULL, **pairs = NULL;
    for (uint32_t i = 0; i < n->apply.attributes.count; i++) {
        const ast_node *entry = n->apply.attributes.items[i];
        const char *name = entry->attribute.name;
        arrput(pairs, emit_constant(e, const_str(name, strlen(name)), n->range));
        arrput(values, emit_value(e, entry->attribute.value, NULL));
        arrput(pairs, values[i]);
        if (h->wanted)
            check_dict_item(h->wanted, type_basic(TYPE_STR), values[i]->type, n->range);
    }
    const type *t =
        h->wanted ? h->wanted : type_dict(type_basic(TYPE_STR), unify_items(values, (uint32_t)arrlenu(values)));
    return ir_out(emit_node_with(e, IR_DICT_CONSTRUCT, n->range, t, pairs, (uint32_t)arrlenu(pairs)), 0);
}

/* The type hint for dict(...). A hint that is not a dict type is not refused here: the assignment checks it. */
static container_hint read_constructor_hint(const ast_node *n, const type *hint) {
    container_hint h = {hint, NULL, NULL};
    const type *plain = hint && hint->kind == TYPE_OPTIONAL ? hint->items[0] : hint;
    const type **members = plain ? members_of_kind(plain, TYPE_DICT) : NULL;
    if (arrlenu(members) > 1)
        source_fail(
            n->range,
            "There are multiple candidate Dict types in the Union type annotation `%s`, and full type inference "
            "is not yet supported for the `dict()` constructor.",
            type_annotation(hint));
    h.wanted = plain && plain->kind == TYPE_DICT ? plain : members ? members[0] : NULL;
    return h;
}

static bool is_empty_display(const ast_node *n) {
    return (n->kind == AST_LIST && !n->sequence.count) || (n->kind == AST_DICT && !n->dict.keys.count);
}

sugared emit_dict_of(emitter *e, const ast_node *n, const type *hint) {
    container_hint h = read_constructor_hint(n, hint);
    uint32_t count = n->apply.inputs.count;
    const ast_node *input = count ? n->apply.inputs.items[0] : NULL;
    if (!count || is_empty_display(input)) {
        if (!n->apply.attributes.count && hint && !h.wanted)
            diag_fail("Expected a type annotation of Dict for dict constructor dict(), got %s", hint->text);
        return sugar_value(dict_of_entries(e, n, &h));
    }
    bool knows_type = h.wanted && (input->kind == AST_DICT || input->kind == AST_DICT_COMP);
    sugared source = emit_sugared(e, input, knows_type ? h.wanted : NULL);
    ir_value *dict;
    if (source.kind == SUGAR_VALUE && source.value->type->kind == TYPE_DICT)
        dict = emit_operator1(e, "aten::dict", n->range, source.value);
    else {
        ast_node call = *n;
        call.apply.attributes.count = 0; /* they are entries of the dict, not arguments */
        expect_inputs(&call, "dict", 1);
        dict = emit_comprehension_over(e, dict_comprehension(n), &source, h.wanted);
    }
    add_entries(e, n, dict);
    return sugar_value(dict);
}
