/* The stack machine of the lite interpreter, run on values of the graph that it builds. */
#include "exporter/lite/lift.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/lite/listing.h"
#include "exporter/lite/lite_upgraders.h"
#include "exporter/lite/type_text.h"
#include "exporter/program/program_internal.h"

enum { MAX_REGISTERS = 1 << 20, MAX_COUNT = UINT16_MAX };

/* What a register held before a block stored to it. */
typedef struct {
    uint32_t number;
    ir_value *before;
} stored;

typedef struct {
    program *program;
    const lite_function *code;
    const source_range *ranges; /* of the instructions, in the listing */
    ir_graph *graph;
    ir_node *at;          /* nodes are inserted before this one */
    uint32_t pc, end;     /* of the innermost block */
    ir_value **stack;     /* stb_ds array */
    size_t base;          /* stack entries below belong to the enclosing blocks */
    ir_value **registers; /* stb_ds array, by number; NULL: nothing stored */
    stored *undo;         /* stb_ds array: what the open blocks stored */
    uint32_t nesting;
} lifting;

static void lift_code(lifting *l, uint32_t end);

/* ---- The machine's parts ---- */

static source_range here(const lifting *l) {
    return l->ranges[l->pc];
}

static const lite_instruction *instruction(const lifting *l) {
    return &l->code->code[l->pc];
}

static ir_value *pop(lifting *l) {
    if (arrlenu(l->stack) <= l->base)
        source_fail(here(l), "The instruction takes more from the stack than there is");
    return arrpop(l->stack);
}

static void push(lifting *l, ir_value *v) {
    arrput(l->stack, v);
}

static uint32_t register_number(lifting *l, int64_t number) {
    if (number < 1 || number > MAX_REGISTERS)
        source_fail(here(l), "There is no register %lld", (long long)number);
    while ((int64_t)arrlenu(l->registers) <= number)
        arrput(l->registers, NULL);
    return (uint32_t)number;
}

static void store(lifting *l, int64_t number, ir_value *v) {
    stored s = {register_number(l, number), NULL};
    s.before = l->registers[s.number];
    if (l->nesting)
        arrput(l->undo, s);
    l->registers[s.number] = v;
}

static void load(lifting *l, int64_t number) {
    uint32_t checked = register_number(l, number); /* may move the array */
    ir_value *v = l->registers[checked];
    if (!v)
        source_fail(here(l), "Register %lld is read before it is stored to", (long long)number);
    push(l, v);
}

static uint32_t count_of(const lifting *l, int64_t n) {
    if (n < 0 || n > MAX_COUNT)
        source_fail(here(l), "A count is out of range");
    return (uint32_t)n;
}

static const type *type_at(const lifting *l, int64_t index) {
    if (index < 0 || index >= (int64_t)arrlenu(l->code->types))
        source_fail(here(l), "There is no type %lld", (long long)index);
    return lite_type(l->program, l->code->types[index]);
}

static pkl_value *constant_at(const lifting *l, int64_t index) {
    if (index < 0 || index >= (int64_t)arrlenu(l->code->constants))
        source_fail(here(l), "There is no constant %lld", (long long)index);
    return l->code->constants[index];
}

/* ---- Nodes ---- */

static ir_node *new_node(lifting *l, ir_kind kind, uint32_t outputs) {
    ir_node *n = ir_node_new(l->graph, kind, outputs);
    for (uint32_t i = 0; i < outputs; i++)
        n->outputs[i]->type = NULL;
    n->range = here(l);
    return n;
}

static void insert(lifting *l, ir_node *n) {
    ir_insert_before(l->at, n);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        push(l, n->outputs[i]);
}

/* Makes the topmost values of the stack inputs of n, the deepest one first. */
static void take_inputs(lifting *l, ir_node *n, uint32_t count) {
    if (arrlenu(l->stack) - l->base < count)
        source_fail(here(l), "The instruction takes more from the stack than there is");
    size_t first = arrlenu(l->stack) - count;
    for (size_t i = first; i < arrlenu(l->stack); i++)
        ir_node_add_input(n, l->stack[i]);
    arrsetlen(l->stack, first);
}

static ir_node *lift_node(lifting *l, ir_kind kind, uint32_t inputs, uint32_t outputs) {
    ir_node *n = new_node(l, kind, outputs);
    take_inputs(l, n, inputs);
    insert(l, n);
    return n;
}

static void insert_constant(lifting *l, ir_constant *c) {
    ir_node *n = ir_constant_node(l->graph, c);
    n->range = here(l);
    insert(l, n);
}

/* ---- Operators ---- */

/* Kinds of nodes that have no schema in the compiler's IR. */
static bool has_no_schema(ir_kind kind) {
    return kind == IR_UNCHECKED_CAST || kind == IR_TUPLE_INDEX || kind == IR_TUPLE_UNPACK || kind == IR_PRINT ||
           kind == IR_RAISE_EXCEPTION || kind == IR_UNINITIALIZED || kind == IR_TOLIST;
}

/* The number of results of an operator whose schema leaves it open: a STOREN stores several, otherwise it is one. */
static uint32_t stored_next(const lifting *l) {
    const lite_instruction *next = instruction(l) + 1;
    return l->pc + 1 < l->end && next->op == LITE_STOREN ? next->n : 1;
}

/* The type of tolist()'s result, from constant arguments: dimensions, and TorchScript's number of an element type. */
static const type *list_type_of(const lifting *l, const ir_node *n) {
    static const type_kind elements[] = {TYPE_INT, TYPE_FLOAT, TYPE_BOOL, TYPE_COMPLEX};
    int64_t dims, element;
    if (ir_input_count(n) != 3 || !ir_constant_int(ir_in(n, 1), &dims) || !ir_constant_int(ir_in(n, 2), &element) ||
        dims < 0 || dims > PT_MAX_DIMS || element < 0 || element >= (int64_t)(sizeof elements / sizeof *elements))
        source_fail(here(l), "The type of the list does not follow from the code");
    const type *t = type_basic(elements[element]);
    for (int64_t i = 0; i < dims; i++)
        t = type_list(t);
    return t;
}

static void lift_to_list(lifting *l) {
    ir_node *n = new_node(l, IR_TOLIST, 1);
    take_inputs(l, n, 3);
    n->type_operand = n->outputs[0]->type = list_type_of(l, n);
    insert(l, n);
}

static bool is_out(const schema_argument *a) {
    return a->keyword_only && (a->is_write || !strcmp(a->name, "out"));
}

/* Takes the arguments that are given; the others have their defaults. Out arguments come last and are always given. */
static void take_arguments(lifting *l, ir_node *n, const op_schema *s, int32_t given) {
    uint32_t total = s->argument_count, outs = 0;
    while (outs < total && is_out(&s->arguments[total - 1 - outs]))
        outs++;
    uint32_t count = given < 0 ? total : (uint32_t)given;
    if (count > total || count < outs)
        source_fail(here(l), "%s cannot be called with %u arguments", s->full_name, count);
    take_inputs(l, n, count);
    for (uint32_t i = count - outs; i < total - outs; i++) {
        if (!s->arguments[i].default_value)
            source_fail(here(l), "%s: argument '%s' is missing", s->full_name, s->arguments[i].name);
        ir_node *c = ir_constant_node(l->graph, s->arguments[i].default_value);
        c->range = here(l);
        ir_insert_before(l->at, c);
        ir_node_insert_input(n, i, c->outputs[0]);
    }
}

static void lift_upgraded(lifting *l, function *upgrader, int32_t given) {
    const op_schema *s = upgrader->schema;
    ir_node *n = new_node(l, IR_CALL_FUNCTION, 1);
    n->callee = upgrader;
    take_arguments(l, n, s, given);
    n->outputs[0]->type = function_return_type(upgrader);
    insert(l, n);
}

/* The number of arguments of prim::RaiseException changed without a new version of the bytecode, and some files state
 * it wrongly. Statements begin with an empty stack, so all that is on it belongs to the raise. */
static void lift_raise(lifting *l) {
    ir_node *n = new_node(l, IR_RAISE_EXCEPTION, 0);
    take_inputs(l, n, (uint32_t)(arrlenu(l->stack) - l->base));
    if (ir_input_count(n) != 1 && ir_input_count(n) != 2)
        source_fail(here(l), "An exception is raised with %u values", ir_input_count(n));
    insert(l, n);
    if (ir_input_count(n) == 1)
        ir_node_add_input(n, ir_insert_constant(n, const_none()));
}

static void lift_known(lifting *l, const op_schema *s, int32_t given) {
    uint32_t outputs = s->variable_returns ? stored_next(l) : s->return_count;
    ir_node *n = new_node(l, s->kind, outputs);
    if (!has_no_schema(s->kind))
        n->schema = s;
    if (s->variable_arguments)
        take_inputs(l, n, given < 0 ? 0 : (uint32_t)given);
    else
        take_arguments(l, n, s, given);
    insert(l, n);
}

/* `pushed` is the count that the instruction itself gives; negative: none. */
static void lift_operator(lifting *l, int64_t index, int32_t pushed) {
    if (index < 0 || index >= (int64_t)arrlenu(l->code->operators))
        source_fail(here(l), "There is no operator %lld", (long long)index);
    const lite_operator *op = &l->code->operators[index];
    const op_schema *s = schema_find(op->full_name);
    if (!s)
        source_fail(here(l), "Operator %s is not known", op->full_name);
    int32_t given = pushed >= 0 ? pushed : op->given;
    function *upgrader = upgrade_of(l->program, op->full_name);
    if (upgrader)
        lift_upgraded(l, upgrader, given);
    else if (s->kind == IR_TOLIST)
        lift_to_list(l);
    else if (s->kind == IR_RAISE_EXCEPTION)
        lift_raise(l);
    else
        lift_known(l, s, given);
}

static void lift_named(lifting *l, const char *full_name) {
    lift_known(l, schema_find(full_name), -1);
}

/* ---- Control flow ---- */

/* The target of a jump; raises an error unless it is in (pc, end]. */
static uint32_t jump_target(const lifting *l, uint32_t pc, uint32_t end) {
    int64_t target = (int64_t)pc + l->code->code[pc].x;
    if (target <= pc || target > end)
        source_fail(l->ranges[pc], "The jump leads out of its block");
    return (uint32_t)target;
}

/* Lifts [from, end) into a block. Its stack begins with the block's parameters and ends with its results. */
static void lift_block(lifting *l, ir_block *b, uint32_t from, uint32_t end) {
    stack_check();
    if (++l->nesting > LIMIT_BYTECODE_DEPTH)
        source_fail(here(l), "%s", limit_text(OVER_BYTECODE_DEPTH));
    ir_node *at = l->at;
    size_t base = l->base, undo = arrlenu(l->undo);
    uint32_t pc = l->pc, outer_end = l->end;
    l->base = arrlenu(l->stack);
    l->at = b->result;
    for (uint32_t i = 0; i < ir_output_count(b->param); i++)
        push(l, b->param->outputs[i]);
    l->pc = from;
    lift_code(l, end);
    for (size_t i = l->base; i < arrlenu(l->stack); i++)
        ir_block_add_result(b, l->stack[i]);
    arrsetlen(l->stack, l->base);
    while (arrlenu(l->undo) > undo) {
        stored s = arrpop(l->undo);
        l->registers[s.number] = s.before;
    }
    l->base = base;
    l->at = at;
    l->pc = pc;
    l->end = outer_end;
    l->nesting--;
}

static void lift_if(lifting *l, uint32_t end) {
    uint32_t otherwise = jump_target(l, l->pc, end), jump = otherwise - 1;
    if (jump == l->pc || l->code->code[jump].op != LITE_JMP)
        source_fail(here(l), "The jump is not that of an if");
    uint32_t after = jump_target(l, jump, end);
    ir_node *n = new_node(l, IR_IF, 0);
    take_inputs(l, n, 1);
    lift_block(l, ir_node_add_block(n), l->pc + 1, jump);
    lift_block(l, ir_node_add_block(n), otherwise, after);
    uint32_t results = ir_input_count(n->blocks[0]->result);
    if (ir_input_count(n->blocks[1]->result) != results)
        source_fail(here(l), "The branches leave different numbers of values");
    for (uint32_t i = 0; i < results; i++)
        ir_node_add_output(n, NULL);
    insert(l, n);
    l->pc = after;
}

static void lift_loop(lifting *l, uint32_t end) {
    const lite_instruction *in = instruction(l);
    uint32_t after = jump_target(l, l->pc, end), back = after - 1;
    bool is_loop = back > l->pc && l->code->code[back].op == LITE_JMP &&
                   (int64_t)back + l->code->code[back].x == (int64_t)l->pc && in->n >= 2;
    int64_t first;
    ir_node *n = new_node(l, IR_LOOP, is_loop ? in->n - 2 : 0);
    take_inputs(l, n, is_loop ? in->n : 0); /* trip limit, condition, carried values */
    if (!is_loop || !ir_constant_int(pop(l), &first) || first)
        source_fail(here(l), "The jump is not that of a loop");
    ir_block *body = ir_node_add_block(n);
    ir_block_add_param(body, NULL, type_basic(TYPE_INT));
    for (uint32_t i = 2; i < in->n; i++)
        ir_block_add_param(body, NULL, NULL);
    lift_block(l, body, l->pc + 1, back);
    if (ir_input_count(body->result) != in->n - 1)
        source_fail(here(l), "The loop's body leaves a wrong number of values");
    insert(l, n);
    l->pc = after;
}

/* ---- Instructions ---- */

static void lift_isinstance(lifting *l, const lite_instruction *in) {
    ir_node *n = new_node(l, IR_ISINSTANCE, 1);
    take_inputs(l, n, 1);
    for (uint32_t i = 0; i < in->n; i++)
        arrput(n->types, type_at(l, (int64_t)in->x + i));
    n->outputs[0]->type = type_basic(TYPE_BOOL);
    insert(l, n);
}

static void lift_tuple_slice(lifting *l, const lite_instruction *in) {
    ir_node *n = new_node(l, IR_TUPLE_SLICE, 1);
    take_inputs(l, n, 1);
    n->begin = count_of(l, in->x);
    n->end = n->begin + in->n;
    insert(l, n);
}

static void lift_attribute(lifting *l, const lite_instruction *in) {
    bool sets = in->op == LITE_SET_ATTR;
    ir_node *n = new_node(l, sets ? IR_SET_ATTR : IR_GET_ATTR, !sets);
    take_inputs(l, n, sets ? 2 : 1);
    n->begin = count_of(l, in->x);
    insert(l, n);
}

static void lift_interface_call(lifting *l, const lite_instruction *in) {
    const pkl_value *name = constant_at(l, in->x);
    if (name->kind != PKL_STR || !in->n)
        source_fail(here(l), "The call names no method");
    lift_node(l, IR_INTERFACE_CALL, in->n, 1)->attribute = intern(name->str.text);
}

/* A value of a type that the instruction names, which must be of this kind. */
static void lift_construct(lifting *l, ir_kind kind, type_kind wanted, const lite_instruction *in, uint32_t inputs) {
    const type *t = type_at(l, in->x);
    if (t->kind != wanted || (wanted == TYPE_TUPLE && t->count != inputs) || (wanted == TYPE_DICT && inputs % 2))
        source_fail(here(l), "The instruction does not make a %s of %u values", type_annotation(t), inputs);
    lift_node(l, kind, inputs, 1)->outputs[0]->type = t;
}

static void store_many(lifting *l, const lite_instruction *in) {
    for (uint32_t i = in->n; i-- > 0;)
        store(l, (int64_t)in->x + i, pop(l));
}

/* Instructions that only move values. */
static bool lift_move(lifting *l, const lite_instruction *in) {
    switch (in->op) {
    case LITE_LOAD:
    case LITE_MOVE:
        load(l, in->x);
        return true;
    case LITE_STORE:
        store(l, in->x, pop(l));
        return true;
    case LITE_STOREN:
        store_many(l, in);
        return true;
    case LITE_DROP:
        pop(l);
        return true;
    case LITE_DROPR: /* says only that the register is not read again */
        return true;
    case LITE_LOADC:
        insert_constant(l, program_constant(l->program, constant_at(l, in->x), NULL));
        return true;
    default:
        return false;
    }
}

/* Instructions that are one node. */
static bool lift_single(lifting *l, const lite_instruction *in) {
    static const struct {
        lite_opcode op;
        const char *full_name;
    } operators[] = {
        {LITE_TUPLE_INDEX, "prim::TupleIndex"},
        {LITE_UNCHECKED_CAST, "prim::unchecked_cast"},
        {LITE___IS__, "aten::__is__"},
        {LITE___ISNOT__, "aten::__isnot__"},
        {LITE_UN_INITIALIZED, "prim::Uninitialized"},
        {LITE_DEVICE, "prim::device"},
        {LITE_DTYPE, "prim::dtype"},
        {LITE_DIM, "aten::dim"},
        {LITE___NOT__, "aten::__not__"},
        {LITE_NUM_TO_TENSOR, "prim::NumToTensor.Scalar"},
        {LITE_IS_CUDA, "prim::is_cuda"},
        {LITE_WARN, "aten::warn"},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].op == in->op) {
            lift_named(l, operators[i].full_name);
            return true;
        }
    return false;
}

static void lift_instruction(lifting *l, const lite_instruction *in) {
    switch (in->op) {
    case LITE_OP:
        lift_operator(l, in->x, -1);
        return;
    case LITE_OPN:
        lift_operator(l, in->x, (int32_t)count_of(l, in->n));
        return;
    case LITE_INTERFACE_CALL:
        lift_interface_call(l, in);
        return;
    case LITE_GET_ATTR:
    case LITE_SET_ATTR:
        lift_attribute(l, in);
        return;
    case LITE_LIST_UNPACK:
        lift_node(l, IR_LIST_UNPACK, 1, count_of(l, in->x));
        return;
    case LITE_TUPLE_CONSTRUCT:
        lift_node(l, IR_TUPLE_CONSTRUCT, count_of(l, in->x), 1);
        return;
    case LITE_NAMED_TUPLE_CONSTRUCT:
        lift_construct(l, IR_TUPLE_CONSTRUCT, TYPE_TUPLE, in, in->n);
        return;
    case LITE_LIST_CONSTRUCT:
        lift_construct(l, IR_LIST_CONSTRUCT, TYPE_LIST, in, in->n);
        return;
    case LITE_DICT_CONSTRUCT:
        lift_construct(l, IR_DICT_CONSTRUCT, TYPE_DICT, in, in->n);
        return;
    case LITE_CREATE_OBJECT:
        lift_construct(l, IR_CREATE_OBJECT, TYPE_CLASS, in, 0);
        return;
    case LITE_ISINSTANCE:
        lift_isinstance(l, in);
        return;
    case LITE_TUPLE_SLICE:
        lift_tuple_slice(l, in);
        return;
    case LITE_DICT_INDEX: /* which overload follows from the dict's type */
        lift_node(l, IR_GETITEM, 2, 1);
        return;
    case LITE_FORMAT:
        lift_known(l, schema_find("aten::format"), (int32_t)count_of(l, in->x));
        return;
    case LITE_TO_LIST:
        lift_to_list(l);
        return;
    case LITE_RAISE_EXCEPTION:
        lift_raise(l);
        return;
    default:
        if (!lift_move(l, in) && !lift_single(l, in))
            source_fail(here(l), "The instruction cannot stand here");
    }
}

static void lift_code(lifting *l, uint32_t end) {
    l->end = end;
    while (l->pc < end) {
        const lite_instruction *in = instruction(l);
        if (in->op == LITE_JF)
            lift_if(l, end);
        else if (in->op == LITE_LOOP)
            lift_loop(l, end);
        else {
            lift_instruction(l, in);
            l->pc++;
        }
    }
}

ir_graph *lift_function(program *p, const lite_function *f) {
    uint32_t count = (uint32_t)arrlenu(f->code);
    lifting l = {.program = p, .code = f, .ranges = lite_listing(f)};
    l.graph = ir_graph_new(f->name);
    l.at = l.graph->block->result;
    for (size_t i = 0; i < arrlenu(f->arguments); i++)
        push(&l, ir_graph_add_input(l.graph, f->arguments[i].name, lite_type(p, f->arguments[i].type)));
    if (f->code[count - 1].op != LITE_RET)
        source_fail(l.ranges[count - 1], "The function does not end with RET");
    l.graph->block->result->range = l.ranges[count - 1];
    lift_code(&l, count - 1);
    if (arrlenu(l.stack) != 1)
        source_fail(l.ranges[count - 1], "The function leaves %zu values", arrlenu(l.stack));
    ir_block_add_result(l.graph->block, l.stack[0]);
    return l.graph;
}
