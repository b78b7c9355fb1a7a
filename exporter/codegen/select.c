/* Instruction selection by the rules of select.def; comparisons and the jumps for them. */
#include "exporter/codegen/select.h"

#include <string.h>

#include "exporter/base/registry.h"
#include "exporter/codegen/assemble.h"
#include "exporter/codegen/image_builder.h"

register_class register_class_of(const type *t) {
    switch (t->kind) {
    case TYPE_INT:
        return REGISTER_INT;
    case TYPE_FLOAT:
        return REGISTER_FLOAT;
    case TYPE_BOOL:
        return REGISTER_BOOL;
    default:
        return REGISTER_VALUE;
    }
}

enum { OPCODE_NONE = OPCODE_COUNT };

typedef struct {
    const char *name;
    int op, scalar_op;
    const char *pattern;
} selection_rule;

static const selection_rule rules[] = {
#define SELECT(name, op, scalar, pattern) {name, OPCODE_##op, OPCODE_##scalar, pattern},
#include "exporter/codegen/select.def"
#undef SELECT
};

static const selection_rule *const rules_end = rules + sizeof rules / sizeof *rules;

/* The first rules of operators. */
static const registry first_rules = {"rows of select.def"};

/* NULL: the operator has none. */
static const selection_rule *first_rule(const char *name) {
    if (!registry_count(&first_rules))
        for (const selection_rule *r = rules; r < rules_end; r++)
            if (registry_find(&first_rules, r->name) < 0)
                registry_enter(&first_rules, r->name, (void *)r);
    ptrdiff_t at = registry_find(&first_rules, name);
    return at < 0 ? NULL : registry_value(&first_rules, (size_t)at);
}

static bool constant_int_input(const ir_node *n, uint32_t i, int64_t *v) {
    return i < ir_input_count(n) && ir_constant_int(ir_in(n, i), v);
}

static bool fits_literal(const ir_node *n, char letter) {
    int64_t v;
    switch (letter) {
    case 'k':
        return constant_int_input(n, 1, &v) && v >= INT16_MIN && v <= INT16_MAX;
    case 'n':
        return constant_int_input(n, 1, &v) && v >= -INT16_MAX && v <= INT16_MAX;
    case 'p':
        return constant_int_input(n, 1, &v) && v > 0 && v <= INT16_MAX;
    case 'q':
        return constant_int_input(n, 1, &v) && v >= 0 && v <= 14;
    case 'j':
        return constant_int_input(n, 0, &v) && v >= INT16_MIN && v <= INT16_MAX;
    case 'u': {
        const type *t = ir_in(n, 0)->type;
        return constant_int_input(n, 1, &v) && t->kind == TYPE_TUPLE && v >= -(int64_t)t->count &&
               v < (int64_t)t->count && t->count <= UINT16_MAX;
    }
    default:
        return true;
    }
}

static const char *selection_name(const ir_node *n) {
    return n->schema ? n->schema->full_name : ir_kind_name(n->kind);
}

bool select_instruction(const ir_node *n, uint32_t target, selection *s) {
    const char *name = selection_name(n);
    for (const selection_rule *r = first_rule(name); r && r < rules_end && !strcmp(r->name, name); r++) {
        bool fits = true;
        for (const char *p = r->pattern; *p && fits; p++)
            fits = fits_literal(n, *p);
        bool scalar = r->scalar_op != OPCODE_NONE && ir_output_count(n) &&
                      register_class_of(ir_out(n, 0)->type) != REGISTER_VALUE;
        opcode op = (opcode)(scalar ? r->scalar_op : r->op);
        if (!fits || !codegen_target_has(target, op))
            continue;
        s->op = op;
        s->pattern = r->pattern;
        return true;
    }
    return false;
}

uint16_t select_literal(const ir_node *n, char letter) {
    int64_t v = 0;
    switch (letter) {
    case 'j':
        constant_int_input(n, 0, &v);
        break;
    case 'n':
        constant_int_input(n, 1, &v);
        v = -v;
        break;
    case 'q':
        constant_int_input(n, 1, &v);
        v = INT64_C(1) << v;
        break;
    case 'u':
        constant_int_input(n, 1, &v);
        v += v < 0 ? ir_in(n, 0)->type->count : 0;
        break;
    case 's':
        v = class_find_attribute(ir_in(n, 0)->type->definition, n->attribute);
        break;
    default:
        constant_int_input(n, 1, &v);
    }
    return (uint16_t)v;
}

bool select_string_compare(const ir_node *n, uint32_t target, opcode *op) {
    static const struct {
        const char *name;
        opcode op;
    } names[] = {{"aten::eq.str", OPCODE_EQK_I}, {"aten::ne.str", OPCODE_NEK_I}, {"aten::lt.str", OPCODE_LTK_I},
                 {"aten::le.str", OPCODE_LEK_I}, {"aten::gt.str", OPCODE_GTK_I}, {"aten::ge.str", OPCODE_GEK_I}};
    for (size_t i = 0; n->schema && i < sizeof names / sizeof *names; i++)
        if (!strcmp(n->schema->full_name, names[i].name)) {
            *op = names[i].op;
            return codegen_target_has(target, OPCODE_CMP_STR);
        }
    return false;
}

bool select_wants_register(const ir_node *n, uint32_t target, uint32_t i) {
    compare c;
    selection s;
    opcode op;
    switch (n->kind) {
    case IR_IF:
        return true;
    case IR_LOOP: {
        int64_t trip;
        return i == 0 && !(ir_constant_int(ir_in(n, 0), &trip) && trip == INT64_MAX);
    }
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
    case IR_ISINSTANCE:
    case IR_LIST_UNPACK:
    case IR_TUPLE_UNPACK:
    case IR_TUPLE_SLICE:
    case IR_WAIT:
        return true;
    case IR_IS:
    case IR_IS_NOT:
        return ir_in(n, i)->type->kind != TYPE_NONE;
    default:
        break;
    }
    if (select_compare(n, &c) && c.has_literal)
        return i == 0;
    if (select_string_compare(n, target, &op))
        return true;
    if (!select_instruction(n, target, &s))
        return n->kind == IR_TUPLE_INDEX;
    return strchr(s.pattern, (int)('0' + i)) != NULL;
}

bool select_compare(const ir_node *n, compare *c) {
    static const struct {
        const char *name;
        comparison relation;
        bool is_float;
    } names[] = {{"aten::eq.int", COMPARE_EQ, false},  {"aten::ne.int", COMPARE_NE, false},
                 {"aten::lt.int", COMPARE_LT, false},  {"aten::le.int", COMPARE_LE, false},
                 {"aten::gt.int", COMPARE_GT, false},  {"aten::ge.int", COMPARE_GE, false},
                 {"aten::lt.float", COMPARE_LT, true}, {"aten::gt.float", COMPARE_GT, true}};
    if (!n->schema)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, n->schema->full_name)) {
            int64_t v;
            c->relation = names[i].relation;
            c->is_float = names[i].is_float;
            /* One less than the range, because <= and > become < and >= of the next number. */
            c->has_literal = !c->is_float && constant_int_input(n, 1, &v) && v >= INT16_MIN && v < INT16_MAX;
            c->literal = c->has_literal ? (int16_t)v : 0;
            return true;
        }
    return false;
}

static comparison negated(comparison r) {
    static const comparison inverse[] = {COMPARE_NE, COMPARE_EQ, COMPARE_GE, COMPARE_GT, COMPARE_LE, COMPARE_LT};
    return inverse[r];
}

void select_compare_jump(compare c, bool when, opcode *op, int *a, int *b, int16_t *literal) {
    *literal = c.literal;
    if (c.is_float) { /* a comparison with NaN is false, so it cannot be turned round */
        *op = when ? OPCODE_JLT_F : OPCODE_JNLT_F;
        *a = c.relation == COMPARE_LT ? 0 : 1;
        *b = 1 - *a;
        return;
    }
    comparison r = when ? c.relation : negated(c.relation);
    if (c.has_literal) {
        *a = 0;
        *b = 2;
        if (r == COMPARE_LE || r == COMPARE_GT) {
            r = r == COMPARE_LE ? COMPARE_LT : COMPARE_GE;
            ++*literal;
        }
        *op = r == COMPARE_EQ   ? OPCODE_JEQK_I
              : r == COMPARE_NE ? OPCODE_JNEK_I
              : r == COMPARE_LT ? OPCODE_JLTK_I
                                : OPCODE_JGEK_I;
        return;
    }
    bool swap = r == COMPARE_GT || r == COMPARE_GE;
    *a = swap ? 1 : 0;
    *b = 1 - *a;
    *op = r == COMPARE_EQ                      ? OPCODE_JEQ_I
          : r == COMPARE_NE                    ? OPCODE_JNE_I
          : r == COMPARE_LT || r == COMPARE_GT ? OPCODE_JLT_I
                                               : OPCODE_JLE_I;
}

opcode select_typed_form(opcode op, register_class number) {
    static const struct {
        opcode any, typed[3];
    } forms[] = {
#define FORMS(ANY, NAME)                                                                                               \
    {                                                                                                                  \
        OPCODE_##ANY, {                                                                                                \
            OPCODE_##NAME##_I, OPCODE_##NAME##_F, OPCODE_##NAME##_B                                                    \
        }                                                                                                              \
    }
        FORMS(LIST_GET_S, LIST_GET), FORMS(LIST_SET, LIST_SET), FORMS(TUPLE_GET_S, TUPLE_GET),
        FORMS(GET_ATTR_S, GET_ATTR), FORMS(SET_ATTR, SET_ATTR)
#undef FORMS
    };
    for (size_t i = 0; number != REGISTER_VALUE && i < sizeof forms / sizeof *forms; i++)
        if (forms[i].any == op)
            return forms[i].typed[number - REGISTER_INT];
    return op;
}

/* Whether an opcode is one of the forms of a fetch or store for a number. */
static bool is_form_of(uint32_t op, opcode any) {
    for (int c = REGISTER_INT; c < REGISTER_CLASSES; c++)
        if (op == select_typed_form(any, (register_class)c))
            return true;
    return false;
}

opcode select_peek(const image_instruction *in) {
    const image_instruction *use = in + 1, *drop = in + 2;
    bool fetches =
             use->b == in->a &&
             (is_form_of(use->op, OPCODE_LIST_GET_S) || is_form_of(use->op, OPCODE_TUPLE_GET_S) ||
              is_form_of(use->op, OPCODE_GET_ATTR_S) || use->op == OPCODE_DICT_GET_S || use->op == OPCODE_DICT_HAS),
         unpacks = use->a == in->a && use->op == OPCODE_TUPLE_UNPACK,
         stores = use->a == in->a && (is_form_of(use->op, OPCODE_LIST_SET) || is_form_of(use->op, OPCODE_SET_ATTR) ||
                                      (use->op == OPCODE_DICT_SET && asm_class_of_register(use->c) != REGISTER_VALUE)),
         is_dropped = drop->op == OPCODE_DROP && drop->a == in->a;
    if (in->a != in->b && is_dropped && (fetches || stores || unpacks))
        switch (in->op) {
        case OPCODE_LIST_GET:
            return OPCODE_LIST_PEEK;
        case OPCODE_DICT_GET:
            return OPCODE_DICT_PEEK;
        case OPCODE_GET_ATTR:
            return OPCODE_ATTR_PEEK;
        default:
            break;
        }
    return (opcode)in->op;
}
