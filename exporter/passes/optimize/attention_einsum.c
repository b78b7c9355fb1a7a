/* Equations of einsum read as products of matrices. */
#include "exporter/passes/optimize/attention_einsum.h"

#include <ctype.h>
#include <string.h>

#include "exporter/schema/schema.h"

/* Labels of the two operands and of the result, without "...". */
typedef struct {
    char of[3][MOST_LABELS + 1];
    bool has_more;
} equation;

/* ---- Reading ---- */

/* One term without blanks: "..." or not, then letters that differ. */
static bool read_term(const char *text, size_t length, char *labels, bool *has_more) {
    size_t count = 0;
    *has_more = length >= 3 && !strncmp(text, "...", 3);
    for (size_t i = *has_more ? 3 : 0; i < length; i++) {
        if (!isalpha((unsigned char)text[i]) || memchr(labels, text[i], count) || count == MOST_LABELS)
            return false;
        labels[count++] = text[i];
    }
    labels[count] = 0;
    return true;
}

static bool read_equation(const ir_value *v, equation *e) {
    enum { LONGEST = 64 };
    const ir_constant *c = ir_constant_of(v);
    char text[LONGEST];
    size_t length = 0;
    if (!c || c->kind != CONST_STR || c->string.length >= LONGEST)
        return false;
    for (size_t i = 0; i < c->string.length; i++)
        if (c->string.bytes[i] != ' ')
            text[length++] = c->string.bytes[i];
    text[length] = 0;
    const char *comma = strchr(text, ','), *arrow = strstr(text, "->");
    bool more[3];
    if (!comma || !arrow || comma > arrow || !read_term(text, (size_t)(comma - text), e->of[0], &more[0]) ||
        !read_term(comma + 1, (size_t)(arrow - comma - 1), e->of[1], &more[1]) ||
        !read_term(arrow + 2, strlen(arrow + 2), e->of[2], &more[2]))
        return false;
    e->has_more = more[0];
    return more[0] == more[1] && more[0] == more[2];
}

/* `to` is the order in which the labels should stand; false when there is no telling how they get there. */
static bool arrange(const equation *e, const char *labels, const char *to, arrangement *how) {
    const size_t n = strlen(labels);
    if (strlen(to) != n)
        return false;
    *how = (arrangement){.is_there = true, .dims = (int)n, .has_more = e->has_more, .is_plain = !strcmp(labels, to)};
    for (size_t i = 0; i < n; i++) {
        const char *at = strchr(labels, to[i]);
        if (!at)
            return false;
        how->order[i] = (int)(at - labels);
    }
    return how->is_plain || !e->has_more ||
           (n >= 2 && !strncmp(labels, to, n - 2) && labels[n - 1] == to[n - 2] && labels[n - 2] == to[n - 1]);
}

/* The only label that `a` and `b` have and `without` has not; 0 when there is not one. */
static char only_shared(const char *a, const char *b, const char *without) {
    char found = 0;
    for (; *a; a++) {
        if (!strchr(b, *a) || strchr(without, *a))
            continue;
        if (found)
            return 0;
        found = *a;
    }
    return found;
}

/* The labels of `all` but for two, then these. */
static void put_last(const char *all, char row, char column, char *to) {
    size_t n = 0;
    for (; *all; all++)
        if (*all != row && *all != column)
            to[n++] = *all;
    to[n++] = row;
    to[n++] = column;
    to[n] = 0;
}

static bool read_product(const ir_node *n, einsum_product *p, equation *e) {
    if (!ir_is_operator(n, "aten::einsum"))
        return false;
    p->list = ir_in(n, 1)->node;
    if (p->list->kind != IR_LIST_CONSTRUCT || ir_input_count(p->list) != 2 || ir_use_count(ir_out(p->list, 0)) != 1 ||
        !read_equation(ir_in(n, 0), e))
        return false;
    p->a = ir_in(p->list, 0);
    p->b = ir_in(p->list, 1);
    return true;
}

/* Every label of a product of matrices stands in two of its three terms, or is a batch's and stands in all. */
static bool has_product_form(const equation *e, char row, char inner, char column) {
    char batch[3][MOST_LABELS + 1], last[] = {row, inner, column, 0};
    for (int t = 0; t < 3; t++) {
        size_t n = 0;
        for (const char *at = e->of[t]; *at; at++)
            if (!strchr(last, *at))
                batch[t][n++] = *at;
        batch[t][n] = 0;
        if (n + 2 != strlen(e->of[t]))
            return false;
    }
    for (int t = 0; t < 2; t++)
        if (strlen(batch[t]) != strlen(batch[2]) || strspn(batch[t], batch[2]) != strlen(batch[2]))
            return false;
    return row && inner && column;
}

/* ---- The two products ---- */

bool einsum_gives_scores(const ir_node *n, einsum_product *p) {
    equation e;
    char order[MOST_LABELS + 3];
    if (!read_product(n, p, &e) || strlen(e.of[2]) < 2)
        return false;
    const char row = e.of[2][strlen(e.of[2]) - 2], column = e.of[2][strlen(e.of[2]) - 1];
    const int first = strchr(e.of[0], row) ? 0 : 1; /* which tensor has the rows */
    const char inner = only_shared(e.of[0], e.of[1], e.of[2]);
    if (!has_product_form(&e, row, inner, column) || strchr(e.of[first], column))
        return false;
    if (first) {
        ir_value *a = p->a;
        p->a = p->b;
        p->b = a;
    }
    put_last(e.of[2], row, column, order);
    order[strlen(order) - 1] = inner;
    if (!arrange(&e, e.of[first], order, &p->of_a))
        return false;
    order[strlen(order) - 2] = inner;
    order[strlen(order) - 1] = column;
    return arrange(&e, e.of[1 - first], order, &p->of_b);
}

bool einsum_takes_weights(const ir_node *n, einsum_product *p) {
    equation e;
    char order[MOST_LABELS + 3];
    if (!read_product(n, p, &e) || strlen(e.of[0]) < 2)
        return false;
    const char row = e.of[0][strlen(e.of[0]) - 2], inner = e.of[0][strlen(e.of[0]) - 1];
    const char column = only_shared(e.of[1], e.of[2], e.of[0]);
    if (!has_product_form(&e, row, inner, column) || strchr(e.of[1], row) || strchr(e.of[2], inner))
        return false;
    p->of_a = (arrangement){.is_there = true, .dims = (int)strlen(e.of[0]), .has_more = e.has_more, .is_plain = true};
    put_last(e.of[0], row, inner, order);
    order[strlen(order) - 2] = inner;
    order[strlen(order) - 1] = column;
    if (!arrange(&e, e.of[1], order, &p->of_b))
        return false;
    order[strlen(order) - 2] = row;
    return arrange(&e, order, e.of[2], &p->of_result);
}

/* ---- Writing ---- */

static ir_value *insert(const char *name, ir_node *at, source_range range, ir_value *const *inputs, uint32_t count) {
    call_argument arguments[4];
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (call_argument){.value = inputs[i]};
    return ir_out(schema_call(name, at, range, arguments, count), 0);
}

ir_value *arrangement_fits(const arrangement *how, ir_value *tensor, ir_node *at, source_range range) {
    ir_value *dims = insert("aten::dim", at, range, &tensor, 1);
    ir_value *inputs[] = {dims, ir_insert_constant(at, const_int(how->dims))};
    return insert(how->has_more ? "aten::ge" : "aten::eq", at, range, inputs, 2);
}

ir_value *arrangement_apply(const arrangement *how, ir_value *tensor, ir_node *at, source_range range) {
    if (!how->is_there || how->is_plain)
        return tensor;
    if (how->has_more) {
        ir_value *inputs[] = {tensor, ir_insert_constant(at, const_int(-2)), ir_insert_constant(at, const_int(-1))};
        return insert("aten::transpose", at, range, inputs, 3);
    }
    ir_node *list = ir_node_new(at->graph, IR_LIST_CONSTRUCT, 1);
    for (int i = 0; i < how->dims; i++)
        ir_node_add_input(list, ir_insert_constant(at, const_int(how->order[i])));
    ir_out(list, 0)->type = type_list(type_basic(TYPE_INT));
    ir_insert_before(at, list);
    ir_value *inputs[] = {tensor, ir_out(list, 0)};
    return insert("aten::permute", at, range, inputs, 2);
}
