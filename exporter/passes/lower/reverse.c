/* Reverse mode: operators by their formulas, lists item by item. */
#include "exporter/passes/lower/reverse.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/lower/checkpoint.h"
#include "exporter/passes/lower/leaf_flags.h"
#include "exporter/passes/lower/reverse_parts.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/passes/lower/stand_in.h"
#include "exporter/passes/lower/unite_attributes.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

source_range reverse_users_range(const ir_node *n) {
    static const char torch[] = "__torch__.torch.";
    source_range range = n->range;
    for (const ir_scope *s = n->scope; s && s->caller; s = s->caller) {
        bool is_torch = s->function && !strncmp(s->function, torch, sizeof torch - 1);
        if (!is_torch && !(range.file && range.file->is_library))
            break;
        range = s->range;
    }
    return range;
}

_Noreturn void reverse_refuse(const ir_node *n, const char *why) {
    source_fail(
        reverse_users_range(n), "%s",
        mem_printf("%s cannot be differentiated: %s", n->schema ? n->schema->full_name : ir_kind_name(n->kind), why));
}

/* ---- Building ---- */

static ir_value *insert_call(derivation *d, function *f, ir_value *const *inputs, uint32_t count) {
    ir_value *result = function_insert_call(d->at, f, inputs, count);
    result->node->range = d->request->range;
    result->node->scope = d->request->scope;
    return result;
}

/* Zeros of the type and the sizes of v. */
static ir_value *insert_zeros_like(derivation *d, ir_value *v) {
    arrput(d->uses->asked, v);
    return reverse_insert_helper(d, "no_gradient", &v, 1);
}

ir_value *reverse_insert_helper(derivation *d, const char *name, ir_value *const *inputs, uint32_t count) {
    return insert_call(d, builtin_derivative(d->program, name, NULL), inputs, count);
}

ir_value *reverse_insert_list(derivation *d, const type *element, ir_value *const *items, uint32_t count) {
    ir_node *list = ir_node_new(d->at->graph, IR_LIST_CONSTRUCT, 1);
    list->range = d->request->range;
    list->scope = d->request->scope;
    list->outputs[0]->type = type_list(element);
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(list, items[i]);
    ir_insert_before(d->at, list);
    return ir_out(list, 0);
}

/* ---- Whether gradients are there ---- */

gradient_presence reverse_presence_of(const derivation *d, const ir_value *gradient) {
    return hmget(d->uses->presences, gradient);
}

void reverse_set_presence(derivation *d, const ir_value *gradient, gradient_presence presence) {
    if (presence.is_there)
        hmput(d->uses->presences, gradient, presence);
}

/* Of what comes from both. */
gradient_presence reverse_either_presence(derivation *d, gradient_presence a, gradient_presence b) {
    if (!a.is_there || !b.is_there)
        return reverse_always;
    if (a.is_there == b.is_there)
        return a;
    ir_value *both[] = {a.is_there, b.is_there};
    return (gradient_presence){reverse_insert_helper(d, "either", both, 2), a.is_carried || b.is_carried};
}

ir_value *reverse_insert_sum(derivation *d, ir_value *a, ir_value *b) {
    const gradient_presence presence = reverse_either_presence(d, reverse_presence_of(d, a), reverse_presence_of(d, b));
    ir_value *sum = reverse_insert_helper(d, "sum_of", (ir_value *[]){a, b}, 2);
    reverse_set_presence(d, sum, presence);
    return sum;
}

/* ---- Gradients so far ---- */

ir_value *reverse_gradient_of(const derivation *d, const ir_value *v) {
    ir_value_map gradients = d->gradients;
    return hmget(gradients, flow_origin(v));
}

/* What has been added up for v so far; in a loop, a variable of it for what lies outside. */
static ir_value *known_gradient(derivation *d, const ir_value *origin) {
    ir_value *known = reverse_gradient_of(d, origin);
    return known || !d->loop || ir_is_inside(origin, d->body) ? known : reverse_carry_outer(d, origin);
}

void reverse_set_sum(derivation *d, const ir_value *origin, ir_value *sum) {
    hmput(d->gradients, origin, sum);
    if (!d->keeps_graph)
        hmput(d->sums, sum, true);
}

void reverse_accumulate(derivation *d, const ir_value *v, ir_value *gradient) {
    const ir_value *origin = flow_origin(v);
    if (!flow_depends(d->flow, origin))
        return;
    ir_value *known = known_gradient(d, origin);
    if (known)
        reverse_set_sum(d, origin, reverse_insert_sum(d, known, gradient));
    else
        hmput(d->gradients, origin, gradient);
}

void reverse_accumulate_item(derivation *d, const ir_value *container, int64_t index, ir_value *gradient) {
    const ir_value *origin = flow_origin(container);
    if (!flow_depends(d->flow, origin))
        return;
    item_gradient *items = hmget(d->items, origin);
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index == index) {
            items[i].gradient = reverse_insert_sum(d, items[i].gradient, gradient);
            return;
        }
    item_gradient item = {index, gradient};
    arrput(items, item);
    hmput(d->items, origin, items);
}

item_gradient *reverse_items_of(derivation *d, const ir_value *container) {
    return hmget(d->items, flow_origin(container));
}

/* Gradients of the items of a list that grows; NULL: none. */
static ir_value *list_gradient(const derivation *d, const ir_value *list) {
    ir_value *found = NULL;
    for (; d && !found; d = d->outer) {
        derivation here = *d; /* stb_ds's lookups write to the map's head */
        found = hmget(here.lists, flow_origin(list));
    }
    return found;
}

static bool is_append(const ir_node *n) {
    return ir_is_operator(n, "aten::append.t");
}

static bool is_recorded(const derivation *d, const ir_node *n) {
    return flow_mode(d->flow, n) != GRADIENTS_OFF && !schema_has_trait(n->schema, TRAIT_WRITES_NO_ELEMENTS) &&
           !schema_has_trait(n->schema, TRAIT_NO_GRADIENT) && flow_has_dependent_input(d->flow, n);
}

/* Whether a value in the memory that v is in has a gradient, under whatever name. */
static bool memory_has_gradient(const derivation *d, const ir_value *v) {
    for (; d; d = d->outer)
        for (ptrdiff_t i = 0; i < hmlen(d->gradients); i++)
            if (memory_classes_share(d->uses->recorded, d->gradients[i].key, v))
                return true;
    return false;
}

static bool writes_to_gradient(const derivation *d, const ir_node *n) {
    if (!n->schema || !schema_is_mutating(n->schema) || !is_recorded(d, n))
        return false;
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (n->schema->arguments[i].is_write && ir_in(n, i)->type->kind == TYPE_TENSOR &&
            memory_has_gradient(d, ir_in(n, i)))
            return true;
    return false;
}

/* Whether a block appends to a list whose items have gradients, or writes to a tensor that has one, or stores a tensor
 * with a number. */
static bool changes_inside(const derivation *d, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if ((is_append(n) && list_gradient(d, ir_in(n, 0))) || writes_to_gradient(d, n) ||
            numbered_store(d->numbers, n))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (changes_inside(d, n->blocks[i]))
                return true;
    }
    return false;
}

static bool has_gradient(derivation *d, const ir_node *n) {
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        if (changes_inside(d, n->blocks[i]))
            return true;
    if (ir_output_count(n) && list_gradient(d, ir_out(n, 0)))
        return true;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (reverse_gradient_of(d, ir_out(n, i)) || reverse_items_of(d, ir_out(n, i)))
            return true;
    return false;
}

/* ---- Lists and tuples ---- */

static bool is_only_read(const ir_value *list);

/* A result of a branch is the same list under another name. */
static bool changes_or_hides(const ir_use *u) {
    const ir_node *owner = u->user == u->user->block->result ? u->user->block->owner : NULL;
    if (owner && owner->kind == IR_IF)
        return !is_only_read(ir_out(owner, u->index));
    bool is_formula = u->user->kind == IR_CALL_FUNCTION && u->user->callee && u->user->callee->is_builtin;
    return !is_formula && !use_leaves_list(u);
}

static bool is_only_read(const ir_value *list) {
    stack_check();
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (changes_or_hides(&list->uses[i]))
            return false;
    return true;
}

/* A use of a list that no run comes to before it has read the list at `reader`. */
static bool stands_behind(const ir_node *reader, const ir_node *display, const ir_use *u) {
    return reader->block == display->block && reader != display && ir_is_before(reader, u->user);
}

/* The node that makes a list whose items stay what they were then until `user` reads them. */
const ir_node *reverse_list_display(const ir_node *user, const ir_value *list) {
    const ir_node *n = flow_origin(list)->node;
    if (n->kind != IR_LIST_CONSTRUCT)
        reverse_refuse(user, "its list is not written as a display [a, b, ...]");
    for (size_t i = 0; i < arrlenu(ir_out(n, 0)->uses); i++)
        if (changes_or_hides(&ir_out(n, 0)->uses[i]) && !stands_behind(user, n, &ir_out(n, 0)->uses[i]))
            reverse_refuse(ir_out(n, 0)->uses[i].user, "it changes or keeps a list that gradients pass through");
    return n;
}

/* ---- Lists that grow ----
 *
 * A list that is only appended to, in whatever branches and loops, and read afterwards. Its items' gradients are a list
 * too, from whose end the reversed appends take theirs. */

static bool grows(const ir_value *list) {
    const ir_node *display = flow_origin(list)->node;
    if (display->kind != IR_LIST_CONSTRUCT || ir_out(display, 0)->type->kind != TYPE_LIST ||
        type_element(ir_out(display, 0)->type)->kind != TYPE_TENSOR)
        return false;
    const ir_use *uses = ir_out(display, 0)->uses;
    bool has_append = false;
    for (size_t i = 0; i < arrlenu(uses); i++)
        has_append |= is_append(uses[i].user) && uses[i].index == 0;
    for (size_t i = 0; has_append && i < arrlenu(uses); i++) {
        const ir_node *user = uses[i].user;
        if (is_append(user) && uses[i].index == 0) {
            if (ir_use_count(ir_out(user, 0)))
                return false;
            continue;
        }
        bool is_formula = user->kind == IR_CALL_FUNCTION && user->callee && user->callee->is_builtin;
        if (!is_formula && !use_leaves_list(&uses[i]))
            return false;
    }
    return has_append;
}

/* Every append stands before the reader, and the reader in the block of the list. */
static void check_reader(const ir_node *reader, const ir_value *list) {
    const ir_node *display = flow_origin(list)->node;
    const ir_use *uses = ir_out(display, 0)->uses;
    if (reader->block != display->block)
        reverse_refuse(reader, "it reads a list that grows, in another block than the list is made in");
    for (size_t i = 0; i < arrlenu(uses); i++)
        if (is_append(uses[i].user) && ir_is_before(reader, uses[i].user))
            reverse_refuse(uses[i].user, "it appends to a list that was read before");
}

/* `gradients`: a list of its own, one for each item of `list`. */
static void accumulate_list(derivation *d, const ir_node *reader, ir_value *list, ir_value *gradients) {
    check_reader(reader, list);
    ir_value *known = list_gradient(d, list);
    if (known)
        gradients = reverse_insert_helper(d, "sums_of", (ir_value *[]){known, gradients}, 2);
    hmput(d->lists, flow_origin(list), gradients);
}

static ir_value *insert_list_call(derivation *d, const char *name, ir_value *list, int64_t index) {
    call_argument arguments[] = {{NULL, list, d->request->range},
                                 {NULL, ir_insert_constant(d->at, const_int(index)), d->request->range}};
    ir_node *n = schema_call(name, d->at, d->request->range, arguments, 2);
    n->scope = d->request->scope;
    return ir_out(n, 0);
}

static void reverse_append(derivation *d, const ir_node *n) {
    ir_value *gradients = list_gradient(d, ir_in(n, 0));
    reverse_accumulate(d, ir_in(n, 1), insert_list_call(d, "aten::pop", gradients, -1));
}

static void reverse_growing_display(derivation *d, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (flow_depends(d->flow, ir_in(n, i)))
            reverse_accumulate(d, ir_in(n, i),
                               insert_list_call(d, "aten::__getitem__", list_gradient(d, ir_out(n, 0)), i));
}

/* Items of a list that grows, which n reads: their places and gradients. */
static void accumulate_growing(derivation *d, const ir_node *n, ir_value **indices, ir_value **gradients) {
    const uint32_t count = (uint32_t)arrlenu(indices);
    ir_value *inputs[] = {ir_in(n, 0), reverse_insert_list(d, type_basic(TYPE_INT), indices, count),
                          reverse_insert_list(d, type_basic(TYPE_TENSOR), gradients, count)};
    accumulate_list(d, n, ir_in(n, 0), reverse_insert_helper(d, "item_gradients", inputs, 3));
}

/* a[i] of a list that grows. */
static void reverse_growing_item(derivation *d, const ir_node *n) {
    ir_value **indices = NULL, **gradients = NULL;
    arrput(indices, ir_in(n, 1));
    arrput(gradients, reverse_gradient_of(d, ir_out(n, 0)));
    accumulate_growing(d, n, indices, gradients);
}

/* x, y = a, where the list a grows. */
static void reverse_growing_unpack(derivation *d, const ir_node *n) {
    ir_value **indices = NULL, **gradients = NULL;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (reverse_gradient_of(d, ir_out(n, i))) {
            arrput(indices, ir_insert_constant(d->at, const_int(i)));
            arrput(gradients, reverse_gradient_of(d, ir_out(n, i)));
        }
    accumulate_growing(d, n, indices, gradients);
}

/* a[i]: of a list that some operator made, or of a display. */
static void reverse_item(derivation *d, const ir_node *n, bool counts_from_end) {
    int64_t index;
    const ir_value *container = flow_origin(ir_in(n, 0));
    if (grows(container)) {
        reverse_growing_item(d, n);
        return;
    }
    if (!ir_constant_int(ir_in(n, 1), &index))
        reverse_refuse(n, "the index is not a constant");
    bool is_display = container->node->kind == IR_LIST_CONSTRUCT;
    if (is_display)
        reverse_list_display(n, container);
    if (index < 0 && is_display)
        index += ir_input_count(container->node);
    if (index < 0 && counts_from_end)
        reverse_refuse(n, "the index counts from the end");
    reverse_accumulate_item(d, container, index, reverse_gradient_of(d, ir_out(n, 0)));
}

static void reverse_unpack(derivation *d, const ir_node *n) {
    if (n->kind == IR_LIST_UNPACK && grows(ir_in(n, 0))) {
        reverse_growing_unpack(d, n);
        return;
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (reverse_gradient_of(d, ir_out(n, i)))
            reverse_accumulate_item(d, ir_in(n, 0), i, reverse_gradient_of(d, ir_out(n, i)));
}

static void reverse_display(derivation *d, const ir_node *n) {
    item_gradient *items = reverse_items_of(d, ir_out(n, 0));
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index >= 0 && items[i].index < ir_input_count(n))
            reverse_accumulate(d, ir_in(n, (uint32_t)items[i].index), items[i].gradient);
}

/* [a, b] + c. */
static void reverse_joined(derivation *d, const ir_node *n) {
    int64_t first = ir_input_count(reverse_list_display(n, ir_in(n, 0)));
    item_gradient *items = reverse_items_of(d, ir_out(n, 0));
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index < first)
            reverse_accumulate_item(d, ir_in(n, 0), items[i].index, items[i].gradient);
        else
            reverse_accumulate_item(d, ir_in(n, 1), items[i].index - first, items[i].gradient);
}

/* ---- What has no gradient ---- */

static ir_node *insert_node(derivation *d, ir_kind kind, ir_value *input) {
    ir_node *n = ir_node_new(d->at->graph, kind, 1);
    n->range = d->request->range;
    n->scope = d->request->scope;
    ir_node_add_input(n, input);
    ir_insert_before(d->at, n);
    return n;
}

static ir_value *insert_item(derivation *d, ir_value *container, int64_t index) {
    if (container->type->kind == TYPE_LIST)
        return insert_list_call(d, "aten::__getitem__", container, index);
    ir_value *at = ir_insert_constant(d->at, const_int(index));
    ir_node *item = insert_node(d, IR_TUPLE_INDEX, container);
    ir_node_add_input(item, at);
    ir_out(item, 0)->type = container->type->items[index];
    return ir_out(item, 0);
}

/* Zeros; a tensor without elements for what is None. */
ir_value *reverse_insert_zeros(derivation *d, outer_tensor t) {
    ir_value *v = t.index == NO_ITEM ? t.value : insert_item(d, t.value, t.index);
    if (v->type->kind == TYPE_OPTIONAL)
        return reverse_insert_helper(d, "no_gradient_of_some", &v, 1);
    if (v->type->kind != TYPE_TENSOR)
        v = ir_out(insert_node(d, IR_UNCHECKED_CAST, v), 0);
    return insert_zeros_like(d, v);
}

/* ---- Operators ---- */

void reverse_note_use(derivation *d, const ir_node *n, const ir_value *v, use_kind by) {
    if (v->type->kind != TYPE_TENSOR)
        return;
    arraddnptr(d->uses->list, 1);
    arrlast(d->uses->list).value = v;
    arrlast(d->uses->list).node = n;
    arrlast(d->uses->list).by = by;
    if (by == USE_BY_FORMULA)
        saved_check_entry(d, n, v);
}

/* Gradients of the items of a list that is taken apart, in their order; NULL: not all have one. */
static ir_value **all_items(derivation *d, const ir_value *list) {
    item_gradient *items = reverse_items_of(d, list);
    ir_value **given = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (list->uses[i].user->kind == IR_LIST_UNPACK)
            count = ir_output_count(list->uses[i].user);
    for (uint32_t k = 0; k < count; k++)
        for (size_t i = 0; i < arrlenu(items); i++)
            if (items[i].index == k)
                arrput(given, items[i].gradient);
    return arrlenu(given) == count ? given : NULL;
}

/* Gradients of all items of a list of tensors that n made: zeros where none came. */
static ir_value *gradients_of_items(derivation *d, ir_value *list) {
    if (list_gradient(d, list))
        return list_gradient(d, list);
    item_gradient *items = reverse_items_of(d, list);
    ir_value **indices = NULL, **given = all_items(d, list);
    if (given)
        return reverse_insert_list(d, type_basic(TYPE_TENSOR), given, (uint32_t)arrlenu(given));
    for (size_t i = 0; i < arrlenu(items); i++) {
        arrput(indices, ir_insert_constant(d->at, const_int(items[i].index)));
        arrput(given, items[i].gradient);
    }
    uint32_t count = (uint32_t)arrlenu(items);
    ir_value *inputs[] = {list, reverse_insert_list(d, type_basic(TYPE_INT), indices, count),
                          reverse_insert_list(d, type_basic(TYPE_TENSOR), given, count)};
    return reverse_insert_helper(d, "item_gradients", inputs, 3);
}

/* What a formula's parameter stands for: "grad", "grad1", ...: the gradient of a result; "grads": those of the items of
 * a list that is the result; "result", "result1", ...: a result; others: the operator's argument of this name. */
static ir_value *formula_argument(derivation *d, const ir_node *n, const char *name) {
    static const char grad[] = "grad", result[] = "result";
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, name))
            return ir_in(n, i);
    if (!strcmp(name, "grads"))
        return gradients_of_items(d, ir_out(n, 0));
    bool is_result = !strncmp(name, result, sizeof result - 1);
    const char *number = name + (is_result ? sizeof result - 1 : sizeof grad - 1);
    uint32_t k = *number ? (uint32_t)(*number - '0') : 0;
    if (is_result)
        return ir_out(n, k);
    ir_value *g = reverse_gradient_of(d, ir_out(n, k));
    return g ? g : insert_zeros_like(d, ir_out(n, k));
}

/* NAME__ARGUMENT_saved has for parameters what PyTorch keeps, where this is not what the formula here reads. Returns
 * whether there is such a function. */
static bool note_saved(derivation *d, const ir_node *n, const char *argument) {
    const function *saved = builtin_derivative(d->program, n->schema->full_name, mem_printf("%s_saved", argument));
    for (uint32_t i = 0; saved && i < saved->schema->argument_count; i++)
        reverse_note_use(d, n, formula_argument(d, n, saved->schema->arguments[i].name), USE_BY_FORMULA);
    return saved != NULL;
}

/* Of what the formulas of n give: none of its results may have a gradient at run time. */
static gradient_presence presence_behind(derivation *d, const ir_node *n) {
    gradient_presence all = reverse_always;
    bool has_any = false;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        if (list_gradient(d, ir_out(n, i)))
            return reverse_always;
        const item_gradient *items = reverse_items_of(d, ir_out(n, i));
        for (size_t k = 0; k <= arrlenu(items); k++) {
            const ir_value *g = k < arrlenu(items) ? items[k].gradient : reverse_gradient_of(d, ir_out(n, i));
            if (g)
                all = has_any ? reverse_either_presence(d, all, reverse_presence_of(d, g)) : reverse_presence_of(d, g);
            has_any |= g != NULL;
        }
    }
    return all;
}

/* What stands for a formula's result, of type t, where no gradient came. */
static ir_value *insert_nothing(derivation *d, const ir_node *n, const char *argument, const type *t) {
    if (t->kind == TYPE_TENSOR)
        return reverse_insert_zeros(d, (outer_tensor){formula_argument(d, n, argument), NO_ITEM});
    ir_value *list = formula_argument(d, n, argument);
    return reverse_insert_helper(d, "no_gradients", &list, 1);
}

/* The same of a formula for all arguments. */
static ir_value *insert_tuple_of_nothing(derivation *d, const ir_node *n, const type *t) {
    ir_node *tuple = ir_node_new(d->at->graph, IR_TUPLE_CONSTRUCT, 1);
    tuple->range = d->request->range;
    tuple->scope = d->request->scope;
    ir_out(tuple, 0)->type = t;
    for (uint32_t i = 0; i < n->schema->argument_count && ir_input_count(tuple) < t->count; i++)
        if (type_without_none(n->schema->arguments[i].type)->kind == TYPE_TENSOR)
            ir_node_add_input(tuple, reverse_insert_zeros(d, (outer_tensor){ir_in(n, i), NO_ITEM}));
    ir_insert_before(d->at, tuple);
    return ir_out(tuple, 0);
}

/* The formula runs where the gradient is there: what it multiplies zeros by may be infinite. */
static ir_value *insert_guarded(derivation *d, const ir_node *n, const char *argument, ir_value *is_there,
                                function *formula, ir_value *const *inputs, uint32_t count) {
    ir_node *guard = insert_node(d, IR_IF, is_there);
    derivation inner = *d;
    inner.at = ir_node_add_block(guard)->result;
    ir_value *given = insert_call(&inner, formula, inputs, count);
    ir_block_add_result(guard->blocks[0], given);
    inner.at = ir_node_add_block(guard)->result;
    ir_block_add_result(guard->blocks[1], given->type->kind == TYPE_TUPLE
                                              ? insert_tuple_of_nothing(&inner, n, given->type)
                                              : insert_nothing(&inner, n, argument, given->type));
    ir_out(guard, 0)->type = given->type;
    return ir_out(guard, 0);
}

/* `argument`: whose gradient the formula gives; `total`: what a parameter of this name stands for. */
static ir_value *apply_formula(derivation *d, const ir_node *n, const char *argument, function *formula,
                               ir_value *total) {
    ir_value **inputs = NULL;
    const use_kind reads = note_saved(d, n, argument) ? USE_INSIDE : USE_BY_FORMULA;
    for (uint32_t i = 0; i < formula->schema->argument_count; i++) {
        const char *name = formula->schema->arguments[i].name;
        ir_value *v = total && !strcmp(name, "total") ? total : formula_argument(d, n, name);
        if (stand_in_suffices(formula, i))
            arrput(d->uses->asked, v);
        else {
            reverse_note_use(d, n, v, reads);
            v = checkpoint_value(d, v);
        }
        arrput(inputs, v);
    }
    const gradient_presence presence = total ? reverse_always : presence_behind(d, n);
    const uint32_t count = (uint32_t)arrlenu(inputs);
    ir_value *given = presence.is_there && !presence.is_carried
                          ? insert_guarded(d, n, argument, presence.is_there, formula, inputs, count)
                          : insert_call(d, formula, inputs, count);
    reverse_set_presence(d, given, presence);
    return given;
}

/* Whether n records nothing for a tensor. */
static bool is_flag_off(const derivation *d, const ir_node *n, const ir_value *v) {
    const gradient_mode flag = leaf_flag_at(d, n, v);
    if (flag == GRADIENTS_UNKNOWN)
        reverse_refuse(n, "whether a tensor requires a gradient here is decided at run time");
    return flag == GRADIENTS_OFF;
}

/* `part`: one of those that a formula gave together. */
static void accumulate_part(derivation *d, const ir_value *v, ir_value *part, const ir_value *together) {
    reverse_set_presence(d, part, reverse_presence_of(d, together));
    reverse_accumulate(d, v, part);
}

static void reverse_list_argument(derivation *d, const ir_node *n, ir_value *list, ir_value *gradients) {
    if (numbered_read(d->numbers, list)) {
        ir_value *given[] = {numbered_gradients(d->numbers), numbered_read(d->numbers, list), gradients};
        reverse_insert_helper(d, "give_all", given, 3);
        return;
    }
    if (grows(list)) {
        accumulate_list(d, n, list, gradients);
        return;
    }
    const ir_node *display = reverse_list_display(n, list);
    ir_node *unpack = ir_node_new(d->at->graph, IR_LIST_UNPACK, ir_input_count(display));
    unpack->range = d->request->range;
    unpack->scope = d->request->scope;
    ir_node_add_input(unpack, gradients);
    ir_insert_before(d->at, unpack);
    for (uint32_t i = 0; i < ir_input_count(display); i++)
        if (!is_flag_off(d, n, ir_in(display, i)))
            accumulate_part(d, ir_in(display, i), ir_out(unpack, i), gradients);
}

static bool is_known(derivation *d, const ir_node *n) {
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (builtin_derivative(d->program, n->schema->full_name, n->schema->arguments[i].name))
            return true;
    return false;
}

/* Whether the items of a list are asked for their flags one by one. */
static bool is_followed(const derivation *d, const ir_value *v) {
    return v->type->kind == TYPE_LIST && !numbered_read(d->numbers, v) && !grows(v) &&
           flow_origin(v)->node->kind == IR_LIST_CONSTRUCT;
}

/* Whether nothing reads the node's results after its formula, in this turn of loops or another. */
static bool reads_last(const derivation *d, const ir_node *n) {
    const ir_node *loop = reverse_loop_around(d->request);
    return d->is_last && !d->again && (!loop || ir_is_inside(ir_out(n, 0), loop->blocks[0]));
}

/* One formula for all arguments that are tensors. */
static bool reverse_together(derivation *d, const ir_node *n) {
    const char *gradients = "last_gradients";
    function *formula = reads_last(d, n) ? builtin_derivative(d->program, n->schema->full_name, gradients) : NULL;
    if (!formula) {
        gradients = "gradients";
        formula = builtin_derivative(d->program, n->schema->full_name, gradients);
    }
    if (!formula)
        return false;
    ir_value *all = apply_formula(d, n, gradients, formula, NULL);
    ir_node *unpack = ir_node_new(d->at->graph, IR_TUPLE_UNPACK, 0);
    unpack->range = d->request->range;
    unpack->scope = d->request->scope;
    ir_node_add_input(unpack, all);
    ir_insert_before(d->at, unpack);
    for (uint32_t k = 0; k < all->type->count; k++)
        ir_node_add_output(unpack, all->type->items[k]);
    uint32_t k = 0;
    for (uint32_t i = 0; i < n->schema->argument_count && k < all->type->count; i++)
        if (type_without_none(n->schema->arguments[i].type)->kind == TYPE_TENSOR) {
            if (!is_flag_off(d, n, ir_in(n, i)))
                accumulate_part(d, ir_in(n, i), ir_out(unpack, k), all);
            k++;
        }
    return true;
}

/* The gradient of argument i, which is a tensor, added to what there is. */
static void accumulate_argument(derivation *d, const ir_node *n, uint32_t i, function *formula) {
    const char *name = n->schema->arguments[i].name;
    function *adder = builtin_derivative(d->program, n->schema->full_name, mem_printf("%s_added", name));
    const ir_value *origin = flow_origin(ir_in(n, i));
    ir_value *known = adder && !d->keeps_graph ? known_gradient(d, origin) : NULL;
    const gradient_presence presence = presence_behind(d, n);
    if (known && hmgeti(d->sums, known) >= 0 && (!presence.is_there || presence.is_carried)) {
        const gradient_presence both = reverse_either_presence(d, reverse_presence_of(d, known), presence);
        ir_value *sum = apply_formula(d, n, name, adder, known);
        reverse_set_presence(d, sum, both);
        reverse_set_sum(d, origin, sum);
    } else if (adder && !d->keeps_graph && !known)
        reverse_set_sum(d, origin, apply_formula(d, n, name, formula, NULL));
    else
        reverse_accumulate(d, origin, apply_formula(d, n, name, formula, NULL));
}

static void reverse_operator(derivation *d, const ir_node *n) {
    if (!is_recorded(d, n))
        return;
    if (schema_is_mutating(n->schema))
        reverse_refuse(n, ir_in(n, 0)->type->kind == TYPE_LIST ? "it changes a list that gradients pass through"
                                                               : "it works in place");
    if (flow_mode(d->flow, n) == GRADIENTS_UNKNOWN)
        reverse_refuse(n, "whether gradients are enabled here is decided at run time");
    const bool is_together = reverse_together(d, n);
    if (!is_together && !is_known(d, n))
        reverse_refuse(n, "there is no formula for its derivative");
    for (uint32_t i = 0; i < n->schema->argument_count; i++) {
        function *formula = !is_together && flow_depends(d->flow, ir_in(n, i))
                                ? builtin_derivative(d->program, n->schema->full_name, n->schema->arguments[i].name)
                                : NULL;
        if (!formula || (!is_followed(d, ir_in(n, i)) && is_flag_off(d, n, ir_in(n, i))))
            continue;
        if (ir_in(n, i)->type->kind == TYPE_LIST)
            reverse_list_argument(d, n, ir_in(n, i), apply_formula(d, n, n->schema->arguments[i].name, formula, NULL));
        else
            accumulate_argument(d, n, i, formula);
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        reverse_note_use(d, n, ir_out(n, i), USE_MADE);
}

/* ---- Items with numbers ---- */

/* The node takes a tensor out of a container: its gradient goes to the number. */
static void reverse_read(derivation *d, const ir_node *n) {
    ir_value *given[] = {numbered_gradients(d->numbers), ir_out(n, 1), reverse_gradient_of(d, ir_out(n, 0))};
    reverse_insert_helper(d, "give", given, 3);
}

/* The node gives the number with which a tensor, or each of a list, is stored. */
static void reverse_store(derivation *d, const ir_node *n) {
    ir_value *v = numbered_store(d->numbers, n);
    ir_value *taken[] = {numbered_gradients(d->numbers), ir_out(n, 0), v};
    if (v->type->kind == TYPE_LIST) {
        hmput(d->lists, flow_origin(v), reverse_insert_helper(d, "take_all", taken, 3));
        return;
    }
    if (v->type->kind == TYPE_OPTIONAL) {
        reverse_accumulate(d, v, reverse_insert_helper(d, "take_of_some", taken, 3));
        return;
    }
    arrput(d->uses->asked, v);
    reverse_accumulate(d, v, reverse_insert_helper(d, "take", taken, 3));
}

static bool reverse_numbered(derivation *d, const ir_node *n) {
    if (numbered_store(d->numbers, n)) {
        reverse_store(d, n);
        return true;
    }
    if (n->kind != IR_TUPLE_UNPACK || !numbered_read(d->numbers, ir_out(n, 0)))
        return false;
    if (reverse_gradient_of(d, ir_out(n, 0)))
        reverse_read(d, n);
    return true;
}

/* ---- Nodes ---- */

static void reverse_node(derivation *d, ir_node *n) {
    stack_check();
    if (n->schema && ir_is_operator(n, "tsm::saved")) {
        if (reverse_gradient_of(d, ir_in(n, 1)))
            reverse_note_use(d, n, ir_in(n, 2), USE_BY_FORMULA);
        return;
    }
    if (writes_to_gradient(d, n))
        reverse_refuse(n, "it works in place");
    if (reverse_numbered(d, n) || !has_gradient(d, n))
        return;
    switch (n->kind) {
    case IR_IF:
        reverse_if(d, n);
        break;
    case IR_LOOP:
        reverse_loop(d, n);
        break;
    case IR_APPEND:
        if (!is_append(n))
            reverse_refuse(n, "gradients do not pass through it");
        reverse_append(d, n);
        break;
    case IR_LIST_CONSTRUCT:
        if (list_gradient(d, ir_out(n, 0))) {
            reverse_growing_display(d, n);
            break;
        }
        reverse_display(d, n); /* those who read it have looked whether it stays as it is */
        break;
    case IR_TUPLE_CONSTRUCT:
        reverse_display(d, n);
        break;
    case IR_LIST_UNPACK:
    case IR_TUPLE_UNPACK:
        reverse_unpack(d, n);
        break;
    case IR_GETITEM:
    case IR_TUPLE_INDEX:
        if (ir_in(n, 0)->type->kind == TYPE_DICT)
            reverse_refuse(n, "gradients do not pass through dicts");
        reverse_item(d, n, true);
        break;
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
    case IR_CONSTANT:
        break;
    case IR_GET_ATTR:
        if (flow_depends(d->flow, ir_in(n, 0)))
            reverse_refuse(n, "gradients do not pass through attributes of objects");
        if (flow_attribute_depends(d->flow, n->attribute) && attribute_is_stored_before(n))
            reverse_refuse(n, "gradients do not pass through attributes where it is not known which value was stored");
        break;
    default:
        if (!n->schema)
            reverse_refuse(n, "gradients do not pass through it");
        if (ir_is_operator(n, "aten::add.t"))
            reverse_joined(d, n);
        else
            reverse_operator(d, n);
    }
}

/* From `last` back to the block's beginning. */
void reverse_block(derivation *d, ir_node *last) {
    for (ir_node *n = last; n != n->block->param; n = n->previous)
        if (!checkpoint_step(d, n))
            reverse_node(d, n);
}

/* ---- Through the blocks around a request ---- */

const ir_node *reverse_loop_around(const ir_node *n) {
    for (const ir_block *b = n->block; b->owner; b = b->owner->block)
        if (b->owner->kind == IR_LOOP)
            return b->owner;
    return NULL;
}

bool reverse_is_among(ir_value *const *values, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(values); i++)
        if (flow_origin(values[i]) == flow_origin(v))
            return true;
    return false;
}

static void check_loop_variables(derivation *d, const ir_block *b, ir_value *const *sources) {
    for (uint32_t i = 0; i < ir_output_count(b->param); i++) {
        const ir_value *v = ir_out(b->param, i);
        if ((reverse_gradient_of(d, v) || reverse_items_of(d, v)) && !reverse_is_among(sources, v))
            reverse_refuse(b->owner, "gradients do not pass through loops");
    }
}

static void reverse_blocks(derivation *d, ir_value *const *sources) {
    const ir_node *last = d->request;
    for (const ir_block *b = d->request->block;; b = last->block) {
        reverse_block(d, last->previous);
        if (!b->owner)
            return;
        check_loop_variables(d, b, sources);
        last = b->owner;
    }
}

void reverse_from_request(derivation *d, ir_value *const *sources) {
    reverse_blocks(d, sources);
    for (size_t i = 0; i < arrlenu(d->uses->asked); i++)
        stand_in_for(d->program, d->uses->asked[i], NULL);
    saved_check_writes(d);
}
