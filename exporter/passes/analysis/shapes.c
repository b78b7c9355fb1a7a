/* Shapes: a walk that combines what a run showed with what must hold, and the answers as constants. */
#include "exporter/passes/analysis/shapes.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/limits.h"
#include "exporter/passes/analysis/constant_result.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/passes/analysis/fixed_numbers.h"
#include "exporter/passes/analysis/grown_lists.h"
#include "exporter/passes/analysis/no_memory.h"
#include "exporter/passes/analysis/pure_node.h"
#include "exporter/schema/schema.h"
#include "runtime/value/value.h"

typedef struct {
    const shape_facts *facts;
    const ir_block *block; /* the whole */
    shape_map known;
    /* Answers that follow from shapes which a loop assumes of its variables: an stb_ds hash map. Of a list that
     * changes: what it holds where the walk stands. */
    struct {
        const ir_value *key;
        const ir_constant *value;
    } * answers;
    int64_t tried; /* nodes of turns that were gone through */
    bool folds;    /* questions are answered on the way */
    bool changed;
} walk;

/* ---- Operators ---- */

/* Whether the sizes of n's results depend on elements of tensors. */
static bool depends_on_elements(const ir_node *n, const shape *const *inputs) {
    if (schema_has_trait(n->schema, TRAIT_SIZES_BY_ELEMENTS))
        return true;
    if (!schema_has_trait(n->schema, TRAIT_SIZES_BY_MASKS) || !inputs[1])
        return false;
    /* A mask selects as many elements as are true. */
    for (size_t i = 0; i < arrlenu(inputs[1]->items); i++) {
        const shape *item = inputs[1]->items[i];
        if (!item || (item->kind == SHAPE_TENSOR && (item->dtype == PT_BOOL || item->dtype == PT_UINT8)))
            return true;
    }
    return false;
}

/* ---- What is known of values ---- */

static const shape *known_of(const walk *w, const ir_value *v) {
    walk *table = (walk *)w;
    if (mutation_is_resized(w->facts->mutation, v))
        return NULL;
    if (ir_is_constant(v))
        return shape_of_constant(ir_constant_of(v));
    shape_map given = w->facts->given;
    ptrdiff_t at = hmgeti(given, v);
    return at >= 0 ? given[at].value : hmget(table->known, v);
}

static void set_known(walk *w, const ir_value *v, const shape *s) {
    hmput(w->known, v, s);
}

/* Whether nothing but what the walk follows writes to v. */
static bool is_followed(const walk *w, const ir_value *v) {
    return !type_can_alias(v->type) || !mutation_is_written(w->facts->mutation, v) ||
           (!w->folds && list_can_be_followed(v));
}

/* c: may be NULL. */
static void set_answer(walk *w, const ir_value *v, const ir_constant *c) {
    if (c && is_followed(w, v))
        hmput(w->answers, v, c);
}

/* The constant that v is, or would be if what is assumed holds; NULL: none. */
static const ir_constant *constant_of(const walk *w, const ir_value *v) {
    walk *table = (walk *)w;
    return ir_is_constant(v) ? ir_constant_of(v) : hmget(table->answers, v);
}

static bool int_of(const walk *w, const ir_value *v, int64_t *i) {
    const ir_constant *c = constant_of(w, v);
    if (c && c->kind == CONST_INT)
        *i = c->integer;
    return c && c->kind == CONST_INT;
}

/* Whether nothing changes a list any more where it is read. */
static bool list_stays(const walk *w, const ir_value *v) {
    return !mutation_is_written(w->facts->mutation, v) || list_is_settled(v);
}

/* Whether argument i is a number among those of elements, which does not decide sizes. */
static bool is_element(const ir_node *n, uint32_t i) {
    const type_kind kind = ir_in(n, i)->type->kind;
    const bool is_scalar = i < n->schema->argument_count && n->schema->arguments[i].type->kind == TYPE_NUMBER;
    return (kind == TYPE_FLOAT || (kind == TYPE_INT && is_scalar)) &&
           !schema_has_trait(n->schema, TRAIT_SIZES_BY_FLOATS);
}

/* Whether argument i is a number that says where elements lie, of which there are as many anywhere. */
static bool is_place(const ir_node *n, uint32_t i) {
    const char *name = i < n->schema->argument_count ? n->schema->arguments[i].name : "";
    return schema_has_trait(n->schema, TRAIT_SIZES_OF_ANY_PLACE) && ir_in(n, i)->type->kind == TYPE_INT &&
           (!strcmp(name, "index") || !strcmp(name, "start"));
}

/* Whether what decides the sizes of the results of input i is the same in every run. */
static bool is_determined(const walk *w, const ir_node *n, uint32_t i) {
    const ir_value *v = ir_in(n, i);
    if (constant_of(w, v) || is_element(n, i) || is_place(n, i))
        return true;
    if (number_is_fixed(v)) /* whatever it is in each turn: the example had the same turns */
        return node_runs_fixed(n, w->block);
    const shape *s = known_of(w, v);
    if (!s || s->kind != SHAPE_SEQUENCE)
        return s != NULL;
    for (size_t k = 0; k < arrlenu(s->items); k++)
        if (!s->items[k])
            return false;
    return list_stays(w, v);
}

/* Strides of results are the same in every run where those of the inputs are, or do not matter. */
static bool strides_are_determined(const ir_node *n, const shape *const *inputs) {
    if (schema_has_trait(n->schema, TRAIT_STRIDES_OWN) || schema_has_trait(n->schema, TRAIT_STRIDES_CHANNELS_LAST))
        return true;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (inputs[i] && !ir_is_constant(ir_in(n, i)) && !shape_has_strides(inputs[i]))
            return false;
    return true;
}

static void learn_operator(walk *w, const ir_node *n) {
    const shape **inputs = NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        if (!is_determined(w, n, i))
            return;
        arrput(inputs, known_of(w, ir_in(n, i)));
    }
    if (depends_on_elements(n, inputs))
        return;
    shape_map seen = w->facts->seen;
    const bool keeps_strides = strides_are_determined(n, inputs);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const shape *s = hmget(seen, n->outputs[i]);
        if (s)
            set_known(w, n->outputs[i], keeps_strides ? s : shape_without_strides(s));
    }
}

static void learn_construction(walk *w, const ir_node *n) {
    shape *s = MEM_NEW(shape);
    s->kind = SHAPE_SEQUENCE;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(s->items, known_of(w, ir_in(n, i)));
    set_known(w, ir_out(n, 0), s);
}

/* The shape of a tuple, or of a list that nobody writes to. */
static const shape *known_container(const walk *w, const ir_value *v) {
    const shape *s = known_of(w, v);
    bool is_fixed = v->type->kind == TYPE_TUPLE || list_stays(w, v);
    return s && s->kind == SHAPE_SEQUENCE && is_fixed ? s : NULL;
}

enum { MOST_APPENDED = 1 << 16, MOST_TRIED = 1 << 16 };

/* The items that `appends`, an stb_ds array of nodes, add `turns` times, one after the other. Of a list that gets too
 * many nothing is known. */
static void learn_appended(walk *w, ir_node *const *appends, int64_t turns) {
    for (size_t i = 0; i < arrlenu(appends); i++) {
        const ir_value *list = ir_in(appends[i], 0);
        bool is_first = true;
        for (size_t k = 0; k < i; k++)
            is_first &= ir_in(appends[k], 0) != list;
        const shape *before = is_first && list_is_settled(list) ? known_of(w, list) : NULL;
        if (!before)
            continue;
        if (turns > MOST_APPENDED / (int64_t)arrlenu(appends)) {
            set_known(w, list, NULL);
            continue;
        }
        shape *after = MEM_NEW(shape);
        *after = *before;
        after->items = NULL;
        for (size_t k = 0; k < arrlenu(before->items); k++)
            arrput(after->items, before->items[k]);
        for (int64_t turn = 0; turn < turns; turn++)
            for (size_t k = i; k < arrlenu(appends); k++)
                if (ir_in(appends[k], 0) == list)
                    arrput(after->items, known_of(w, ir_in(appends[k], 1)));
        set_known(w, list, after);
    }
}

static void learn_unpacking(walk *w, const ir_node *n) {
    const shape *s = known_container(w, ir_in(n, 0));
    for (uint32_t i = 0; s && arrlenu(s->items) == ir_output_count(n) && i < ir_output_count(n); i++)
        set_known(w, n->outputs[i], s->items[i]);
}

/* The part of a tuple. */
static void learn_slice(walk *w, const ir_node *n) {
    const shape *s = known_container(w, ir_in(n, 0));
    if (!s || n->begin < 0 || n->end > (int64_t)arrlenu(s->items))
        return;
    shape *part = MEM_NEW(shape);
    part->kind = SHAPE_SEQUENCE;
    for (int64_t i = n->begin; i < n->end; i++)
        arrput(part->items, s->items[i]);
    set_known(w, ir_out(n, 0), part);
}

/* An item of a known place, or of any where all are alike. */
static void learn_item(walk *w, const ir_node *n) {
    const shape *s = known_container(w, ir_in(n, 0));
    int64_t i, count = s ? (int64_t)arrlenu(s->items) : 0;
    if (!count)
        return;
    if (int_of(w, ir_in(n, 1), &i)) {
        if (i >= -count && i < count)
            set_known(w, ir_out(n, 0), s->items[i < 0 ? i + count : i]);
        return;
    }
    const shape *any = s->items[0];
    for (int64_t k = 1; any && k < count; k++)
        any = shape_of_either(any, s->items[k]);
    set_known(w, ir_out(n, 0), any);
}

/* ---- Questions ---- */

static bool contains(const ir_constant *list, const ir_constant *item) {
    for (uint32_t i = 0; i < list->list.count; i++)
        if (const_equal(list->list.items[i], item))
            return true;
    return false;
}

/* A new list of constants. */
static ir_constant *constant_list(const walk *w, const ir_node *n) {
    if (n->kind != IR_LIST_CONSTRUCT || !is_followed(w, ir_out(n, 0)))
        return NULL;
    ir_constant *c = const_new(CONST_LIST, ir_out(n, 0)->type);
    c->list.items = MEM_ARRAY(ir_constant *, ir_input_count(n) + 1);
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const ir_constant *item = constant_of(w, ir_in(n, i));
        if (!constant_is_plain(item))
            return NULL;
        c->list.items[c->list.count++] = (ir_constant *)item;
    }
    return c;
}

/* The length of a list or tuple whose items' shapes are known. */
static ir_constant *answer_length(const walk *w, const ir_node *n) {
    const shape *s = n->kind == IR_LEN ? known_container(w, ir_in(n, 0)) : NULL;
    return s && ir_in(n, 0)->type->kind == TYPE_LIST ? const_int((int64_t)arrlenu(s->items)) : NULL;
}

/* A list that is constant where the walk stands; NULL when v is none. */
static const ir_constant *list_of(const walk *w, const ir_value *v) {
    const ir_constant *c = constant_of(w, v);
    return c && c->kind == CONST_LIST && is_followed(w, v) ? c : NULL;
}

/* Questions about constant lists: their length, an item, whether one has an item, whether two are equal. */
static ir_constant *answer_about_lists(const walk *w, const ir_node *n) {
    const ir_constant *list = n->schema && ir_input_count(n) ? list_of(w, ir_in(n, 0)) : NULL;
    if (!list)
        return NULL;
    const ir_constant *other = ir_input_count(n) == 2 ? list_of(w, ir_in(n, 1)) : NULL;
    int64_t i, count = list->list.count;
    if (n->kind == IR_LEN)
        return const_int(count);
    if (n->kind == IR_GETITEM && int_of(w, ir_in(n, 1), &i) && i >= -count && i < count) {
        ir_constant *item = list->list.items[i < 0 ? i + count : i];
        return constant_is_plain(item) ? item : NULL;
    }
    if (!strcmp(n->schema->name, "aten::__contains__") && constant_is_plain(constant_of(w, ir_in(n, 1))))
        return const_bool(contains(list, constant_of(w, ir_in(n, 1))));
    if (other && !strcmp(n->schema->full_name, "aten::eq.int_list"))
        return const_bool(const_equal(list, other));
    if (other && !strcmp(n->schema->full_name, "aten::ne.int_list"))
        return const_bool(!const_equal(list, other));
    return NULL;
}

/* Whether the strides of all tensors are known that have the sizes of another. */
static bool knows_strides_of_alike(const walk *w, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        for (uint32_t k = 0; k < i; k++) {
            const shape *a = known_of(w, ir_in(n, i)), *b = known_of(w, ir_in(n, k));
            if (a && a->kind == SHAPE_TENSOR && shape_equal(a, b) && !(a->has_strides && b->has_strides))
                return false;
        }
    return true;
}

/* Whether a fused operator takes tensors of known dtypes, sizes and, where they matter, strides. */
static ir_constant *answer_fits(const walk *w, const ir_node *n) {
    question_input inputs[8] = {0};
    bool fits, is_chain = ir_is_operator(n, "tsm::pointwise_fits");
    if (!(is_chain ? knows_strides_of_alike(w, n) : ir_is_operator(n, "tsm::attention_fits")))
        return NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const shape *s = known_of(w, ir_in(n, i));
        if (ir_is_constant(ir_in(n, i)) && !(s && s->kind == SHAPE_TENSOR))
            inputs[i].constant = ir_constant_of(ir_in(n, i));
        else if (s && s->kind == SHAPE_TENSOR)
            inputs[i] = (question_input){NULL, s->dtype, s->dims, s->sizes, s->has_strides ? s->strides : NULL};
        else
            return NULL;
    }
    return evaluate_question(n, inputs, &fits) ? const_bool(fits) : NULL;
}

/* A constant list taken apart. */
static bool unpack_constants(walk *w, ir_node *n) {
    const ir_constant *list = n->kind == IR_LIST_UNPACK ? unwritten_list(ir_in(n, 0), w->facts->mutation) : NULL;
    if (!list || list->list.count != ir_output_count(n))
        return false;
    for (uint32_t i = 0; i < list->list.count; i++)
        if (!constant_is_plain(list->list.items[i]))
            return false;
    for (uint32_t i = 0; i < list->list.count; i++)
        ir_replace_uses(n->outputs[i], ir_insert_constant(n, list->list.items[i]));
    ir_destroy(n);
    return w->changed = true;
}

/* Whether it holds tensors of float32 only. No operator refuses these. */
static bool is_float32(const shape *s) {
    if (s && s->kind == SHAPE_TENSOR)
        return s->dtype == PT_FLOAT32;
    for (size_t i = 0; s && i < arrlenu(s->items); i++)
        if (!s->items[i] || s->items[i]->kind != SHAPE_TENSOR || s->items[i]->dtype != PT_FLOAT32)
            return false;
    return s && s->kind == SHAPE_SEQUENCE;
}

/* A question about dtypes whose answer is known. */
static bool drop_check(walk *w, ir_node *n) {
    if (!n->schema || !ir_is_operator(n, "tsm::check_dtypes"))
        return false;
    for (uint32_t i = 2; i < ir_input_count(n); i++)
        if (ir_in(n, i)->type->kind != TYPE_NONE && !is_float32(known_of(w, ir_in(n, i))))
            return false;
    ir_destroy(n);
    return w->changed = true;
}

/* Indices none of which is a mask of bytes. */
static bool drop_filling_check(walk *w, ir_node *n) {
    if (!n->schema || !ir_is_operator(n, "tsm::check_filling"))
        return false;
    const ir_node *list = ir_in(n, 0)->node;
    if (list->kind != IR_LIST_CONSTRUCT || mutation_is_written(w->facts->mutation, ir_in(n, 0)))
        return false;
    for (uint32_t i = 0; i < ir_input_count(list); i++) {
        const shape *s = known_of(w, ir_in(list, i));
        if (ir_in(list, i)->type->kind != TYPE_NONE && (!s || s->kind != SHAPE_TENSOR || s->dtype == PT_UINT8))
            return false;
    }
    ir_destroy(n);
    return w->changed = true;
}

/* x[:], and other views that are x itself where they have its sizes. */
static bool drop_view(walk *w, ir_node *n) {
    static const char *const names[] = {"aten::slice.Tensor", "aten::narrow", "aten::expand", "aten::view",
                                        "aten::reshape"};
    bool is_view = false;
    for (size_t i = 0; n->schema && i < sizeof names / sizeof *names; i++)
        is_view |= !strcmp(n->schema->full_name, names[i]);
    if (!is_view)
        return false;
    learn_operator(w, n);
    if (!shape_equal(known_of(w, ir_in(n, 0)), known_of(w, ir_out(n, 0))) ||
        !node_results_may_merge(n, w->facts->mutation))
        return false;
    ir_replace_uses(ir_out(n, 0), ir_in(n, 0));
    ir_destroy(n);
    return w->changed = true;
}

int shapes_asked_flags(const ir_block *b) {
    stack_check();
    int flags = 0;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->schema && ir_is_operator(n, "prim::requires_grad"))
            flags |= TSM_TENSOR_REQUIRES_GRAD;
        if (n->schema && (ir_is_operator(n, "tsm::nested_mask") || ir_is_operator(n, "tsm::nested_like")))
            flags |= TSM_TENSOR_NESTED;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            flags |= shapes_asked_flags(n->blocks[i]);
    }
    return flags;
}

/* What callers' tensors answer by the flags that the guard does not let in. */
static ir_constant *answer_about_flags(const ir_node *n, const shape *s) {
    if (s->without & TSM_TENSOR_REQUIRES_GRAD && ir_is_operator(n, "prim::requires_grad"))
        return const_bool(false);
    return s->without & TSM_TENSOR_NESTED && ir_is_operator(n, "tsm::nested_mask") ? const_none() : NULL;
}

/* A tensor that follows one that is not nested is not. */
static bool drop_nesting(walk *w, ir_node *n) {
    if (!n->schema || !ir_is_operator(n, "tsm::nested_like"))
        return false;
    const shape *s = known_of(w, ir_in(n, 1));
    if (!s || s->kind != SHAPE_TENSOR || !(s->without & TSM_TENSOR_NESTED))
        return false;
    ir_replace_uses(ir_out(n, 0), ir_in(n, 0));
    ir_destroy(n);
    return w->changed = true;
}

/* What a question about the shape of the first input gives; NULL: n is none, or the shape is not known. */
static ir_constant *answer_about_shape(const walk *w, const ir_node *n) {
    const shape *s = n->schema && ir_input_count(n) ? known_of(w, ir_in(n, 0)) : NULL;
    int64_t d;
    if (!s || s->kind != SHAPE_TENSOR)
        return NULL;
    if (!strcmp(n->schema->full_name, "aten::size.int") && int_of(w, ir_in(n, 1), &d) && d >= -s->dims && d < s->dims)
        return const_int(s->sizes[d < 0 ? d + s->dims : d]);
    ir_constant *c = mutation_is_written(w->facts->mutation, ir_in(n, 0)) ? NULL : answer_about_flags(n, s);
    return c ? c : shape_answer(n, s);
}

enum { MOST_ITEMS = 16 }; /* sizes, dimensions, padding; a long display is larger and slower than an operator */

/* A short new list of known items that is written to becomes a display, whose changes build_lists follows: the sizes of
 * a tensor, one of which the program sets. */
static bool display_new_list(walk *w, ir_node *n) {
    if (!n->schema || ir_output_count(n) != 1 || ir_out(n, 0)->type->kind != TYPE_LIST ||
        !mutation_is_written(w->facts->mutation, ir_out(n, 0)))
        return false;
    const ir_constant *c = answer_about_shape(w, n);
    if (!c)
        c = constant_items(n, w->facts->mutation);
    if (!c || c->list.count > MOST_ITEMS)
        return false;
    ir_node *display = ir_node_new(n->graph, IR_LIST_CONSTRUCT, 1);
    display->range = n->range;
    display->scope = n->scope;
    ir_out(display, 0)->type = ir_out(n, 0)->type;
    ir_insert_before(n, display);
    for (uint32_t i = 0; i < c->list.count; i++)
        ir_node_add_input(display, ir_insert_constant(display, c->list.items[i]));
    mutation_replace(w->facts->mutation, ir_out(n, 0), ir_out(display, 0));
    ir_replace_uses(ir_out(n, 0), ir_out(display, 0));
    ir_destroy(n);
    return w->changed = true;
}

/* What an operator on constants gives. */
static ir_constant *answer_by_run(const walk *w, const ir_node *n) {
    enum { MOST_INPUTS = 8 };
    const ir_constant *inputs[MOST_INPUTS];
    if (ir_input_count(n) > MOST_INPUTS)
        return NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!(inputs[i] = constant_of(w, ir_in(n, i))) || !is_followed(w, ir_in(n, i)))
            return NULL;
    return constant_result_of(n, inputs, w->facts->mutation);
}

/* What n gives, where that is one constant. */
static ir_constant *answer_node(const walk *w, const ir_node *n) {
    ir_constant *c = constant_list(w, n);
    if (!c)
        c = answer_about_lists(w, n);
    if (!c)
        c = answer_length(w, n);
    if (!c)
        c = answer_fits(w, n);
    if (!c)
        c = answer_by_run(w, n);
    return c ? c : answer_about_shape(w, n);
}

static bool fold_node(walk *w, ir_node *n) {
    if (unpack_constants(w, n) || drop_check(w, n) || drop_filling_check(w, n) || drop_view(w, n) ||
        drop_nesting(w, n) || display_new_list(w, n))
        return true;
    ir_constant *c = answer_node(w, n);
    if (!c)
        return false;
    ir_value *v = ir_insert_constant(n, c);
    v->type = ir_out(n, 0)->type;
    mutation_replace(w->facts->mutation, ir_out(n, 0), v);
    ir_replace_uses(ir_out(n, 0), v);
    ir_destroy(n);
    return w->changed = true;
}

/* ---- Blocks ---- */

static void walk_block(walk *w, ir_block *b);

/* Result i of a branch; what is never read has the shape of `other`. */
static const shape *known_result(const walk *w, const ir_block *b, uint32_t i, const ir_block *other) {
    const ir_value *v = ir_in(b->result, i);
    return known_of(w, v->node->kind == IR_UNINITIALIZED ? ir_in(other->result, i) : v);
}

/* Whether both branches give the same by different kernels: then what the example saw of one holds for both, but for
 * strides. */
static bool has_equal_branches(const ir_node *n) {
    const ir_node *asks = ir_in(n, 0)->node;
    return asks->schema && (ir_is_operator(asks, "tsm::pointwise_fits") || ir_is_operator(asks, "tsm::attention_fits"));
}

/* A branch that is always taken. */
static void learn_branch(walk *w, const ir_node *n, ir_block *b) {
    walk_block(w, b);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        set_known(w, n->outputs[i], known_of(w, ir_in(b->result, i)));
        set_answer(w, n->outputs[i], constant_of(w, ir_in(b->result, i)));
    }
}

/* ---- Lists that change ---- */

/* Before a block that may run or not, or any number of times: nothing is known of the lists that it changes. */
static void forget_changed(walk *w, const ir_block *b) {
    const ir_value **lists = NULL;
    lists_changed_in(b, &lists);
    for (size_t i = 0; i < arrlenu(lists); i++)
        (void)hmdel(w->answers, lists[i]);
}

/* What a list holds that n changes. NULL: it is not known. */
static const ir_constant *changed_list(const walk *w, const ir_node *n, const ir_constant *before) {
    const int64_t count = before->list.count;
    const bool reverses = ir_input_count(n) == 1;
    const ir_constant *item = reverses ? NULL : constant_of(w, ir_in(n, ir_input_count(n) - 1));
    int64_t at = count;
    if (!reverses && !constant_is_plain(item))
        return NULL;
    if (n->kind == IR_SET_ITEM && (!int_of(w, ir_in(n, 1), &at) || at < -count || at >= count))
        return NULL;
    ir_constant *after = const_new(CONST_LIST, before->type);
    after->list.items = MEM_ARRAY(ir_constant *, (size_t)count + 1);
    after->list.count = (uint32_t)(at == count && !reverses ? count + 1 : count);
    for (int64_t i = 0; i < count; i++)
        after->list.items[i] = before->list.items[reverses ? count - 1 - i : i];
    if (!reverses)
        after->list.items[at < 0 ? at + count : at] = (ir_constant *)item;
    return after;
}

static void change_list(walk *w, const ir_node *n) {
    const ir_constant *before = hmget(w->answers, ir_in(n, 0));
    (void)hmdel(w->answers, ir_in(n, 0));
    if (before && before->kind == CONST_LIST)
        set_answer(w, ir_in(n, 0), changed_list(w, n, before));
}

/* ---- Branches and loops ---- */

static void learn_branches(walk *w, ir_node *n) {
    const ir_constant *condition = constant_of(w, ir_in(n, 0));
    if (condition) {
        learn_branch(w, n, n->blocks[condition->boolean ? 0 : 1]);
        return;
    }
    forget_changed(w, n->blocks[0]);
    forget_changed(w, n->blocks[1]);
    walk_block(w, n->blocks[0]);
    walk_block(w, n->blocks[1]);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const shape *a = known_result(w, n->blocks[0], i, n->blocks[1]);
        const shape *b = known_result(w, n->blocks[1], i, n->blocks[0]), *one = a ? a : b;
        const shape *result = a && b ? shape_of_either(a, b) : NULL;
        if (!result && one && has_equal_branches(n))
            result = shape_without_strides(one);
        set_known(w, n->outputs[i], result);
    }
}

/* The appends that stand in a block, in order. */
static ir_node **appends_in(ir_block *b) {
    ir_node **appends = NULL;
    IR_EACH(n, b)
    if (node_appends(n))
        arrput(appends, n);
    return appends;
}

static bool never_turns(const walk *w, const ir_node *loop) {
    const ir_constant *condition = constant_of(w, ir_in(loop, 1));
    int64_t turns;
    return (int_of(w, ir_in(loop, 0), &turns) && turns <= 0) || (condition && !condition->boolean);
}

static bool bool_of(const walk *w, const ir_value *v, bool *b) {
    const ir_constant *c = constant_of(w, v);
    if (c && c->kind == CONST_BOOL)
        *b = c->boolean;
    return c && c->kind == CONST_BOOL;
}

/* What is known of a value: its shape, and the constant that it is. Either may be NULL. */
typedef struct {
    const ir_value *value;
    const shape *shape;
    const ir_constant *answer;
} knowledge;

static knowledge know(const walk *w, const ir_value *v) {
    return (knowledge){v, known_of(w, v), constant_of(w, v)};
}

static void set_knowledge(walk *w, const ir_value *v, knowledge k) {
    set_known(w, v, k.shape);
    (void)hmdel(w->answers, v);
    set_answer(w, v, k.answer);
}

static bool goes_on_always(const ir_node *loop) {
    bool goes_on;
    return ir_constant_bool(ir_in(loop->blocks[0]->result, 0), &goes_on) && goes_on;
}

/* How many turns of a loop are tried: as many as would be unrolled if what is assumed holds. 0: none. */
static int64_t turns_to_try(walk *w, const ir_node *n) {
    const int64_t nodes = (int64_t)ir_count_nodes(n->blocks[0]) + 1;
    int64_t turns, most = LIMIT_UNROLLED_NODES / nodes;
    bool begins;
    if (!int_of(w, ir_in(n, 0), &turns) || !bool_of(w, ir_in(n, 1), &begins) || !begins)
        return 0;
    most = most < LIMIT_UNROLLED_TURNS ? most : LIMIT_UNROLLED_TURNS;
    if (turns > most && goes_on_always(n))
        return 0;
    turns = turns < most ? turns : most;
    if (w->tried + turns * nodes > MOST_TRIED)
        return 0;
    w->tried += turns * nodes;
    return turns;
}

/* The turns of a short loop, one after the other. Returns how many there are; -1: not known. behind: an stb_ds array of
 * what is known then, of the results and of the lists that changed. */
static int64_t try_turns(walk *w, const ir_node *n, knowledge **behind) {
    ir_block *body = n->blocks[0];
    const ir_value **lists = NULL;
    knowledge *carried = NULL;
    int64_t most, turn = 0, tried = turns_to_try(w, n);
    bool goes_on = true, is_known = tried > 0;
    if (!is_known)
        return -1;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(carried, know(w, ir_in(n, i + 2)));
    for (; turn < tried && is_known && goes_on; turn++) {
        set_answer(w, body->param->outputs[0], const_int(turn));
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            set_knowledge(w, body->param->outputs[i + 1], carried[i]);
        walk_block(w, body);
        is_known = bool_of(w, ir_in(body->result, 0), &goes_on);
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            carried[i] = know(w, ir_in(body->result, i + 1));
    }
    for (uint32_t i = 0; i <= ir_output_count(n); i++)
        (void)hmdel(w->answers, body->param->outputs[i]);
    if (!is_known || (goes_on && (!int_of(w, ir_in(n, 0), &most) || turn < most)))
        return -1;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        carried[i].value = ir_out(n, i);
    lists_changed_in(body, &lists);
    for (size_t i = 0; i < arrlenu(lists); i++)
        arrput(carried, know(w, lists[i]));
    *behind = carried;
    return turn;
}

/* A loop whose condition is known in each turn becomes one that counts. */
static void count_turns(walk *w, ir_node *n) {
    knowledge *behind = NULL;
    if (goes_on_always(n))
        return;
    w->folds = false;
    const int64_t turns = try_turns(w, n, &behind);
    w->folds = true;
    if (turns < 0)
        return;
    ir_node_set_input(n, 0, ir_insert_constant(n, const_int(turns)));
    ir_node_set_input(n->blocks[0]->result, 0, ir_insert_constant(n, const_bool(true)));
    w->changed = true;
}

/* A loop variable has a known shape when the body returns it in the shape that it came in. This is assumed of all
 * variables at first; assumptions that prove wrong are dropped and the body is walked again, until all that are left
 * hold. */
static void learn_loop(walk *w, ir_node *n) {
    ir_block *body = n->blocks[0];
    bool folds = w->folds;
    if (never_turns(w, n)) {
        for (uint32_t i = 0; i < ir_output_count(n); i++) {
            set_known(w, n->outputs[i], known_of(w, ir_in(n, i + 2)));
            set_answer(w, n->outputs[i], constant_of(w, ir_in(n, i + 2)));
        }
        return;
    }
    knowledge *behind = NULL;
    if (folds)
        count_turns(w, n);
    else
        (void)try_turns(w, n, &behind);
    forget_changed(w, body);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        set_known(w, body->param->outputs[i + 1], known_of(w, ir_in(n, i + 2)));
    w->folds = false;
    for (bool stands = false; !stands;) {
        stands = true;
        walk_block(w, body);
        for (uint32_t i = 0; i < ir_output_count(n); i++) {
            const ir_value *param = body->param->outputs[i + 1];
            const shape *s = known_of(w, param), *either = s;
            if (s && (either = shape_of_either(s, known_of(w, ir_in(body->result, i + 1)))) != s) {
                set_known(w, param, either);
                stands = false;
            }
        }
    }
    w->folds = folds;
    walk_block(w, body);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        set_known(w, n->outputs[i], known_of(w, body->param->outputs[i + 1]));
    if (loop_turns(n) >= 0)
        learn_appended(w, appends_in(body), loop_turns(n));
    for (size_t i = 0; i < arrlenu(behind); i++) {
        if (behind[i].shape && behind[i].value->node == n)
            set_known(w, behind[i].value, behind[i].shape);
        set_answer(w, behind[i].value, behind[i].answer);
    }
}

static void learn(walk *w, ir_node *n) {
    switch (n->kind) {
    case IR_CONSTANT:
        return;
    case IR_IF:
        learn_branches(w, n);
        return;
    case IR_LOOP:
        learn_loop(w, n);
        return;
    case IR_LIST_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
        learn_construction(w, n);
        return;
    case IR_LIST_UNPACK:
    case IR_TUPLE_UNPACK:
        learn_unpacking(w, n);
        return;
    case IR_GETITEM:
    case IR_TUPLE_INDEX:
        learn_item(w, n);
        return;
    case IR_TUPLE_SLICE:
        learn_slice(w, n);
        return;
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
        set_known(w, ir_out(n, 0), known_of(w, ir_in(n, 0)));
        return;
    default:
        if (node_changes_list(n))
            change_list(w, n);
        if (node_appends(n) && ir_in(n, 0)->node->block == n->block) {
            ir_node **one = NULL;
            arrput(one, n);
            learn_appended(w, one, 1);
        } else if (n->schema) {
            learn_operator(w, n);
        }
    }
}

static void forget(walk *w, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        (void)hmdel(w->known, n->outputs[i]);
        (void)hmdel(w->answers, n->outputs[i]);
    }
}

static void walk_block(walk *w, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        forget(w, n);
        if (w->folds && fold_node(w, n))
            continue;
        if (!w->folds && ir_output_count(n) == 1)
            set_answer(w, ir_out(n, 0), answer_node(w, n));
        learn(w, n);
    }
}

bool fold_shapes(ir_block *b, const shape_facts *facts) {
    walk w = {.facts = facts, .block = b, .folds = true};
    walk_block(&w, b);
    return w.changed;
}

shape_map shapes_known(ir_block *b, const shape_facts *facts) {
    walk w = {.facts = facts, .block = b};
    walk_block(&w, b);
    for (size_t i = 0; i < hmlenu(facts->given); i++)
        set_known(&w, facts->given[i].key, facts->given[i].value);
    return w.known;
}

/* ---- Settled? ---- */

static bool outputs_are_known(const walk *w, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!type_takes_no_memory(n->outputs[i]->type) && !known_of(w, n->outputs[i]))
            return false;
    return true;
}

static const ir_node *unsettled(const walk *w, const ir_block *b);

/* The way that the example did not go takes no memory, or ends the call. */
static const ir_node *unsettled_if(const walk *w, const ir_node *n) {
    bool raises[2] = {false, false};
    const bool is_small[2] = {block_takes_nothing(n->blocks[0], &raises[0]),
                              block_takes_nothing(n->blocks[1], &raises[1])};
    if (!outputs_are_known(w, n))
        return n;
    if ((is_small[0] && is_small[1]) || has_equal_branches(n)) /* of the latter the example's layout takes one */
        return NULL;
    for (int k = 0; k < 2; k++)
        if (is_small[k] && raises[k])
            return unsettled(w, n->blocks[1 - k]);
    if (!number_is_fixed(ir_in(n, 0)))
        return n;
    const ir_node *found = unsettled(w, n->blocks[0]);
    return found ? found : unsettled(w, n->blocks[1]);
}

static const ir_node *unsettled_loop(const walk *w, const ir_node *n) {
    return loop_is_fixed(n) ? unsettled(w, n->blocks[0]) : n;
}

/* An item of a list whose growth is known. */
static bool append_is_known(const walk *w, const ir_node *n) {
    return node_appends(n) && list_is_settled(ir_in(n, 0)) &&
           (type_takes_no_memory(ir_in(n, 1)->type) || known_of(w, ir_in(n, 1)));
}

static const ir_node *unsettled_node(const walk *w, const ir_node *n) {
    switch (n->kind) {
    case IR_LOOP:
        return unsettled_loop(w, n);
    case IR_IF:
        return unsettled_if(w, n);
    case IR_CALL_FUNCTION:
    case IR_CALL_METHOD:
    case IR_INTERFACE_CALL:
    case IR_FORK:
    case IR_ENTER:
        return n;
    default:
        return node_only_hands_on(n) || node_has_constant_keys(n) || append_is_known(w, n) || outputs_are_known(w, n)
                   ? NULL
                   : n;
    }
}

/* The first node whose memory is not known; NULL: there is none. */
static const ir_node *unsettled(const walk *w, const ir_block *b) {
    stack_check();
    const ir_node *found = NULL;
    for (const ir_node *n = ir_first(b); n != b->result && !found; n = n->next)
        found = unsettled_node(w, n);
    return found;
}

const ir_node *shapes_unsettled(const ir_block *b, const shape_facts *facts) {
    walk w = {.facts = facts, .block = b};
    walk_block(&w, (ir_block *)b);
    return unsettled(&w, b);
}
