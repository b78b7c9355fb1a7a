/* aten::einsum: sums of products of elements, with dimensions named by labels.
 *
 * The operands are multiplied from left to right. Before two are multiplied, each is summed over the labels that
 * nothing else has. The labels that remain are of three kinds: kept and in both (the batch), kept and in one (rows,
 * columns), and summed. So each step is one bmm. Dimensions of size 1 are left out of the factors, which is how they
 * are broadcast.
 */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/linalg/matmul.h"
#include "runtime/kernels/reduce/reduce.h"

/* Names of dimensions: letters, and what "..." covers, counted from the right. */
enum { LETTERS = 52, LABELS = LETTERS + TSM_MAX_DIMS };

typedef struct {
    int count;
    uint8_t items[LABELS];
} label_list;

typedef struct {
    tsm_dim size; /* -1: not seen yet */
    int occurrences;
    int uses; /* how many need it of the operands that are not multiplied yet and the result */
    bool is_output;
} label_info;

/* An operand, or the product of several: labels of its dimensions, none of them of size 1. */
typedef struct {
    tsm_tensor *t; /* counted */
    label_list labels;
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
} factor;

typedef struct {
    tsm_exec *x;
    const char *equation;
    uint32_t length, at;
    label_info labels[LABELS];
    label_list output;
} einsum;

/* ---- The equation ---- */

static char label_letter(int label) {
    return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

static int letter_label(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

static bool at_arrow(const einsum *s) {
    return s->at + 1 < s->length && s->equation[s->at] == '-' && s->equation[s->at + 1] == '>';
}

/* One term up to a comma, an arrow (of operands) or the end: its letters, and before which of them "..." stands (-1:
 * nowhere). `operand` is its number, -1 for the result. */
static tsm_status read_term(einsum *s, int operand, label_list *letters, int *dots) {
    letters->count = 0;
    *dots = -1;
    for (; s->at < s->length && !(operand >= 0 && (s->equation[s->at] == ',' || at_arrow(s))); s->at++) {
        char c = s->equation[s->at];
        int label = letter_label(c);
        if (c == ' ')
            continue;
        if (c == '.') {
            bool again = *dots >= 0,
                 whole = s->at + 2 < s->length && s->equation[s->at + 1] == '.' && s->equation[s->at + 2] == '.';
            const char *what =
                again ? (operand < 0 ? "but an ellipsis (...) was already found"
                                     : "for which an ellipsis was already found")
                      : (operand < 0 ? "that is not part of any ellipsis (...)" : "that is not part of any ellipsis");
            if ((again || !whole) && operand < 0)
                return TSM_RAISE(s->x, "einsum(): found '.' for output %s", what);
            if (again || !whole)
                return TSM_RAISE(s->x, "einsum(): found '.' for operand %d %s", operand, what);
            *dots = letters->count;
            s->at += 2;
        } else if (label < 0 || letters->count == LABELS) {
            return TSM_RAISE(
                s->x,
                "einsum(): invalid subscript given at index %u in the equation string, subscripts must be in [a-zA-Z]",
                s->at);
        } else {
            letters->items[letters->count++] = (uint8_t)label;
        }
    }
    return TSM_OK;
}

/* The term's labels with those that "..." covers in an operand of so many dimensions. */
static void expand_dots(const label_list *letters, int dots, int covered, label_list *labels) {
    labels->count = 0;
    for (int i = 0; i <= letters->count; i++) {
        for (int k = 0; i == dots && k < covered; k++)
            labels->items[labels->count++] = (uint8_t)(LABELS - covered + k);
        if (i < letters->count)
            labels->items[labels->count++] = letters->items[i];
    }
}

static int find_label(const label_list *l, int label) {
    for (int i = 0; i < l->count; i++)
        if (l->items[i] == label)
            return i;
    return -1;
}

/* How many dimensions "..." covers in what was read so far. */
static int covered_dims(const einsum *s) {
    int covered = 0;
    while (covered < TSM_MAX_DIMS && s->labels[LABELS - 1 - covered].size >= 0)
        covered++;
    return covered;
}

/* What is known of a label's size, after one more operand. */
static tsm_status merge_size(einsum *s, int operand, int label, tsm_dim size) {
    tsm_dim *known = &s->labels[label].size;
    if (*known < 0 || *known == 1) {
        *known = size;
        return TSM_OK;
    }
    if (size == 1 || size == *known)
        return TSM_OK;
    int covered = covered_dims(s);
    if (label >= LETTERS)
        return TSM_RAISE(s->x,
                         "einsum(): dimension %d covered by ellipsis in operand %dhas size %zd which does not "
                         "broadcast with previously seen "
                         "ellipsis with size %zd for the respective dimension",
                         label - (LABELS - covered), operand, (ptrdiff_t)size, (ptrdiff_t)*known);
    return TSM_RAISE(
        s->x,
        "einsum(): subscript %c has size %zd for operand %d which does not broadcast with previously seen size %zd",
        label_letter(label), (ptrdiff_t)size, operand, (ptrdiff_t)*known);
}

/* Reads the term of the next operand: the labels of its dimensions. */
static tsm_status read_operand(einsum *s, const tsm_list *operands, int i, label_list *labels) {
    const tsm_tensor *t = tsm_as_tensor(operands->items[i]);
    label_list letters;
    int dots;
    TSM_TRY(read_term(s, i, &letters, &dots));
    bool is_last = i + 1 == (int)operands->length, comma = s->at < s->length && s->equation[s->at] == ',';
    if (is_last == comma)
        return TSM_RAISE(s->x, "einsum(): %s operands were provided than specified in the equation",
                         comma ? "fewer" : "more");
    s->at += comma;
    if (dots < 0 ? letters.count != t->dims : letters.count > t->dims)
        return TSM_RAISE(
            s->x,
            "einsum(): the number of subscripts in the equation (%d) %s the number of dimensions (%d) for operand %d%s",
            letters.count, dots < 0 ? "does not match" : "is more than", (int)t->dims, i,
            dots < 0 ? " and no ellipsis was given" : "");
    expand_dots(&letters, dots, t->dims - letters.count, labels);
    return TSM_OK;
}

/* Makes an operand a factor; a label that it repeats walks the diagonal. */
static factor factor_of(tsm_tensor *t, const label_list *labels) {
    factor f = {.t = tsm_as_tensor(tsm_hold(tsm_of_tensor(t)))};
    for (int i = 0; i < labels->count; i++) {
        int at = find_label(&f.labels, labels->items[i]);
        if (t->sizes[i] == 1)
            continue;
        if (at < 0) {
            at = f.labels.count++;
            f.labels.items[at] = labels->items[i];
            f.sizes[at] = t->sizes[i];
        }
        f.strides[at] += t->strides[i];
    }
    return f;
}

static void count_uses(einsum *s, const factor *f, int change) {
    for (int i = 0; i < f->labels.count; i++)
        s->labels[f->labels.items[i]].uses += change;
}

/* Notes which labels an operand has, and their sizes. */
static tsm_status note_operand(einsum *s, int operand, tsm_tensor *t, const label_list *labels) {
    for (int i = 0; i < labels->count; i++) {
        int label = labels->items[i], first = find_label(labels, label);
        s->labels[label].occurrences++;
        if (first < i && t->sizes[i] != t->sizes[first])
            return TSM_RAISE(s->x,
                             "einsum(): subscript %c is repeated for operand %d but the sizes don't match, %zd != %zd",
                             label_letter(label), operand, (ptrdiff_t)t->sizes[i], (ptrdiff_t)t->sizes[first]);
        TSM_TRY(merge_size(s, operand, label, t->sizes[i]));
    }
    factor f = factor_of(t, labels);
    count_uses(s, &f, 1);
    tsm_tensor_drop(s->x, f.t);
    return TSM_OK;
}

/* The result's labels: as written behind the arrow; without one what "..." covers, then the letters that occur once,
 * sorted. */
static tsm_status read_output(einsum *s) {
    label_list letters = {0};
    int dots = 0;
    if (at_arrow(s)) {
        s->at += 2;
        TSM_TRY(read_term(s, -1, &letters, &dots));
    } else {
        for (int label = 0; label < LETTERS; label++)
            if (s->labels[label].occurrences == 1)
                letters.items[letters.count++] = (uint8_t)label;
    }
    expand_dots(&letters, dots, covered_dims(s), &s->output);
    for (int i = 0; i < s->output.count; i++) {
        label_info *l = &s->labels[s->output.items[i]];
        if (l->is_output)
            return TSM_RAISE(s->x, "einsum(): output subscript %c appears more than once in the output",
                             label_letter(s->output.items[i]));
        if (l->size < 0)
            return TSM_RAISE(s->x,
                             "einsum(): output subscript %c does not appear in the equation for any input operand",
                             label_letter(s->output.items[i]));
        l->is_output = true;
        l->uses++;
    }
    if (s->output.count > TSM_MAX_DIMS)
        return TSM_RAISE(s->x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    return TSM_OK;
}

/* ---- Factors ---- */

static void set_contiguous(factor *f) {
    tsm_strides_contiguous(f->labels.count, f->sizes, f->strides);
}

/* Gives f the labels of `order`, all of them its own; with `dense`, in a tensor that holds its elements in this order.
 */
static tsm_status reorder(tsm_exec *x, factor *f, const label_list *order, bool dense) {
    factor made = {.t = f->t, .labels = *order};
    for (int i = 0; i < order->count; i++) {
        int from = find_label(&f->labels, order->items[i]);
        made.sizes[i] = f->sizes[from];
        made.strides[i] = f->strides[from];
    }
    if (dense) {
        tsm_tensor *view;
        TSM_TRY(tsm_tensor_view_of(x, f->t, order->count, made.sizes, made.strides, 0, &view));
        tsm_status status = tsm_tensor_contiguous(x, view, &made.t);
        tsm_tensor_drop(x, view);
        TSM_TRY(status);
        tsm_tensor_drop(x, f->t);
        set_contiguous(&made);
    }
    *f = made;
    return TSM_OK;
}

/* Sums f over the labels that neither `other` (may be NULL) nor what comes later has. */
static tsm_status sum_unused(einsum *s, factor *f, const factor *other) {
    label_list kept = {0}, all;
    for (int i = 0; i < f->labels.count; i++) {
        int label = f->labels.items[i];
        if (s->labels[label].uses || (other && find_label(&other->labels, label) >= 0))
            kept.items[kept.count++] = (uint8_t)label;
    }
    if (kept.count == f->labels.count)
        return TSM_OK;
    all = kept;
    for (int i = 0; i < f->labels.count; i++)
        if (find_label(&kept, f->labels.items[i]) < 0)
            all.items[all.count++] = f->labels.items[i];
    TSM_TRY(reorder(s->x, f, &all, false));
    tsm_tensor *view;
    tsm_value sum;
    TSM_TRY(tsm_tensor_view_of(s->x, f->t, all.count, f->sizes, f->strides, 0, &view));
    unsigned set = (1u << all.count) - (1u << kept.count);
    tsm_status status = tsm_reduce_sum(s->x, view, set, &sum);
    tsm_tensor_drop(s->x, view);
    TSM_TRY(status);
    tsm_tensor_drop(s->x, f->t);
    f->t = tsm_as_tensor(sum);
    f->labels = kept;
    set_contiguous(f);
    return TSM_OK;
}

/* ---- Products ---- */

/* Whether dimensions [from, to) of f walk memory like one dimension: its size and stride. */
static bool merges(const factor *f, int from, int to, tsm_dim *size, tsm_dim *stride) {
    *size = 1;
    *stride = to > from ? f->strides[to - 1] : 1;
    for (int i = to; i-- > from;) {
        if (i + 1 < to && f->strides[i] != f->strides[i + 1] * f->sizes[i + 1])
            return false;
        *size *= f->sizes[i];
    }
    return true;
}

/* f as a batch of matrices: its labels are those of three groups, one after the other. */
static tsm_status as_matrices(tsm_exec *x, factor *f, const label_list *const groups[3], tsm_tensor **out) {
    label_list order = {0};
    int ends[3];
    for (int g = 0; g < 3; g++) {
        for (int i = 0; i < groups[g]->count; i++)
            order.items[order.count++] = groups[g]->items[i];
        ends[g] = order.count;
    }
    tsm_dim sizes[3], strides[3];
    TSM_TRY(reorder(x, f, &order, false));
    bool fits = true;
    for (int g = 0; g < 3; g++)
        fits &= merges(f, g ? ends[g - 1] : 0, ends[g], &sizes[g], &strides[g]);
    if (!fits) {
        TSM_TRY(reorder(x, f, &order, true));
        for (int g = 0; g < 3; g++)
            merges(f, g ? ends[g - 1] : 0, ends[g], &sizes[g], &strides[g]);
    }
    return tsm_tensor_view_of(x, f->t, 3, sizes, strides, 0, out);
}

static tsm_status convert_factor(tsm_exec *x, factor *f, tsm_dtype dtype) {
    if (f->t->dtype == dtype)
        return TSM_OK;
    tsm_tensor *view, *made = NULL;
    TSM_TRY(tsm_tensor_view_of(x, f->t, f->labels.count, f->sizes, f->strides, 0, &view));
    tsm_status status = tsm_tensor_to(x, view, dtype, &made);
    tsm_tensor_drop(x, view);
    TSM_TRY(status);
    tsm_tensor_drop(x, f->t);
    f->t = made;
    for (int i = 0; i < made->dims; i++)
        f->strides[i] = made->strides[i];
    return TSM_OK;
}

/* Replaces a by the product of a and b. Where nothing is summed they may be of different types, as those of mul. */
static tsm_status einsum_multiply(einsum *s, factor *a, factor *b) {
    label_list batch = {0}, rows = {0}, columns = {0}, summed = {0};
    for (int i = 0; i < a->labels.count; i++) {
        int label = a->labels.items[i];
        label_list *to = find_label(&b->labels, label) < 0 ? &rows : s->labels[label].uses ? &batch : &summed;
        to->items[to->count++] = (uint8_t)label;
    }
    for (int i = 0; i < b->labels.count; i++)
        if (find_label(&a->labels, b->labels.items[i]) < 0)
            columns.items[columns.count++] = b->labels.items[i];
    factor made = {0};
    const label_list *const kept[] = {&batch, &rows, &columns};
    if (batch.count + rows.count + columns.count > TSM_MAX_DIMS)
        return TSM_RAISE(s->x, "einsum(): a product of operands has more than %d dimensions", TSM_MAX_DIMS);
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < kept[g]->count; i++) {
            int label = kept[g]->items[i];
            made.sizes[made.labels.count] = s->labels[label].size;
            made.labels.items[made.labels.count++] = (uint8_t)label;
        }
    set_contiguous(&made);
    if (!summed.count && a->t->dtype != b->t->dtype && !a->t->quantizer && !b->t->quantizer) {
        const tsm_dtype dtype = tsm_promote_dtypes((tsm_dtype)a->t->dtype, (tsm_dtype)b->t->dtype);
        TSM_TRY(tsm_check_promoted(s->x, dtype));
        TSM_TRY(convert_factor(s->x, a, dtype));
        TSM_TRY(convert_factor(s->x, b, dtype));
    }
    tsm_tensor *left = NULL, *right = NULL;
    tsm_status status = as_matrices(s->x, a, (const label_list *const[]){&batch, &rows, &summed}, &left);
    if (status == TSM_OK)
        status = as_matrices(s->x, b, (const label_list *const[]){&batch, &summed, &columns}, &right);
    tsm_value product;
    if (status == TSM_OK)
        status = tsm_kernel_call(s->x, tsm_k_aten_bmm, 2, (tsm_value[]){tsm_of_tensor(left), tsm_of_tensor(right)},
                                 &product);
    tsm_tensor_drop(s->x, left);
    tsm_tensor_drop(s->x, right);
    TSM_TRY(status);
    tsm_tensor_drop(s->x, a->t);
    *a = made;
    a->t = tsm_as_tensor(product);
    return TSM_OK;
}

/* The type of the only operand's sums: of one element, too. */
static tsm_dtype summed_dtype(const einsum *s, tsm_dtype dtype) {
    for (int label = 0; label < LABELS; label++)
        if (s->labels[label].occurrences && !s->labels[label].is_output && tsm_dtype_is_integral(dtype))
            return TSM_INT64;
    return dtype;
}

/* The result, whose dimensions of one element f lacks. It never shares memory with an operand. */
static tsm_status finish(einsum *s, const factor *f, const tsm_list *operands, tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    for (int i = 0; i < s->output.count; i++) {
        int from = find_label(&f->labels, s->output.items[i]);
        sizes[i] = s->labels[s->output.items[i]].size;
        strides[i] = from < 0 ? 0 : f->strides[from];
    }
    tsm_tensor *view, *copy = NULL;
    TSM_TRY(tsm_tensor_view_of(s->x, f->t, s->output.count, sizes, strides, 0, &view));
    bool is_operand = operands->length == 1 && view->storage == tsm_as_tensor(operands->items[0])->storage;
    if (!is_operand)
        return ret_tensor(out, view);
    tsm_status status = tsm_tensor_make(s->x, (tsm_dtype)view->dtype, view->dims, view->sizes, &copy);
    if (status == TSM_OK)
        status = tsm_tensor_copy(s->x, copy, view);
    if (status == TSM_OK && f->t->quantizer && f->t->quantizer->axis < 0) {
        copy->quantizer = f->t->quantizer;
        copy->quantizer->references++;
    }
    tsm_tensor_drop(s->x, view);
    return tsm_kernel_finish(s->x, status, copy, (tsm_dtype)f->t->dtype, out);
}

/* ---- The operator ---- */

static tsm_status read_equation(einsum *s, const tsm_list *operands) {
    for (int label = 0; label < LABELS; label++)
        s->labels[label] = (label_info){.size = -1};
    for (int i = 0; i < (int)operands->length; i++) {
        label_list labels;
        TSM_TRY(read_operand(s, operands, i, &labels));
        TSM_TRY(note_operand(s, i, tsm_as_tensor(operands->items[i]), &labels));
    }
    return read_output(s);
}

/* Multiplies `product` by the next operand. */
static tsm_status take_operand(einsum *s, const tsm_list *operands, int i, factor *product) {
    label_list labels;
    TSM_TRY(read_operand(s, operands, i, &labels));
    factor f = factor_of(tsm_as_tensor(operands->items[i]), &labels);
    count_uses(s, &f, -1);
    if (!product->t) {
        *product = f;
        return TSM_OK;
    }
    tsm_status status = sum_unused(s, product, &f);
    if (status == TSM_OK)
        status = sum_unused(s, &f, product);
    if (status == TSM_OK)
        status = einsum_multiply(s, product, &f);
    tsm_tensor_drop(s->x, f.t);
    return status;
}

/* The order in which einsum multiplies, `path`, changes no result: only its length is looked at. */
static tsm_status einsum_check_operands(tsm_exec *x, const tsm_list *operands, const tsm_list *path) {
    if (!operands->length)
        return TSM_RAISE(x, "einsum(): must provide at least one operand");
    const unsigned expected = operands->length == 1 ? 1 : 2 * (operands->length - 1);
    if (path && path->length != expected)
        return TSM_RAISE(x, "einsum(): expected contraction path given in path parameter to have size %u but got %u",
                         expected, (unsigned)path->length);
    return TSM_OK;
}

TSM_KERNEL(aten_einsum) {
    const tsm_str *equation = arg_str(in, 0);
    const tsm_list *operands = arg_list(in, 1);
    TSM_TRY(einsum_check_operands(x, operands, arg_is_none(in, 2) ? NULL : arg_list(in, 2)));
    einsum s = {.x = x, .equation = equation->text, .length = equation->length};
    TSM_TRY(read_equation(&s, operands));
    s.at = 0;
    factor product = {0};
    tsm_status status = TSM_OK;
    for (int i = 0; i < (int)operands->length && status == TSM_OK; i++)
        status = take_operand(&s, operands, i, &product);
    if (status == TSM_OK)
        status = sum_unused(&s, &product, NULL);
    if (status == TSM_OK && operands->length == 1)
        status = convert_factor(x, &product, summed_dtype(&s, (tsm_dtype)product.t->dtype));
    if (status == TSM_OK)
        status = finish(&s, &product, operands, out);
    tsm_tensor_drop(x, product.t);
    return status;
}
