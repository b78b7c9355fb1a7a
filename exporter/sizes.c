/* The report of tsmc --sizes: parts of a file, tensors by name, tensors by the operators that read them. */
#include "exporter/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"

/* ---- Names ---- */

typedef struct {
    struct {
        const ir_constant *key;
        bool value;
    } * visited;
    struct {
        const pt_storage *key;
        bool value;
    } * storages;
    uint64_t bytes; /* of the storages */
} naming;

static void count_storage(naming *done, const pt_tensor *t) {
    /* What was computed, as a weight from its packed form, has no name. */
    if (!t || !t->storage || !*t->storage->key || hmgeti(done->storages, t->storage) >= 0)
        return;
    hmput(done->storages, t->storage, true);
    done->bytes += t->storage->size;
}

static void name_tensors(naming *done, const ir_constant *c, const char *path) {
    stack_check();
    if (c->kind == CONST_TENSOR && !c->tensor->name)
        c->tensor->name = path;
    if (c->kind == CONST_TENSOR) {
        count_storage(done, c->tensor);
        count_storage(done, c->tensor->scales);
        count_storage(done, c->tensor->zero_points);
    }
    bool has_items =
        c->kind == CONST_OBJECT || c->kind == CONST_LIST || c->kind == CONST_TUPLE || c->kind == CONST_DICT;
    if (!has_items || hmgeti(done->visited, c) >= 0)
        return;
    hmput(done->visited, c, true);
    for (uint32_t i = 0; i < c->list.count; i++) {
        const char *name = c->kind == CONST_OBJECT ? c->type->definition->attributes[i].name : mem_printf("%u", i);
        name_tensors(done, c->list.items[i], *path ? mem_printf("%s.%s", path, name) : name);
    }
}

uint64_t sizes_name_tensors(const ir_constant *module) {
    naming n = {NULL, NULL, 0};
    if (module)
        name_tensors(&n, module, "");
    hmfree(n.visited);
    hmfree(n.storages);
    return n.bytes;
}

/* ---- Operators ---- */

typedef struct {
    const pt_storage *key;
    const char **value; /* stb_ds array: names of operators */
} * readers;

static void add_name(const char ***names, const char *name) {
    for (size_t i = 0; i < arrlenu(*names); i++)
        if (!strcmp((*names)[i], name))
            return;
    arrput(*names, name);
}

static const char *operator_name(const ir_node *n) {
    return n->schema ? n->schema->full_name : ir_kind_name(n->kind);
}

/* The operators that get v, in a list too. */
static void add_readers(readers *all, const pt_storage *s, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        if (user->kind == IR_LIST_CONSTRUCT || user->kind == IR_TUPLE_CONSTRUCT) {
            for (size_t k = 0; k < arrlenu(ir_out(user, 0)->uses); k++) {
                const char **names = hmget(*all, s);
                add_name(&names, operator_name(ir_out(user, 0)->uses[k].user));
                hmput(*all, s, names);
            }
            continue;
        }
        const char **names = hmget(*all, s);
        add_name(&names, user == user->block->result ? "results" : operator_name(user));
        hmput(*all, s, names);
    }
}

static void find_tensors(readers *all, const ir_constant *c, const ir_value *v) {
    stack_check();
    if (c->kind == CONST_TENSOR && c->tensor->storage)
        add_readers(all, c->tensor->storage, v);
    for (uint32_t i = 0; (c->kind == CONST_LIST || c->kind == CONST_TUPLE) && i < c->list.count; i++)
        find_tensors(all, c->list.items[i], v);
}

static void find_readers(readers *all, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_readers(all, n->blocks[i]);
        if (n->kind == IR_CONSTANT && n->constant)
            find_tensors(all, n->constant, ir_out(n, 0));
    }
}

/* ---- Rows ---- */

typedef struct {
    uint64_t bytes;
    size_t number; /* of rows with equal bytes, the order */
    const char *text;
} row;

static int compare_rows(const void *a, const void *b) {
    const row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void add_row(row **rows, uint64_t bytes, const char *text) {
    row r = {bytes, arrlenu(*rows), text};
    arrput(*rows, r);
}

static void print_rows(row *rows, const char *title, strbuf *out) {
    strbuf_printf(out, "\n%12s  %s\n", "bytes", title);
    if (rows)
        qsort(rows, arrlenu(rows), sizeof *rows, compare_rows);
    for (size_t i = 0; i < arrlenu(rows); i++)
        strbuf_printf(out, "%12" PRIu64 "  %s\n", rows[i].bytes, rows[i].text);
}

/* Names of all operators that read a storage of the file. */
static const char **readers_of(readers all, const image_storage *s) {
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(s->sources); i++) {
        const char **of_source = hmget(all, s->sources[i]);
        for (size_t k = 0; k < arrlenu(of_source); k++)
            add_name(&names, of_source[k]);
    }
    return names;
}

/* For each storage the first tensor that has a name, or the first; NULL: there is none. */
static const image_tensor **tensors_of_storages(const image *m) {
    const image_tensor **all = MEM_ARRAY(const image_tensor *, arrlenu(m->storages) + 1);
    for (size_t i = 0; i < arrlenu(m->constants); i++) {
        const image_tensor *t = m->constants[i].tensor;
        if (t && (!all[t->storage] || (!all[t->storage]->name && t->name)))
            all[t->storage] = t;
    }
    return all;
}

/* "layer.weight float32[16, 3]" */
static const char *tensor_text(const image_tensor *found) {
    if (!found)
        return "(none)";
    strbuf b = {0};
    strbuf_printf(&b, "%s %s[", found->name ? found->name : "(no attribute)", pt_dtype_name(found->dtype));
    for (size_t i = 0; i < arrlenu(found->sizes); i++)
        strbuf_printf(&b, "%s%" PRId64, i ? ", " : "", found->sizes[i]);
    strbuf_add(&b, "]");
    return strbuf_text(&b);
}

sized_tensor *sizes_of_tensors(const image *m, function *const *functions) {
    readers all = NULL;
    sized_tensor *found = NULL;
    const image_tensor **of_storages = tensors_of_storages(m);
    for (size_t i = 0; i < arrlenu(functions); i++)
        find_readers(&all, function_graph(functions[i])->block);
    for (size_t i = 0; i < arrlenu(m->storages); i++) {
        const sized_tensor t = {m->storages[i].bytes, of_storages[i], readers_of(all, &m->storages[i])};
        arrput(found, t);
    }
    return found;
}

sized_operator *sizes_of_operators(const sized_tensor *tensors) {
    sized_operator *found = NULL;
    for (size_t i = 0; i < arrlenu(tensors); i++)
        for (size_t k = 0; k < arrlenu(tensors[i].readers); k++) {
            const uint64_t before = shget(found, tensors[i].readers[k]);
            shput(found, (char *)tensors[i].readers[k], before + tensors[i].bytes);
        }
    return found;
}

static void print_tensors(const image *m, function *const *functions, strbuf *out) {
    const sized_tensor *all = sizes_of_tensors(m, functions);
    sized_operator *by_operator = sizes_of_operators(all);
    row *tensors = NULL, *operators = NULL;
    for (size_t i = 0; i < arrlenu(all); i++) {
        strbuf line = {0};
        strbuf_printf(&line, "%s%s", tensor_text(all[i].tensor), arrlenu(all[i].readers) ? ": " : "");
        for (size_t k = 0; k < arrlenu(all[i].readers); k++)
            strbuf_printf(&line, "%s%s", k ? ", " : "", all[i].readers[k]);
        add_row(&tensors, all[i].bytes, strbuf_text(&line));
    }
    for (size_t i = 0; i < shlenu(by_operator); i++)
        add_row(&operators, by_operator[i].value, by_operator[i].key);
    print_rows(tensors, "of the tensor, and the operators that read it", out);
    print_rows(operators, "of the tensors that the operator reads", out);
}

const char *sizes_part_name(image_part part) {
    static const char *const names[] = {
#define IMAGE_PART(NAME, text) text,
        IMAGE_PARTS(IMAGE_PART)
#undef IMAGE_PART
    };
    return names[part];
}

/* docs/format.md says what there is to expect. */
static void print_beyond(uint64_t all, uint64_t read, strbuf *out) {
    const double more = (double)all - (double)read;
    strbuf_printf(out,
                  "\nThe module's tensors had %" PRIu64 " bytes when they were read: the file has %.0f %s, %.1f%%.\n",
                  read, fabs(more), more < 0 ? "fewer" : "more", 100 * fabs(more) / (double)read);
}

void sizes_print(const image *m, const image_sizes *sizes, function *const *functions, uint64_t read, strbuf *out) {
    uint64_t all = 0;
    strbuf_printf(out, "%12s  %s\n", "bytes", "of the file's part");
    for (int i = 0; i < IMAGE_PART_COUNT; i++) {
        all += sizes->bytes[i];
        strbuf_printf(out, "%12" PRIu64 "  %s\n", sizes->bytes[i], sizes_part_name((image_part)i));
    }
    strbuf_printf(out, "%12" PRIu64 "  all\n", all);
    print_tensors(m, functions, out);
    if (read)
        print_beyond(all, read, out);
}
