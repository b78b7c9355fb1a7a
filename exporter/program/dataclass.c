/* @dataclass: writes the methods that the decorator generates as source text, and parses it. */
#include "exporter/program/dataclass.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/syntax/parser.h"

/* One field; what field(...) says of it. */
typedef struct {
    const char *name;
    ast_node *type, *default_value;
    bool is_argument, is_compared, is_optional;
    bool is_init_only; /* InitVar: an argument that __post_init__ gets */
} field;

static const char *last_part(const char *dotted) {
    const char *dot = dotted ? strrchr(dotted, '.') : NULL;
    return dot ? dot + 1 : dotted ? dotted : "";
}

/* The name before the brackets of X[...]. */
static const char *generic_name(const ast_node *type) {
    return type->kind == AST_SUBSCRIPT ? last_part(ast_dotted_name(type->subscript.value)) : "";
}

/* Is the type `X | None` or `None | X`? */
static bool joins_none(const ast_node *type) {
    return type->kind == AST_BIT_OR && (type->binary.left->kind == AST_NONE || type->binary.right->kind == AST_NONE);
}

/* The value of a keyword argument; NULL when it is not given. */
static ast_node *keyword(const ast_node *call, const char *name) {
    for (uint32_t i = 0; call->kind == AST_APPLY && i < call->apply.attributes.count; i++)
        if (!strcmp(call->apply.attributes.items[i]->attribute.name, name))
            return call->apply.attributes.items[i]->attribute.value;
    return NULL;
}

static bool flag(const ast_node *call, const char *name, bool otherwise) {
    const ast_node *value = keyword(call, name);
    return value ? value->kind == AST_TRUE : otherwise;
}

static field read_field(const ast_node *n) {
    field f = {.name = n->assign.targets.items[0]->name, .type = n->assign.type, .default_value = n->assign.value};
    const ast_node *value = n->assign.value;
    f.is_argument = f.is_compared = true;
    f.is_optional = !strcmp(generic_name(f.type), "Optional") || joins_none(f.type);
    if (!strcmp(generic_name(f.type), "InitVar")) {
        f.type = f.type->subscript.indices.items[0];
        f.is_init_only = true;
        f.is_compared = false;
    }
    bool is_call =
        value && value->kind == AST_APPLY && !strcmp(last_part(ast_dotted_name(value->apply.callee)), "field");
    if (!is_call)
        return f;
    if (keyword(value, "default_factory"))
        diag_fail("Default factory initializers are not supported in TorchScript dataclasses");
    f.default_value = keyword(value, "default");
    f.is_argument = flag(value, "init", true);
    f.is_compared = flag(value, "compare", true);
    return f;
}

static field *read_fields(const ast_class *syntax) {
    field *fields = NULL;
    for (uint32_t i = 0; i < syntax->body.count; i++) {
        const ast_node *n = syntax->body.items[i];
        bool is_field = n->kind == AST_ASSIGN && n->assign.type && n->assign.targets.items[0]->kind == AST_VAR;
        if (is_field && strcmp(generic_name(n->assign.type), "ClassVar"))
            arrput(fields, read_field(n));
    }
    return fields;
}

static bool defines(const ast_class *syntax, const char *name) {
    for (uint32_t i = 0; i < syntax->body.count; i++)
        if (syntax->body.items[i]->kind == AST_DEF && !strcmp(syntax->body.items[i]->def->name, name))
            return true;
    return false;
}

static ast_def *parse_method(const strbuf *text) {
    return parse_file(source_new("<dataclass>", text->text, text->length, 1), DIALECT_PYTHON)->sequence.items[0]->def;
}

static ast_def *make_init(const ast_class *syntax, const field *fields) {
    strbuf text = {0}, arguments = {0};
    strbuf_add(&text, "def __init__(self");
    for (size_t i = 0; i < arrlenu(fields); i++)
        if (fields[i].is_argument)
            strbuf_printf(&text, ", %s", fields[i].name);
    strbuf_add(&text, ") -> None:\n  pass\n");
    for (size_t i = 0; i < arrlenu(fields); i++) {
        if (fields[i].is_init_only)
            strbuf_printf(&arguments, "%s%s", arguments.length ? ", " : "", fields[i].name);
        else if (fields[i].is_argument)
            strbuf_printf(&text, "  self.%s = %s\n", fields[i].name, fields[i].name);
    }
    if (defines(syntax, "__post_init__"))
        strbuf_printf(&text, "  self.__post_init__(%s)\n", strbuf_text(&arguments));
    ast_def *init = parse_method(&text);
    uint32_t at = 1;
    for (size_t i = 0; i < arrlenu(fields); i++)
        if (fields[i].is_argument) {
            init->params.items[at]->param.type = fields[i].type;
            init->params.items[at++]->param.default_value = fields[i].default_value;
        }
    return init;
}

/* Appends the comparison of one field: `decision` is source text that compares val1 and val2. `raises`: comparing with
 * None is an error, because None has no order. */
static void add_decision(strbuf *b, const field *f, const char *class_name, const char *decision, bool raises) {
    strbuf_printf(b, "  val1 = self.%s\n  val2 = other.%s\n", f->name, f->name);
    if (f->is_optional)
        strbuf_add(b, "  if val1 is not None and val2 is not None:\n");
    for (const char *line = decision; *line;) {
        size_t n = strcspn(line, "\n") + 1;
        strbuf_printf(b, "  %s%.*s", f->is_optional ? "  " : "", (int)n, line);
        line += n;
    }
    if (!f->is_optional)
        return;
    strbuf_add(b, "  elif (val1 is None) != (val2 is None):\n");
    if (raises)
        strbuf_printf(b, "    raise TypeError('Cannot compare %s with None')\n", class_name);
    else
        strbuf_add(b, "    return False\n");
}

/* A method that compares the fields one by one. `op` is the operator that orders them ("<"); NULL: equality. */
static ast_def *make_comparison(const ast_class *syntax, const field *fields, const char *name, const char *op,
                                bool when_equal) {
    strbuf text = {0};
    const char *decision = op ? mem_printf("if val1 %s val2: return True\nelif val2 %s val1: return False\n", op, op)
                              : "if val1 != val2: return False\n";
    strbuf_printf(&text, "def %s(self, other: %s) -> bool:\n", name, syntax->name);
    for (size_t i = 0; i < arrlenu(fields); i++)
        if (fields[i].is_compared)
            add_decision(&text, &fields[i], syntax->name, decision, op != NULL);
    strbuf_printf(&text, "  return %s\n", when_equal ? "True" : "False");
    return parse_method(&text);
}

static const ast_node *decorator(const ast_class *syntax) {
    for (uint32_t i = 0; i < syntax->decorators.count; i++) {
        const ast_node *d = syntax->decorators.items[i];
        if (!strcmp(last_part(ast_dotted_name(d->kind == AST_APPLY ? d->apply.callee : d)), "dataclass"))
            return d;
    }
    return NULL;
}

ast_def **dataclass_methods(const ast_class *syntax) {
    static const struct {
        const char *name, *op;
        bool when_equal;
    } comparisons[] = {{"__eq__", NULL, true},
                       {"__lt__", "<", false},
                       {"__le__", "<", true},
                       {"__gt__", ">", false},
                       {"__ge__", ">", true}};
    const ast_node *d = decorator(syntax);
    field *fields = read_fields(syntax);
    ast_def **methods = NULL;
    if (flag(d, "init", true) && !defines(syntax, "__init__"))
        arrput(methods, make_init(syntax, fields));
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (flag(d, comparisons[i].op ? "order" : "eq", !comparisons[i].op) && !defines(syntax, comparisons[i].name))
            arrput(methods,
                   make_comparison(syntax, fields, comparisons[i].name, comparisons[i].op, comparisons[i].when_equal));
    return methods;
}
