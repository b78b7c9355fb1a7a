/* Nodes of a part are copied to where their gradients are computed; copies that no formula uses go again. */
#include "exporter/passes/lower/checkpoint.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/lower/gradient_marks.h"
#include "exporter/schema/operator_node.h"

/* ---- Marks ---- */

static const char begins[] = "tsm::checkpoint_begins", ends[] = "tsm::checkpoint_ends";

/* Whether a qualified name, or that of the class of a forward, ends in `name`. */
static bool is_named(const char *qualified, const char *name) {
    static const char method[] = ".forward";
    size_t length = strlen(qualified), wanted = strlen(name);
    const size_t suffix = sizeof method - 1;
    for (int k = 0; k < 2; k++) {
        if (length == wanted && !strcmp(qualified, name))
            return true;
        if (length > wanted && qualified[length - wanted - 1] == '.' &&
            !strncmp(qualified + length - wanted, name, wanted))
            return true;
        if (length < suffix || strncmp(qualified + length - suffix, method, suffix))
            return false;
        length -= suffix;
    }
    return false;
}

static uint32_t mark_block(const ir_block *b, const char *name) {
    stack_check();
    uint32_t count = 0;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count += mark_block(n->blocks[i], name);
        const bool is_call = n->kind == IR_CALL_FUNCTION || n->kind == IR_CALL_METHOD;
        if (!is_call || !n->callee || !is_named(n->callee->name, name))
            continue;
        operator_insert_node(n, begins, NULL, 0);
        ir_insert_after(n, operator_node(n, schema_find(ends), NULL, 0));
        count++;
    }
    return count;
}

uint32_t checkpoint_mark_calls(ir_graph *g, const char *name) {
    return mark_block(g->block, name);
}

/* The mark that begins what `end` ends; NULL: a pass has taken it away. */
static const ir_node *beginning_of(const ir_node *end) {
    uint32_t depth = 0;
    for (const ir_node *n = end->previous; n != n->block->param; n = n->previous) {
        if (n->schema && ir_is_operator(n, ends))
            depth++;
        else if (n->schema && ir_is_operator(n, begins) && !depth--)
            return n;
    }
    return NULL;
}

/* ---- What can be computed again ---- */

typedef struct {
    const ir_node *original;
    ir_node *copy;
} copied_node;

struct recomputation {
    const ir_node *begin; /* the mark, or a block's parameters */
    ir_value_map values;  /* of the part, and those that come into it: what stands for them */
    copied_node *copies;
    ir_value **written; /* in the part */
    recomputation *outer;
};

static ir_value *value_in(const recomputation *again, ir_value *v) {
    for (; again; again = again->outer) {
        ir_value_map values = again->values;
        ptrdiff_t at = hmgeti(values, v);
        if (at >= 0)
            return values[at].value;
    }
    return v;
}

ir_value *checkpoint_value(const derivation *d, ir_value *v) {
    return value_in(d->again, v);
}

/* From `first` up to `end`. */
static void find_written(ir_value ***written, const ir_node *first, const ir_node *end) {
    stack_check();
    for (const ir_node *n = first; n != end; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_written(written, ir_first(n->blocks[i]), n->blocks[i]->result);
        for (uint32_t i = 0; n->schema && i < ir_input_count(n); i++)
            if (operator_writes(n, i) && !schema_has_trait(n->schema, TRAIT_WRITES_NO_ELEMENTS))
                arrput(*written, ir_in(n, i));
    }
}

static bool is_among(const derivation *d, ir_value *const *written, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(written); i++)
        if (memory_classes_share(d->uses->classes, written[i], v))
            return true;
    return false;
}

static bool is_tensor(const ir_value *v) {
    return type_without_none(v->type)->kind == TYPE_TENSOR;
}

/* A list or tuple that nobody changes or keeps. */
static bool is_only_read(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        const bool takes_item =
            user->kind == IR_TUPLE_UNPACK || user->kind == IR_TUPLE_INDEX || user->kind == IR_GETITEM;
        if (user == user->block->result || (!takes_item && !use_leaves_list(&v->uses[i])))
            return false;
    }
    return true;
}

static bool is_plain(const ir_node *n) {
    switch (n->kind) {
    case IR_LIST_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
    case IR_LIST_UNPACK:
    case IR_TUPLE_UNPACK:
    case IR_TUPLE_INDEX:
    case IR_UNCHECKED_CAST:
        return true;
    default:
        return n->schema && !operator_has_effects(n) && !schema_is_nondeterministic(n->schema);
    }
}

static bool may_run_again(const derivation *d, const recomputation *r, const ir_node *n);

/* A branch or a loop of such nodes. */
static bool blocks_may_run_again(const derivation *d, const recomputation *r, const ir_node *n) {
    stack_check();
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        for (const ir_node *i = ir_first(n->blocks[k]); i != n->blocks[k]->result; i = i->next)
            if (i->kind != IR_CONSTANT && !gradient_mark_is(i) && !may_run_again(d, r, i))
                return false;
    return n->kind == IR_IF || n->kind == IR_LOOP;
}

static bool may_run_again(const derivation *d, const recomputation *r, const ir_node *n) {
    if (!ir_output_count(n) || !(arrlenu(n->blocks) ? blocks_may_run_again(d, r, n) : is_plain(n)))
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        ir_value *v = ir_in(n, i);
        if (type_is_immutable(v->type))
            continue;
        if ((!is_tensor(v) && value_in(r, v) == v) || is_among(d, r->written, v))
            return false;
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const ir_value *v = ir_out(n, i);
        if (type_is_immutable(v->type))
            continue;
        if ((!is_tensor(v) && !is_only_read(v)) || is_among(d, d->uses->written, v))
            return false;
    }
    return true;
}

/* ---- Computing again ---- */

/* What the module holds stays where it is, and is packed and folded as what it is. */
static bool is_held(const ir_value *v) {
    return v->node->kind == IR_CONSTANT || v->node->kind == IR_GET_ATTR;
}

/* A tensor that comes into the part, under a name of its own: else passes would take the results of the copies for
 * those that are there. Not needed in other blocks than those that are reversed. */
static ir_value *incoming(derivation *d, recomputation *r, ir_value *v) {
    ir_value *known = value_in(r, v);
    ptrdiff_t at = hmgeti(r->values, v);
    if (at >= 0 || d->outer || v->type->kind != TYPE_TENSOR || is_held(v))
        return known;
    copied_node named = {NULL, operator_insert_node(d->at, "aten::alias", &known, 1)};
    arrput(r->copies, named);
    hmput(r->values, v, ir_out(named.copy, 0));
    return ir_out(named.copy, 0);
}

/* Adds what stands for all that n, or a node in its blocks, reads from outside of n. */
static void map_inputs(derivation *d, recomputation *r, const ir_node *n, const ir_node *outermost, ir_value_map *map) {
    stack_check();
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        bool is_inside = false;
        for (size_t k = 0; k < arrlenu(outermost->blocks); k++)
            is_inside |= ir_is_inside(ir_in(n, i), outermost->blocks[k]);
        if (is_inside)
            continue;
        ir_value *v = incoming(d, r, ir_in(n, i));
        hmput(*map, ir_in(n, i), v);
    }
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        for (const ir_node *inner = ir_first(n->blocks[k]);; inner = inner->next) {
            map_inputs(d, r, inner, outermost, map);
            if (inner == n->blocks[k]->result)
                break;
        }
}

static void copy_again(derivation *d, recomputation *r, const ir_node *n) {
    ir_value_map map = NULL; /* of n alone: what its blocks compute is seen in their copies only */
    map_inputs(d, r, n, n, &map);
    copied_node c = {n, ir_copy_node(n, d->at, &map)};
    arrput(r->copies, c);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        hmput(r->values, ir_out(n, i), ir_out(c.copy, i));
    hmfree(map);
}

static void enter(derivation *d, const ir_node *begin, const ir_node *end) {
    recomputation *r = MEM_NEW(recomputation);
    r->begin = begin;
    r->outer = d->again;
    const ir_block *all = d->request->graph->block;
    if (!d->uses->written)
        find_written(&d->uses->written, ir_first(all), all->result);
    find_written(&r->written, begin->next, end);
    for (const ir_node *n = begin->next; n != end; n = n->next)
        if (may_run_again(d, r, n))
            copy_again(d, r, n);
    d->again = r;
}

/* A copy reads its inputs later than the program does: no write may come between. */
static void note_reads(derivation *d, const ir_node *n, const ir_node *outermost) {
    stack_check();
    for (uint32_t k = 0; k < ir_input_count(n); k++)
        reverse_note_use(d, outermost, ir_in(n, k), USE_BY_COPY);
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        for (const ir_node *i = ir_first(n->blocks[k]); i != n->blocks[k]->result; i = i->next)
            note_reads(d, i, outermost);
}

static void leave(derivation *d) {
    recomputation *r = d->again;
    for (size_t i = arrlenu(r->copies); i-- > 0;) {
        const copied_node *c = &r->copies[i];
        bool is_used = false;
        for (uint32_t k = 0; k < ir_output_count(c->copy); k++)
            is_used |= ir_use_count(ir_out(c->copy, k)) > 0;
        if (!is_used)
            ir_destroy(c->copy);
        else if (c->original)
            note_reads(d, c->original, c->original);
    }
    d->again = r->outer;
}

bool checkpoint_step(derivation *d, const ir_node *n) {
    if (n->schema && ir_is_operator(n, ends)) {
        const ir_node *begin = beginning_of(n);
        if (begin)
            enter(d, begin, n);
        return true;
    }
    if (!n->schema || !ir_is_operator(n, begins))
        return false;
    if (d->again && d->again->begin == n)
        leave(d);
    return true;
}

void checkpoint_enter_block(derivation *d, const ir_block *b) {
    if (d->again)
        enter(d, b->param, b->result);
}

void checkpoint_leave_block(derivation *d, const ir_block *b) {
    if (d->again && d->again->begin == b->param)
        leave(d);
}
