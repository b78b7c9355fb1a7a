/* Nested tensors, as torch.nn's TransformerEncoder makes them of a batch and a padding mask: sequences of their own
 * lengths.
 *
 * Here such a tensor [batch, length, features] is padded: it has the shape of the tensor that it was made of, a flag,
 * and behind its elements, in the same storage, the number of rows of each sequence. Operators that know nothing of it
 * compute padded rows like others; those of this file, and attention by way of tsm::nested_mask, leave them out. */
#include <string.h>

#include "runtime/kernels/kernel.h"
#include "runtime/tensor/lanes.h"

/* ---- The lengths ---- */

/* Where the lengths stand in the storage of a tensor of these elements. */
static size_t lengths_offset(const tsm_tensor *t) {
    size_t bytes = (size_t)t->elements * tsm_dtype_size((tsm_dtype)t->dtype);
    return (bytes + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
}

static bool is_contiguous(const tsm_tensor *t) {
    return t->strides[2] == 1 && t->strides[1] == t->sizes[2] && t->strides[0] == t->sizes[1] * t->sizes[2];
}

/* The lengths of a nested tensor; NULL: it is none. Views keep the flag, so a nested tensor is what has its storage's
 * size and layout. */
static const int64_t *lengths_of(const tsm_tensor *t) {
    bool fits = t->flags & TSM_TENSOR_NESTED && t->dims == 3 && t->elements && t->storage && is_contiguous(t) &&
                t->data == t->storage->data &&
                t->storage->bytes == lengths_offset(t) + (size_t)t->sizes[0] * sizeof(int64_t);
    return fits ? (const int64_t *)(const void *)(t->storage->data + lengths_offset(t)) : NULL;
}

/* How many rows sequence i has, whatever the memory holds. */
static tsm_dim nested_rows_of(const tsm_tensor *t, const int64_t *lengths, tsm_dim i) {
    return lengths[i] < 0 ? 0 : lengths[i] > t->sizes[1] ? t->sizes[1] : (tsm_dim)lengths[i];
}

/* A nested tensor with the elements of `t`, which has three dimensions; *lengths is where its lengths go. */
static tsm_status make_nested(tsm_exec *x, tsm_tensor *t, int64_t **lengths, tsm_tensor **out) {
    tsm_tensor *memory, *like;
    tsm_dim sizes[3] = {t->sizes[0], t->sizes[1], t->sizes[2]}, strides[3];
    tsm_dim bytes = (tsm_dim)(lengths_offset(t) + (size_t)sizes[0] * sizeof(int64_t));
    TSM_TRY(tsm_tensor_make(x, TSM_UINT8, 1, &bytes, &memory));
    tsm_strides_contiguous(3, sizes, strides);
    tsm_status status = tsm_tensor_view_as(x, memory, (tsm_dtype)t->dtype, 3, sizes, strides, 0, &like);
    tsm_tensor_drop(x, memory);
    TSM_TRY(status);
    status = tsm_tensor_copy(x, like, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, like);
        return status;
    }
    like->flags |= TSM_TENSOR_NESTED;
    *lengths = (int64_t *)(void *)(like->storage->data + lengths_offset(like));
    *out = like;
    return TSM_OK;
}

/* ---- From padded tensors and back ---- */

static bool mask_at(const tsm_tensor *mask, tsm_dim row, tsm_dim column) {
    return ((const bool *)mask->data)[row * mask->strides[0] + column * mask->strides[1]];
}

/* Whether each row of the mask is true up to some place and false from there on. */
static bool is_left_aligned(const tsm_tensor *mask) {
    for (tsm_dim r = 0; r < mask->sizes[0]; r++)
        for (tsm_dim c = 1; c < mask->sizes[1]; c++)
            if (mask_at(mask, r, c) && !mask_at(mask, r, c - 1))
                return false;
    return true;
}

static tsm_status check_mask(tsm_exec *x, const tsm_tensor *t, const tsm_tensor *mask) {
    if (mask->dtype != TSM_BOOL)
        return TSM_RAISE(x, "Expected mask to be of ScalarType Bool, but got %s instead.",
                         tsm_dtype_class_name((tsm_dtype)mask->dtype));
    if (mask->dims != 2)
        return TSM_RAISE(x, "Padding mask should be 2D");
    if (t->dims != 3)
        return TSM_RAISE(x, "Input should be a 3D tensor, N * L * D");
    if (t->sizes[0] != mask->sizes[0] || t->sizes[1] != mask->sizes[1])
        return TSM_RAISE(x, "Mask size should match input size");
    return TSM_OK;
}

TSM_KERNEL(aten__nested_tensor_from_mask_left_aligned) {
    TSM_TRY(check_mask(x, arg_tensor(in, 0), arg_tensor(in, 1)));
    return ret_bool(out, is_left_aligned(arg_tensor(in, 1)));
}

TSM_KERNEL(aten__nested_tensor_from_mask) {
    const tsm_tensor *mask = arg_tensor(in, 1);
    TSM_TRY(check_mask(x, arg_tensor(in, 0), mask));
    if (arg_bool(in, 2) && !is_left_aligned(mask))
        return TSM_RAISE(x, "Mask must be left-aligned without gaps");
    if (!arg_tensor(in, 0)->elements)
        return TSM_RAISE(x, "a nested tensor of nothing cannot be made");
    tsm_tensor *made;
    int64_t *lengths;
    TSM_TRY(make_nested(x, arg_tensor(in, 0), &lengths, &made));
    for (tsm_dim r = 0; r < mask->sizes[0]; r++) {
        lengths[r] = 0;
        for (tsm_dim c = 0; c < mask->sizes[1]; c++)
            lengths[r] += mask_at(mask, r, c);
    }
    return ret_tensor(out, made);
}

/* The sizes of the padded tensor: those asked for, or as long as the longest sequence. */
static tsm_status padded_sizes(tsm_exec *x, const tsm_value *const *in, const int64_t *lengths, tsm_dim *sizes) {
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim least[3] = {t->sizes[0], 0, t->sizes[2]};
    for (tsm_dim i = 0; i < t->sizes[0]; i++) {
        tsm_dim rows = nested_rows_of(t, lengths, i);
        least[1] = rows > least[1] ? rows : least[1];
    }
    memcpy(sizes, least, sizeof least);
    if (arg_is_none(in, 2))
        return TSM_OK;
    int given = tsm_arg_ints(x, in, 2, sizes, 3);
    if (given < 0)
        return TSM_RAISED;
    bool fits = given == 3;
    for (int d = 0; d < 3; d++)
        fits = fits && sizes[d] >= least[d];
    if (!fits)
        return TSM_RAISE(x, "Value in output_size is less than NestedTensor padded size. Truncation is not supported.");
    return TSM_OK;
}

/* Fills a new tensor. */
static void fill(tsm_tensor *t, double number) {
    enum { BLOCK = 64 };
    tsm_lane_item items[BLOCK];
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    tsm_lane_fill(tsm_lane_of(dtype), items, tsm_float(number), BLOCK);
    for (tsm_dim i = 0; i < t->elements; i += BLOCK)
        tsm_lane_store(dtype, (char *)t->data + i * size, size, tsm_lane_of(dtype), items,
                       t->elements - i < BLOCK ? t->elements - i : BLOCK);
}

/* Copies the rows of each sequence to where they belong in `to`. */
static tsm_status copy_rows(tsm_exec *x, tsm_tensor *to, tsm_tensor *from, const int64_t *lengths) {
    tsm_status status = TSM_OK;
    for (tsm_dim i = 0; i < from->sizes[0] && status == TSM_OK; i++) {
        tsm_tensor *source, *target;
        tsm_dim sizes[2] = {nested_rows_of(from, lengths, i), from->sizes[2]};
        TSM_TRY(tsm_tensor_view_of(x, from, 2, sizes, from->strides + 1, i * from->strides[0], &source));
        status = tsm_tensor_view_of(x, to, 2, sizes, to->strides + 1, i * to->strides[0], &target);
        if (status == TSM_OK) {
            status = tsm_tensor_copy(x, target, source);
            tsm_tensor_drop(x, target);
        }
        tsm_tensor_drop(x, source);
    }
    return status;
}

TSM_KERNEL(aten_to_padded_tensor) {
    tsm_tensor *t = arg_tensor(in, 0), *made;
    const int64_t *lengths = lengths_of(t);
    tsm_dim sizes[3];
    if (!lengths)
        return TSM_RAISE(x, "to_padded_tensor of a tensor that is not nested");
    TSM_TRY(padded_sizes(x, in, lengths, sizes));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, 3, sizes, &made));
    fill(made, arg_float(in, 1));
    tsm_status status = copy_rows(x, made, t, lengths);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    return ret_tensor(out, made);
}

/* ---- For operators that are made of others ---- */

TSM_KERNEL(tsm_nested_mask) {
    const tsm_tensor *t = arg_tensor(in, 0);
    const int64_t *lengths = lengths_of(t);
    if (!lengths)
        return *out = tsm_none(), TSM_OK;
    tsm_tensor *mask;
    TSM_TRY(tsm_tensor_make(x, TSM_BOOL, 2, t->sizes, &mask));
    bool *m = mask->data;
    for (tsm_dim i = 0; i < t->sizes[0]; i++)
        for (tsm_dim k = 0; k < t->sizes[1]; k++)
            *m++ = k >= nested_rows_of(t, lengths, i);
    return ret_tensor(out, mask);
}

TSM_KERNEL(tsm_nested_like) {
    tsm_tensor *t = arg_tensor(in, 0), *made;
    const tsm_tensor *other = arg_tensor(in, 1);
    const int64_t *from = lengths_of(other);
    if (!from)
        return *out = tsm_hold(*in[0]), TSM_OK;
    if (t->dims != 3 || memcmp(t->sizes, other->sizes, 3 * sizeof *t->sizes) != 0)
        return TSM_RAISE(x, "a nested tensor has other sizes than the one that it follows");
    int64_t *lengths;
    TSM_TRY(make_nested(x, t, &lengths, &made));
    memcpy(lengths, from, (size_t)t->sizes[0] * sizeof *lengths);
    return ret_tensor(out, made);
}
