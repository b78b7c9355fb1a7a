/* tsm::narrow_embedding: rows of a table of half floats or int8, as floats. */
#include "runtime/kernels/nn/narrow.h"
#include "runtime/value/half.h"

/* Where the numbers of a row lie: [rows, numbers], or packed as the weight of a linear layer that has the same table.
 */
typedef struct {
    const tsm_tensor *table;
    const float *scales; /* of the rows; NULL: half floats */
    tsm_dim rows, numbers;
    bool is_packed;
} embedding_table;

static void take_narrow_row(const embedding_table *t, tsm_dim row, float *to) {
    const tsm_dim first = t->is_packed ? row / TSM_PANEL * t->numbers * TSM_PANEL + row % TSM_PANEL : row * t->numbers,
                  step = t->is_packed ? TSM_PANEL : 1;
    const int8_t *bytes = t->table->data;
    const uint16_t *halves = t->table->data;
    if (t->scales)
        for (tsm_dim k = 0; k < t->numbers; k++)
            to[k] = (float)bytes[first + k * step] * t->scales[row];
    else
        for (tsm_dim k = 0; k < t->numbers; k++)
            to[k] = tsm_float_of_half(halves[first + k * step]);
}

static tsm_status read_table(tsm_exec *x, const tsm_tensor *w, const tsm_tensor *scales, tsm_dim rows,
                             embedding_table *t) {
    const bool is_packed = w->dims == 3;
    bool fits = (w->dims == 2 || (is_packed && w->sizes[2] == TSM_PANEL)) && tsm_tensor_is_contiguous(w) && rows >= 0 &&
                w->dtype == (scales ? TSM_INT8 : TSM_FLOAT16);
    fits = fits && w->sizes[0] == (is_packed ? (tsm_dim)tsm_pack_panels((size_t)rows) : rows);
    if (fits && scales)
        fits = scales->dtype == TSM_FLOAT32 && tsm_tensor_is_contiguous(scales) && scales->elements >= rows;
    if (!fits)
        return tsm_fail(x, TSM_BAD_FILE, "%s: the table is not narrow", x->op->name);
    *t = (embedding_table){w, scales ? scales->data : NULL, rows, w->sizes[1], is_packed};
    return TSM_OK;
}

static tsm_status take_narrow_rows(tsm_exec *x, const embedding_table *t, const tsm_tensor *indices, float *to) {
    for (tsm_dim i = 0; i < indices->elements; i++) {
        const int64_t row =
            indices->dtype == TSM_INT64 ? ((const int64_t *)indices->data)[i] : ((const int32_t *)indices->data)[i];
        if (row < 0 || row >= t->rows)
            return TSM_RAISE(x, "index out of range in self");
        take_narrow_row(t, tsm_saturate_dim(row), to + i * t->numbers);
    }
    return TSM_OK;
}

TSM_KERNEL_LIGHT(tsm_narrow_embedding) {
    tsm_tensor *given = arg_tensor(in, 2), *indices, *y;
    embedding_table t = {0};
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(read_table(x, arg_tensor(in, 0), arg_tensor_or_null(in, 1), arg_dim(in, 3), &t));
    if (given->dtype != TSM_INT64 && given->dtype != TSM_INT32)
        return TSM_RAISE(x, "embedding(): Expected dtype int32 or int64 for index");
    if (given->dims == TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    memcpy(sizes, given->sizes, (size_t)given->dims * sizeof *sizes);
    sizes[given->dims] = t.numbers;
    TSM_TRY(tsm_charge(x, tsm_work((uint64_t)given->elements, (uint64_t)t.numbers)));
    TSM_TRY(tsm_tensor_contiguous(x, given, &indices));
    tsm_status status = tsm_tensor_make(x, TSM_FLOAT32, given->dims + 1, sizes, &y);
    if (status == TSM_OK && (status = take_narrow_rows(x, &t, indices, y->data)) != TSM_OK)
        tsm_tensor_drop(x, y);
    tsm_tensor_drop(x, indices);
    if (status == TSM_OK)
        *out = tsm_of_tensor(y);
    return status;
}
