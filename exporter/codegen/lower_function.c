/* IR -> bytecode.
 *
 * Blocks are walked in order; a register is given to a value where it is defined and taken back where liveness says
 * that it dies. The writing itself is assemble.c's, branches and loops are lower_control.c's. */
#include "exporter/codegen/lower_function.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/assemble.h"
#include "exporter/codegen/hoist_constants.h"
#include "exporter/codegen/lower_control.h"
#include "exporter/syntax/source.h"
#include "runtime/include/tsmobile.h"
#include "runtime/interpreter/opcodes.h"

/* R[a] keeps input 2, which is put there first, when the instruction has no result of its own. */
static void lower_with_default(lowering *l, const ir_node *n, opcode op, const uint16_t operands[3]) {
    const int result = asm_define(l, ir_out(n, 0));
    /* What a loop carries may have the register of an input that dies here. */
    const bool is_read = result == operands[1] || result == operands[2];
    const int to = is_read ? asm_take_register(l, asm_class_of_register(result)) : result;
    const ir_value *otherwise = ir_in(n, 2);
    if (asm_has_register(l, otherwise))
        asm_emit_move(l, to, asm_register_of(l, otherwise), false);
    else
        asm_emit_load(l, to, ir_constant_of(otherwise));
    asm_emit(l, op, (uint16_t)to, operands[1], operands[2]);
    asm_emit_drops(l, asm_release_inputs(l, n), result);
    if (is_read) {
        asm_emit_move(l, result, to, true);
        asm_give_register(l, to);
    }
}

static void lower_selected(lowering *l, const ir_node *n, selection s) {
    uint16_t operands[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        char letter = s.pattern[i];
        if (letter >= '0' && letter <= '2')
            operands[i] = (uint16_t)asm_register_of(l, ir_in(n, (uint32_t)(letter - '0')));
        else if (letter != 'd' && letter != 'h' && letter != '-')
            operands[i] = select_literal(n, letter);
    }
    if (s.pattern[0] == 'h') {
        lower_with_default(l, n, s.op, operands);
        return;
    }
    bool changes_first = s.pattern[0] == '0';
    int result = NO_REGISTER;
    if (changes_first && ir_output_count(n) && ir_use_count(ir_out(n, 0))) {
        /* aten::append and _set_item return the list. */
        asm_emit(l, s.op, operands[0], operands[1], operands[2]);
        int from = asm_register_of(l, ir_in(n, 0));
        result = asm_take_register(l, REGISTER_VALUE);
        asm_emit(l, OPCODE_MOVE, (uint16_t)result, (uint16_t)from, 0);
        hmput(l->registers, ir_out(n, 0), result);
        asm_emit_drops(l, asm_release_inputs(l, n), NO_REGISTER);
        return;
    }
    int *drops = asm_release_inputs(l, n);
    if (!changes_first && ir_output_count(n)) {
        result = asm_define(l, ir_out(n, 0));
        operands[0] = (uint16_t)result;
    }
    asm_emit(l, s.op, operands[0], operands[1], operands[2]);
    asm_emit_drops(l, drops, result);
}

/* An instruction R[a] := f(R[b], c) whose result is a value register; a scalar result goes through a spare one. */
static void lower_value_result(lowering *l, const ir_node *n, opcode op, uint16_t c) {
    int from = asm_register_of(l, ir_in(n, 0));
    int *drops = asm_release_inputs(l, n);
    int result = asm_define(l, ir_out(n, 0));
    bool scalar = asm_class_of_register(result) != REGISTER_VALUE;
    int to = scalar ? asm_take_register(l, REGISTER_VALUE) : result;
    asm_emit(l, op, (uint16_t)to, (uint16_t)from, c);
    if (scalar) {
        asm_emit(l, OPCODE_MOVE_S, (uint16_t)result, (uint16_t)to, 0);
        asm_emit(l, OPCODE_DROP, (uint16_t)to, 0, 0);
        asm_give_register(l, to);
    }
    asm_emit_drops(l, drops, to);
}

/* Whether registers of two classes hold values of different kinds: what is cast so comes from a value of another type,
 * behind a question of its type that is answered no. */
static bool never_casts(register_class from, register_class to) {
    return from != to && from != REGISTER_VALUE && to != REGISTER_VALUE;
}

static void lower_cast(lowering *l, const ir_node *n) {
    int from = asm_register_of(l, ir_in(n, 0));
    bool dies = liveness_dies_at(&l->lives, n, ir_in(n, 0));
    bool same_class = register_class_of(ir_out(n, 0)->type) == asm_class_of_register(from);
    if (dies && same_class && hmgeti(l->hints, ir_out(n, 0)) < 0 && hmgeti(l->pinned, ir_in(n, 0)) < 0) {
        hmdel(l->registers, ir_in(n, 0)); /* only the type changes: the register is handed on */
        hmput(l->registers, ir_out(n, 0), from);
        return;
    }
    asm_release_inputs(l, n);
    int to = asm_define(l, ir_out(n, 0));
    if (!never_casts(asm_class_of_register(from), asm_class_of_register(to)))
        asm_emit_move(l, to, from, dies);
}

/* x is None, x is not None, a is b. */
static void lower_identity(lowering *l, const ir_node *n) {
    bool negated = n->kind == IR_IS_NOT;
    for (uint32_t i = 0; i < 2; i++)
        if (ir_in(n, i)->type->kind == TYPE_NONE) {
            const ir_value *other = ir_in(n, 1 - i);
            int r;
            bool is_none = other->type->kind == TYPE_NONE;
            if (is_none || !type_admits_none(other->type)) { /* the type says it; a register of a scalar has no None */
                int *drops = asm_release_inputs(l, n);
                r = asm_define(l, ir_out(n, 0));
                asm_emit(l, OPCODE_LOADB, (uint16_t)r, is_none != negated, 0);
                asm_emit_drops(l, drops, NO_REGISTER);
                return;
            }
            int from = asm_register_of(l, other);
            int *drops = asm_release_inputs(l, n);
            r = asm_define(l, ir_out(n, 0));
            asm_emit(l, negated ? OPCODE_NOT_NONE : OPCODE_IS_NONE, (uint16_t)r, (uint16_t)from, 0);
            asm_emit_drops(l, drops, NO_REGISTER);
            return;
        }
    selection s = {OPCODE_IS, "d01"};
    lower_selected(l, n, s);
    if (negated) {
        uint16_t r = (uint16_t)asm_register_of(l, ir_out(n, 0));
        asm_emit(l, OPCODE_NOT_B, r, r, 0);
    }
}

static void lower_isinstance(lowering *l, const ir_node *n) {
    uint32_t list = asm_begin_list(l, (uint32_t)arrlenu(n->types), 0);
    for (size_t i = 0; i < arrlenu(n->types); i++)
        arrput(l->code->operands, builder_type(l->builder, n->types[i]));
    int from = asm_register_of(l, ir_in(n, 0));
    int *drops = asm_release_inputs(l, n);
    int to = asm_define(l, ir_out(n, 0));
    asm_emit(l, OPCODE_ISINSTANCE, (uint16_t)to, (uint16_t)from, asm_narrow(l, list, "operand lists"));
    asm_emit_drops(l, drops, NO_REGISTER);
}

/* How two strings stand to each other, and what of it is asked. */
static void lower_string_compare(lowering *l, const ir_node *n, opcode op) {
    uint16_t left = (uint16_t)asm_register_of(l, ir_in(n, 0)), right = (uint16_t)asm_register_of(l, ir_in(n, 1));
    int order = asm_take_register(l, REGISTER_INT);
    asm_emit(l, OPCODE_CMP_STR, (uint16_t)order, left, right);
    asm_emit_drops(l, asm_release_inputs(l, n), NO_REGISTER);
    asm_emit(l, op, (uint16_t)asm_define(l, ir_out(n, 0)), (uint16_t)order, 0);
    asm_give_register(l, order);
}

/* Lists and dicts: the output word is the type. */
static void lower_container(lowering *l, const ir_node *n, opcode op) {
    uint32_t at = asm_begin_list(l, ir_input_count(n), 1);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(l->code->operands, asm_input_word(l, n, i));
    arrput(l->code->operands, builder_type(l->builder, ir_out(n, 0)->type));
    asm_release_inputs(l, n);
    asm_emit_wide(l, op, (uint16_t)asm_define(l, ir_out(n, 0)), at);
}

static void lower_tuple(lowering *l, const ir_node *n) {
    const type *t = ir_out(n, 0)->type;
    uint32_t at = asm_begin_list(l, ir_input_count(n), 0);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(l->code->operands, asm_input_word(l, n, i));
    asm_release_inputs(l, n);
    uint16_t to = (uint16_t)asm_define(l, ir_out(n, 0));
    if (t->kind == TYPE_TUPLE && t->field_names)
        asm_emit(l, OPCODE_NAMED_TUPLE_CONSTRUCT, to, asm_narrow(l, builder_type(l->builder, t), "types"),
                 asm_narrow(l, at, "operand lists"));
    else
        asm_emit_wide(l, OPCODE_TUPLE_CONSTRUCT, to, at);
}

static void lower_unpack(lowering *l, const ir_node *n, opcode op) {
    int from = asm_register_of(l, ir_in(n, 0));
    uint32_t at = asm_begin_list(l, 0, ir_output_count(n));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(l->code->operands, asm_list_register(asm_define(l, n->outputs[i])));
    asm_emit_wide(l, op, (uint16_t)from, at);
    int *drops = asm_release_inputs(l, n);
    asm_emit_drops(l, drops, NO_REGISTER);
}

static void lower_tuple_slice(lowering *l, const ir_node *n) {
    uint32_t at = asm_begin_list(l, 2, 0);
    arrput(l->code->operands, (uint32_t)n->begin);
    arrput(l->code->operands, (uint32_t)n->end);
    lower_value_result(l, n, OPCODE_TUPLE_SLICE, asm_narrow(l, at, "operand lists"));
}

static void lower_call(lowering *l, const ir_node *n, opcode op, uint32_t first) {
    asm_emit_with_list(l, n, op, asm_narrow(l, builder_function(l->builder, n->callee), "functions"), first);
}

/* The method `name` (__enter__ or __exit__) of the object of a `with` statement. */
static function *context_method(const ir_value *object, const char *name) {
    function *f = object->type->definition ? class_find_method(object->type->definition, name) : NULL;
    if (!f)
        diag_internal("%s has no method %s", object->type->text, name);
    return f;
}

static void lower_enter(lowering *l, const ir_node *n) {
    function *enter = context_method(ir_in(n, 0), "__enter__");
    uint32_t object = asm_list_register(asm_register_of(l, ir_in(n, 0)));
    uint32_t at = asm_begin_list(l, 1, 1);
    arrput(l->code->operands, object);
    int result = asm_define(l, ir_out(n, 0));
    arrput(l->code->operands, asm_list_register(result));
    asm_emit_wide(l, OPCODE_CALL, asm_narrow(l, builder_function(l->builder, enter), "functions"), at);
    image_with_range range = {asm_here(l), 0, object,
                              builder_function(l->builder, context_method(ir_in(n, 0), "__exit__"))};
    arrput(l->open_withs, range);
}

static void lower_exit(lowering *l, const ir_node *n) {
    image_with_range range = arrpop(l->open_withs);
    range.end = asm_here(l);
    arrput(l->code->withs, range); /* inner ones end first */
    uint32_t none = IMAGE_OPERAND_CONSTANT | builder_constant(l->builder, const_none());
    uint32_t at = asm_begin_list(l, 4, 1);
    arrput(l->code->operands, asm_input_word(l, n, 0));
    for (int i = 0; i < 3; i++)
        arrput(l->code->operands, none);
    asm_release_inputs(l, n);
    int ignored =
        asm_take_register(l, register_class_of(context_method(ir_in(n, 0), "__exit__")->schema->returns[0].type));
    arrput(l->code->operands, asm_list_register(ignored));
    asm_emit_wide(l, OPCODE_CALL, asm_narrow(l, range.exit_function, "functions"), at);
    if (asm_class_of_register(ignored) == REGISTER_VALUE)
        asm_emit(l, OPCODE_DROP, (uint16_t)ignored, 0, 0);
    asm_give_register(l, ignored);
}

static void lower_operator(lowering *l, const ir_node *n) {
    if (ir_input_count(n) > TSM_MAX_OPERATOR_INPUTS || ir_output_count(n) > TSM_MAX_OPERATOR_OUTPUTS) {
        strbuf b = {0};
        source_highlight(n->range, &b);
        diag_fail("%s has %u arguments and %u results here, at most %d and %d are supported:\n%s",
                  ir_kind_name(n->kind), ir_input_count(n), ir_output_count(n), TSM_MAX_OPERATOR_INPUTS,
                  TSM_MAX_OPERATOR_OUTPUTS, b.text);
    }
    asm_emit_with_list(l, n, OPCODE_OP, asm_narrow(l, builder_operator(l->builder, n), "operators"), 0);
}

/* What a value must be, as words of the plan's guards. */
static void add_guard(image_plan *plan, const ir_constant *expected) {
    if (expected->kind != CONST_LIST) {
        bool is_bool = expected->kind == CONST_BOOL;
        arrput(plan->guards, is_bool ? TSM_TAG_BOOL | (uint32_t)expected->boolean << 8 : TSM_TAG_NONE);
        return;
    }
    ir_constant *const *items = expected->list.items;
    const uint32_t dims = expected->list.count - TYPE_CHECK_SIZES;
    arrput(plan->guards, TSM_TAG_TENSOR | (uint32_t)items[TYPE_CHECK_DTYPE]->integer << 8 | dims << 16 |
                             (uint32_t)items[TYPE_CHECK_FLAGS]->integer << 24);
    for (uint32_t d = 0; d < dims; d++)
        arrput(plan->guards, (uint32_t)items[TYPE_CHECK_SIZES + d]->integer);
}

static void lower_type_check(lowering *l, const ir_node *n) {
    image_plan plan = {0};
    uint32_t at = asm_begin_list(l, ir_input_count(n) / 2, 1);
    for (uint32_t i = 0; i < ir_input_count(n); i += 2) {
        arrput(l->code->operands, asm_input_word(l, n, i));
        add_guard(&plan, ir_constant_of(ir_in(n, i + 1)));
    }
    arrput(l->code->operands, builder_plan(l->builder, plan));
    asm_release_inputs(l, n);
    asm_emit_wide(l, OPCODE_GUARD, (uint16_t)asm_define(l, ir_out(n, 0)), at);
}

/* Lowers n when it is a node of control: a branch, a call, or an effect outside of the program. */
static bool lower_control_node(lowering *l, const ir_node *n) {
    switch (n->kind) {
    case IR_IF:
        lower_if(l, n);
        return true;
    case IR_LOOP:
        lower_loop(l, n);
        return true;
    case IR_CALL_FUNCTION:
        lower_call(l, n, OPCODE_CALL, ir_input_count(n) && ir_in(n, 0)->type->kind == TYPE_FUNCTION ? 1 : 0);
        return true;
    case IR_CALL_METHOD:
        lower_call(l, n, OPCODE_CALL, 0);
        return true;
    case IR_FORK:
        lower_call(l, n, OPCODE_FORK, 0);
        return true;
    case IR_INTERFACE_CALL:
        asm_emit_with_list(l, n, OPCODE_INTERFACE_CALL,
                           asm_narrow(l, builder_method_name(l->builder, n->attribute), "method names"), 0);
        return true;
    case IR_ENTER:
        lower_enter(l, n);
        return true;
    case IR_EXIT:
        lower_exit(l, n);
        return true;
    case IR_PRINT:
        asm_emit_with_list(l, n, OPCODE_PRINT, 0, 0);
        return true;
    case IR_WARN:
        asm_emit_with_list(l, n, OPCODE_WARN, asm_narrow(l, builder_warning_site(l->builder), "warnings"), 0);
        return true;
    case IR_RAISE_EXCEPTION:
        asm_emit_with_list(l, n, OPCODE_RAISE, 0, 0);
        return true;
    default:
        return false;
    }
}

/* Lowers n when it is a node of the compiler's own that makes, converts or takes apart a value. */
static bool lower_value_node(lowering *l, const ir_node *n) {
    switch (n->kind) {
    case IR_CONSTANT:
        if (hoist_is_in_register(n))
            asm_emit_load(l, asm_define(l, ir_out(n, 0)), ir_constant_of(ir_out(n, 0)));
        return true;
    case IR_UNINITIALIZED: /* any value of the register's class will do, and a free value register holds None */
        asm_define(l, ir_out(n, 0));
        return true;
    case IR_UNCHECKED_CAST:
        lower_cast(l, n);
        return true;
    case IR_UNWRAP_OPTIONAL:
        if (type_admits_none(ir_in(n, 0)->type))
            lower_value_result(l, n, OPCODE_UNWRAP, 0);
        else
            lower_cast(l, n);
        return true;
    case IR_WAIT:
        lower_value_result(l, n, OPCODE_WAIT, 0);
        return true;
    case IR_IS:
    case IR_IS_NOT:
        lower_identity(l, n);
        return true;
    case IR_ISINSTANCE:
        lower_isinstance(l, n);
        return true;
    case IR_TYPE_CHECK:
        lower_type_check(l, n);
        return true;
    case IR_LIST_CONSTRUCT:
        lower_container(l, n, OPCODE_LIST_CONSTRUCT);
        return true;
    case IR_DICT_CONSTRUCT:
        lower_container(l, n, OPCODE_DICT_CONSTRUCT);
        return true;
    case IR_TUPLE_CONSTRUCT:
        lower_tuple(l, n);
        return true;
    case IR_TUPLE_UNPACK:
        lower_unpack(l, n, OPCODE_TUPLE_UNPACK);
        return true;
    case IR_LIST_UNPACK:
        lower_unpack(l, n, OPCODE_LIST_UNPACK);
        return true;
    case IR_TUPLE_SLICE:
        lower_tuple_slice(l, n);
        return true;
    case IR_CREATE_OBJECT:
        asm_emit_wide(l, OPCODE_CREATE_OBJECT, (uint16_t)asm_define(l, ir_out(n, 0)),
                      builder_type(l->builder, ir_out(n, 0)->type));
        return true;
    default:
        return false;
    }
}

static void lower_node(lowering *l, const ir_node *n) {
    selection s;
    opcode op;
    if (lower_control_node(l, n) || lower_value_node(l, n))
        return;
    if (select_string_compare(n, builder_target(l->builder), &op))
        lower_string_compare(l, n, op);
    else if (select_instruction(n, builder_target(l->builder), &s))
        lower_selected(l, n, s);
    else if (n->kind == IR_TUPLE_INDEX) {
        int index = asm_register_of(l, ir_in(n, 1));
        lower_value_result(l, n, OPCODE_TUPLE_INDEX, (uint16_t)index);
    } else
        lower_operator(l, n);
}

void lower_block(lowering *l, const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        l->frame = builder_frame(l->builder, l->function->name, n->scope, n->range);
        if (lower_defers_compare(l, b, n))
            continue;
        lower_node(l, n);
        asm_drop_values(l, liveness_after(&l->lives, n));
    }
}

void lower_function(image_builder *u, function *f, uint32_t index) {
    ir_graph *g = function_graph(f);
    hoist_constants(g, builder_target(u));
    lowering l = {0};
    image_function code = {0};
    l.builder = u;
    l.function = f;
    l.code = &code;
    code.name = f->name;
    l.lives = liveness_compute(g);
    l.frame = IMAGE_NO_INDEX;
    for (uint32_t i = 0; i < ir_output_count(g->block->param); i++)
        arrput(code.parameters, (uint16_t)asm_define(&l, g->block->param->outputs[i]));
    asm_drop_values(&l, liveness_at_start(&l.lives, g->block));
    lower_block(&l, g->block);
    asm_emit_with_list(&l, g->block->result, OPCODE_RET, 0, 0);
    asm_finish(&l);
    builder_image(u)->functions[index] = code;
}
