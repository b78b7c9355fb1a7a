/* Lists that change in a block: a new list for each state in which it is read. */
#include "exporter/passes/optimize/build_lists.h"

#include "exporter/passes/analysis/effects.h"

/* Whether n appends to the list of `count` items, or sets a known one, and nobody wants what it returns. `at`: which.
 */
static bool changes(const ir_node *n, const ir_value *list, size_t count, size_t *at) {
    int64_t i = (int64_t)count, items = (int64_t)count;
    const bool sets = n->kind == IR_SET_ITEM;
    if ((n->kind != IR_APPEND && !sets) || ir_in(n, 0) != list || ir_in(n, 1) == list ||
        (ir_output_count(n) && ir_use_count(ir_out(n, 0))))
        return false;
    if (sets && (ir_in(n, 2) == list || !ir_constant_int(ir_in(n, 1), &i) || i < -items || i >= items))
        return false;
    *at = (size_t)(i < 0 ? i + items : i);
    return true;
}

/* Whether n turns the items of the list round. */
static bool reverses(const ir_node *n, const ir_value *list) {
    return ir_is_operator(n, "aten::reverse.t") && ir_in(n, 0) == list;
}

static void reverse_items(ir_value **items) {
    for (size_t i = 0, count = arrlenu(items); i < count / 2; i++) {
        ir_value *item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

/* n looks at the list's items and keeps nothing of the list itself. */
static bool reads(const ir_node *n) {
    if (!n->schema || operator_writes_any(n) || arrlenu(n->blocks) || n->kind == IR_IS || n->kind == IR_IS_NOT)
        return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        type_kind kind = n->outputs[i]->type->kind;
        if (kind != TYPE_TENSOR && kind != TYPE_INT && kind != TYPE_FLOAT && kind != TYPE_BOOL)
            return false;
    }
    return true;
}

static bool uses(const ir_node *n, const ir_value *list) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (ir_in(n, i) == list)
            return true;
    return false;
}

static bool uses_inside(const ir_node *n, const ir_value *list) {
    stack_check();
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        for (const ir_node *inner = ir_first(n->blocks[i]);; inner = inner->next) {
            if (uses(inner, list) || uses_inside(inner, list))
                return true;
            if (inner == n->blocks[i]->result)
                break;
        }
    return false;
}

/* The last change before which nothing but changes and readers has to do with the list; NULL: there is none. */
static ir_node *last_change(ir_node *made) {
    const ir_value *list = ir_out(made, 0);
    ir_node *last = NULL;
    size_t count = ir_input_count(made), at;
    for (ir_node *n = made->next; n != made->block->result; n = n->next) {
        if (changes(n, list, count, &at)) {
            count += at == count;
            last = n;
        } else if (reverses(n, list)) {
            last = n;
        } else if (uses_inside(n, list) || (uses(n, list) && !reads(n)))
            break;
    }
    return last;
}

static ir_value *construct(ir_node *at, const ir_node *like, ir_value *const *items) {
    ir_node *n = ir_node_new(at->graph, IR_LIST_CONSTRUCT, 1);
    n->range = at->range;
    n->scope = at->scope;
    ir_out(n, 0)->type = ir_out(like, 0)->type;
    for (size_t i = 0; i < arrlenu(items); i++)
        ir_node_add_input(n, items[i]);
    ir_insert_before(at, n);
    return ir_out(n, 0);
}

/* Uses behind the last change share one new list, as they shared the old one: they may change or keep it. */
static void rebuild(ir_node *made, ir_node *last) {
    ir_value *list = ir_out(made, 0), **items = NULL;
    for (uint32_t i = 0; i < ir_input_count(made); i++)
        arrput(items, ir_in(made, i));
    for (ir_node *n = made->next, *next;; n = next) {
        next = n->next;
        bool is_last = n == last;
        size_t at;
        if (changes(n, list, arrlenu(items), &at)) {
            if (at == arrlenu(items))
                arrput(items, ir_in(n, 1));
            else
                items[at] = ir_in(n, 2);
            ir_destroy(n);
        } else if (reverses(n, list)) {
            reverse_items(items);
            ir_destroy(n);
        } else if (uses(n, list)) {
            ir_value *so_far = construct(n, made, items);
            for (uint32_t i = 0; i < ir_input_count(n); i++)
                if (ir_in(n, i) == list)
                    ir_node_set_input(n, i, so_far);
        }
        if (is_last) {
            ir_replace_uses(list, construct(next, made, items));
            break;
        }
    }
    ir_destroy(made);
}

bool build_lists(ir_block *b) {
    stack_check();
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= build_lists(n->blocks[i]);
        ir_node *last = n->kind == IR_LIST_CONSTRUCT ? last_change(n) : NULL;
        if (last) {
            ir_node *before = n->previous;
            rebuild(n, last);
            next_n = before->next;
            changed = true;
        }
    }
    return changed;
}
