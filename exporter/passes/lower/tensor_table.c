/* A table for memory whose names are told apart at run time. */
#include "exporter/passes/lower/tensor_table.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/container_classes.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/tensor_places.h"
#include "exporter/passes/analysis/value_classes.h"
#include "exporter/passes/lower/gradient_marks.h"
#include "exporter/passes/lower/inline_calls.h"
#include "exporter/passes/lower/pairs.h"
#include "exporter/passes/lower/written_values.h"
#include "exporter/program/builtins.h"
#include "exporter/schema/operator_node.h"

enum { BEFORE_VARIABLES = 2 }; /* count and condition of a loop */

typedef struct {
    program *program;
    gradient_flow *flow;
    value_classes *names;  /* values that may be the same memory, views of it, or have it in them */
    const ir_value *class; /* the one that is rewritten */
    ir_value *table;
    ir_value *versions; /* how often each entry was written to */
    struct {
        const ir_value *key; /* a name */
        ir_value *value;     /* the number of its memory */
    } * numbers;
    struct {
        const ir_value *key; /* the name that is all of its memory */
        bool value;
    } * wholes;
    struct {
        const ir_value *key; /* the name of what outlives the call, which is not written to */
        ir_value *value;     /* that itself */
    } * given;
    struct {
        const ir_value *key; /* lists of pairs that were made of lists of tensors */
        bool value;
    } * lists;
} tabulator;

/* ---- Names ---- */

static bool takes_part(const ir_value *v) {
    return type_has_tensors(v->type);
}

/* Whether v is a tensor, or may be None instead of one. */
static bool is_tensor(const ir_value *v) {
    return type_without_none(v->type)->kind == TYPE_TENSOR;
}

/* Whether n gives its input another type. */
static bool is_cast(const ir_node *n) {
    return n->kind == IR_UNCHECKED_CAST || n->kind == IR_UNWRAP_OPTIONAL;
}

static bool is_construct(const ir_node *n) {
    return n->kind == IR_LIST_CONSTRUCT || n->kind == IR_TUPLE_CONSTRUCT || n->kind == IR_DICT_CONSTRUCT;
}

static bool takes_apart(const ir_node *n) {
    return n->kind == IR_TUPLE_UNPACK || n->kind == IR_TUPLE_INDEX || n->kind == IR_LIST_UNPACK ||
           n->kind == IR_TUPLE_SLICE;
}

static bool is_of_containers(const ir_node *n) {
    return n->schema && flow_is_container_operator(n->schema);
}

/* A list or tuple that operators read or the function returns, as it is then: it can be made again there. */
static bool is_display(const ir_value *v) {
    stack_check();
    if (v->node->kind != IR_LIST_CONSTRUCT && v->node->kind != IR_TUPLE_CONSTRUCT)
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        const bool is_nested = is_construct(user) && is_display(ir_out(user, 0));
        const bool is_return = user == user->graph->block->result;
        if (!is_nested && !is_return && (!user->schema || is_of_containers(user) || !use_leaves_list(&v->uses[i])))
            return false;
    }
    return true;
}

/* Whether output o of n is recorded as a view of its first input, or as items that are. */
static bool is_recorded_view(const tabulator *t, const ir_node *n, uint32_t o) {
    return operator_hands_on(n, 0, o) && ir_in(n, 0)->type->kind == TYPE_TENSOR &&
           flow_mode(t->flow, n) == GRADIENTS_ON && !schema_has_trait(n->schema, TRAIT_NO_GRADIENT);
}

static void join_operator(tabulator *t, const ir_node *n) {
    if (is_of_containers(n)) {
        value_classes_join_all(t->names, n);
        return;
    }
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        for (uint32_t o = 0; o < ir_output_count(n); o++)
            if (takes_part(ir_in(n, i)) && takes_part(ir_out(n, o)) && operator_hands_on(n, i, o) &&
                (i > 0 || is_recorded_view(t, n, o) || operator_writes(n, 0)))
                value_classes_join(t->names, ir_in(n, i), ir_out(n, o));
}

static void join(tabulator *t, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            join(t, n->blocks[i]);
        if (n->kind == IR_IF || n->kind == IR_LOOP)
            value_classes_join_blocks(t->names, n);
        else if (n->schema)
            join_operator(t, n);
        else if (!is_construct(n) || !is_display(ir_out(n, 0)))
            value_classes_join_all(t->names, n);
    }
}

static bool is_of_class(const tabulator *t, const ir_value *v) {
    return takes_part(v) && value_class(t->names, v) == t->class;
}

/* ---- Which memory ---- */

static bool is_simple(const type *t) {
    stack_check();
    if (!type_has_tensors(t))
        return type_is_immutable(t);
    if (t->kind != TYPE_TENSOR && t->kind != TYPE_LIST && t->kind != TYPE_DICT && t->kind != TYPE_TUPLE)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (!is_simple(t->items[i]))
            return false;
    return true;
}

/* Whether v is a name for what an operator is given, or for a part of it, that gradients do not pass. */
static bool is_unrecorded_name(const tabulator *t, const ir_value *v) {
    const ir_node *n = v->node;
    for (uint32_t i = 0; n->schema && !is_of_containers(n) && i < ir_input_count(n); i++)
        if (takes_part(ir_in(n, i)) && operator_hands_on(n, i, v->offset) && !operator_writes(n, i) &&
            (i > 0 || !is_recorded_view(t, n, v->offset)))
            return true;
    return false;
}

/* Whether v is an argument, or read of an attribute: memory that outlives the call. */
static bool is_given(const ir_value *v) {
    return v->node->kind == IR_GET_ATTR || v->node == v->node->graph->block->param;
}

/* Whether v is known to be given memory, or a view of such. */
static bool is_known_as_given(const tabulator *t, const ir_value *v) {
    while (!is_given(v = flow_origin(v)))
        if (!v->node->schema || v->offset || !ir_input_count(v->node) || !is_recorded_view(t, v->node, 0))
            return false;
        else
            v = ir_in(v->node, 0);
    return true;
}

/* Whether every way that a value of the class comes to be is known. */
static bool is_known_origin(const tabulator *t, const ir_value *v) {
    const ir_node *n = v->node, *owner = n->block->owner;
    if (is_given(v))
        return v->type->kind == TYPE_TENSOR;
    if (n == n->block->param)
        return owner && owner->kind == IR_LOOP;
    if (n->schema)
        return !is_unrecorded_name(t, v);
    return n->kind == IR_IF || n->kind == IR_LOOP || is_construct(n) || takes_apart(n) ||
           (is_tensor(v) && (n->kind == IR_CONSTANT || n->kind == IR_UNINITIALIZED || is_cast(n)));
}

static bool is_request(const ir_node *n) {
    return ir_is_operator(n, "aten::grad") || ir_is_operator(n, "prim::grad");
}

/* Whether a use of a value of the class can be rewritten. */
static bool is_known_use(const tabulator *t, const ir_use *u) {
    const ir_node *n = u->user;
    const ir_value *v = ir_in(n, u->index);
    const bool is_result = n == n->block->result;
    if (is_result || n->kind == IR_IF || n->kind == IR_LOOP || takes_apart(n))
        return !is_result || n->block->owner || v->type->kind == TYPE_TENSOR || v->type->kind == TYPE_LIST;
    if (is_construct(n)) { /* gradients are asked of a tensor, not of what its memory has become */
        for (size_t i = 0; i < arrlenu(ir_out(n, 0)->uses); i++)
            if (!is_given(v) && is_request(ir_out(n, 0)->uses[i].user) && ir_out(n, 0)->uses[i].index == 1)
                return false;
        return true;
    }
    if (is_cast(n) || n->kind == IR_IS || n->kind == IR_IS_NOT)
        return is_tensor(v);
    if (!n->schema || ir_is_operator(n, "prim::grad") || v->type->kind == TYPE_OPTIONAL)
        return false;
    if (is_of_containers(n) || gradient_mark_is(n))
        return true;
    if (operator_stores(n, u->index))
        return false;
    if (operator_writes(n, u->index))
        return u->index == 0 && !is_known_as_given(t, v) && write_is_first(n) &&
               flow_mode(t->flow, n) == GRADIENTS_ON &&
               (write_is_given(n) || (write_functional(n->schema) && !write_view_in_place(n)));
    for (uint32_t o = 0; o < ir_output_count(n); o++)
        if (takes_part(ir_out(n, o)) && operator_hands_on(n, u->index, o) && (u->index || v->type->kind != TYPE_TENSOR))
            return false;
    return true;
}

static bool writes_class(const tabulator *t, const ir_node *n) {
    return n->schema && !is_of_containers(n) && ir_input_count(n) && operator_writes(n, 0) &&
           is_of_class(t, ir_in(n, 0));
}

static bool has_write(const tabulator *t, const ir_node *n) {
    stack_check();
    if (writes_class(t, n))
        return true;
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        for (const ir_node *inner = ir_first(n->blocks[i]); inner != n->blocks[i]->result; inner = inner->next)
            if (has_write(t, inner))
                return true;
    return false;
}

/* Whether a name that is not recorded as one (x.detach()) may be made a tensor of its own: it is only read, before
 * anything is written. */
static bool is_read_at_once(const tabulator *t, const ir_value *v) {
    size_t found = 0;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (v->uses[i].user->block != v->node->block || !use_only_reads(&v->uses[i]))
            return false;
    for (const ir_node *n = v->node->next; n != v->node->block->result && found < arrlenu(v->uses); n = n->next) {
        for (size_t i = 0; i < arrlenu(v->uses); i++)
            found += v->uses[i].user == n;
        if (found < arrlenu(v->uses) && has_write(t, n))
            return false;
    }
    return true;
}

static bool is_unrecorded_name_of_class(const tabulator *t, const ir_value *v) {
    const ir_node *n = v->node;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (is_of_class(t, ir_in(n, i)))
            return takes_part(v) && is_unrecorded_name(t, v);
    return false;
}

static bool is_known_value(const tabulator *t, const ir_value *v) {
    if (!is_simple(is_tensor(v) ? type_without_none(v->type) : v->type) || !is_known_origin(t, v))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!is_known_use(t, &v->uses[i]))
            return false;
    return true;
}

static bool are_known(const tabulator *t, const ir_node *n) {
    for (uint32_t o = 0; o < ir_output_count(n); o++)
        if (is_of_class(t, ir_out(n, o))
                ? !is_known_value(t, ir_out(n, o))
                : is_unrecorded_name_of_class(t, ir_out(n, o)) && !is_read_at_once(t, ir_out(n, o)))
            return false;
    return true;
}

static bool is_known_block(const tabulator *t, const ir_block *b) {
    stack_check();
    for (const ir_node *n = b->param; n != b->result; n = n->next) {
        if (!are_known(t, n))
            return false;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (!is_known_block(t, n->blocks[i]))
                return false;
    }
    return true;
}

/* Whether what requests derive depends on v. */
static bool reaches_request(gradient_flow *of_value, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if ((ir_is_operator(n, "aten::grad") || (n->schema && ir_is_operator(n, "aten::backward"))) &&
            flow_depends(of_value, ir_in(n, 0)))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (reaches_request(of_value, n->blocks[i]))
                return true;
    }
    return false;
}

/* Finds the class of the next write that gradients pass through, and that can be rewritten. */
static bool find_class(tabulator *t, const ir_graph *g, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (find_class(t, g, n->blocks[i]))
                return true;
        if (!write_is_first(n) || flow_mode(t->flow, n) != GRADIENTS_ON || !flow_depends(t->flow, ir_in(n, 0)))
            continue;
        gradient_flow *of_value = flow_like(t->flow);
        flow_mark(of_value, ir_out(n, 0));
        t->class = value_class(t->names, ir_in(n, 0));
        if (reaches_request(of_value, g->block) && is_known_block(t, g->block))
            return true;
    }
    return false;
}

/* ---- Building ---- */

static ir_value *call(const tabulator *t, ir_node *at, const char *name, ir_value *a, ir_value *b, ir_value *c,
                      ir_value *d) {
    ir_value *inputs[] = {a, b, c, d};
    size_t count = 0;
    while (count < sizeof inputs / sizeof *inputs && inputs[count])
        count++;
    return function_insert_call(at, builtin_derivative(t->program, name, NULL), inputs, count);
}

static ir_value *number_of(tabulator *t, const ir_value *v) {
    return hmget(t->numbers, v);
}

/* The same before `at`, also of None. */
static ir_value *number_at(tabulator *t, ir_node *at, const ir_value *v) {
    ir_value *number = number_of(t, v);
    return number ? number : ir_insert_constant(at, const_int(0));
}

static bool is_name(tabulator *t, const ir_value *v) {
    return hmgeti(t->numbers, v) >= 0;
}

static bool is_list(tabulator *t, const ir_value *v) {
    return !is_tensor(v) && (hmgeti(t->lists, v) >= 0 || is_of_class(t, v));
}

/* Before `at`: v is what the entry holds now. */
static void mark_read(const tabulator *t, ir_node *at, ir_value *v, ir_value *number) {
    ir_value *version = call(t, at, "table_version", t->versions, number, NULL, NULL);
    operator_insert_node(at, "tsm::entry_read", (ir_value *[]){v, t->versions, number, version}, 4);
}

/* What the name holds, before `at`. */
static ir_value *read_entry(tabulator *t, ir_node *at, ir_value *name) {
    const char *how = hmgeti(t->wholes, name) >= 0 ? "table_whole" : "table_part";
    return call(t, at, how, t->table, number_of(t, name), name, NULL);
}

/* What the author's v holds, before `at`. */
static ir_value *current(tabulator *t, ir_node *at, ir_value *v) {
    stack_check();
    if (hmgeti(t->given, v) >= 0)
        return hmget(t->given, v);
    if (is_name(t, v)) {
        ir_value *now = read_entry(t, at, v);
        mark_read(t, at, now, number_of(t, v));
        return now;
    }
    if (is_list(t, v))
        return call(t, at, "table_all", t->table, v, NULL, NULL);
    if (!is_construct(v->node) || !is_display(v))
        return v;
    const ir_node *display = v->node;
    ir_value **items = NULL;
    bool has_changed = false;
    for (uint32_t i = 0; i < ir_input_count(display); i++) {
        arrput(items, current(t, at, ir_in(display, i)));
        has_changed |= items[i] != ir_in(display, i);
    }
    return has_changed ? write_insert_display(at, display, items) : v;
}

static void take_current(tabulator *t, ir_node *n, uint32_t first) {
    for (uint32_t i = first; i < ir_input_count(n); i++) {
        ir_value *v = ir_in(n, i), *now = current(t, n, v);
        if (now != v)
            ir_node_set_input(n, i, now);
    }
}

/* A new tensor gets an entry. */
static void enter(tabulator *t, ir_value *v, ir_node *at) {
    const bool given = is_given(v);
    ir_value *name = call(t, at, given ? "table_given_name" : "table_name", v, NULL, NULL, NULL);
    ir_value *number = given ? call(t, at, "table_given", t->table, t->versions, name, v)
                             : call(t, at, "table_number", t->table, t->versions, v, NULL);
    for (size_t i = arrlenu(v->uses); i-- > 0;) {
        const ir_use u = v->uses[i];
        if (u.user != number->node && u.user != name->node)
            ir_node_set_input(u.user, u.index, name);
    }
    hmput(t->numbers, name, number);
    hmput(t->wholes, name, true);
    if (given)
        hmput(t->given, name, v);
    else
        mark_read(t, at, v, number);
}

/* A list that an operator made becomes one of pairs. */
static void enter_list(tabulator *t, ir_value *list, ir_value *number, ir_node *at) {
    ir_value *pairs = number ? call(t, at, "table_views", list, number, NULL, NULL)
                             : call(t, at, "table_add_all", t->table, t->versions, list, NULL);
    pair_replace_uses(list, pairs, pairs->node);
    hmput(t->lists, pairs, true);
}

/* ---- Rewriting ---- */

static void visit_block(tabulator *t, ir_block *b);

static void rewrite_write(tabulator *t, ir_node *n) {
    ir_value *name = ir_in(n, 0), *number = number_of(t, name);
    if (hmgeti(t->given, name) < 0) /* PyTorch keeps a copy of what the write itself reads there */
        ir_node_set_input(n, 0, read_entry(t, n, name));
    uint32_t *others = NULL; /* that may be parts of what is written */
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        if (is_name(t, ir_in(n, i)))
            arrput(others, i);
    take_current(t, n, 0);
    for (size_t i = 0; i < arrlenu(others); i++)
        write_insert_overlap_check(n, others[i]);
    ir_value *made = write_insert_result(t->program, n);
    const char *how = hmgeti(t->wholes, name) >= 0 ? "table_write_whole" : "table_write";
    ir_value *inputs[] = {t->table, t->versions, number, name, made};
    function_insert_call(n, builtin_derivative(t->program, how, NULL), inputs, 5);
    mark_read(t, n, made, number);
    ir_replace_uses(ir_out(n, 0), name);
    ir_destroy(n);
}

/* Tensors go into containers as pairs, and come out as such. */
static void rewrite_items(tabulator *t, ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (container_item_input(n, i) && is_name(t, ir_in(n, i)))
            ir_node_set_input(n, i, pair_insert(n, ir_in(n, i), number_of(t, ir_in(n, i))));
}

/* An item that is a tensor is taken apart. */
static void rewrite_outputs(tabulator *t, ir_node *n) {
    ir_node *at = n->next;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *v = ir_out(n, i);
        if (!is_of_class(t, v))
            continue;
        const bool is_tensor = v->type->kind == TYPE_TENSOR;
        v->type = pair_type(v->type);
        if (n->kind == IR_LIST_CONSTRUCT && n->type_operand)
            n->type_operand = v->type;
        if (!is_tensor)
            continue;
        ir_node *parts = pair_insert_unpack(at, v);
        pair_replace_uses(v, ir_out(parts, 0), parts);
        hmput(t->numbers, ir_out(parts, 0), ir_out(parts, 1));
    }
}

static const type *int_type(void) {
    return type_basic(TYPE_INT);
}

static void visit_if(tabulator *t, ir_node *n) {
    const uint32_t count = ir_output_count(n);
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        visit_block(t, n->blocks[k]);
    for (uint32_t i = 0; i < count; i++) {
        ir_value *v = ir_out(n, i);
        if (!is_of_class(t, v))
            continue;
        if (!is_tensor(v)) {
            v->type = pair_type(v->type);
            continue;
        }
        for (size_t k = 0; k < arrlenu(n->blocks); k++)
            ir_block_add_result(n->blocks[k], number_at(t, n->blocks[k]->result, ir_in(n->blocks[k]->result, i)));
        hmput(t->numbers, v, ir_node_add_output(n, int_type()));
    }
}

static void visit_loop(tabulator *t, ir_node *n) {
    const uint32_t count = ir_output_count(n);
    ir_block *body = n->blocks[0];
    uint32_t *carried = NULL;
    for (uint32_t i = 0; i < count; i++) {
        ir_value *v = ir_out(body->param, i + 1);
        if (!is_of_class(t, v))
            continue;
        if (!is_tensor(v)) {
            v->type = pair_type(v->type);
            continue;
        }
        ir_node_add_input(n, number_at(t, n, ir_in(n, i + BEFORE_VARIABLES)));
        hmput(t->numbers, v, ir_block_add_param(body, NULL, int_type()));
        arrput(carried, i);
    }
    visit_block(t, body);
    for (size_t k = 0; k < arrlenu(carried); k++) {
        ir_block_add_result(body, number_at(t, body->result, ir_in(body->result, carried[k] + 1)));
        hmput(t->numbers, ir_out(n, carried[k]), ir_node_add_output(n, int_type()));
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_of_class(t, ir_out(n, i)) && !is_tensor(ir_out(n, i)))
            ir_out(n, i)->type = pair_type(ir_out(n, i)->type);
}

/* A name has no gradient, whatever tensors its sizes are taken from (expand_as). */
static void detach_others(const tabulator *t, ir_node *view) {
    for (uint32_t i = 1; i < ir_input_count(view); i++)
        if (ir_in(view, i)->type->kind == TYPE_TENSOR)
            ir_node_set_input(view, i, call(t, view, "table_name", ir_in(view, i), NULL, NULL, NULL));
}

/* A tensor that is a view of n's first input, or a copy. */
static void rewrite_same(tabulator *t, ir_node *n) {
    ir_value *name = ir_in(n, 0), *again = ir_out(n, 0);
    ir_node *at = n->next;
    ir_node *made = write_insert_like(at, n, n->schema, current(t, at, name))->node;
    for (uint32_t i = 1; i < ir_input_count(n); i++) {
        ir_value *now = current(t, n, ir_in(n, i));
        ir_node_set_input(n, i, now);
        ir_node_set_input(made, i, now);
    }
    detach_others(t, n);
    ir_value *inputs[] = {t->table, t->versions, number_of(t, name), name, again, ir_out(made, 0)};
    hmput(t->numbers, again, function_insert_call(at, builtin_derivative(t->program, "table_same", NULL), inputs, 6));
}

static void rewrite_operator(tabulator *t, ir_node *n) {
    ir_node *at = n->next;
    const bool has_name = ir_input_count(n) && is_name(t, ir_in(n, 0));
    const bool is_view =
        has_name && ir_output_count(n) == 1 && is_of_class(t, ir_out(n, 0)) && is_recorded_view(t, n, 0);
    if (is_view && tensor_may_copy(n)) {
        rewrite_same(t, n);
        return;
    }
    ir_value *number = is_view ? number_of(t, ir_in(n, 0)) : NULL;
    take_current(t, n, is_view ? 1 : 0);
    if (is_view)
        detach_others(t, n);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *v = ir_out(n, i);
        if (!is_of_class(t, v))
            continue;
        if (v->type->kind != TYPE_TENSOR)
            enter_list(t, v, number, at);
        else if (number)
            hmput(t->numbers, v, number);
        else
            enter(t, v, at);
    }
}

/* Whether n gives None, or what stands for a variable without a value. */
static bool has_no_tensor(const ir_node *n) {
    const ir_constant *c = ir_constant_of(ir_out(n, 0));
    return n->kind == IR_UNINITIALIZED || (c && c->kind == CONST_NONE);
}

static void visit_node(tabulator *t, ir_node *n) {
    if (gradient_mark_is(n) || n->kind == IR_IS || n->kind == IR_IS_NOT) /* a name is None where the tensor is */
        return;
    if (writes_class(t, n) || (write_is_first(n) && is_name(t, ir_in(n, 0)))) {
        rewrite_write(t, n);
    } else if (n->kind == IR_IF) {
        visit_if(t, n);
    } else if (n->kind == IR_LOOP) {
        visit_loop(t, n);
    } else if (is_construct(n) && is_display(ir_out(n, 0))) {
        return;
    } else if (is_construct(n) || takes_apart(n) || is_of_containers(n)) {
        rewrite_items(t, n);
        rewrite_outputs(t, n);
    } else if (is_cast(n)) {
        if (is_name(t, ir_in(n, 0)))
            hmput(t->numbers, ir_out(n, 0), number_of(t, ir_in(n, 0)));
    } else if (n->schema) {
        rewrite_operator(t, n);
    } else if (ir_output_count(n) == 1 && is_of_class(t, ir_out(n, 0)) && has_no_tensor(n)) {
        hmput(t->numbers, ir_out(n, 0), ir_insert_constant(n, const_int(0)));
    } else if (ir_output_count(n) == 1 && is_of_class(t, ir_out(n, 0))) {
        enter(t, ir_out(n, 0), n->next);
    }
}

static void visit_block(tabulator *t, ir_block *b) {
    stack_check();
    IR_EACH(n, b)
    visit_node(t, n);
    if (!b->owner)
        take_current(t, b->result, 0);
}

/* The innermost block that has all of the class in it. */
static ir_block *common_block(const tabulator *t, const ir_block *b, ir_block *common) {
    stack_check();
    for (const ir_node *n = b->param; n != b->result; n = n->next) {
        for (uint32_t i = 0; i < ir_output_count(n); i++) {
            if (!is_of_class(t, ir_out(n, i)))
                continue;
            if (!common)
                common = n->block;
            while (!ir_is_inside(ir_out(n, i), common))
                common = common->owner->block;
        }
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            common = common_block(t, n->blocks[i], common);
    }
    return common;
}

/* An empty list before `at`. */
static ir_value *insert_list(ir_node *at, const type *element) {
    ir_node *list = ir_node_new(at->graph, IR_LIST_CONSTRUCT, 1);
    list->range = at->range;
    list->scope = at->scope;
    ir_out(list, 0)->type = type_list(element);
    ir_insert_before(at, list);
    return ir_out(list, 0);
}

static void rewrite(tabulator *t, ir_graph *g) {
    ir_node *first = ir_first(common_block(t, g->block, NULL));
    t->table = insert_list(first, type_basic(TYPE_TENSOR));
    t->versions = insert_list(first, int_type());
    for (uint32_t i = 0; i < ir_output_count(g->block->param); i++)
        if (is_of_class(t, ir_out(g->block->param, i)))
            enter(t, ir_out(g->block->param, i), first);
    visit_block(t, g->block);
}

void tensor_table(program *p, ir_graph *g) {
    for (;;) {
        tabulator t = {.program = p, .flow = flow_new(g), .names = value_classes_new(takes_part)};
        write_mark_asked(t.flow, g->block);
        join(&t, g->block);
        if (!find_class(&t, g, g->block))
            return;
        rewrite(&t, g);
        inline_calls(g); /* what was inserted for one memory may name another */
    }
}
