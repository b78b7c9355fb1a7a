/* Local simplifications of containers, numbers and decided conditions. */
#include "exporter/passes/optimize/peephole.h"

#include <string.h>

#include "exporter/passes/analysis/bool_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/optimize/branch_results.h"
#include "exporter/passes/optimize/number_tensors.h"
#include "exporter/schema/operator_node.h"

typedef struct {
    mutation *mutation;
    struct {
        const ir_value *key;
        bool value;
    } * decided; /* conditions whose value is known here */
} simplification;

static void replace_by(ir_node *n, ir_value *v) {
    ir_replace_uses(ir_out(n, 0), v);
    ir_destroy(n);
}

/* ---- Containers ---- */

/* Whether every use shows that the list is neither changed nor kept. */
static bool is_only_read(const ir_value *list) {
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (!use_leaves_list(&list->uses[i]))
            return false;
    return true;
}

/* The node that put v together, when its items are still what they were. */
static const ir_node *construction(const simplification *p, const ir_value *v) {
    if (v->node->kind == IR_TUPLE_CONSTRUCT)
        return v->node;
    if (v->node->kind != IR_LIST_CONSTRUCT)
        return NULL;
    return is_only_read(v) || (p->mutation && !mutation_is_written(p->mutation, v)) ? v->node : NULL;
}

static bool index_of(const ir_value *v, uint32_t count, uint32_t *index) {
    int64_t i;
    if (!ir_constant_int(v, &i) || i < -(int64_t)count || i >= (int64_t)count)
        return false;
    *index = (uint32_t)(i < 0 ? i + count : i);
    return true;
}

static bool take_item(const simplification *p, ir_node *n) {
    uint32_t index;
    const ir_node *made = construction(p, ir_in(n, 0));
    if (!made || !index_of(ir_in(n, 1), ir_input_count(made), &index) || ir_in(made, index)->type != ir_out(n, 0)->type)
        return false;
    replace_by(n, ir_in(made, index));
    return true;
}

static int64_t bound(int64_t at, int64_t count) {
    at = at < 0 ? at + count : at;
    return at < 0 ? 0 : at > count ? count : at;
}

/* A part of a list that is known, step 1, is a display of its own. Where lists are only followed for gradients. */
static bool take_part(const simplification *p, ir_node *n) {
    if (p->mutation || !n->schema || !ir_is_operator(n, "aten::slice.t"))
        return false;
    const ir_node *made = construction(p, ir_in(n, 0));
    const int64_t count = made ? ir_input_count(made) : 0;
    int64_t from = 0, to = count, step;
    for (uint32_t i = 1; i < 3; i++) {
        const ir_constant *c = ir_constant_of(ir_in(n, i));
        if (!c || !(c->kind == CONST_NONE || ir_constant_int(ir_in(n, i), i == 1 ? &from : &to)))
            return false;
    }
    if (!made || !ir_constant_int(ir_in(n, 3), &step) || step != 1)
        return false;
    ir_node *part = ir_node_new(n->graph, IR_LIST_CONSTRUCT, 1);
    part->range = n->range;
    part->scope = n->scope;
    ir_out(part, 0)->type = ir_out(n, 0)->type;
    for (int64_t i = bound(from, count); i < bound(to, count); i++)
        ir_node_add_input(part, ir_in(made, (uint32_t)i));
    ir_insert_before(n, part);
    replace_by(n, ir_out(part, 0));
    return true;
}

/* A request gives a gradient for each of its inputs. */
static const ir_node *asked_inputs(const ir_value *list) {
    const ir_node *n = list->node;
    if (!ir_is_operator(n, "aten::grad") || ir_in(n, 1)->node->kind != IR_LIST_CONSTRUCT ||
        !is_only_read(ir_in(n, 1)) || !is_only_read(list))
        return NULL;
    return ir_in(n, 1)->node;
}

static bool take_length(const simplification *p, ir_node *n) {
    const ir_node *made = construction(p, ir_in(n, 0));
    if (!made)
        made = asked_inputs(ir_in(n, 0));
    if (!made || ir_in(n, 0)->type->kind != TYPE_LIST)
        return false;
    replace_by(n, ir_insert_constant(n, const_int(ir_input_count(made))));
    return true;
}

/* How many sizes a tensor has is its rank, asked where the sizes were: they may have changed since. */
static bool ask_rank(const simplification *p, ir_node *n) {
    ir_value *sizes = ir_in(n, 0);
    if (!ir_is_operator(sizes->node, "aten::size") ||
        !(is_only_read(sizes) || (p->mutation && !mutation_is_written(p->mutation, sizes))))
        return false;
    replace_by(n, operator_insert(sizes->node, "aten::dim", ir_in(sizes->node, 0)));
    return true;
}

/* Whether v is a constant bool or int, and the truth of it. */
static bool truth_of(const ir_value *v, bool *truth) {
    int64_t number;
    if (ir_constant_bool(v, truth))
        return true;
    if (!ir_constant_int(v, &number))
        return false;
    *truth = number != 0;
    return true;
}

/* any() and all() of a list of which one item decides, or none can. */
static bool take_truth(const simplification *p, ir_node *n) {
    const bool asks_any = n->schema && (ir_is_operator(n, "aten::any.bool") || ir_is_operator(n, "aten::any.int"));
    const bool asks_all = n->schema && (ir_is_operator(n, "aten::all.bool") || ir_is_operator(n, "aten::all.int"));
    const ir_node *made = asks_any || asks_all ? construction(p, ir_in(n, 0)) : NULL;
    bool is_open = false, is_decided = false, item;
    for (uint32_t i = 0; made && i < ir_input_count(made); i++) {
        const bool is_known = truth_of(ir_in(made, i), &item);
        is_open |= !is_known;
        is_decided |= is_known && item == asks_any;
    }
    if (!made || (is_open && !is_decided))
        return false;
    replace_by(n, ir_insert_constant(n, const_bool(is_decided == asks_any)));
    return true;
}

/* The number of turns of a loop over zip(): where lists are only followed for gradients, whose loops become their
 * turns. */
static bool take_least(const simplification *p, ir_node *n) {
    if (p->mutation || !ir_is_operator(n, "prim::min.self_int"))
        return false;
    const ir_node *made = construction(p, ir_in(n, 0));
    int64_t least = INT64_MAX, i;
    for (uint32_t k = 0; made && k < ir_input_count(made); k++) {
        if (!ir_constant_int(ir_in(made, k), &i))
            return false;
        least = i < least ? i : least;
    }
    if (!made || !ir_input_count(made))
        return false;
    replace_by(n, ir_insert_constant(n, const_int(least)));
    return true;
}

/* Whether a value of the one type is one of the other as it is. */
static bool may_stand_for(const type *t, const type *wanted) {
    return t == wanted || (t->kind == TYPE_TENSOR && type_is_subtype(t, wanted, NULL));
}

static bool unpack(const simplification *p, ir_node *n) {
    const ir_node *made = construction(p, ir_in(n, 0));
    if (!made || ir_input_count(made) != ir_output_count(n))
        return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!may_stand_for(ir_in(made, i)->type, n->outputs[i]->type))
            return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        ir_replace_uses(n->outputs[i], ir_insert_cast(n, ir_in(made, i), n->outputs[i]->type));
    ir_destroy(n);
    return true;
}

/* Items of a constant tuple, as modules keep their strides and sizes. */
static bool take_constant_items(ir_node *n) {
    const ir_constant *c = ir_constant_of(ir_in(n, 0));
    uint32_t first = 0;
    if (!c || c->kind != CONST_TUPLE ||
        (n->kind == IR_TUPLE_INDEX ? !index_of(ir_in(n, 1), c->list.count, &first)
                                   : c->list.count != ir_output_count(n)))
        return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const type *t = c->list.items[first + i]->type;
        if (!type_is_immutable(t) || !may_stand_for(t, ir_out(n, i)->type))
            return false;
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *item = ir_insert_constant(n, c->list.items[first + i]);
        ir_replace_uses(ir_out(n, i), ir_insert_cast(n, item, ir_out(n, i)->type));
    }
    ir_destroy(n);
    return true;
}

/* ---- Dicts ---- */

/* Whether every use reads entries, keys or the number of them. */
static bool dict_is_only_read(const ir_value *dict) {
    for (size_t i = 0; i < arrlenu(dict->uses); i++) {
        const ir_use *u = &dict->uses[i];
        const ir_node *n = u->user;
        if (n != n->graph->block->result && (!n->schema || u->index || operator_writes(n, 0)))
            return false;
    }
    return true;
}

/* The display that v is, when its entries are still what they were and its keys are constants; NULL: it is none. (0.0
 * and -0.0 are one key, but not one constant.) */
static const ir_node *dict_display(const simplification *p, const ir_value *v) {
    const ir_node *n = v->node;
    if (n->kind != IR_DICT_CONSTRUCT || v->type->items[0]->kind == TYPE_FLOAT ||
        !(dict_is_only_read(v) || (p->mutation && !mutation_is_written(p->mutation, v))))
        return NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i += 2)
        if (!ir_is_constant(ir_in(n, i)))
            return NULL;
    return n;
}

/* The item of the last entry with the key; NULL: there is none. */
static ir_value *item_of(const ir_node *display, const ir_constant *key) {
    for (uint32_t i = ir_input_count(display); i > 0; i -= 2)
        if (const_equal(ir_constant_of(ir_in(display, i - 2)), key))
            return ir_in(display, i - 1);
    return NULL;
}

static bool take_entry(const simplification *p, ir_node *n) {
    const bool asks = n->schema && !strcmp(n->schema->name, "aten::__contains__");
    if ((!asks && n->kind != IR_GETITEM) || ir_in(n, 0)->type->kind != TYPE_DICT || !ir_is_constant(ir_in(n, 1)))
        return false;
    const ir_node *display = dict_display(p, ir_in(n, 0));
    ir_value *item = display ? item_of(display, ir_constant_of(ir_in(n, 1))) : NULL;
    if (!display || (!asks && (!item || item->type != ir_out(n, 0)->type)))
        return false;
    replace_by(n, asks ? ir_insert_constant(n, const_bool(item)) : item);
    return true;
}

/* Displays may say a key twice; that of an empty dict says none. */
static bool take_emptiness(const simplification *p, ir_node *n) {
    if (ir_in(n, 0)->type->kind != TYPE_DICT)
        return false;
    const ir_node *display = dict_display(p, ir_in(n, 0));
    if (!display || ir_input_count(display))
        return false;
    replace_by(n, ir_insert_constant(n, const_int(0)));
    return true;
}

/* ---- Arithmetic ---- */

static bool is_int_constant(const ir_value *v, int64_t wanted) {
    int64_t i;
    return ir_constant_int(v, &i) && i == wanted;
}

/* The neutral right operand of an int operator; false when it has none. */
static bool neutral_of(const char *name, int64_t *neutral, bool *commutes) {
    static const struct {
        const char *name;
        int64_t neutral;
        bool commutes;
    } table[] = {{"aten::add.int", 0, true},
                 {"aten::sub.int", 0, false},
                 {"aten::mul.int", 1, true},
                 {"aten::floordiv.int", 1, false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name)) {
            *neutral = table[i].neutral;
            *commutes = table[i].commutes;
            return true;
        }
    return false;
}

static bool drop_neutral(ir_node *n) {
    int64_t neutral;
    bool commutes;
    if (!n->schema || !neutral_of(n->schema->full_name, &neutral, &commutes))
        return false;
    if (is_int_constant(ir_in(n, 1), neutral)) {
        replace_by(n, ir_in(n, 0));
        return true;
    }
    if (commutes && is_int_constant(ir_in(n, 0), neutral)) {
        replace_by(n, ir_in(n, 1));
        return true;
    }
    return false;
}

/* v as a multiple of another number, when a product or a shift by a constant made it for its only use; else once v. */
static ir_value *term_of(ir_value *v, uint64_t *factor) {
    const ir_node *made = v->node;
    int64_t c;
    *factor = 1;
    if (!made->schema || ir_use_count(v) != 1)
        return v;
    if (ir_is_operator(made, "aten::__lshift__.int") && ir_constant_int(ir_in(made, 1), &c) && c >= 0 && c < 64) {
        *factor = UINT64_C(1) << c;
        return ir_in(made, 0);
    }
    for (uint32_t i = 0; ir_is_operator(made, "aten::mul.int") && i < 2; i++)
        if (ir_constant_int(ir_in(made, 1 - i), &c)) {
            *factor = (uint64_t)c;
            return ir_in(made, i);
        }
    return v;
}

/* c x + d x = (c + d) x, of ints, which wrap. */
static bool join_like_terms(ir_node *n) {
    const bool adds = n->schema && ir_is_operator(n, "aten::add.int");
    uint64_t first, second;
    if (!adds && (!n->schema || !ir_is_operator(n, "aten::sub.int")))
        return false;
    ir_value *term = term_of(ir_in(n, 0), &first), *other = term_of(ir_in(n, 1), &second);
    if (term != other || (term == ir_in(n, 0) && term == ir_in(n, 1)))
        return false;
    ir_value *factor = ir_insert_constant(n, const_int((int64_t)(adds ? first + second : first - second)));
    operator_replace(n, "aten::mul.int", (ir_value *[]){term, factor}, 2);
    return true;
}

/* float(x) and int(x) are resolved to the overload for numbers of any kind although x's kind is known. */
static bool name_number(ir_node *n) {
    static const struct {
        const char *name;
        type_kind from;
        const char *known; /* NULL: x itself */
    } table[] = {{"aten::Float.Scalar", TYPE_INT, "aten::Float.int"},
                 {"aten::Float.Scalar", TYPE_BOOL, "aten::Float.bool"},
                 {"aten::Float.Scalar", TYPE_FLOAT, NULL},
                 {"aten::Int.Scalar", TYPE_FLOAT, "aten::Int.float"},
                 {"aten::Int.Scalar", TYPE_BOOL, "aten::Int.bool"},
                 {"aten::Int.Scalar", TYPE_INT, NULL}};
    for (size_t i = 0; n->schema && i < sizeof table / sizeof *table; i++) {
        if (strcmp(n->schema->full_name, table[i].name) != 0 || ir_in(n, 0)->type->kind != table[i].from)
            continue;
        if (table[i].known)
            ir_node_set_operator(n, schema_find(table[i].known));
        else
            replace_by(n, ir_in(n, 0));
        return true;
    }
    return false;
}

/* A mask that is known to have bools is not asked. */
static bool drop_mask_check(ir_node *n) {
    if (!n->schema || !ir_is_operator(n, "tsm::bool_mask") || !is_bool_tensor(ir_in(n, 0)))
        return false;
    replace_by(n, ir_in(n, 0));
    return true;
}

/* Nothing is filled by one mask of bytes where there are several indices, masks of bools only, or sums. */
static bool drop_filling_check(const simplification *p, ir_node *n) {
    bool accumulates;
    if (!n->schema || !ir_is_operator(n, "tsm::check_filling"))
        return false;
    const ir_node *list = construction(p, ir_in(n, 0));
    bool is_known = ir_constant_bool(ir_in(n, 2), &accumulates) && accumulates;
    if (list) {
        uint32_t indices = 0, others = 0;
        for (uint32_t i = 0; i < ir_input_count(list); i++) {
            const ir_value *index = ir_in(list, i);
            indices += index->type->kind == TYPE_TENSOR;
            others += index->type->kind != TYPE_NONE && !is_bool_tensor(index);
        }
        is_known |= indices > 1 || !others;
    }
    if (is_known)
        ir_destroy(n);
    return is_known;
}

/* ---- Views ---- */

static bool is_none_or(const ir_value *v, int64_t wanted) {
    const ir_constant *c = ir_constant_of(v);
    return c && (c->kind == CONST_NONE || is_int_constant(v, wanted));
}

/* x[:] along a dimension that is counted from the first one. */
static bool is_whole_slice(const ir_node *n, int64_t *dim) {
    return n->schema && ir_is_operator(n, "aten::slice.Tensor") && ir_constant_int(ir_in(n, 1), dim) && *dim >= 0 &&
           is_none_or(ir_in(n, 2), 0) && is_none_or(ir_in(n, 3), INT64_MAX) && is_int_constant(ir_in(n, 4), 1);
}

/* x[:, i]: of what has a later dimension, x[:] is x. */
static bool skip_whole_slice(const simplification *p, ir_node *n) {
    int64_t dim, whole;
    const bool is_view =
        n->schema && (ir_is_operator(n, "aten::select.int") || ir_is_operator(n, "aten::slice.Tensor"));
    if (!is_view || !p->mutation || !ir_constant_int(ir_in(n, 1), &dim) || !is_whole_slice(ir_in(n, 0)->node, &whole) ||
        dim <= whole || mutation_is_resized(p->mutation, ir_in(n, 0)))
        return false;
    ir_node_set_input(n, 0, ir_in(ir_in(n, 0)->node, 0));
    return true;
}

/* float(x.item()) is float(x), where nothing comes between; what can fail is reading the item. */
static bool skip_item(ir_node *n) {
    const bool is_float = ir_is_operator(n, "aten::Float.Scalar"), is_int = ir_is_operator(n, "aten::Int.Scalar");
    ir_node *item = is_float || is_int ? ir_in(n, 0)->node : NULL;
    if (!item || item->next != n || !item->schema || !ir_is_operator(item, "aten::item") ||
        ir_use_count(ir_out(item, 0)) != 1)
        return false;
    n->range = item->range;
    n->scope = item->scope;
    operator_replace(n, is_float ? "aten::Float.Tensor" : "aten::Int.Tensor", item->inputs, 1);
    ir_destroy(item);
    return true;
}

/* Whether all uses of v convert it to a float. */
static bool becomes_float(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!v->uses[i].user->schema || !ir_is_operator(v->uses[i].user, "aten::Float.Scalar"))
            return false;
    return arrlenu(v->uses);
}

/* A number of unknown kind that meets a float, when the result is wanted as a float: it is converted before. */
static bool convert_operand(ir_node *n) {
    static const char *const names[] = {"aten::add", "aten::sub", "aten::mul", "aten::div"};
    bool is_arithmetic = false;
    for (size_t i = 0; n->schema && i < sizeof names / sizeof *names; i++)
        is_arithmetic |= !strcmp(n->schema->full_name, names[i]);
    if (!is_arithmetic || ir_input_count(n) != 2 || !becomes_float(ir_out(n, 0)))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (ir_in(n, i)->type->kind != TYPE_NUMBER || ir_in(n, 1 - i)->type->kind != TYPE_FLOAT)
            continue;
        ir_value *converted = operator_insert(n, "aten::Float.Scalar", ir_in(n, i));
        ir_node_set_input(n, i, converted);
        skip_item(converted->node);
        ir_node_set_operator(n, schema_find(mem_printf("%s.float", n->schema->full_name)));
        ir_out(n, 0)->type = type_basic(TYPE_FLOAT);
        return true;
    }
    return false;
}

/* l += [a] is l.append(a). */
static bool append_items(ir_node *n) {
    if (!n->schema || !(ir_is_operator(n, "aten::add_.t") || ir_is_operator(n, "aten::extend.t")) ||
        (ir_output_count(n) && ir_use_count(ir_out(n, 0))))
        return false;
    const ir_value *items = ir_in(n, 1);
    if (items->node->kind != IR_LIST_CONSTRUCT || ir_use_count(items) != 1 || items->node->block != n->block ||
        ir_input_count(items->node) != 1)
        return false;
    operator_insert(n, "aten::append.t", ir_in(n, 0), ir_in(items->node, 0))->type = ir_in(n, 0)->type;
    ir_destroy(n);
    return true;
}

static bool drop_double_not(ir_node *n) {
    const ir_node *inner = n->kind == IR_NOT ? ir_in(n, 0)->node : NULL;
    if (!inner || inner->kind != IR_NOT)
        return false;
    replace_by(n, ir_in(inner, 0));
    return true;
}

/* ---- Conditions ---- */

static bool always_raises(const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (n->kind == IR_RAISE_EXCEPTION)
            return true;
    return false;
}

static void visit_block(simplification *p, ir_block *b);

/* Visits a block in which the condition is known. */
static void visit_branch(simplification *p, const ir_value *condition, bool value, ir_block *b) {
    hmput(p->decided, condition, value);
    visit_block(p, b);
    (void)hmdel(p->decided, condition);
}

/* What is known after the if is noted in `learned`, for the block to forget at its end. */
static void visit_if(simplification *p, ir_node *n, const ir_value ***learned) {
    const ir_value *condition = ir_in(n, 0);
    visit_branch(p, condition, true, n->blocks[0]);
    visit_branch(p, condition, false, n->blocks[1]);
    bool first = always_raises(n->blocks[0]), second = always_raises(n->blocks[1]);
    if (first == second)
        return;
    hmput(p->decided, condition, second);
    arrput(*learned, condition);
}

static bool simplify_node(const simplification *p, ir_node *n) {
    switch (n->kind) {
    case IR_GETITEM:
        return take_item(p, n) || take_entry(p, n);
    case IR_TUPLE_INDEX:
        return take_item(p, n) || take_constant_items(n);
    case IR_LEN:
        return take_length(p, n) || take_emptiness(p, n) || ask_rank(p, n);
    case IR_LIST_UNPACK:
        return unpack(p, n);
    case IR_TUPLE_UNPACK:
        return unpack(p, n) || take_constant_items(n);
    case IR_NOT:
        return drop_double_not(n);
    default:
        return skip_whole_slice(p, n) || drop_neutral(n) || join_like_terms(n) || name_number(n) ||
               drop_mask_check(n) || drop_filling_check(p, n) || skip_item(n) || convert_operand(n) ||
               append_items(n) || take_entry(p, n) || take_least(p, n) || take_part(p, n) || take_truth(p, n) ||
               take_number(n, p->mutation);
    }
}

static void visit_block(simplification *p, ir_block *b) {
    stack_check();
    const ir_value **learned = NULL;
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        ptrdiff_t known = n->kind == IR_IF ? hmgeti(p->decided, ir_in(n, 0)) : -1;
        if (known >= 0) {
            next = ir_inline_branch(n, p->decided[known].value);
        } else if (n->kind == IR_IF) {
            visit_if(p, n, &learned);
            settle_results(n);
        } else if (!simplify_node(p, n)) {
            for (size_t i = 0; i < arrlenu(n->blocks); i++)
                visit_block(p, n->blocks[i]);
            if (n->kind == IR_LOOP)
                settle_results(n);
        }
    }
    for (size_t i = 0; i < arrlenu(learned); i++)
        (void)hmdel(p->decided, learned[i]);
}

void peephole(ir_graph *g, mutation *m) {
    simplification p = {m, NULL};
    visit_block(&p, g->block);
}
