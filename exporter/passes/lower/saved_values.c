/* Writes between the use of a value and the request whose formulas read it. */
#include "exporter/passes/lower/saved_values.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/lower/gradient_marks.h"
#include "exporter/program/builtins.h"
#include "exporter/schema/operator_node.h"

static const char overwritten[] = "tsm::overwritten", same_memory[] = "tsm::same_memory", saved[] = "tsm::saved",
                  entry_read[] = "tsm::entry_read";

/* ---- Marks ---- */

void saved_mark_write(ir_node *at, ir_value *v) {
    operator_insert_node(at, overwritten, &v, 1);
}

void saved_mark_name(ir_node *at, ir_value *v, ir_value *name) {
    operator_insert_node(at, same_memory, (ir_value *[]){v, name}, 2);
}

static ir_value *named(const ir_node *n, const char *name) {
    static const char result[] = "result";
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, name))
            return ir_in(n, i);
    const char *number = name + sizeof result - 1;
    return ir_out(n, *number ? (uint32_t)(*number - '0') : 0);
}

void saved_mark_reads(program *p, ir_node *n) {
    const function *list = builtin_derivative(p, n->schema->full_name, "saved");
    ir_node *at = n->next;
    const char *name = n->schema->full_name;
    for (uint32_t i = 0; list && i < list->schema->argument_count; i++)
        for (uint32_t k = 0; k < ir_output_count(n); k++) {
            ir_value *inputs[] = {ir_insert_constant(at, const_str(name, strlen(name))), ir_out(n, k),
                                  named(n, list->schema->arguments[i].name)};
            operator_insert_node(at, saved, inputs, 3);
        }
}

/* ---- What comes between ---- */

/* A loop that comes from one to the other again, before the request. */
static const ir_node *common_loop(const derivation *d, const ir_node *a, const ir_node *b) {
    for (const ir_block *at = a->block; at->owner; at = at->owner->block) {
        bool is_common = at->owner->kind == IR_LOOP && ir_is_before(at->param, b);
        if (is_common && !ir_is_before(at->param, d->request))
            return at->owner;
    }
    return NULL;
}

bool saved_precedes(const ir_node *a, const ir_node *b) {
    uint32_t da = ir_block_depth(a->block), db = ir_block_depth(b->block);
    while (a->block != b->block) {
        const uint32_t deeper = da > db ? da : db;
        if (da == deeper) {
            a = a->block->owner;
            da--;
        }
        if (db == deeper) {
            b = b->block->owner;
            db--;
        }
    }
    return ir_is_before(a, b);
}

/* The block around n that is one of the owner's; NULL: n stands elsewhere. */
static const ir_block *block_within(const ir_node *n, const ir_node *owner) {
    const ir_block *b = n->block;
    while (b && b->owner != owner)
        b = b->owner ? b->owner->block : NULL;
    return b;
}

/* Whether n stands in another branch than the request, so that only one of them runs after the user. */
static bool is_in_other_branch(const derivation *d, const ir_node *n, const ir_node *user) {
    for (const ir_block *b = d->request->block; b->owner; b = b->owner->block) {
        const ir_block *other = b->owner->kind == IR_IF ? block_within(n, b->owner) : NULL;
        if (other && other != b)
            return block_within(user, b->owner) == b || !reverse_loop_around(b->owner);
    }
    return false;
}

/* Whether n, behind the user in the text or in its turn, may run before the request. */
static bool follows(const derivation *d, const ir_node *n, const ir_node *user) {
    if (saved_precedes(n, user) || is_in_other_branch(d, n, user))
        return false;
    const ir_node *loop = reverse_loop_around(d->request);
    bool comes_again = loop && reverse_loop_around(n) && !ir_is_before(loop->blocks[0]->param, user);
    return !saved_precedes(d->request, n) || comes_again;
}

/* ---- Memory that changes ---- */

/* Whether n may run after a value was used and before the request reads it. */
static bool comes_between(const derivation *d, const ir_node *n, const ir_value *value, const ir_node *user) {
    const ir_node *turning = common_loop(d, n, user);
    return (turning && memory_classes_outlives(d->uses->classes, value, turning)) || follows(d, n, user);
}

/* The tensor that v is a view of, or itself where nothing had to be copied; NULL: it is none. */
static const ir_value *viewed(const ir_value *v) {
    const ir_node *n = v->node;
    for (uint32_t i = 0; n->schema && i < ir_input_count(n); i++)
        if (ir_in(n, i)->type->kind == TYPE_TENSOR && operator_hands_on(n, i, v->offset))
            return ir_in(n, i);
    return NULL;
}

/* Whether another tensor's memory may be given to this one (set_). */
static bool takes_memory(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        for (uint32_t k = 1; v->uses[i].index == 0 && k < ir_input_count(v->uses[i].user); k++)
            if (v->uses[i].user->schema && operator_stores(v->uses[i].user, k))
                return true;
    return false;
}

static bool has_new_memory(const ir_value *v) {
    return is_new_tensor_of_operator(v) && !takes_memory(v);
}

/* Whether a and b are views of tensors that are made apart, whatever lists both have been in. */
static bool are_made_apart(const ir_value *a, const ir_value *b) {
    for (const ir_value *of; (of = viewed(a));)
        a = of;
    for (const ir_value *of; (of = viewed(b));)
        b = of;
    const bool is_argument = a->node == a->node->graph->block->param && !takes_memory(a);
    return a != b && has_new_memory(b) && (is_argument || has_new_memory(a));
}

/* What is written where nothing is recorded, or to what no gradients pass through (a detached tensor), leaves the
 * gradients of a result as they are. */
static void check_write(const derivation *d, const ir_node *n, const ir_value *written) {
    const bool is_silent = flow_mode(d->flow, n) == GRADIENTS_OFF || !flow_depends(d->flow, written);
    for (size_t i = 0; i < arrlenu(d->uses->list); i++)
        if (!(is_silent && d->uses->list[i].by == USE_MADE) &&
            memory_classes_share(d->uses->classes, d->uses->list[i].value, written) &&
            !are_made_apart(d->uses->list[i].value, written) &&
            comes_between(d, n, d->uses->list[i].value, d->uses->list[i].node))
            source_fail(reverse_users_range(n), "%s changes a tensor that a gradient is computed from",
                        n->schema->full_name);
}

static void check_block(const derivation *d, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            check_block(d, n->blocks[i]);
        for (uint32_t i = 0; n->schema && i < n->schema->argument_count; i++)
            if (n->schema->arguments[i].is_write && ir_in(n, i)->type->kind == TYPE_TENSOR &&
                !schema_has_trait(n->schema, TRAIT_WRITES_NO_ELEMENTS))
                check_write(d, n, ir_in(n, i));
    }
}

/* ---- Entries of the table ---- */

static void find_entries(formula_uses *uses, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_entries(uses, n->blocks[i]);
        if (!ir_is_operator(n, entry_read))
            continue;
        for (const ir_value *v = ir_in(n, 0); v && hmgeti(uses->entries, v) < 0; v = viewed(v))
            hmput(uses->entries, v, n);
    }
}

void saved_find_entries(formula_uses *uses, const ir_graph *g) {
    find_entries(uses, g->block);
}

/* Of a mark, the result that it speaks of. */
static ir_value *result_with_gradient(const derivation *d, const ir_node *n) {
    if (ir_is_operator(n, saved))
        return reverse_gradient_of(d, ir_in(n, 1));
    ir_value *found = NULL;
    for (uint32_t k = 0; k < ir_output_count(n) && !found; k++)
        found = ir_out(n, k)->type->kind == TYPE_TENSOR ? reverse_gradient_of(d, ir_out(n, k)) : NULL;
    return found;
}

void saved_check_entry(derivation *d, const ir_node *n, const ir_value *v) {
    const ir_node *mark = hmget(d->uses->entries, v);
    ir_value *gradient = mark ? result_with_gradient(d, n) : NULL;
    if (gradient)
        reverse_insert_helper(d, "table_check_version",
                              (ir_value *[]){ir_in(mark, 1), ir_in(mark, 2), ir_in(mark, 3), gradient}, 4);
}

/* ---- Memory that would have changed ---- */

typedef struct {
    const derivation *derivation;
    const ir_node **writes; /* marks */
    struct {
        const ir_value *key, *value;
    } * named, *memory; /* the older name by the newer; the value that stands for all of one memory */
    struct {
        const ir_value *key;
        size_t *value;
    } * uses; /* by formulas, by what stands for the memory: places in the list */
} overwriting;

static const ir_value *memory_of(overwriting *o, const ir_value *v);

/* Another value of the same memory, whatever way the program takes; NULL: none is known. */
static const ir_value *same_as(overwriting *o, const ir_value *v) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_node *n = v->node;
    const ir_node *owner = n->block ? n->block->owner : NULL;
    ptrdiff_t at = hmgeti(o->named, v);
    if (at >= 0)
        return o->named[at].value;
    if (n->kind == IR_IF) {
        const ir_value *yes = memory_of(o, ir_in(n->blocks[0]->result, v->offset));
        return yes == memory_of(o, ir_in(n->blocks[1]->result, v->offset)) ? yes : NULL;
    }
    if (n->kind == IR_LOOP) {
        const ir_value *variable = ir_out(n->blocks[0]->param, v->offset + 1);
        return memory_of(o, variable) != variable ? variable : NULL;
    }
    if (owner && owner->kind == IR_LOOP && n == n->block->param && v->offset)
        return memory_of(o, ir_in(n->block->result, v->offset)) == v ? ir_in(owner, v->offset - 1 + BEFORE_VARIABLES)
                                                                     : NULL;
    return viewed(v);
}

static const ir_value *memory_of(overwriting *o, const ir_value *v) {
    stack_check();
    v = flow_origin(v);
    ptrdiff_t at = hmgeti(o->memory, v);
    if (at >= 0)
        return o->memory[at].value == v ? v : memory_of(o, o->memory[at].value);
    hmput(o->memory, v, v); /* so long: a variable of a loop leads to itself */
    const ir_value *same = same_as(o, v), *found = same ? memory_of(o, same) : v;
    hmput(o->memory, v, found);
    return found;
}

static void find_marks(overwriting *o, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_marks(o, n->blocks[i]);
        if (!gradient_mark_is(n))
            continue;
        if (ir_is_operator(n, overwritten))
            arrput(o->writes, n);
        else if (ir_is_operator(n, same_memory) && ir_in(n, 1) != ir_in(n, 0))
            hmput(o->named, flow_origin(ir_in(n, 1)), flow_origin(ir_in(n, 0)));
    }
}

/* Whether n and the mark came from one operator of the author's, which the library is made of several. */
static bool is_of_operator(const ir_node *n, const ir_node *mark) {
    return n->scope == mark->scope && n->range.file == mark->range.file && n->range.start == mark->range.start &&
           n->range.end == mark->range.end;
}

/* Whether the use is that of a write itself, which PyTorch gives a copy of what was there before. */
static bool is_own(const overwriting *o, const ir_value *value, const ir_node *user) {
    for (size_t i = 0; i < arrlenu(o->writes); i++) {
        const ir_node *mark = o->writes[i], *end = mark;
        while (end->next && !ir_is_operator(end, same_memory))
            end = end->next;
        const bool is_inside =
            saved_precedes(mark, user) && saved_precedes(user, end) && !saved_precedes(mark, value->node);
        if (is_inside || (is_of_operator(user, mark) && !is_of_operator(value->node, mark)))
            return true;
    }
    return false;
}

/* Values whose readers are looked at, each once. */
typedef struct {
    struct {
        const ir_value *key;
        bool value;
    } * seen;
    const ir_value **open;
} readers;

static void add_value(readers *r, const ir_value *v) {
    if (!hmget(r->seen, v)) {
        hmput(r->seen, v, true);
        arrput(r->open, v);
    }
}

/* Whether the node only makes values, which are added. */
static bool adds_values(readers *r, const ir_node *n) {
    if (!n->schema || !ir_output_count(n) || schema_has_trait(n->schema, TRAIT_EFFECTS) ||
        schema_is_mutating(n->schema))
        return false;
    for (uint32_t k = 0; k < ir_output_count(n); k++)
        add_value(r, ir_out(n, k));
    return true;
}

/* Whether nothing reads v; PyTorch leaves out writes whose results nobody reads. */
static bool is_dead(const ir_value *v) {
    readers r = {0};
    bool dead = true;
    add_value(&r, v);
    while (dead && arrlenu(r.open)) {
        const ir_value *read = arrpop(r.open);
        for (size_t i = 0; i < arrlenu(read->uses) && dead; i++)
            dead = gradient_mark_is(read->uses[i].user) || adds_values(&r, read->uses[i].user);
    }
    hmfree(r.seen);
    arrfree(r.open);
    return dead;
}

/* The memory as it is after the write; NULL: a pass has taken the mark away. */
static const ir_value *after_write(const ir_node *mark) {
    const ir_value *memory = ir_in(mark, 0), *after = NULL;
    for (const ir_node *n = mark->next; n->next && !(n->schema && ir_is_operator(n, overwritten)); n = n->next)
        if (n->schema && ir_is_operator(n, same_memory) && ir_in(n, 0) == memory)
            after = ir_in(n, 1);
    return after;
}

static bool is_overwritten(const overwriting *o, const ir_node *mark, const ir_value *memory, size_t use) {
    const derivation *d = o->derivation;
    const ir_value *value = d->uses->list[use].value;
    const ir_node *user = d->uses->list[use].node, *turning = common_loop(d, mark, user);
    const bool comes_again = turning && !ir_is_inside(memory, turning->blocks[0]);
    return (comes_again || follows(d, mark, user)) && !is_own(o, value, user);
}

/* The operator that reads or keeps the value, as the author knows it. */
static const char *reader_name(const ir_node *n) {
    return ir_is_operator(n, saved) ? ir_constant_of(ir_in(n, 0))->string.bytes : n->schema->full_name;
}

_Noreturn static void refuse(const overwriting *o, const ir_node *mark, size_t use) {
    source_fail(reverse_users_range(mark),
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                "%s reads it",
                reader_name(o->derivation->uses->list[use].node));
}

static void check_uses(overwriting *o, const ir_node *mark, const ir_value *memory) {
    const size_t *places = hmget(o->uses, memory);
    for (size_t k = 0; k < arrlenu(places); k++)
        if (is_overwritten(o, mark, memory, places[k]))
            refuse(o, mark, places[k]);
}

/* A variable of a loop that has memory of its own in each turn is what the turn before, or what stands before the loop,
 * has made. */
static void check_variable(overwriting *o, const ir_node *mark, const ir_value *memory) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_node *loop = memory->node->block ? memory->node->block->owner : NULL;
    if (!loop || loop->kind != IR_LOOP || memory->node != loop->blocks[0]->param || !memory->offset)
        return;
    check_uses(o, mark, memory_of(o, ir_in(loop, memory->offset - 1 + BEFORE_VARIABLES)));
    const ir_value *last = memory_of(o, ir_in(loop->blocks[0]->result, memory->offset));
    const size_t *places = hmget(o->uses, last);
    for (size_t k = 0; k < arrlenu(places); k++)
        if (ir_is_inside(last, loop->blocks[0]) && common_loop(o->derivation, mark, last->node) == loop)
            refuse(o, mark, places[k]);
}

static void check_marks(const derivation *d) {
    overwriting o = {.derivation = d};
    find_marks(&o, d->request->graph->block);
    for (size_t i = 0; i < arrlenu(o.writes); i++)
        memory_of(&o, ir_in(o.writes[i], 0)); /* in their order: none leads far */
    for (size_t i = 0; i < arrlenu(d->uses->list); i++) {
        if (d->uses->list[i].by != USE_BY_FORMULA)
            continue;
        const ir_value *memory = memory_of(&o, d->uses->list[i].value);
        size_t *places = hmget(o.uses, memory);
        arrput(places, i);
        hmput(o.uses, memory, places);
    }
    for (size_t i = 0; i < arrlenu(o.writes); i++) {
        const ir_value *after = after_write(o.writes[i]), *memory = memory_of(&o, ir_in(o.writes[i], 0));
        if (!after || is_dead(after))
            continue;
        check_uses(&o, o.writes[i], memory);
        check_variable(&o, o.writes[i], memory);
    }
}

void saved_check_writes(const derivation *d) {
    check_block(d, d->request->graph->block);
    check_marks(d);
}
