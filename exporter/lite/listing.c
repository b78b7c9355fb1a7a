/* The printer of bytecode and the source ranges of its lines. */
#include "exporter/lite/listing.h"

#include "exporter/base/mem.h"

static void add_constant(const pkl_value *v, strbuf *b) {
    switch (v->kind) {
    case PKL_NONE:
        strbuf_add(b, "None");
        return;
    case PKL_BOOL:
        strbuf_add(b, v->boolean ? "True" : "False");
        return;
    case PKL_INT:
        strbuf_printf(b, "%lld", (long long)v->integer);
        return;
    case PKL_FLOAT:
        strbuf_printf(b, "%g", v->number);
        return;
    default:
        strbuf_printf(b, "a %s", pkl_kind_name(v->kind));
    }
}

/* Appends an operand; an index into one of the function's tables is shown as the entry. */
static void add_operand(const lite_function *f, char letter, int64_t n, strbuf *b) {
    if (letter == '-')
        return;
    strbuf_add(b, " ");
    if (letter == 'O' && n >= 0 && n < (int64_t)arrlenu(f->operators))
        strbuf_add(b, f->operators[n].full_name);
    else if (letter == 'T' && n >= 0 && n < (int64_t)arrlenu(f->types))
        strbuf_add(b, f->types[n]);
    else if (letter == 'C' && n >= 0 && n < (int64_t)arrlenu(f->constants))
        add_constant(f->constants[n], b);
    else
        strbuf_printf(b, "%lld", (long long)n);
}

source_range *lite_listing(const lite_function *f) {
    strbuf text = {0};
    source_range *ranges = NULL;
    for (size_t i = 0; i < arrlenu(f->code); i++) {
        const lite_instruction *in = &f->code[i];
        const char *operands = lite_opcode_operands(in->op);
        source_range range = {NULL, (uint32_t)text.length, 0};
        strbuf_add(&text, lite_opcode_name(in->op));
        add_operand(f, operands[0], in->x, &text);
        add_operand(f, operands[1], in->n, &text);
        range.end = (uint32_t)text.length;
        arrput(ranges, range);
        strbuf_add(&text, "\n");
    }
    const char *name = mem_printf("bytecode of %s", f->name);
    const source_file *file = source_new(name, strbuf_text(&text), text.length, 1);
    for (size_t i = 0; i < arrlenu(ranges); i++)
        ranges[i].file = file;
    return ranges;
}
