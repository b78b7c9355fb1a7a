/* Descriptions of methods and of the file. */
#include "exporter/execute/describe.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/file.h"
#include "exporter/base/sha256.h"
#include "exporter/execute/runner.h"
#include "exporter/program/program.h"
#include "exporter/syntax/ast.h"

enum { ANY_SIZE = -1 };

/* ---- Tensors ---- */

static image_tensor_info info_of(const ir_constant *c) {
    image_tensor_info info = {IMAGE_NOT_KNOWN, IMAGE_NOT_KNOWN, NULL};
    if (!c || c->kind != CONST_TENSOR || c->tensor->layout != PT_STRIDED)
        return info;
    info.dtype = (uint8_t)c->tensor->dtype;
    info.rank = (uint8_t)c->tensor->ndim;
    for (int d = 0; d < c->tensor->ndim; d++)
        arrput(info.sizes, c->tensor->sizes[d]);
    return info;
}

typedef struct {
    const example *example;
    uint32_t method;
    runner_result result;
} described_run;

static tsm_status run_example(runner *t, void *data) {
    described_run *r = data;
    return runner_call(t, r->method, r->example->arguments, &r->result);
}

/* Adds what is known of a tensor; of one that is there already, what both have in common stays. */
static void add_info(image_tensor_info **infos, size_t i, image_tensor_info info) {
    if (i == arrlenu(*infos)) {
        arrput(*infos, info);
        return;
    }
    image_tensor_info *known = &(*infos)[i];
    if (known->dtype != info.dtype)
        known->dtype = IMAGE_NOT_KNOWN;
    if (known->rank != info.rank) {
        known->rank = IMAGE_NOT_KNOWN;
        known->sizes = NULL;
    }
    for (size_t d = 0; d < arrlenu(known->sizes); d++)
        if (known->sizes[d] != info.sizes[d])
            known->sizes[d] = ANY_SIZE;
}

static void add_outputs(image_method *m, const ir_constant *result) {
    const bool has_items = result->kind == CONST_TUPLE;
    for (uint32_t i = 0; i < (has_items ? result->list.count : 1); i++)
        add_info(&m->outputs, i, info_of(has_items ? result->list.items[i] : result));
}

static void describe_example(image *m, uint32_t number, const example *e, bool has_outputs) {
    image_method *method = &m->methods[number];
    for (size_t k = 0; k < arrlenu(e->arguments); k++)
        add_info(&method->inputs, k, info_of(e->arguments[k]));
    described_run r = {e, number, {e->entry->schema->returns[0].type, NULL}};
    runner t = {0};
    if (!has_outputs)
        return;
    runner_open(&t, m);
    if (runner_run(&t, NULL, run_example, &r) == TSM_OK && r.result.value)
        add_outputs(method, r.result.value);
}

static bool is_of(const example *e, const image_method *m) {
    return !e->is_refused && !strcmp(e->entry->base_name, m->name);
}

void describe_examples(image *m, const example *examples) {
    for (uint32_t i = 0; i < arrlenu(m->methods); i++) {
        bool are_settled = true;
        for (size_t k = 0; k < arrlenu(examples); k++)
            are_settled &= examples[k].is_settled || !is_of(&examples[k], &m->methods[i]);
        for (size_t k = 0; k < arrlenu(examples); k++)
            if (is_of(&examples[k], &m->methods[i]))
                describe_example(m, i, &examples[k], are_settled);
    }
}

/* ---- Words ---- */

/* The text that a function's code begins with, without the blanks around it. */
static const char *doc_of(const function *f) {
    if (!f->is_python || !f->syntax || !f->syntax->body.count)
        return NULL;
    const ast_node *n = f->syntax->body.items[0];
    if (n->kind != AST_EXPR_STMT || n->operand->kind != AST_STRING)
        return NULL;
    const ast_text *text = &n->operand->string;
    size_t begin = 0, end = text->length;
    while (begin < end && strchr(" \n\t", text->bytes[begin]))
        begin++;
    while (end > begin && strchr(" \n\t", text->bytes[end - 1]))
        end--;
    return begin < end ? mem_strndup(text->bytes + begin, end - begin) : NULL;
}

void describe_entries(image *m, function *const *entries) {
    for (size_t i = 0; i < arrlenu(entries) && i < arrlenu(m->methods); i++)
        m->methods[i].doc = doc_of(entries[i]);
}

static void add_entry(image *m, const char *key, const char *value) {
    image_entry e = {key, value};
    arrput(m->metadata, e);
}

void describe_source(image *m, const char *key, const char *path) {
    const char *digest = sha256_of_file(path);
    if (!digest)
        return;
    add_entry(m, key, file_base_name(path));
    add_entry(m, mem_printf("%s.sha256", key), digest);
}

void describe_entry(image *m, const char *text) {
    const size_t length = strcspn(text, "=");
    add_entry(m, mem_strndup(text, length), text + length + 1);
}
