/* Nodes of the syntax tree: making, listing and printing them. */
#include "exporter/syntax/ast.h"

#include <string.h>

static const char *const kind_names[] = {
#define AST_KIND(kind, name, shape) name,
#include "exporter/syntax/ast_kinds.def"
#undef AST_KIND
};

/* Which member of the union holds the parts of a kind. */
enum {
    SHAPE_LEAF,
    SHAPE_NAME,
    SHAPE_NUMBER,
    SHAPE_STRING,
    SHAPE_SEQUENCE,
    SHAPE_DICT,
    SHAPE_COMPREHENSION,
    SHAPE_SELECT,
    SHAPE_SUBSCRIPT,
    SHAPE_SLICE,
    SHAPE_APPLY,
    SHAPE_ATTRIBUTE,
    SHAPE_UNARY,
    SHAPE_BINARY,
    SHAPE_TERNARY,
    SHAPE_ASSIGN,
    SHAPE_AUG_ASSIGN,
    SHAPE_ASSERT,
    SHAPE_IF,
    SHAPE_LOOP,
    SHAPE_WITH,
    SHAPE_WITH_ITEM,
    SHAPE_IMPORT,
    SHAPE_DEF,
    SHAPE_PARAM,
    SHAPE_CLASS,
    SHAPE_UNSUPPORTED,
};

static const uint8_t kind_shapes[] = {
#define AST_KIND(kind, name, shape) SHAPE_##shape,
#include "exporter/syntax/ast_kinds.def"
#undef AST_KIND
};

ast_node *ast_new(ast_kind kind, source_range range) {
    ast_node *node = MEM_NEW(ast_node);
    node->kind = kind;
    node->range = range;
    return node;
}

const char *ast_kind_name(ast_kind kind) {
    return kind_names[kind];
}

const char *ast_dotted_name(const ast_node *node) {
    stack_check();
    if (node->kind == AST_VAR)
        return node->name;
    if (node->kind != AST_SELECT)
        return NULL;
    const char *value = ast_dotted_name(node->select.value);
    return value ? intern(mem_printf("%s.%s", value, node->select.name)) : NULL;
}

/* ---- Tree dumps ---- */

enum { DUMP_COLUMNS = 40 };

/* A piece of a dump: "(label part part)", or the label alone for an atom. */
typedef struct dump {
    ast_text label;
    struct dump **parts; /* stb_ds */
    size_t width;        /* on one line */
    bool is_atom;
} dump;

static dump *dump_new(const char *label) {
    dump *d = MEM_NEW(dump);
    d->label = (ast_text){label, strlen(label)};
    d->width = d->label.length + 2;
    return d;
}

static dump *dump_atom(ast_text text) {
    dump *d = MEM_NEW(dump);
    *d = (dump){.label = text, .width = text.length, .is_atom = true};
    return d;
}

static void dump_add(dump *d, dump *part) {
    arrput(d->parts, part);
    d->width += 1 + part->width;
}

static dump *dump_text(const char *label, ast_text text) {
    dump *d = dump_new(label);
    dump_add(d, dump_atom(text));
    return d;
}

static dump *dump_ident(const char *name) {
    return dump_text("ident", (ast_text){name, strlen(name)});
}

static dump *dump_node(const ast_node *node);

static dump *dump_option(const ast_node *node) {
    dump *d = dump_new("option");
    if (node)
        dump_add(d, dump_node(node));
    return d;
}

static dump *dump_list(ast_list list) {
    dump *d = dump_new("list");
    for (uint32_t i = 0; i < list.count; i++)
        dump_add(d, dump_node(list.items[i]));
    return d;
}

static dump *dump_one(const ast_node *node) {
    return dump_list((ast_list){(ast_node *[]){(ast_node *)node}, 1});
}

static dump *dump_globals(ast_list names) {
    dump *d = dump_new("list");
    for (uint32_t i = 0; i < names.count; i++)
        dump_add(d, dump_ident(names.items[i]->name));
    return d;
}

static void dump_def(dump *d, const ast_def *def) {
    dump *decl = dump_new("decl");
    dump_add(decl, dump_list(def->params));
    dump_add(decl, dump_option(def->return_type));
    dump_add(d, dump_ident(def->name));
    dump_add(d, decl);
    dump_add(d, dump_list(def->body));
}

static void dump_class(dump *d, const ast_class *c) {
    dump_add(d, dump_ident(c->name));
    dump_add(d, dump_list(c->bases));
    dump_add(d, dump_list(c->body));
}

static void dump_comprehension(dump *d, const ast_node *node) {
    if (node->comprehension.key)
        dump_add(d, dump_node(node->comprehension.key));
    dump_add(d, dump_node(node->comprehension.element));
    dump_add(d, dump_node(node->comprehension.target));
    dump_add(d, dump_node(node->comprehension.iterable));
}

static void dump_loop(dump *d, const ast_node *node) {
    if (node->kind == AST_WHILE) {
        dump_add(d, dump_node(node->loop.condition));
    } else {
        dump_add(d, dump_one(node->loop.target));
        dump_add(d, dump_one(node->loop.iterable));
    }
    dump_add(d, dump_list(node->loop.body));
}

static void dump_import(dump *d, const ast_node *node) {
    for (uint32_t i = 0; i < node->import.count; i++) {
        const ast_import_name *name = &node->import.names[i];
        dump_add(d, dump_ident(name->name ? mem_printf("%s:%s", name->module, name->name) : name->module));
        dump_add(d, dump_ident(name->bound));
    }
}

static void dump_param(dump *d, const ast_node *node) {
    dump_add(d, dump_ident(node->param.name));
    dump_add(d, dump_option(node->param.type));
    dump_add(d, dump_option(node->param.default_value));
    dump_add(d, dump_new(node->param.keyword_only ? "True" : "False"));
}

static void dump_sequence(dump *d, const ast_node *node) {
    if (node->kind == AST_GLOBAL) {
        dump_add(d, dump_globals(node->sequence));
        return;
    }
    dump_add(d, dump_list(node->sequence));
}

/* Adds the parts of an expression. */
static void dump_expression(dump *d, const ast_node *node) {
    switch (kind_shapes[node->kind]) {
    case SHAPE_NAME:
        dump_add(d, dump_ident(node->name));
        break;
    case SHAPE_NUMBER:
        dump_add(d, dump_atom(node->number.text));
        break;
    case SHAPE_STRING:
        dump_add(d, dump_atom(node->string));
        break;
    case SHAPE_DICT:
        dump_add(d, dump_list(node->dict.keys));
        dump_add(d, dump_list(node->dict.values));
        break;
    case SHAPE_COMPREHENSION:
        dump_comprehension(d, node);
        break;
    case SHAPE_SELECT:
        dump_add(d, dump_node(node->select.value));
        dump_add(d, dump_ident(node->select.name));
        break;
    case SHAPE_SUBSCRIPT:
        dump_add(d, dump_node(node->subscript.value));
        dump_add(d, dump_list(node->subscript.indices));
        break;
    case SHAPE_SLICE:
        dump_add(d, dump_option(node->slice.start));
        dump_add(d, dump_option(node->slice.stop));
        dump_add(d, dump_option(node->slice.step));
        break;
    case SHAPE_APPLY:
        dump_add(d, dump_node(node->apply.callee));
        dump_add(d, dump_list(node->apply.inputs));
        dump_add(d, dump_list(node->apply.attributes));
        break;
    case SHAPE_ATTRIBUTE:
        dump_add(d, dump_ident(node->attribute.name));
        dump_add(d, dump_node(node->attribute.value));
        break;
    case SHAPE_UNARY:
        dump_add(d, dump_node(node->operand));
        break;
    case SHAPE_BINARY:
        dump_add(d, dump_node(node->binary.left));
        dump_add(d, dump_node(node->binary.right));
        break;
    case SHAPE_TERNARY:
        dump_add(d, dump_node(node->ternary.condition));
        dump_add(d, dump_node(node->ternary.if_true));
        dump_add(d, dump_node(node->ternary.if_false));
        break;
    default:
        break;
    }
}

/* Adds the parts of a statement. */
static void dump_statement(dump *d, const ast_node *node) {
    switch (kind_shapes[node->kind]) {
    case SHAPE_SEQUENCE:
        dump_sequence(d, node);
        break;
    case SHAPE_ASSIGN:
        dump_add(d, dump_list(node->assign.targets));
        dump_add(d, dump_option(node->assign.value));
        dump_add(d, dump_option(node->assign.type));
        break;
    case SHAPE_AUG_ASSIGN:
        dump_add(d, dump_node(node->aug_assign.target));
        dump_add(d, dump_new(kind_names[node->aug_assign.op]));
        dump_add(d, dump_node(node->aug_assign.value));
        break;
    case SHAPE_ASSERT:
        dump_add(d, dump_node(node->assertion.condition));
        dump_add(d, dump_option(node->assertion.message));
        break;
    case SHAPE_IF:
        dump_add(d, dump_node(node->branch.condition));
        dump_add(d, dump_list(node->branch.if_true));
        dump_add(d, dump_list(node->branch.if_false));
        break;
    case SHAPE_LOOP:
        dump_loop(d, node);
        break;
    case SHAPE_WITH:
        dump_add(d, dump_list(node->with.items));
        dump_add(d, dump_list(node->with.body));
        break;
    case SHAPE_WITH_ITEM:
        dump_add(d, dump_node(node->with_item.value));
        dump_add(d, dump_option(node->with_item.target));
        break;
    case SHAPE_IMPORT:
        dump_import(d, node);
        break;
    case SHAPE_DEF:
        dump_def(d, node->def);
        break;
    case SHAPE_PARAM:
        dump_param(d, node);
        break;
    case SHAPE_CLASS:
        dump_class(d, node->class_def);
        break;
    case SHAPE_UNSUPPORTED:
        dump_add(d, dump_atom((ast_text){node->unsupported.message, strlen(node->unsupported.message)}));
        break;
    default:
        break;
    }
}

static dump *dump_node(const ast_node *node) {
    stack_check();
    dump *d = dump_new(kind_names[node->kind]);
    dump_expression(d, node);
    dump_statement(d, node);
    return d;
}

static void add_flat(const dump *d, strbuf *out) {
    stack_check();
    strbuf_add(out, d->is_atom ? "" : "(");
    strbuf_add_n(out, d->label.bytes, d->label.length);
    for (size_t i = 0; i < arrlenu(d->parts); i++) {
        strbuf_add(out, " ");
        add_flat(d->parts[i], out);
    }
    strbuf_add(out, d->is_atom ? "" : ")");
}

static void add_dump(const dump *d, size_t indent, strbuf *out) {
    stack_check();
    if (d->is_atom || indent + d->width < DUMP_COLUMNS) {
        add_flat(d, out);
        return;
    }
    strbuf_printf(out, "(%s", d->label.bytes);
    for (size_t i = 0; i < arrlenu(d->parts); i++) {
        strbuf_printf(out, "\n%*s", (int)indent + 2, "");
        add_dump(d->parts[i], indent + 2, out);
    }
    strbuf_add(out, ")");
}

void ast_print(const ast_node *node, strbuf *out) {
    add_dump(dump_node(node), 0, out);
}

/* ---- Decorators ---- */

bool ast_has_decorator(const ast_list *decorators, const char *name) {
    for (uint32_t i = 0; i < decorators->count; i++) {
        const ast_node *d = decorators->items[i];
        const char *text = ast_dotted_name(d->kind == AST_APPLY ? d->apply.callee : d);
        const char *dot = text ? strrchr(text, '.') : NULL;
        if (text && !strcmp(dot ? dot + 1 : text, name))
            return true;
    }
    return false;
}
