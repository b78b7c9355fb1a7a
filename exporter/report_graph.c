/* Nodes with what they get and give, their modules and their lines, for reports. */
#include "exporter/report_graph.h"

#include <inttypes.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/codegen/debug_info.h"

enum { LONGEST_CONSTANT = 80 };

typedef struct {
    const char *function, *module;
    int64_t caller;
    uint32_t frame;
} place_key;

typedef struct {
    report *out;
    const example *examples; /* stb_ds array: their runs saw shapes */
    image sources;           /* its frames and files tell lines */
    debug_table *debug;
    struct {
        place_key key;
        int64_t value;
    } * numbers;
    place_key *places; /* stb_ds array */
    struct {
        const pt_storage *key;
        int64_t value;
    } * constants; /* storages that nodes read, numbered */
} graph_report;

/* ---- Places ---- */

static int64_t add_place(graph_report *g, const char *function, const char *module, int64_t caller,
                         source_range range) {
    place_key key;
    memset(&key, 0, sizeof key); /* padding is compared, too */
    key.function = intern(function);
    key.module = module ? intern(module) : NULL;
    key.caller = caller;
    key.frame = debug_frame(g->debug, function, NULL, range);
    const ptrdiff_t at = hmgeti(g->numbers, key);
    if (at >= 0)
        return g->numbers[at].value;
    const int64_t number = (int64_t)arrlenu(g->places);
    hmput(g->numbers, key, number);
    arrput(g->places, key);
    return number;
}

static int64_t caller_place(graph_report *g, const ir_scope *scope) {
    stack_check();
    if (!scope || !scope->caller)
        return REPORT_NONE;
    return add_place(g, scope->caller->function, scope->caller->module, caller_place(g, scope->caller), scope->range);
}

static int64_t place_of(graph_report *g, const ir_node *n) {
    const ir_scope *s = n->scope;
    return add_place(g, s ? s->function : n->graph->name, s ? s->module : NULL, caller_place(g, s), n->range);
}

static void write_places(graph_report *g) {
    const image *m = &g->sources;
    debug_finish_whole(g->debug);
    report_source *sources = NULL;
    report_place *places = NULL;
    for (size_t i = 0; i < arrlenu(m->files); i++) {
        const image_file *f = &m->files[i];
        const report_source s = {f->name, f->text, strlen(f->text), f->first_line};
        arrput(sources, s);
    }
    for (size_t i = 0; i < arrlenu(g->places); i++) {
        const place_key *k = &g->places[i];
        const image_frame *f = &m->frames[k->frame];
        const image_source_range *range = f->original.file != IMAGE_NO_INDEX ? &f->original : &f->serialized;
        const bool is_known = range->file != IMAGE_NO_INDEX;
        const report_place p = {k->function, k->module, k->caller, is_known ? (int64_t)range->file : REPORT_NONE,
                                is_known ? range->start - m->files[range->file].offset : 0};
        arrput(places, p);
    }
    report_sources(g->out, sources, arrlenu(sources));
    report_places(g->out, places, arrlenu(places), sources);
}

/* ---- Values ---- */

static void add_sizes(int dtype, const int64_t *sizes, int dims, strbuf *out) {
    strbuf_printf(out, "%s[", pt_dtype_name((pt_dtype)dtype));
    for (int d = 0; d < dims; d++)
        strbuf_printf(out, "%s%" PRId64, d ? ", " : "", sizes[d]);
    strbuf_add(out, "]");
}

static void add_constant(const ir_constant *c, strbuf *out) {
    strbuf text = {0};
    if (c->kind == CONST_TENSOR) {
        strbuf_printf(&text, "%s ", c->tensor->name ? c->tensor->name : "constant");
        add_sizes((int)c->tensor->dtype, c->tensor->sizes, c->tensor->ndim, &text);
    } else if (c->kind == CONST_OBJECT)
        strbuf_add(&text, c->type->text);
    else
        ir_print_constant(c, &text);
    const bool is_long = text.length > LONGEST_CONSTANT;
    strbuf_add_n(out, strbuf_text(&text), is_long ? LONGEST_CONSTANT : text.length);
    strbuf_add(out, is_long ? "..." : "");
}

static const char *value_text(const ir_value *v) {
    strbuf b = {0};
    const ir_constant *c = ir_constant_of(v);
    if (c)
        add_constant(c, &b);
    else
        ir_print_value(v, &b);
    return strbuf_text(&b);
}

static void write_values(report *out, const char *key, ir_value *const *values) {
    report_key(out, key);
    report_open(out, '[');
    for (size_t i = 0; i < arrlenu(values); i++)
        report_text(out, value_text(values[i]));
    report_close(out, ']');
}

/* "(%x.1, conv.weight float32[4, 3], 1) -> %y.2" */
static const char *node_text(const ir_node *n) {
    strbuf b = {0};
    if (n->attribute)
        strbuf_printf(&b, "%s ", n->attribute);
    strbuf_add(&b, "(");
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        strbuf_printf(&b, "%s%s", i ? ", " : "", value_text(ir_in(n, i)));
    strbuf_add(&b, ir_output_count(n) ? ") -> " : ")");
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        strbuf_printf(&b, "%s%s", i ? ", " : "", value_text(ir_out(n, i)));
    return strbuf_text(&b);
}

static void add_shape(const shape *s, strbuf *out) {
    stack_check();
    if (!s || s->kind == SHAPE_NONE)
        strbuf_add(out, s ? "None" : "?");
    else if (s->kind == SHAPE_TENSOR)
        add_sizes(s->dtype, s->sizes, s->dims, out);
    else {
        strbuf_add(out, "(");
        for (size_t i = 0; i < arrlenu(s->items); i++) {
            strbuf_add(out, i ? ", " : "");
            add_shape(s->items[i], out);
        }
        strbuf_add(out, ")");
    }
}

/* Of several examples the first that ran this. */
static const shape *shape_seen(const example *examples, const ir_value *v) {
    const shape *s = NULL;
    for (size_t i = 0; i < arrlenu(examples) && !s; i++) {
        shape_map seen = examples[i].seen;
        s = hmget(seen, v);
    }
    return s;
}

/* What the runs of examples saw; NULL: nothing. */
static const char *shape_text(const graph_report *g, const ir_node *n) {
    strbuf b = {0};
    bool is_known = false;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const shape *s = shape_seen(g->examples, ir_out(n, i));
        is_known |= s != NULL;
        strbuf_add(&b, i ? ", " : "");
        add_shape(s, &b);
    }
    return is_known ? strbuf_text(&b) : NULL;
}

/* The numbers of the storages that a constant consists of, and their bytes. */
static uint64_t write_constant(graph_report *g, const ir_constant *c) {
    stack_check();
    const pt_storage *storage = c->kind == CONST_TENSOR ? c->tensor->storage : NULL;
    uint64_t bytes = storage ? storage->size : 0;
    const int64_t next = (int64_t)hmlen(g->constants);
    if (storage && hmgeti(g->constants, storage) < 0)
        hmput(g->constants, storage, next);
    if (storage)
        report_integer(g->out, hmget(g->constants, storage));
    for (uint32_t i = 0; (c->kind == CONST_LIST || c->kind == CONST_TUPLE) && i < c->list.count; i++)
        bytes += write_constant(g, c->list.items[i]);
    return bytes;
}

static void write_constants(graph_report *g, const ir_node *n) {
    uint64_t bytes = 0;
    report_key(g->out, "constants");
    report_open(g->out, '[');
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        bytes += ir_constant_of(ir_in(n, i)) ? write_constant(g, ir_constant_of(ir_in(n, i))) : 0;
    report_close(g->out, ']');
    report_key(g->out, "bytes");
    report_integer(g->out, (int64_t)bytes);
}

static bool has_tensor(const ir_constant *c) {
    stack_check();
    if (c->kind == CONST_TENSOR)
        return c->tensor->storage;
    for (uint32_t i = 0; (c->kind == CONST_LIST || c->kind == CONST_TUPLE) && i < c->list.count; i++)
        if (has_tensor(c->list.items[i]))
            return true;
    return false;
}

static bool reads_constants(const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (ir_constant_of(ir_in(n, i)) && has_tensor(ir_constant_of(ir_in(n, i))))
            return true;
    return false;
}

/* ---- Nodes ---- */

static void write_nodes(graph_report *g, const ir_block *b);

static void write_blocks(graph_report *g, const ir_node *n) {
    report_key(g->out, "blocks");
    report_open(g->out, '[');
    for (size_t i = 0; i < arrlenu(n->blocks); i++) {
        report_open(g->out, '{');
        write_values(g->out, "inputs", n->blocks[i]->param->outputs);
        write_values(g->out, "results", n->blocks[i]->result->inputs);
        write_nodes(g, n->blocks[i]);
        report_close(g->out, '}');
    }
    report_close(g->out, ']');
}

static void write_node(graph_report *g, const ir_node *n) {
    stack_check();
    const char *shape = shape_text(g, n);
    report_open(g->out, '{');
    report_key(g->out, "op");
    report_text(g->out, n->schema ? n->schema->full_name : ir_kind_name(n->kind));
    report_key(g->out, "text");
    report_text(g->out, node_text(n));
    report_key(g->out, "place");
    report_integer(g->out, place_of(g, n));
    if (shape) {
        report_key(g->out, "shape");
        report_text(g->out, shape);
    }
    if (reads_constants(n))
        write_constants(g, n);
    if (n->blocks)
        write_blocks(g, n);
    report_close(g->out, '}');
}

/* Constants stand where they are used. */
static void write_nodes(graph_report *g, const ir_block *b) {
    stack_check();
    report_key(g->out, "nodes");
    report_open(g->out, '[');
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (n->kind != IR_CONSTANT)
            write_node(g, n);
    report_close(g->out, ']');
}

void report_graph(report *r, function *const *functions, const example *examples) {
    graph_report g = {.out = r, .examples = examples};
    g.debug = debug_table_new(&g.sources);
    report_key(r, "graph");
    report_open(r, '[');
    for (size_t i = 0; i < arrlenu(functions); i++) {
        const ir_block *b = function_graph(functions[i])->block;
        report_open(r, '{');
        report_key(r, "name");
        report_text(r, functions[i]->name);
        write_values(r, "inputs", b->param->outputs);
        write_values(r, "results", b->result->inputs);
        write_nodes(&g, b);
        report_close(r, '}');
    }
    report_close(r, ']');
    report_key(r, "constants");
    report_open(r, '[');
    for (ptrdiff_t i = 0; i < hmlen(g.constants); i++)
        report_integer(r, (int64_t)g.constants[i].key->size);
    report_close(r, ']');
    write_places(&g);
}
