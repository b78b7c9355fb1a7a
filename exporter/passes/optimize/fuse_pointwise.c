#include "exporter/passes/optimize/fuse_pointwise.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"
#include "runtime/kernels/pointwise/pointwise_chain.h"

/* ---- Operators as steps ---- */

/* Where a step's operands stand among the operator's arguments. */
typedef enum {
    BINARY,   /* 0 and 1 */
    SCALED,   /* 0 and 1, argument 2 (alpha) is 1 */
    REVERSED, /* 1 and 0, alpha is 1 */
    UNARY,    /* 0 */
    SQUARE,   /* 0, twice; argument 1 is 2 */
    LOW,      /* 0, and argument 1 as the lower bound */
    HIGH,     /* 0, and argument 1 as the upper bound */
    BOUNDS,   /* 0, and arguments 1 and 2 as bounds, which may be None */
    SIX,      /* 0, bounds 0 and 6 */
    SLOPE,    /* 0, and the number of argument 1 */
    MODE,     /* 0; argument 1 is "none" or "tanh" */
} form;

static const struct {
    const char *name;
    char letter;
    form form;
} operators[] = {
    {"aten::add.Tensor", '+', SCALED},
    {"aten::add.Scalar", '+', SCALED},
    {"aten::sub.Tensor", '-', SCALED},
    {"aten::sub.Scalar", '-', SCALED},
    {"aten::rsub.Scalar", '-', REVERSED},
    {"aten::mul.Tensor", '*', BINARY},
    {"aten::mul.Scalar", '*', BINARY},
    {"aten::div.Tensor", '/', BINARY},
    {"aten::div.Scalar", '/', BINARY},
    {"aten::pow.Tensor_Scalar", '*', SQUARE},
    {"aten::square", '*', SQUARE},
    {"aten::neg", 'n', UNARY},
    {"aten::abs", 'm', UNARY},
    {"aten::sqrt", 'q', UNARY},
    {"aten::rsqrt", 'v', UNARY},
    {"aten::exp", 'e', UNARY},
    {"aten::relu", 'r', UNARY},
    {"aten::sigmoid", 's', UNARY},
    {"aten::tanh", 't', UNARY},
    {"aten::silu", 'w', UNARY},
    {"aten::gelu", 'g', MODE},
    {"aten::hardswish", 'h', UNARY},
    {"aten::hardsigmoid", 'i', UNARY},
    {"aten::relu6", 'c', SIX},
    {"aten::clamp", 'c', BOUNDS},
    {"aten::hardtanh", 'c', BOUNDS},
    {"aten::clamp_min", 'c', LOW},
    {"aten::clamp_max", 'c', HIGH},
    {"aten::leaky_relu", 'l', SLOPE},
};

/* A node as a step. */
typedef struct {
    char letter;
    ir_value *tensors[2]; /* NULL where the operand is a number or none */
    double numbers[2];
    int operands, bounds; /* tensors and numbers in place; numbers behind the operand */
} step;

static bool is_tensor(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c ? c->kind == CONST_TENSOR : v->type->kind == TYPE_TENSOR;
}

static bool read_operand(step *s, int i, ir_value *v) {
    s->tensors[i] = is_tensor(v) ? v : NULL;
    return s->tensors[i] || constant_number(v, &s->numbers[i]);
}

static bool read_pair(const ir_node *n, step *s, int first) {
    s->operands = 2;
    return read_operand(s, 0, ir_in(n, (uint32_t)first)) && read_operand(s, 1, ir_in(n, (uint32_t)!first)) &&
           (s->tensors[0] || s->tensors[1]);
}

static bool alpha_is_one(const ir_node *n) {
    double alpha;
    return ir_input_count(n) == 3 && constant_number(ir_in(n, 2), &alpha) && alpha == 1;
}

static bool read_bound(const ir_node *n, uint32_t i, double when_none, double *bound) {
    const ir_constant *c = ir_constant_of(ir_in(n, i));
    *bound = when_none;
    return (c && c->kind == CONST_NONE) || constant_number(ir_in(n, i), bound);
}

static bool read_mode(const ir_node *n, step *s) {
    const ir_constant *c = ir_input_count(n) > 1 ? ir_constant_of(ir_in(n, 1)) : NULL;
    if (!c || c->kind != CONST_STR || c->string.length != 4)
        return false;
    bool exact = !memcmp(c->string.bytes, "none", 4);
    s->letter = exact ? 'g' : 'G';
    return exact || !memcmp(c->string.bytes, "tanh", 4);
}

static bool read_unary(const ir_node *n, form f, step *s) {
    double two = 2;
    if (!is_tensor(ir_in(n, 0)))
        return false;
    s->tensors[0] = ir_in(n, 0);
    s->operands = 1;
    s->bounds = f == UNARY || f == SQUARE || f == MODE ? 0 : f == SLOPE ? 1 : 2;
    switch (f) {
    case SQUARE:
        s->tensors[1] = s->tensors[0];
        s->operands = 2;
        return (ir_input_count(n) == 1 || constant_number(ir_in(n, 1), &two)) && two == 2;
    case MODE:
        return read_mode(n, s);
    case SLOPE:
        return constant_number(ir_in(n, 1), &s->numbers[0]);
    case SIX:
        s->numbers[1] = 6;
        return true;
    case LOW:
        s->numbers[1] = INFINITY;
        return read_bound(n, 1, -INFINITY, &s->numbers[0]);
    case HIGH:
        s->numbers[0] = -INFINITY;
        return read_bound(n, 1, INFINITY, &s->numbers[1]);
    case BOUNDS:
        return read_bound(n, 1, -INFINITY, &s->numbers[0]) && read_bound(n, 2, INFINITY, &s->numbers[1]);
    default:
        return true;
    }
}

static bool read_step(const ir_node *n, step *s) {
    memset(s, 0, sizeof *s);
    if (!n->schema || ir_output_count(n) != 1 || ir_out(n, 0)->type->kind != TYPE_TENSOR)
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(n->schema->full_name, operators[i].name) != 0)
            continue;
        s->letter = operators[i].letter;
        switch (operators[i].form) {
        case SCALED:
            return alpha_is_one(n) && read_pair(n, s, 0);
        case REVERSED:
            return alpha_is_one(n) && read_pair(n, s, 1);
        case BINARY:
            return read_pair(n, s, 0);
        default:
            return read_unary(n, operators[i].form, s);
        }
    }
    return false;
}

/* ---- Chains ---- */

typedef struct {
    mutation *mutation;
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

/* The tensors that come from outside; false when they are too many or may be written to. */
static bool find_tensors(chain *c) {
    c->tensor_count = 0;
    for (size_t i = 0; i < c->count; i++) {
        step s;
        read_step(c->nodes[i], &s);
        for (int k = 0; k < s.operands; k++) {
            ir_value *v = s.tensors[k];
            bool known = !v || has_node(c, v->node);
            for (size_t t = 0; t < c->tensor_count; t++)
                known |= c->tensors[t] == v;
            if (known)
                continue;
            if (c->tensor_count == CHAIN_TENSORS || mutation_is_written(c->mutation, v))
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

/* The chain may run after this node, which stands between its nodes: nobody can tell. */
static bool is_quiet(const ir_node *n) {
    switch (n->kind) {
    case IR_CONSTANT:
    case IR_LIST_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
    case IR_TUPLE_UNPACK:
        return true;
    default:
        return n->schema && arrlenu(n->blocks) == 0 && strcmp(n->schema->name, "aten::warn") != 0;
    }
}

static bool may_move_down(const chain *c, const ir_node *n) {
    for (const ir_node *between = n->next; between != c->nodes[c->count - 1]; between = between->next)
        if (!has_node(c, between) && !is_quiet(between))
            return false;
    return true;
}

static bool may_join(chain *c, ir_node *n) {
    step s;
    if (c->count == CHAIN_STEPS || has_node(c, n) || n->block != c->nodes[0]->block || !read_step(n, &s) ||
        !is_inner(c, ir_out(n, 0)) || mutation_is_written(c->mutation, ir_out(n, 0)) || !may_move_down(c, n))
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
            step s;
            read_step(c->nodes[i], &s);
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

static char operand_text(writer *w, const step *s, int i) {
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
    for (size_t i = 0; i < w->chain->count; i++) {
        step s;
        read_step(w->chain->nodes[i], &s);
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

static ir_node *new_operator(const ir_node *like, const char *name) {
    const op_schema *s = schema_find(name);
    ir_node *n = ir_node_new(like->graph, s->kind, 1);
    n->schema = s;
    n->range = like->range;
    n->scope = like->scope;
    return n;
}

static void add_tensors(ir_node *n, const chain *c, ir_value *none) {
    for (size_t t = 0; t < CHAIN_TENSORS; t++)
        ir_node_add_input(n, t < c->tensor_count ? c->tensors[t] : none);
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
static void replace_chain(const chain *c, const writer *w) {
    ir_node *last = c->nodes[c->count - 1], *fits = new_operator(last, "tsm::pointwise_fits");
    ir_value *none = ir_insert_constant(last, const_none());
    ir_value *code = ir_insert_constant(last, const_str(w->text, w->length)),
             *numbers = ir_insert_constant(last, numbers_constant(w));
    add_tensors(fits, c, none);
    fits->outputs[0]->type = type_basic(TYPE_BOOL);
    ir_insert_before(last, fits);
    ir_node *branch = ir_node_new(last->graph, IR_IF, 1);
    branch->range = last->range;
    branch->scope = last->scope;
    branch->outputs[0]->name = ir_out(last, 0)->name;
    ir_node_add_input(branch, fits->outputs[0]);
    ir_insert_before(last, branch);
    ir_block *together = ir_node_add_block(branch), *singly = ir_node_add_block(branch);
    ir_replace_uses(ir_out(last, 0), branch->outputs[0]);
    ir_node *made = new_operator(last, "tsm::pointwise");
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
}

static void fuse_from(ir_node *n, mutation *m) {
    step s;
    chain c = {.mutation = m, .nodes = {n}, .count = 1};
    if (!read_step(n, &s) || !find_tensors(&c) || mutation_is_written(m, ir_out(n, 0)))
        return;
    grow(&c);
    writer w = {.chain = &c};
    if (c.count > 1 && write_steps(&w))
        replace_chain(&c, &w);
}

/* From the end, so that chains are as long as can be. */
static void fuse_block(ir_block *b, mutation *m) {
    for (ir_node *n = b->result->previous, *before; n != b->param; n = before) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fuse_block(n->blocks[i], m);
        ir_node *next = n->next;
        fuse_from(n, m);
        before = next->previous == n ? n->previous : next->previous->previous; /* n may have become an if */
    }
}

void fuse_pointwise(ir_graph *g, mutation *m) {
    fuse_block(g->block, m);
}
