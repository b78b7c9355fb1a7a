/* The text of graphs, as PyTorch prints them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exporter/ir/class.h"
#include "exporter/ir/ir.h"

static void print_indent(strbuf *out, int depth) {
    for (int i = 0; i < depth; i++)
        strbuf_add(out, "  ");
}

static void print_name(const ir_value *v, strbuf *out) {
    if (v->name)
        strbuf_printf(out, "%%%s.%u", v->name, v->id);
    else
        strbuf_printf(out, "%%%u", v->id);
}

void ir_print_value(const ir_value *v, strbuf *out) {
    print_name(v, out);
}

static void print_names(ir_value *const *values, strbuf *out) {
    for (size_t i = 0; i < arrlenu(values); i++) {
        strbuf_add(out, i ? ", " : "");
        print_name(values[i], out);
    }
}

typedef struct {
    ir_describe *describe; /* NULL: there is none */
    const void *context;
} description;

static void print_definitions(ir_value *const *values, const char *separator, const description *d, strbuf *out) {
    for (size_t i = 0; i < arrlenu(values); i++) {
        const char *described = d->describe ? d->describe(d->context, values[i]) : NULL;
        strbuf_add(out, i ? separator : "");
        print_name(values[i], out);
        strbuf_printf(out, " : %s%s", values[i]->type->text, described ? described : "");
    }
}

/* Integral values end in a point, others have the digits that bring back the same bits. */
static void print_double(double v, strbuf *out) {
    if (isnan(v) || isinf(v)) {
        strbuf_add(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    char *text = NULL;
    for (int digits = 6; digits <= 17; digits++) {
        text = mem_printf("%.*g", digits, v);
        double back = 0;
        if (sscanf(text, "%lf", &back) == 1 && back == v)
            break;
    }
    strbuf_add(out, text);
    if (!strpbrk(text, ".e"))
        strbuf_add(out, ".");
}

/* As printQuotedString of PyTorch 1.13; bytes beyond ASCII as octal numbers, of which PyTorch prints wrong ones. */
static void print_string(const char *bytes, size_t n, strbuf *out) {
    static const char escaped[] = "\"\\'\a\b\f\n\r\t\v", letters[] = "\"\\'abfnrtv";
    strbuf_add(out, "\"");
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        const char *at = c ? strchr(escaped, c) : NULL;
        if (at)
            strbuf_printf(out, "\\%c", letters[at - escaped]);
        else if (c < 32 || c >= 127)
            strbuf_printf(out, "\\%03o", c);
        else
            strbuf_add_n(out, bytes + i, 1);
    }
    strbuf_add(out, "\"");
}

static void print_constant(const ir_constant *c, strbuf *out);

static void print_items(const ir_constant *c, const char *open, const char *close, strbuf *out) {
    stack_check();
    strbuf_add(out, open);
    bool is_dict = c->kind == CONST_DICT;
    for (uint32_t i = 0; i < c->list.count; i++) {
        strbuf_add(out, !i ? "" : is_dict && i % 2 ? ": " : ", ");
        print_constant(c->list.items[i], out);
    }
    if (c->kind == CONST_TUPLE && c->list.count == 1)
        strbuf_add(out, ",");
    strbuf_add(out, close);
}

static void print_constant(const ir_constant *c, strbuf *out) {
    switch (c->kind) {
    case CONST_NONE:
        strbuf_add(out, "None");
        break;
    case CONST_BOOL:
        strbuf_add(out, c->boolean ? "1" : "0");
        break;
    case CONST_INT:
        strbuf_printf(out, "%" PRId64, c->integer);
        break;
    case CONST_FLOAT:
        print_double(c->real, out);
        break;
    case CONST_COMPLEX:
        print_double(c->complex.re, out);
        strbuf_add(out, c->complex.im < 0 ? "" : "+");
        print_double(c->complex.im, out);
        strbuf_add(out, "j");
        break;
    case CONST_STR:
    case CONST_DEVICE:
        print_string(c->string.bytes, c->string.length, out);
        break;
    case CONST_TENSOR:
        strbuf_add(out, "<Tensor>");
        break;
    case CONST_LIST:
        print_items(c, "[", "]", out);
        break;
    case CONST_TUPLE:
        print_items(c, "(", ")", out);
        break;
    case CONST_DICT:
        print_items(c, "{", "}", out);
        break;
    case CONST_OBJECT:
        strbuf_printf(out, "object(%p)", (const void *)c);
        break;
    case CONST_ENUM:
        strbuf_printf(out, "%s.%s", c->type->text, c->type->definition->constants[c->integer].name);
        break;
    case CONST_FUNCTION:
        strbuf_add(out, c->function->name);
        break;
    case CONST_GENERATOR:
        strbuf_add(out, "<Generator>");
        break;
    }
}

void ir_print_constant(const ir_constant *c, strbuf *out) {
    print_constant(c, out);
}

static void print_attributes(const ir_node *n, strbuf *out) {
    switch (n->kind) {
    case IR_CONSTANT:
        if (n->constant) {
            bool is_function = n->constant->kind == CONST_FUNCTION;
            strbuf_add(out, is_function ? "[name=\"" : "[value=");
            print_constant(n->constant, out);
            strbuf_add(out, is_function ? "\"]" : "]");
        }
        break;
    case IR_FUNCTION:
        strbuf_printf(out, "[name=\"%s\"]", n->callee->name);
        break;
    case IR_CALL_FUNCTION:
    case IR_FORK:
        if (n->callee)
            strbuf_printf(out, "[name=\"%s\"]", n->callee->name);
        break;
    case IR_TUPLE_SLICE:
        strbuf_printf(out, "[beg=%" PRId64 ", end=%" PRId64 "]", n->begin, n->end);
        break;
    case IR_ISINSTANCE:
        strbuf_add(out, "[types=[");
        for (size_t i = 0; i < arrlenu(n->types); i++)
            strbuf_printf(out, "%s%s", i ? ", " : "", n->types[i]->text);
        strbuf_add(out, "]]");
        break;
    default:
        if (n->attribute)
            strbuf_printf(out, "[name=\"%s\"]", n->attribute);
    }
}

static void print_place(source_range r, strbuf *out) {
    if (r.file)
        strbuf_printf(out, " # %s:%u:%u", r.file->name, source_line(r.file, r.start), source_column(r.file, r.start));
}

static void print_node(const ir_node *n, int depth, const description *d, strbuf *out);

static void print_block(const ir_block *b, size_t number, int depth, const description *d, strbuf *out) {
    stack_check();
    print_indent(out, depth);
    strbuf_printf(out, "block%zu(", number);
    print_definitions(b->param->outputs, ", ", d, out);
    strbuf_add(out, "):\n");
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        print_node(n, depth + 1, d, out);
    print_indent(out, depth + 1);
    strbuf_add(out, "-> (");
    print_names(b->result->inputs, out);
    strbuf_add(out, ")\n");
}

static void print_node(const ir_node *n, int depth, const description *d, strbuf *out) {
    print_indent(out, depth);
    print_definitions(n->outputs, ", ", d, out);
    if (ir_output_count(n))
        strbuf_add(out, " = ");
    strbuf_add(out, ir_kind_name(n->kind));
    print_attributes(n, out);
    strbuf_add(out, "(");
    print_names(n->inputs, out);
    strbuf_add(out, ")");
    print_place(n->range, out);
    strbuf_add(out, "\n");
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        print_block(n->blocks[i], i, depth + 1, d, out);
}

void ir_print_node(const ir_node *n, strbuf *out) {
    print_node(n, 0, &(description){0}, out);
}

void ir_print(const ir_graph *g, strbuf *out) {
    ir_print_described(g, NULL, NULL, out);
}

void ir_print_described(const ir_graph *g, ir_describe *describe, const void *context, strbuf *out) {
    const description d = {describe, context};
    strbuf_add(out, "graph(");
    print_definitions(g->block->param->outputs, ",\n      ", &d, out);
    strbuf_add(out, "):\n");
    for (const ir_node *n = ir_first(g->block); n != g->block->result; n = n->next)
        print_node(n, 1, &d, out);
    strbuf_add(out, "  return (");
    print_names(g->block->result->inputs, out);
    strbuf_add(out, ")\n");
}
