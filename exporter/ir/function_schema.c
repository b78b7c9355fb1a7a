/* Function schemas as text. */
#include "exporter/ir/function_schema.h"

#include <inttypes.h>
#include <string.h>

static void print_default(const ir_constant *c, strbuf *out) {
    stack_check();
    switch (c->kind) {
    case CONST_NONE:
        strbuf_add(out, "None");
        break;
    case CONST_BOOL:
        strbuf_add(out, c->boolean ? "True" : "False");
        break;
    case CONST_INT:
        strbuf_printf(out, "%" PRId64, c->integer);
        break;
    case CONST_FLOAT: {
        const char *text = mem_printf("%.17g", c->real);
        strbuf_printf(out, "%s%s", text, strpbrk(text, ".en") ? "" : ".");
        break;
    }
    case CONST_STR:
        ir_print_constant(c, out);
        break;
    case CONST_LIST:
    case CONST_TUPLE:
        strbuf_add(out, c->kind == CONST_LIST ? "[" : "(");
        for (uint32_t i = 0; i < c->list.count; i++) {
            strbuf_add(out, i ? ", " : "");
            print_default(c->list.items[i], out);
        }
        strbuf_add(out, c->kind == CONST_LIST ? "]" : ")");
        break;
    default:
        strbuf_add(out, "...");
    }
}

/* Interfaces have a form of their own in schemas. */
static void print_type(const type *t, strbuf *out) {
    stack_check();
    const bool is_wrapped = t->kind == TYPE_RREF || t->kind == TYPE_FUTURE;
    if (t->kind == TYPE_INTERFACE) {
        const char *dot = strrchr(t->name, '.');
        strbuf_printf(out, "InterfaceType<%s>", dot ? dot + 1 : t->name);
    } else if (is_wrapped || t->kind == TYPE_LIST || t->kind == TYPE_OPTIONAL) {
        strbuf_add(out, t->kind == TYPE_RREF ? "RRef(" : is_wrapped ? "Future(" : "");
        print_type(t->items[0], out);
        strbuf_add(out, is_wrapped ? ")" : t->kind == TYPE_LIST ? "[]" : "?");
    } else
        strbuf_add(out, t->text);
}

static void print_argument(const schema_argument *a, strbuf *out) {
    print_type(a->type, out);
    if (a->name && *a->name)
        strbuf_printf(out, " %s", a->name);
    if (a->default_value) {
        strbuf_add(out, "=");
        print_default(a->default_value, out);
    }
}

const char *schema_text(const op_schema *s) {
    if (s->text)
        return s->text;
    strbuf b = {0};
    strbuf_printf(&b, "%s(", s->full_name);
    bool keyword_only = false;
    for (uint32_t i = 0; i < s->argument_count; i++) {
        strbuf_add(&b, i ? ", " : "");
        if (s->arguments[i].keyword_only && !keyword_only)
            strbuf_add(&b, "*, ");
        keyword_only = s->arguments[i].keyword_only;
        print_argument(&s->arguments[i], &b);
    }
    strbuf_add(&b, ") -> ");
    /* A single tuple stands in parentheses of its own. */
    bool has_parentheses = s->return_count != 1 || (s->returns[0].type && s->returns[0].type->text[0] == '(');
    strbuf_add(&b, has_parentheses ? "(" : "");
    for (uint32_t i = 0; i < s->return_count; i++) {
        strbuf_add(&b, i ? ", " : "");
        print_argument(&s->returns[i], &b);
    }
    strbuf_add(&b, has_parentheses ? ")" : "");
    return b.text;
}
