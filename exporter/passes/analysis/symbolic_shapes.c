/* A rule for each operator, and a walk over blocks. */
#include "exporter/passes/analysis/symbolic_shapes.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/limits.h"
#include "exporter/schema/schema.h"

typedef struct {
    symbolic_map known;
} walk;

/* ---- What is known ---- */

static symbolic_shape *new_tensor(int dims) {
    symbolic_shape *s = MEM_NEW(symbolic_shape);
    s->kind = SYMBOLIC_TENSOR;
    s->dims = dims;
    return s;
}

static symbolic_shape *new_int(const symbolic_int *value) {
    symbolic_shape *s = MEM_NEW(symbolic_shape);
    s->kind = SYMBOLIC_INT;
    s->value = value;
    return value ? s : NULL;
}

static const symbolic_shape *shape_of(const ir_constant *c) {
    stack_check();
    symbolic_shape *s;
    switch (c->kind) {
    case CONST_INT:
        return new_int(symbolic_constant(c->integer));
    case CONST_TENSOR:
        if (c->tensor->ndim > SYMBOLIC_MAX_DIMS)
            return NULL;
        s = new_tensor(c->tensor->ndim);
        for (int d = 0; d < s->dims; d++)
            s->sizes[d] = symbolic_constant(c->tensor->sizes[d]);
        return s;
    case CONST_LIST:
    case CONST_TUPLE:
        s = MEM_NEW(symbolic_shape);
        s->kind = SYMBOLIC_SEQUENCE;
        for (uint32_t i = 0; i < c->list.count; i++)
            arrput(s->items, shape_of(c->list.items[i]));
        return s;
    default:
        return NULL;
    }
}

static const symbolic_shape *known_of(const walk *w, const ir_value *v) {
    symbolic_map known = w->known;
    return ir_is_constant(v) ? shape_of(ir_constant_of(v)) : known ? hmget(known, v) : NULL;
}

static const symbolic_shape *tensor_of(const walk *w, const ir_node *n, uint32_t i) {
    const symbolic_shape *s = i < ir_input_count(n) ? known_of(w, ir_in(n, i)) : NULL;
    return s && s->kind == SYMBOLIC_TENSOR ? s : NULL;
}

static const symbolic_int *int_of(const walk *w, const ir_node *n, uint32_t i) {
    const symbolic_shape *s = i < ir_input_count(n) ? known_of(w, ir_in(n, i)) : NULL;
    return s && s->kind == SYMBOLIC_INT ? s->value : NULL;
}

static bool number_of(const walk *w, const ir_node *n, uint32_t i, int64_t *value) {
    return symbolic_is_constant(int_of(w, n, i), value);
}

static bool is_none(const ir_node *n, uint32_t i) {
    const ir_constant *c = ir_constant_of(ir_in(n, i));
    return c && c->kind == CONST_NONE;
}

/* A list whose length is known; NULL: it is not. */
static const symbolic_shape *list_of(const walk *w, const ir_node *n, uint32_t i) {
    const symbolic_shape *s = i < ir_input_count(n) ? known_of(w, ir_in(n, i)) : NULL;
    return s && s->kind == SYMBOLIC_SEQUENCE ? s : NULL;
}

static const symbolic_int *list_int(const symbolic_shape *list, size_t i) {
    const symbolic_shape *s = list->items[i];
    return s && s->kind == SYMBOLIC_INT ? s->value : NULL;
}

/* A dimension that counts from the end when it is negative; false: it is none of `dims`. */
static bool wrap(int64_t dim, int dims, int *wrapped) {
    *wrapped = (int)(dim < 0 ? dim + dims : dim);
    return dim >= -dims && dim < dims;
}

static bool dim_of(const walk *w, const ir_node *n, uint32_t i, int dims, int *dim) {
    int64_t value;
    return number_of(w, n, i, &value) && wrap(value, dims, dim);
}

static bool is_one(const symbolic_int *a) {
    int64_t value;
    return symbolic_is_constant(a, &value) && value == 1;
}

static const symbolic_int *sum(const symbolic_int *a, int64_t b) {
    return symbolic_add(a, symbolic_constant(b));
}

static const symbolic_int *product(const symbolic_shape *s, int from, int to) {
    const symbolic_int *p = symbolic_constant(1);
    for (int d = from; d < to; d++)
        p = symbolic_multiply(p, s->sizes[d]);
    return p;
}

/* ---- Rules: the shape of the first result; NULL: it is not known ---- */

typedef const symbolic_shape *rule(const walk *w, const ir_node *n);

static const symbolic_shape *same(const walk *w, const ir_node *n) {
    return tensor_of(w, n, 0);
}

/* Of two sizes that meet; a formula that meets another may be 1. */
static const symbolic_int *meet(const symbolic_int *a, const symbolic_int *b) {
    int64_t value;
    if (is_one(a) || (a && b && symbolic_is_equal(a, b)))
        return b;
    if (is_one(b) || (symbolic_is_constant(a, &value) && value != 1))
        return a;
    return symbolic_is_constant(b, &value) ? b : NULL;
}

static const symbolic_shape *broadcast_two(const symbolic_shape *a, const symbolic_shape *b) {
    symbolic_shape *s = new_tensor(a->dims > b->dims ? a->dims : b->dims);
    for (int d = 1; d <= s->dims; d++)
        s->sizes[s->dims - d] = d > a->dims   ? b->sizes[b->dims - d]
                                : d > b->dims ? a->sizes[a->dims - d]
                                              : meet(a->sizes[a->dims - d], b->sizes[b->dims - d]);
    return s;
}

/* All inputs that are tensors. */
static const symbolic_shape *broadcast(const walk *w, const ir_node *n) {
    const symbolic_shape *s = NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        if (type_without_none(ir_in(n, i)->type)->kind != TYPE_TENSOR)
            continue;
        const symbolic_shape *t = tensor_of(w, n, i);
        if (!t)
            return NULL;
        s = s ? broadcast_two(s, t) : t;
    }
    return s;
}

/* tsm::pointwise(a, b?, c?, d?, code, numbers) */
static const symbolic_shape *pointwise(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    for (uint32_t i = 1; s && i < 4 && !is_none(n, i); i++) {
        const symbolic_shape *t = tensor_of(w, n, i);
        s = t ? broadcast_two(s, t) : NULL;
    }
    return s;
}

static const symbolic_shape *with_last(const symbolic_shape *s, const symbolic_int *size) {
    if (!s || !s->dims)
        return NULL;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    *made = *s;
    made->sizes[s->dims - 1] = size;
    return made;
}

static const symbolic_shape *linear(const walk *w, const ir_node *n) {
    const symbolic_shape *weight = tensor_of(w, n, 1);
    return weight && weight->dims == 2 ? with_last(tensor_of(w, n, 0), weight->sizes[0]) : NULL;
}

/* tsm::linear(input, weight, bias, residual, outputs, ...) */
static const symbolic_shape *packed_linear(const walk *w, const ir_node *n) {
    return with_last(tensor_of(w, n, 0), int_of(w, n, 4));
}

static const symbolic_shape *matmul(const walk *w, const ir_node *n) {
    const symbolic_shape *a = tensor_of(w, n, 0), *b = tensor_of(w, n, 1);
    if (!a || !b || a->dims < 2 || b->dims < 2)
        return NULL;
    symbolic_shape *rows = MEM_NEW(symbolic_shape), *columns = MEM_NEW(symbolic_shape);
    *rows = *a;
    *columns = *b;
    rows->dims -= 2;
    columns->dims -= 2;
    const symbolic_shape *batch = broadcast_two(rows, columns);
    symbolic_shape *s = new_tensor(batch->dims + 2);
    memcpy(s->sizes, batch->sizes, (size_t)batch->dims * sizeof *s->sizes);
    s->sizes[s->dims - 2] = a->sizes[a->dims - 2];
    s->sizes[s->dims - 1] = b->sizes[b->dims - 1];
    return s;
}

static const symbolic_shape *addmm(const walk *w, const ir_node *n) {
    const symbolic_shape *a = tensor_of(w, n, 1), *b = tensor_of(w, n, 2);
    if (!a || !b || a->dims != 2 || b->dims != 2)
        return NULL;
    symbolic_shape *s = new_tensor(2);
    s->sizes[0] = a->sizes[0];
    s->sizes[1] = b->sizes[1];
    return s;
}

/* Item i of a list with one item for all dimensions or one for each; `otherwise` where it is empty. */
static bool setting(const symbolic_shape *list, size_t i, int64_t otherwise, int64_t *value) {
    *value = otherwise;
    const size_t count = arrlenu(list->items);
    return !count || symbolic_is_constant(list_int(list, count == 1 ? 0 : i), value);
}

/* The positions of a window: (size + 2 padding - dilation (kernel - 1) - 1)//stride + 1. */
static const symbolic_int *positions(const symbolic_int *size, int64_t kernel, int64_t stride, int64_t padding,
                                     int64_t dilation) {
    return sum(symbolic_divide(sum(size, 2 * padding - dilation * (kernel - 1) - 1), symbolic_constant(stride)), 1);
}

/* Windows over the last `spatial` dimensions of s, whose channels are `channels`; the lists are stride, padding,
 * dilation. */
static const symbolic_shape *windows(const symbolic_shape *s, int spatial, const symbolic_int *channels,
                                     const int64_t *kernel, const symbolic_shape *const *lists) {
    if (!s || s->dims < spatial + 1 || !lists[0] || !lists[1] || !lists[2])
        return NULL;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    *made = *s;
    made->sizes[s->dims - spatial - 1] = channels;
    for (int d = 0; d < spatial; d++) {
        int64_t stride, padding, dilation;
        if (!setting(lists[0], (size_t)d, kernel[d], &stride) || !setting(lists[1], (size_t)d, 0, &padding) ||
            !setting(lists[2], (size_t)d, 1, &dilation))
            return NULL;
        made->sizes[s->dims - spatial + d] =
            positions(s->sizes[s->dims - spatial + d], kernel[d], stride, padding, dilation);
    }
    return made;
}

/* input, weight, bias, stride, padding, dilation, ... */
static const symbolic_shape *convolution(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *weight = tensor_of(w, n, 1);
    const symbolic_shape *lists[] = {list_of(w, n, 3), list_of(w, n, 4), list_of(w, n, 5)};
    const bool is_general = !strcmp(n->schema->name, "aten::_convolution");
    int64_t kernel[3];
    bool transposed = false;
    if (!s || !weight || weight->dims < 3 || weight->dims > 5 ||
        (is_general && (!ir_constant_bool(ir_in(n, 6), &transposed) || transposed)))
        return NULL;
    for (int d = 2; d < weight->dims; d++)
        if (!symbolic_is_constant(weight->sizes[d], &kernel[d - 2]))
            return NULL;
    return windows(s, weight->dims - 2, weight->sizes[0], kernel, lists);
}

/* tsm::convolution(input, weight, bias, residual, outputs, stride, padding, dilation, ...): the weight's sizes are
 * panels, those of the kernel, depth, and the width of a panel. */
static const symbolic_shape *packed_convolution(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *weight = tensor_of(w, n, 1);
    const symbolic_shape *lists[] = {list_of(w, n, 5), list_of(w, n, 6), list_of(w, n, 7)};
    int64_t kernel[3];
    if (!s || !weight || weight->dims < 4 || weight->dims > 6)
        return NULL;
    for (int d = 1; d < weight->dims - 2; d++)
        if (!symbolic_is_constant(weight->sizes[d], &kernel[d - 1]))
            return NULL;
    return windows(s, weight->dims - 3, int_of(w, n, 4), kernel, lists);
}

/* input, kernel_size, stride, padding, dilation?, ceil_mode */
static const symbolic_shape *pooling(const walk *w, const ir_node *n, int spatial, bool has_dilation) {
    const symbolic_shape *s = tensor_of(w, n, 0), *size = list_of(w, n, 1);
    static const symbolic_shape none = {.kind = SYMBOLIC_SEQUENCE};
    const symbolic_shape *lists[] = {list_of(w, n, 2), list_of(w, n, 3), has_dilation ? list_of(w, n, 4) : &none};
    bool ceils = true;
    int64_t kernel[3];
    if (!s || s->dims < spatial + 1 || !size || !arrlenu(size->items) ||
        !ir_constant_bool(ir_in(n, has_dilation ? 5 : 4), &ceils) || ceils)
        return NULL;
    for (int d = 0; d < spatial; d++)
        if (!setting(size, (size_t)d, 0, &kernel[d]))
            return NULL;
    return windows(s, spatial, s->sizes[s->dims - spatial - 1], kernel, lists);
}

static const symbolic_shape *max_pool1d(const walk *w, const ir_node *n) {
    return pooling(w, n, 1, true);
}
static const symbolic_shape *max_pool2d(const walk *w, const ir_node *n) {
    return pooling(w, n, 2, true);
}
static const symbolic_shape *avg_pool1d(const walk *w, const ir_node *n) {
    return pooling(w, n, 1, false);
}
static const symbolic_shape *avg_pool2d(const walk *w, const ir_node *n) {
    return pooling(w, n, 2, false);
}

/* The last dimensions have the sizes of a list. */
static const symbolic_shape *resized(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *sizes = list_of(w, n, 1);
    const size_t count = sizes ? arrlenu(sizes->items) : 0;
    if (!s || !count || (int)count > s->dims)
        return NULL;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    *made = *s;
    for (size_t i = 0; i < count; i++)
        made->sizes[(size_t)s->dims - count + i] = list_int(sizes, i);
    return made;
}

/* ---- Views ---- */

/* self, sizes, of which one may be -1. */
static const symbolic_shape *view(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *sizes = list_of(w, n, 1);
    const size_t count = sizes ? arrlenu(sizes->items) : 0;
    const symbolic_int *others = symbolic_constant(1);
    int64_t value;
    int inferred = -1;
    if (!sizes || count > SYMBOLIC_MAX_DIMS)
        return NULL;
    symbolic_shape *made = new_tensor((int)count);
    for (size_t i = 0; i < count; i++) {
        made->sizes[i] = list_int(sizes, i);
        if (symbolic_is_constant(made->sizes[i], &value) && value == -1)
            inferred = (int)i;
        else
            others = symbolic_multiply(others, made->sizes[i]);
    }
    if (inferred >= 0)
        made->sizes[inferred] = s ? symbolic_divide(product(s, 0, s->dims), others) : NULL;
    return made;
}

/* self, sizes, of which -1 stands for what there is. */
static const symbolic_shape *expand(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *sizes = list_of(w, n, 1);
    const int count = sizes ? (int)arrlenu(sizes->items) : 0;
    int64_t value;
    if (!s || count < s->dims || count > SYMBOLIC_MAX_DIMS)
        return NULL;
    symbolic_shape *made = new_tensor(count);
    for (int d = 0; d < count; d++) {
        const symbolic_int *size = list_int(sizes, (size_t)d);
        const bool stays = symbolic_is_constant(size, &value) && value == -1;
        made->sizes[d] = !stays ? size : d >= count - s->dims ? s->sizes[d - count + s->dims] : NULL;
    }
    return made;
}

static const symbolic_shape *flatten(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int from, to;
    if (!s || !s->dims || !dim_of(w, n, 1, s->dims, &from) || !dim_of(w, n, 2, s->dims, &to) || from > to)
        return NULL;
    symbolic_shape *made = new_tensor(s->dims - (to - from));
    for (int d = 0; d < made->dims; d++)
        made->sizes[d] = d < from ? s->sizes[d] : d == from ? product(s, from, to + 1) : s->sizes[d + to - from];
    return made;
}

static const symbolic_shape *permute(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *dims = list_of(w, n, 1);
    if (!s || !dims || (int)arrlenu(dims->items) != s->dims)
        return NULL;
    symbolic_shape *made = new_tensor(s->dims);
    for (int d = 0; d < s->dims; d++) {
        int64_t value;
        int from;
        if (!symbolic_is_constant(list_int(dims, (size_t)d), &value) || !wrap(value, s->dims, &from))
            return NULL;
        made->sizes[d] = s->sizes[from];
    }
    return made;
}

static const symbolic_shape *swapped(const symbolic_shape *s, int a, int b) {
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    *made = *s;
    made->sizes[a] = s->sizes[b];
    made->sizes[b] = s->sizes[a];
    return made;
}

static const symbolic_shape *transpose(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int a, b;
    return s && dim_of(w, n, 1, s->dims, &a) && dim_of(w, n, 2, s->dims, &b) ? swapped(s, a, b) : NULL;
}

static const symbolic_shape *turned(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    return s && s->dims == 2 ? swapped(s, 0, 1) : NULL;
}

static const symbolic_shape *unsqueeze(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int at;
    if (!s || s->dims == SYMBOLIC_MAX_DIMS || !dim_of(w, n, 1, s->dims + 1, &at))
        return NULL;
    symbolic_shape *made = new_tensor(s->dims + 1);
    for (int d = 0; d < made->dims; d++)
        made->sizes[d] = d == at ? symbolic_constant(1) : s->sizes[d - (d > at)];
    return made;
}

/* Without dimension `at`, or with the size 1 there. */
static const symbolic_shape *without(const symbolic_shape *s, int at, bool keeps) {
    symbolic_shape *made = new_tensor(keeps ? s->dims : s->dims - 1);
    for (int d = 0; d < made->dims; d++)
        made->sizes[d] = keeps && d == at ? symbolic_constant(1) : s->sizes[d + (!keeps && d >= at)];
    return made;
}

/* Only of a size that is known it is known whether it is 1. */
static const symbolic_shape *squeeze(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int64_t size;
    int at;
    if (!s || !dim_of(w, n, 1, s->dims, &at) || !symbolic_is_constant(s->sizes[at], &size))
        return NULL;
    return size == 1 ? without(s, at, false) : s;
}

static const symbolic_shape *select_item(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int at;
    return s && dim_of(w, n, 1, s->dims, &at) ? without(s, at, false) : NULL;
}

/* self, dim, start, end, step. Ends are known to lie inside where the size is a number; else only x[i:] and x[:] with a
 * start of 0 are known, as a formula may be less than an end. */
static const symbolic_shape *slice(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int64_t start = 0, end = INT64_MAX, step, size;
    int at;
    if (!s || !dim_of(w, n, 1, s->dims, &at) || (!is_none(n, 2) && !number_of(w, n, 2, &start)) ||
        (!is_none(n, 3) && !number_of(w, n, 3, &end)) || !number_of(w, n, 4, &step) || step < 1)
        return NULL;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    *made = *s;
    if (symbolic_is_constant(s->sizes[at], &size)) {
        start = start < 0 ? start + size : start;
        end = end < 0 ? end + size : end;
        start = start < 0 ? 0 : start > size ? size : start;
        end = end < start ? start : end > size ? size : end;
        made->sizes[at] = symbolic_constant((end - start + step - 1) / step);
    } else {
        const bool is_whole = start == 0 && end == INT64_MAX;
        made->sizes[at] = is_whole ? symbolic_divide(sum(s->sizes[at], step - 1), symbolic_constant(step)) : NULL;
    }
    return made;
}

/* ---- Joins and reductions ---- */

static const symbolic_shape *cat(const walk *w, const ir_node *n) {
    const symbolic_shape *list = list_of(w, n, 0);
    int at = 0;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    for (size_t i = 0; list && i < arrlenu(list->items); i++) {
        const symbolic_shape *s = list->items[i];
        if (!s || s->kind != SYMBOLIC_TENSOR || (i && s->dims != made->dims) || !dim_of(w, n, 1, s->dims, &at))
            return NULL;
        const symbolic_int *before = made->sizes[at];
        if (!i)
            *made = *s;
        else
            made->sizes[at] = symbolic_add(before, s->sizes[at]);
    }
    return made->dims ? made : NULL;
}

static const symbolic_shape *stack(const walk *w, const ir_node *n) {
    const symbolic_shape *list = list_of(w, n, 0), *s = list && arrlenu(list->items) ? list->items[0] : NULL;
    int at;
    if (!s || s->kind != SYMBOLIC_TENSOR || s->dims == SYMBOLIC_MAX_DIMS || !dim_of(w, n, 1, s->dims + 1, &at))
        return NULL;
    symbolic_shape *made = new_tensor(s->dims + 1);
    for (int d = 0; d < made->dims; d++)
        made->sizes[d] = d == at ? symbolic_constant((int64_t)arrlenu(list->items)) : s->sizes[d - (d > at)];
    return made;
}

static const symbolic_shape *to_number(const walk *w, const ir_node *n) {
    (void)w;
    (void)n;
    return new_tensor(0);
}

/* self, dims?, keepdim */
static const symbolic_shape *reduce(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0), *dims = list_of(w, n, 1);
    bool keeps, is_gone[SYMBOLIC_MAX_DIMS] = {false};
    if (!s || !dims || !arrlenu(dims->items) || !ir_constant_bool(ir_in(n, 2), &keeps))
        return NULL;
    for (size_t i = 0; i < arrlenu(dims->items); i++) {
        int64_t value;
        int at;
        if (!symbolic_is_constant(list_int(dims, i), &value) || !wrap(value, s->dims, &at))
            return NULL;
        is_gone[at] = true;
    }
    symbolic_shape *made = new_tensor(0);
    for (int d = 0; d < s->dims; d++)
        if (keeps || !is_gone[d])
            made->sizes[made->dims++] = is_gone[d] ? symbolic_constant(1) : s->sizes[d];
    return made;
}

/* self, dim, keepdim */
static const symbolic_shape *reduce_one(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    bool keeps;
    int at;
    return s && dim_of(w, n, 1, s->dims, &at) && ir_constant_bool(ir_in(n, 2), &keeps) ? without(s, at, keeps) : NULL;
}

static const symbolic_shape *embedding(const walk *w, const ir_node *n) {
    const symbolic_shape *weight = tensor_of(w, n, 0), *s = tensor_of(w, n, 1);
    if (!weight || weight->dims != 2 || !s || s->dims == SYMBOLIC_MAX_DIMS)
        return NULL;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    *made = *s;
    made->sizes[made->dims++] = weight->sizes[1];
    return made;
}

/* The sizes are the first input. */
static const symbolic_shape *filled(const walk *w, const ir_node *n) {
    const symbolic_shape *sizes = list_of(w, n, 0);
    if (!sizes || arrlenu(sizes->items) > SYMBOLIC_MAX_DIMS)
        return NULL;
    symbolic_shape *made = new_tensor((int)arrlenu(sizes->items));
    for (int d = 0; d < made->dims; d++)
        made->sizes[d] = list_int(sizes, (size_t)d);
    return made;
}

static const symbolic_shape *arange(const walk *w, const ir_node *n) {
    symbolic_shape *made = new_tensor(1);
    made->sizes[0] = int_of(w, n, 0);
    return made->sizes[0] ? made : NULL;
}

/* tsm::softmax_attention(query, keys, value, ...) and attention: the rows of the one, the features of the other. */
static const symbolic_shape *attention(const walk *w, const ir_node *n) {
    const symbolic_shape *value = tensor_of(w, n, 2);
    return value && value->dims ? with_last(tensor_of(w, n, 0), value->sizes[value->dims - 1]) : NULL;
}

/* ---- Rules for numbers and lists ---- */

static const symbolic_shape *size_of_dim(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    int at;
    return s && dim_of(w, n, 1, s->dims, &at) ? new_int(s->sizes[at]) : NULL;
}

static const symbolic_shape *sizes_of(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    if (!s)
        return NULL;
    symbolic_shape *made = MEM_NEW(symbolic_shape);
    made->kind = SYMBOLIC_SEQUENCE;
    for (int d = 0; d < s->dims; d++)
        arrput(made->items, new_int(s->sizes[d]));
    return made;
}

static const symbolic_shape *dims_of(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    return s ? new_int(symbolic_constant(s->dims)) : NULL;
}

static const symbolic_shape *elements_of(const walk *w, const ir_node *n) {
    const symbolic_shape *s = tensor_of(w, n, 0);
    return s ? new_int(product(s, 0, s->dims)) : NULL;
}

static const symbolic_shape *add_ints(const walk *w, const ir_node *n) {
    return new_int(symbolic_add(int_of(w, n, 0), int_of(w, n, 1)));
}
static const symbolic_shape *subtract_ints(const walk *w, const ir_node *n) {
    return new_int(symbolic_subtract(int_of(w, n, 0), int_of(w, n, 1)));
}
static const symbolic_shape *multiply_ints(const walk *w, const ir_node *n) {
    return new_int(symbolic_multiply(int_of(w, n, 0), int_of(w, n, 1)));
}
static const symbolic_shape *divide_ints(const walk *w, const ir_node *n) {
    return new_int(symbolic_divide(int_of(w, n, 0), int_of(w, n, 1)));
}

/* ---- The table ---- */

/* By the name without overload, or with it. */
static const struct {
    const char *name;
    rule *rule;
} rules[] = {
    {"aten::relu", same},
    {"aten::relu_", same},
    {"aten::relu6", same},
    {"aten::gelu", same},
    {"aten::silu", same},
    {"aten::silu_", same},
    {"aten::sigmoid", same},
    {"aten::tanh", same},
    {"aten::elu", same},
    {"aten::leaky_relu", same},
    {"aten::leaky_relu_", same},
    {"aten::hardtanh", same},
    {"aten::hardtanh_", same},
    {"aten::hardswish", same},
    {"aten::hardswish_", same},
    {"aten::hardsigmoid", same},
    {"aten::softplus", same},
    {"aten::softmax.int", same},
    {"aten::log_softmax.int", same},
    {"aten::layer_norm", same},
    {"aten::batch_norm", same},
    {"aten::group_norm", same},
    {"aten::instance_norm", same},
    {"aten::dropout", same},
    {"aten::contiguous", same},
    {"aten::clone", same},
    {"aten::detach", same},
    {"aten::to.dtype", same},
    {"aten::abs", same},
    {"aten::neg", same},
    {"aten::exp", same},
    {"aten::log", same},
    {"aten::sqrt", same},
    {"aten::rsqrt", same},
    {"aten::sin", same},
    {"aten::cos", same},
    {"aten::square", same},
    {"aten::reciprocal", same},
    {"aten::floor", same},
    {"aten::ceil", same},
    {"aten::round", same},
    {"aten::sign", same},
    {"aten::erf", same},
    {"aten::logical_not", same},
    {"aten::bitwise_not", same},
    {"aten::zeros_like", same},
    {"aten::ones_like", same},
    {"aten::full_like", same},
    {"aten::cumsum", same},
    {"aten::flip", same},
    {"aten::roll", same},
    {"aten::tril", same},
    {"aten::triu", same},
    {"aten::channel_shuffle", same},
    {"aten::clamp", same},
    {"aten::clamp_min", same},
    {"aten::clamp_max", same},
    {"aten::add.Tensor", broadcast},
    {"aten::add.Scalar", same},
    {"aten::sub.Tensor", broadcast},
    {"aten::sub.Scalar", same},
    {"aten::mul.Tensor", broadcast},
    {"aten::mul.Scalar", same},
    {"aten::div.Tensor", broadcast},
    {"aten::div.Scalar", same},
    {"aten::pow.Tensor_Scalar", same},
    {"aten::pow.Tensor_Tensor", broadcast},
    {"aten::maximum", broadcast},
    {"aten::minimum", broadcast},
    {"aten::where.self", broadcast},
    {"aten::masked_fill.Scalar", broadcast},
    {"aten::add_.Tensor", same},
    {"aten::mul_.Tensor", same},
    {"aten::eq.Tensor", broadcast},
    {"aten::ne.Tensor", broadcast},
    {"aten::lt.Tensor", broadcast},
    {"aten::gt.Tensor", broadcast},
    {"aten::le.Tensor", broadcast},
    {"aten::ge.Tensor", broadcast},
    {"aten::eq.Scalar", same},
    {"aten::ne.Scalar", same},
    {"aten::lt.Scalar", same},
    {"aten::gt.Scalar", same},
    {"aten::le.Scalar", same},
    {"aten::ge.Scalar", same},
    {"tsm::pointwise", pointwise},
    {"aten::linear", linear},
    {"tsm::linear", packed_linear},
    {"tsm::half_linear", packed_linear},
    {"aten::matmul", matmul},
    {"aten::bmm", matmul},
    {"aten::mm", matmul},
    {"aten::addmm", addmm},
    {"aten::conv1d", convolution},
    {"aten::conv2d", convolution},
    {"aten::conv3d", convolution},
    {"aten::_convolution", convolution},
    {"tsm::convolution", packed_convolution},
    {"tsm::half_convolution", packed_convolution},
    {"aten::max_pool1d", max_pool1d},
    {"aten::max_pool2d", max_pool2d},
    {"aten::avg_pool1d", avg_pool1d},
    {"aten::avg_pool2d", avg_pool2d},
    {"aten::adaptive_avg_pool1d", resized},
    {"aten::adaptive_avg_pool2d", resized},
    {"aten::upsample_nearest2d", resized},
    {"aten::upsample_bilinear2d", resized},
    {"aten::view", view},
    {"aten::reshape", view},
    {"aten::expand", expand},
    {"aten::flatten.using_ints", flatten},
    {"aten::permute", permute},
    {"aten::transpose.int", transpose},
    {"aten::t", turned},
    {"aten::unsqueeze", unsqueeze},
    {"aten::squeeze.dim", squeeze},
    {"aten::select.int", select_item},
    {"aten::slice.Tensor", slice},
    {"aten::cat", cat},
    {"aten::stack", stack},
    {"aten::sum", to_number},
    {"aten::mean", to_number},
    {"aten::sum.dim_IntList", reduce},
    {"aten::mean.dim", reduce},
    {"aten::argmax", reduce_one},
    {"aten::argmin", reduce_one},
    {"aten::max.dim", reduce_one},
    {"aten::min.dim", reduce_one},
    {"aten::embedding", embedding},
    {"aten::zeros", filled},
    {"aten::ones", filled},
    {"aten::full", filled},
    {"aten::arange", arange},
    {"tsm::softmax_attention", attention},
    {"aten::size.int", size_of_dim},
    {"aten::size", sizes_of},
    {"aten::dim", dims_of},
    {"aten::numel", elements_of},
    {"aten::add.int", add_ints},
    {"aten::sub.int", subtract_ints},
    {"aten::mul.int", multiply_ints},
    {"aten::floordiv.int", divide_ints},
};

static rule *rule_of(const op_schema *s) {
    rule *by_name = NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!strcmp(rules[i].name, s->full_name))
            return rules[i].rule;
        if (!strcmp(rules[i].name, s->name) && !strchr(rules[i].name, '.') && !s->overload[0])
            by_name = rules[i].rule;
    }
    return by_name;
}

/* ---- Blocks ---- */

static void walk_block(walk *w, const ir_block *b);

/* Whether an operator changes its sizes in place. */
static bool is_resized(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (v->uses[i].index == 0 && schema_has_trait(v->uses[i].user->schema, TRAIT_RESIZES))
            return true;
    return false;
}

static void set_known(walk *w, const ir_value *v, const symbolic_shape *s) {
    if (s && !is_resized(v))
        hmput(w->known, v, s);
}

static bool is_equal(const symbolic_shape *a, const symbolic_shape *b) {
    const char *x = symbolic_description(a), *y = symbolic_description(b);
    return x && y && !strcmp(x, y) && !strchr(x, '?');
}

/* Of branches that give the same, and of those that run the same by other kernels. */
static void learn_branches(walk *w, const ir_node *n) {
    const ir_node *asks = ir_in(n, 0)->node;
    const bool is_choice = ir_is_operator(asks, "tsm::pointwise_fits") || ir_is_operator(asks, "tsm::attention_fits");
    walk_block(w, n->blocks[0]);
    walk_block(w, n->blocks[1]);
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const symbolic_shape *a = known_of(w, ir_in(n->blocks[0]->result, i)),
                             *b = known_of(w, ir_in(n->blocks[1]->result, i));
        set_known(w, ir_out(n, i), is_equal(a, b) || (is_choice && a) ? a : is_choice ? b : NULL);
    }
}

/* What a loop carries is not followed. */
static void learn_sequence(walk *w, const ir_node *n) {
    symbolic_shape *s = MEM_NEW(symbolic_shape);
    s->kind = SYMBOLIC_SEQUENCE;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        arrput(s->items, known_of(w, ir_in(n, i)));
    set_known(w, ir_out(n, 0), s);
}

static void learn_items(walk *w, const ir_node *n) {
    const symbolic_shape *s = list_of(w, n, 0);
    for (uint32_t i = 0; s && arrlenu(s->items) == ir_output_count(n) && i < ir_output_count(n); i++)
        set_known(w, ir_out(n, i), s->items[i]);
}

static void learn_item(walk *w, const ir_node *n) {
    const symbolic_shape *s = list_of(w, n, 0);
    int64_t index;
    int at;
    if (s && number_of(w, n, 1, &index) && wrap(index, (int)arrlenu(s->items), &at))
        set_known(w, ir_out(n, 0), s->items[at]);
}

/* A list is known where it is built and no operator changes it. */
static bool is_changed(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        if (v->type->kind == TYPE_LIST && user->schema && v->uses[i].index < user->schema->argument_count &&
            user->schema->arguments[v->uses[i].index].is_write)
            return true;
    }
    return false;
}

static void learn(walk *w, const ir_node *n) {
    switch (n->kind) {
    case IR_CONSTANT:
        return;
    case IR_IF:
        learn_branches(w, n);
        return;
    case IR_LOOP:
        walk_block(w, n->blocks[0]);
        return;
    case IR_LIST_CONSTRUCT:
    case IR_TUPLE_CONSTRUCT:
        if (!is_changed(ir_out(n, 0)))
            learn_sequence(w, n);
        return;
    case IR_LIST_UNPACK:
    case IR_TUPLE_UNPACK:
        learn_items(w, n);
        return;
    case IR_GETITEM:
    case IR_TUPLE_INDEX:
        learn_item(w, n);
        return;
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
        set_known(w, ir_out(n, 0), known_of(w, ir_in(n, 0)));
        return;
    default: {
        rule *r = n->schema && ir_output_count(n) ? rule_of(n->schema) : NULL;
        if (r)
            set_known(w, ir_out(n, 0), r(w, n));
    }
    }
}

static void walk_block(walk *w, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        learn(w, n);
}

void symbolic_shapes_learn(const ir_block *b, symbolic_map *known) {
    walk w = {*known};
    walk_block(&w, b);
    *known = w.known;
}

const char *symbolic_description(const symbolic_shape *s) {
    strbuf b = {0};
    if (!s || s->kind == SYMBOLIC_SEQUENCE)
        return NULL;
    if (s->kind == SYMBOLIC_INT)
        return mem_printf("(%s)", symbolic_text(s->value));
    strbuf_add(&b, "(");
    for (int d = 0; d < s->dims; d++)
        strbuf_printf(&b, "%s%s", d ? ", " : "", symbolic_text(s->sizes[d]));
    strbuf_add(&b, ")");
    return strbuf_text(&b);
}
