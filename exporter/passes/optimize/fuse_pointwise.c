/* Chains of pointwise operators: found, written as the text that tsm::pointwise reads, and put behind a test. */
#include "exporter/passes/optimize/fuse_pointwise.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/guarded_branch.h"
#include "exporter/passes/analysis/pointwise_step.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/operator_node.h"
#include "runtime/kernels/pointwise/pointwise_chain.h"

typedef struct {
    mutation *mutation;
    shape_facts *facts; /* NULL: there are none */
    shape_map known;
    struct {
        uint64_t key;
        ir_constant *value;
    } * numbers; /* those of chains, by hash */
    bool changed;
} fusion;

/* ---- Chains ---- */

typedef struct {
    const fusion *fusion;
    ir_node *nodes[CHAIN_STEPS]; /* in the order of the block */
    size_t count;
    ir_value *tensors[CHAIN_TENSORS];
    size_t tensor_count;
} chain;

static bool has_node(const chain *c, const ir_node *n) {
    for (size_t i = 0; i < c->count; i++)
        if (c->nodes[i] == n)
            return true;
    return false;
}

/* Every use of v's is in the chain. */
static bool is_inner(const chain *c, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!has_node(c, v->uses[i].user))
            return false;
    return true;
}

/* Whether two tensors are known to have one size and different strides, which no chain takes. */
static bool lie_differently(const chain *c, const ir_value *v, const ir_value *w) {
    shape_map known = c->fusion->known;
    const shape *a = known ? hmget(known, v) : NULL, *b = known ? hmget(known, w) : NULL;
    if (!a || !b || a->kind != SHAPE_TENSOR || b->kind != SHAPE_TENSOR || a->dims != b->dims || !a->has_strides ||
        !b->has_strides)
        return false;
    const size_t bytes = (size_t)a->dims * sizeof *a->sizes;
    return !memcmp(a->sizes, b->sizes, bytes) && memcmp(a->strides, b->strides, bytes);
}

static bool may_take(const chain *c, const ir_value *v) {
    if (c->tensor_count == CHAIN_TENSORS || mutation_is_written(c->fusion->mutation, v))
        return false;
    for (size_t t = 0; t < c->tensor_count; t++)
        if (lie_differently(c, c->tensors[t], v))
            return false;
    return true;
}

/* The tensors that come from outside; false when a chain cannot take them. */
static bool find_tensors(chain *c) {
    c->tensor_count = 0;
    for (size_t i = 0; i < c->count; i++) {
        pointwise_step s;
        pointwise_step_of(c->nodes[i], &s);
        for (int k = 0; k < s.operands; k++) {
            ir_value *v = s.tensors[k];
            bool known = !v || has_node(c, v->node);
            for (size_t t = 0; t < c->tensor_count; t++)
                known |= c->tensors[t] == v;
            if (known)
                continue;
            if (!may_take(c, v))
                return false;
            c->tensors[c->tensor_count++] = v;
        }
    }
    return true;
}

/* Puts n before the nodes of the chain that stand behind it. */
static void add_node(chain *c, ir_node *n) {
    size_t at = 0;
    while (at < c->count && ir_is_before(c->nodes[at], n))
        at++;
    memmove(c->nodes + at + 1, c->nodes + at, (c->count - at) * sizeof *c->nodes);
    c->nodes[at] = n;
    c->count++;
}

static void remove_node(chain *c, const ir_node *n) {
    size_t at = 0;
    while (c->nodes[at] != n)
        at++;
    c->count--;
    memmove(c->nodes + at, c->nodes + at + 1, (c->count - at) * sizeof *c->nodes);
}

/* Whether the chain, which has no effects, may run where its last node stands. */
static bool may_move_down(const chain *c, const ir_node *n) {
    for (const ir_node *between = n->next; between != c->nodes[c->count - 1]; between = between->next)
        if (!has_node(c, between) && !node_is_quiet(between))
            return false;
    return true;
}

static bool may_join(chain *c, ir_node *n) {
    pointwise_step s;
    if (c->count == CHAIN_STEPS || has_node(c, n) || n->block != c->nodes[0]->block || !pointwise_step_of(n, &s) ||
        !is_inner(c, ir_out(n, 0)) || mutation_is_written(c->fusion->mutation, ir_out(n, 0)) || !may_move_down(c, n))
        return false;
    add_node(c, n);
    if (find_tensors(c))
        return true;
    remove_node(c, n);
    return false;
}

/* Takes producers of operands in until none fits. */
static void grow(chain *c) {
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = c->count; i-- > 0 && !grew;) {
            pointwise_step s;
            pointwise_step_of(c->nodes[i], &s);
            for (int k = 0; k < s.operands && !grew; k++)
                grew = s.tensors[k] && may_join(c, s.tensors[k]->node);
        }
    }
    find_tensors(c);
}

/* ---- Writing ---- */

typedef struct {
    const chain *chain;
    char text[CHAIN_STEPS * CHAIN_STEP_TEXT];
    size_t length;
    double numbers[CHAIN_NUMBERS];
    size_t number_count;
    const ir_value *registers[CHAIN_REGISTERS]; /* what they hold */
} writer;

/* The place of the first of `count` numbers; 0 when there are too many. */
static char add_numbers(writer *w, const double *numbers, int count) {
    if (w->number_count + (size_t)count > CHAIN_NUMBERS)
        return 0;
    memcpy(w->numbers + w->number_count, numbers, (size_t)count * sizeof *numbers);
    w->number_count += (size_t)count;
    return (char)('A' + w->number_count - (size_t)count);
}

static char operand_text(writer *w, const pointwise_step *s, int i) {
    if (i >= s->operands)
        return i == 1 && s->bounds ? add_numbers(w, s->numbers, s->bounds) : '.';
    if (!s->tensors[i])
        return add_numbers(w, &s->numbers[i], 1);
    for (size_t t = 0; t < w->chain->tensor_count; t++)
        if (w->chain->tensors[t] == s->tensors[i])
            return (char)('a' + t);
    for (int r = 0; r < CHAIN_REGISTERS; r++)
        if (w->registers[r] == s->tensors[i])
            return (char)('0' + r);
    return 0;
}

/* v is not read by nodes from `next` on. */
static bool is_spent(const chain *c, const ir_value *v, size_t next) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        for (size_t k = next; k < c->count; k++)
            if (v->uses[i].user == c->nodes[k])
                return false;
    return true;
}

static char result_text(writer *w, size_t i) {
    if (i + 1 == w->chain->count)
        return 'y';
    for (int r = 0; r < CHAIN_REGISTERS; r++)
        if (!w->registers[r] || is_spent(w->chain, w->registers[r], i + 1)) {
            w->registers[r] = ir_out(w->chain->nodes[i], 0);
            return (char)('0' + r);
        }
    return 0;
}

/* False when registers or numbers do not suffice. */
static bool write_steps(writer *w) {
    *w = (writer){.chain = w->chain};
    for (size_t i = 0; i < w->chain->count; i++) {
        pointwise_step s;
        pointwise_step_of(w->chain->nodes[i], &s);
        char *to = w->text + w->length;
        to[0] = s.letter;
        to[2] = operand_text(w, &s, 0);
        to[3] = operand_text(w, &s, 1);
        to[1] = result_text(w, i);
        w->length += CHAIN_STEP_TEXT;
        if (!to[1] || !to[2] || !to[3])
            return false;
    }
    return true;
}

static void add_tensors(ir_node *n, const chain *c, ir_value *none) {
    for (size_t t = 0; t < CHAIN_TENSORS; t++)
        ir_node_add_input(n, t < c->tensor_count ? c->tensors[t] : none);
}

static uint64_t hash_of_numbers(const pt_tensor *t) {
    const uint8_t *bytes = pt_tensor_data(t);
    uint64_t hash = (uint64_t)t->sizes[0];
    for (size_t i = 0; i < (size_t)t->sizes[0] * sizeof(float); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool has_same_numbers(const pt_tensor *a, const pt_tensor *b) {
    return a->sizes[0] == b->sizes[0] &&
           !memcmp(pt_tensor_data(a), pt_tensor_data(b), (size_t)a->sizes[0] * sizeof(float));
}

/* Many chains have the same numbers: that of the first one is for all. */
static ir_constant *share_numbers(fusion *f, ir_constant *c) {
    const uint64_t hash = hash_of_numbers(c->tensor);
    const ptrdiff_t at = hmgeti(f->numbers, hash);
    if (at >= 0)
        return has_same_numbers(f->numbers[at].value->tensor, c->tensor) ? f->numbers[at].value : c;
    hmput(f->numbers, hash, c);
    return c;
}

static void find_numbers(fusion *f, const ir_block *b) {
    ir_node **chains = NULL;
    ir_collect_nodes(b, ir_kind_of("tsm::pointwise"), &chains);
    for (size_t i = 0; i < arrlenu(chains); i++) {
        const ir_value *numbers = ir_in(chains[i], CHAIN_TENSORS + 1);
        if (ir_is_constant(numbers))
            share_numbers(f, numbers->node->constant);
    }
}

static ir_constant *numbers_constant(const writer *w) {
    float *to;
    int64_t size = w->number_count ? (int64_t)w->number_count : 1;
    ir_constant *c = tensor_constant_new_floats(1, &size, &to);
    for (size_t i = 0; i < w->number_count; i++)
        to[i] = (float)w->numbers[i];
    return c;
}

/* The if that chooses stands where the last node of the chain stood. */
static void replace_chain(fusion *f, const chain *c, const writer *w) {
    ir_node *last = c->nodes[c->count - 1], *fits = operator_node(last, schema_find("tsm::pointwise_fits"), NULL, 0);
    ir_value *none = ir_insert_constant(last, const_none());
    ir_value *code = ir_insert_constant(last, const_str(w->text, w->length)),
             *numbers = ir_insert_constant(last, share_numbers(f, numbers_constant(w)));
    add_tensors(fits, c, none);
    ir_insert_before(last, fits);
    ir_node *branch = ir_node_new(last->graph, IR_IF, 1);
    branch->range = last->range;
    branch->scope = last->scope;
    branch->outputs[0]->name = ir_out(last, 0)->name;
    ir_node_add_input(branch, fits->outputs[0]);
    ir_insert_before(last, branch);
    ir_block *together = ir_node_add_block(branch), *singly = ir_node_add_block(branch);
    ir_replace_uses(ir_out(last, 0), branch->outputs[0]);
    ir_node *made = operator_node(last, schema_find("tsm::pointwise"), NULL, 0);
    add_tensors(made, c, none);
    ir_node_add_input(made, code);
    ir_node_add_input(made, numbers);
    ir_append(together, made);
    ir_block_add_result(together, made->outputs[0]);
    for (size_t i = 0; i < c->count; i++) {
        ir_unlink(c->nodes[i]);
        ir_append(singly, c->nodes[i]);
    }
    ir_block_add_result(singly, ir_out(last, 0));
    if (!f->facts)
        return;
    shape_copy(&f->known, ir_out(last, 0), branch->outputs[0]);
    shape_copy(&f->facts->seen, ir_out(last, 0), made->outputs[0]);
}

static void fuse_from(fusion *f, ir_node *n) {
    pointwise_step s;
    chain c = {.fusion = f, .nodes = {n}, .count = 1};
    if (!pointwise_step_of(n, &s) || !find_tensors(&c) || mutation_is_written(f->mutation, ir_out(n, 0)))
        return;
    grow(&c);
    writer w = {.chain = &c};
    while (c.count > 1 && !(find_tensors(&c) && write_steps(&w)))
        remove_node(&c, c.nodes[0]); /* the results of the first steps come from outside then */
    if (c.count < 2)
        return;
    replace_chain(f, &c, &w);
    f->changed = true;
}

/* From the end, so that chains are as long as can be. */
static void fuse_block(fusion *f, ir_block *b) {
    stack_check();
    for (ir_node *n = b->result->previous, *before; n != b->param; n = before) {
        for (size_t i = is_guarded_branch(n); i < arrlenu(n->blocks); i++)
            fuse_block(f, n->blocks[i]);
        ir_node *next = n->next;
        fuse_from(f, n);
        before = next->previous == n ? n->previous : next->previous->previous; /* n may have become an if */
    }
}

void fuse_pointwise(ir_graph *g, mutation *m) {
    fusion f = {.mutation = m};
    find_numbers(&f, g->block);
    fuse_block(&f, g->block);
}

bool fuse_pointwise_inside(ir_block *b, shape_facts *facts) {
    fusion f = {.mutation = facts->mutation, .facts = facts, .known = shapes_known(b, facts)};
    find_numbers(&f, b->graph->block);
    fuse_block(&f, b);
    return f.changed;
}
