/* Letters of strings as numbers. */
#include "exporter/passes/lower/lower_chars.h"

#include <string.h>

#include "exporter/schema/operator_node.h"

static bool is_letter(const ir_node *n) {
    return ir_is_operator(n, "aten::__getitem__.str");
}

static const ir_constant *constant_letter(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_STR && c->string.length == 1 ? c : NULL;
}

/* ---- Bytes ---- */

/* The operator that gives the byte of a letter stands in front of the one that makes the string. */
static bool has_byte(const ir_node *letter) {
    const ir_node *before = letter->previous;
    return ir_is_operator(before, "tsm::byte_at") && ir_in(before, 0) == ir_in(letter, 0) &&
           ir_in(before, 1) == ir_in(letter, 1);
}

static ir_value *byte_of(ir_node *letter) {
    if (has_byte(letter))
        return ir_out(letter->previous, 0);
    return operator_insert(letter, "tsm::byte_at", ir_in(letter, 0), ir_in(letter, 1));
}

static ir_value *number_for(ir_node *user, const ir_value *v) {
    const ir_constant *c = constant_letter(v);
    return c ? ir_insert_constant(user, const_int((uint8_t)c->string.bytes[0])) : byte_of(v->node);
}

/* ---- Uses ---- */

/* The comparison of ints that stands for one of letters; NULL: n is none. What asks the same of two strings as of two
 * ints compares. */
static const char *int_comparison(const ir_node *n) {
    if (!n->schema || strcmp(n->schema->overload, "str") != 0 || ir_output_count(n) != 1 ||
        ir_out(n, 0)->type->kind != TYPE_BOOL)
        return NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!constant_letter(ir_in(n, i)) && !is_letter(ir_in(n, i)->node))
            return NULL;
    const char *name = mem_printf("%s.int", n->schema->name);
    const op_schema *s = ir_input_count(n) == 2 ? schema_find(name) : NULL;
    return s && s->argument_count == 2 && s->returns[0].type->kind == TYPE_BOOL ? name : NULL;
}

static bool wants_byte(const ir_node *user) {
    return ir_is_operator(user, "aten::ord") || int_comparison(user);
}

static void use_bytes(ir_node *user) {
    const char *comparison = int_comparison(user);
    ir_value *result;
    if (comparison) {
        ir_value *a = number_for(user, ir_in(user, 0)), *b = number_for(user, ir_in(user, 1));
        result = operator_insert(user, comparison, a, b);
    } else
        result = byte_of(ir_in(user, 0)->node);
    ir_replace_uses(ir_out(user, 0), result);
    ir_destroy(user);
}

/* Whether the user stands in a branch behind the letter, and runs once at most where the letter's operator runs. */
static bool is_in_branch_behind(const ir_node *user, const ir_node *letter) {
    const ir_block *b = user->block;
    for (; b != letter->block; b = b->owner->block)
        if (b->owner->kind != IR_IF)
            return false;
    return user->block != letter->block;
}

static void make_string_at(ir_node *user, ir_node *letter) {
    ir_node *n = operator_node(letter, schema_find("aten::__getitem__.str"), letter->inputs, 2);
    ir_insert_before(user, n);
    for (uint32_t i = 0; i < ir_input_count(user); i++)
        if (ir_in(user, i) == ir_out(letter, 0))
            ir_node_set_input(user, i, ir_out(n, 0));
}

static void lower_letter(ir_node *letter) {
    const ir_value *v = ir_out(letter, 0);
    bool is_compared = false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        bool wants = wants_byte(v->uses[i].user);
        is_compared |= wants;
        if (!wants && !is_in_branch_behind(v->uses[i].user, letter))
            return;
    }
    if (!is_compared && !has_byte(letter))
        return;
    while (arrlenu(v->uses)) {
        ir_node *user = v->uses[0].user;
        if (wants_byte(user))
            use_bytes(user);
        else
            make_string_at(user, letter);
    }
    ir_destroy(letter);
}

static void collect_letters(const ir_block *b, ir_node ***letters) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_letters(n->blocks[i], letters);
        if (is_letter(n))
            arrput(*letters, n);
    }
}

void lower_chars(ir_graph *g) {
    ir_node **letters = NULL;
    collect_letters(g->block, &letters);
    for (size_t i = 0; i < arrlenu(letters); i++)
        lower_letter(letters[i]);
}
