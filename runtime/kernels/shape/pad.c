/* Padding. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/tensor/iter.h"
#include "runtime/value/chars.h"

typedef enum { PAD_CONSTANT, PAD_REFLECT, PAD_REPLICATE, PAD_CIRCULAR } pad_mode;

/* A dimension of the input; what a negative amount cuts off at its sides is not repeated in circles. */
typedef struct {
    tsm_dim size, left, right;
} pad_side;

static tsm_dim uncut(const pad_side *s) {
    return s->size + (s->left < 0 ? s->left : 0) + (s->right < 0 ? s->right : 0);
}

static tsm_dim around(const pad_side *s, tsm_dim i) {
    const tsm_dim first = s->left < 0 ? -s->left : 0, n = uncut(s);
    tsm_dim turned = i - first;
    if (turned < -n || turned >= n) /* seldom, and divisions are slow */
        turned %= n;
    return first + (turned < 0 ? turned + n : turned);
}

/* Where position i (of a padded dimension, counted from the input's start) comes from; -1: the fill value. */
static inline tsm_dim source_of(pad_mode mode, tsm_dim i, const pad_side *s) {
    if (mode == PAD_CIRCULAR)
        return around(s, i);
    if (i >= 0 && i < s->size)
        return i;
    switch (mode) {
    case PAD_REFLECT:
        return i < 0 ? -i : 2 * (s->size - 1) - i;
    case PAD_REPLICATE:
        return i < 0 ? 0 : s->size - 1;
    default:
        return -1;
    }
}

static tsm_dim padded_size(tsm_dim size, tsm_dim left, tsm_dim right) {
    return tsm_dim_add(tsm_dim_add(size, left), right);
}

static tsm_status check_amounts(tsm_exec *x, const tsm_tensor *t, pad_mode mode, int n, const tsm_dim *pads) {
    if (n % 2)
        return TSM_RAISE(x, "Padding length must be divisible by 2");
    if (n / 2 > t->dims)
        return TSM_RAISE(x,
                         "Length of pad should be no more than twice the number of dimensions of the input. Pad length "
                         "is %d while the "
                         "input has %d dimensions.",
                         n, t->dims);
    for (int k = 0; k < n; k++) {
        int d = t->dims - 1 - k / 2;
        const tsm_dim most = PTRDIFF_MAX / 4;
        if (pads[k] > most || pads[k] < -most || t->sizes[d] > most)
            return TSM_RAISE(x, "%s: padding by %ld is not possible", tsm_op_name(x), (int64_t)pads[k]);
        if (mode == PAD_REFLECT && pads[k] >= t->sizes[d])
            return TSM_RAISE(x,
                             "Argument #4: Padding size should be less than the corresponding input dimension, but "
                             "got: padding (%zd, %zd) "
                             "at dimension %d of input",
                             (ptrdiff_t)pads[k & ~1], (ptrdiff_t)pads[k | 1], d);
        if (mode == PAD_CIRCULAR && pads[k] > t->sizes[d])
            return TSM_RAISE(x, "Padding value causes wrapping around more than once.");
        tsm_dim left = pads[k & ~1], right = pads[k | 1];
        /* The first two checks keep the sum of the third from wrapping below the range of tsm_dim. */
        bool is_negative = left < -t->sizes[d] || right < -t->sizes[d] || padded_size(t->sizes[d], left, right) < 0;
        if (mode == PAD_CIRCULAR && is_negative)
            return TSM_RAISE(x, "Negative padding value is resulting in an empty dimension");
        if (is_negative)
            return TSM_RAISE(x,
                             "The input size %zd, plus negative padding %zd and %zd, resulted in a negative output "
                             "size, which is invalid. "
                             "Check dimension %d of your input.",
                             (ptrdiff_t)t->sizes[d], (ptrdiff_t)left, (ptrdiff_t)right, d);
    }
    return TSM_OK;
}

/* A row of the input, and the element that stands where there is none. */
typedef struct {
    pad_mode mode;
    const pad_side *side;
    const char *from, *element;
    tsm_dim step; /* bytes */
    size_t size;
} pad_source;

/* Elements `begin` to `end` of a row of the result, which lie on one side of the input: each mode's come in runs. */
static void pad_margin(const pad_source *s, char *to, tsm_dim begin, tsm_dim end) {
    for (tsm_dim i = begin, n; i < end; i += n) {
        const tsm_dim k = source_of(s->mode, i - s->side->left, s->side);
        const char *from = k < 0 ? s->element : s->from + k * s->step;
        tsm_dim step = 0; /* one element, repeated */
        n = end - i;
        if (n == 1 && s->size == sizeof(float)) { /* most margins */
            memcpy(to + (size_t)i * sizeof(float), from, sizeof(float));
            continue;
        }
        if (n == 1 && s->size == 1) {
            to[i] = *from;
            continue;
        }
        if (s->mode == PAD_REFLECT) {
            step = -s->step;
        } else if (s->mode == PAD_CIRCULAR) {
            step = s->step;
            n = tsm_dim_min(n, uncut(s->side) + (s->side->left < 0 ? -s->side->left : 0) - k);
        }
        tsm_copy_run(to + (size_t)i * s->size, (tsm_dim)s->size, from, step, n, s->size);
    }
}

/* Few elements of four bytes are written here: most margins are short. */
static inline void fill_margin(const pad_source *s, char *to, tsm_dim begin, tsm_dim end) {
    enum { FEW = 8 };
    if (s->size != sizeof(float) || end - begin > FEW) {
        pad_margin(s, to, begin, end);
        return;
    }
    for (tsm_dim i = begin; i < end; i++)
        memcpy(to + (size_t)i * sizeof(float), s->element, sizeof(float));
}

/* A row of the result, of n elements. */
static void pad_row(const pad_source *s, char *to, tsm_dim n) {
    const tsm_dim left = s->side->left;
    const tsm_dim begin = tsm_dim_min(n, tsm_dim_max(left, 0)); /* of what lies as in the input */
    const tsm_dim end = tsm_dim_max(begin, n - tsm_dim_max(s->side->right, 0));
    if (s->mode == PAD_CONSTANT && s->step == (tsm_dim)s->size) {
        fill_margin(s, to, 0, begin);
        memcpy(to + (size_t)begin * s->size, s->from + (begin - left) * s->step, (size_t)(end - begin) * s->size);
        fill_margin(s, to, end, n);
        return;
    }
    pad_margin(s, to, 0, begin);
    tsm_copy_run(to + (size_t)begin * s->size, (tsm_dim)s->size, s->from + (begin - left) * s->step, s->step,
                 end - begin, s->size);
    pad_margin(s, to, end, n);
}

#if TSM_NARROW_LANES
/* Rows of the result, of n elements each, from rows of the input that lie row_step bytes apart. Short ones go column by
 * column at their sides, a band of them at a time. */
static void pad_rows(pad_source *s, char *to, tsm_dim n, tsm_dim rows, tsm_dim row_step) {
    enum { BAND_BYTES = 16384, ROW_BYTES = 512, COLUMNS = 16 };
    const tsm_dim size = (tsm_dim)s->size, left = s->side->left, step = n * size;
    const tsm_dim begin = tsm_dim_min(n, tsm_dim_max(left, 0));
    const tsm_dim end = tsm_dim_max(begin, n - tsm_dim_max(s->side->right, 0)), margins = begin + n - end;
    if (rows == 1 || step > ROW_BYTES || margins > COLUMNS || s->step != size) {
        for (tsm_dim r = 0; r < rows; r++, to += step, s->from += row_step)
            pad_row(s, to, n);
        return;
    }
    for (tsm_dim r = 0, m; r < rows; r += m, to += m * step, s->from += m * row_step) {
        m = tsm_dim_min(rows - r, BAND_BYTES / step + 1);
        tsm_copy_rows(to + begin * size, step, s->from + (begin - left) * size, row_step, m,
                      (size_t)((end - begin) * size));
        for (tsm_dim c = 0; c < margins; c++) {
            const tsm_dim i = c < begin ? c : c - begin + end, k = source_of(s->mode, i - left, s->side);
            tsm_copy_run(to + i * size, step, k < 0 ? s->element : s->from + k * size, k < 0 ? 0 : row_step, m,
                         s->size);
        }
    }
}
#else
#define pad_rows(s, to, n, rows, row_step) pad_row(s, to, n)
#endif

/* How many rows from this one on, of a dimension, lie inside the input. */
static tsm_dim rows_inside(tsm_dim position, const pad_side *s, tsm_dim padded) {
#if TSM_NARROW_LANES
    if (position >= s->left)
        return tsm_dim_max(1, tsm_dim_min(padded, s->left + s->size) - position);
#else
    (void)position, (void)s, (void)padded;
#endif
    return 1;
}

/* y has the padded sizes; a tensor without dimensions is copied. */
static void fill_padded(pad_mode mode, const tsm_tensor *t, const pad_side *sides, const char *element, tsm_tensor *y) {
    static const pad_side one = {1, 0, 0};
    const int last = t->dims - 1;
    const size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    pad_source s = {mode, t->dims ? &sides[last] : &one, NULL, element, t->dims ? tsm_tensor_step(t, last) : 0, size};
    const tsm_dim row = t->dims ? y->sizes[last] : 1, rows = row ? y->elements / row : 0;
    tsm_dim position[TSM_MAX_DIMS] = {0}, base = 0; /* base, is_beyond: of all dimensions but the last two */
    bool is_beyond = false;
    char *to = y->data;
    for (tsm_dim r = 0, n; r < rows; r += n, to += (size_t)(n * row) * size) {
        if (last > 0 && position[last - 1] == 0) {
            base = 0;
            is_beyond = false;
            for (int d = last - 2; d >= 0; d--) {
                const tsm_dim from = source_of(mode, position[d] - sides[d].left, &sides[d]);
                is_beyond |= from < 0;
                base += from * t->strides[d];
            }
        }
        n = is_beyond ? y->sizes[last - 1] : 1; /* a whole plane has no input */
        const tsm_dim from =
            last > 0 ? source_of(mode, position[last - 1] - sides[last - 1].left, &sides[last - 1]) : 0;
        s.from = (const char *)t->data + (base + (last > 0 ? from * t->strides[last - 1] : 0)) * (tsm_dim)size;
        if (is_beyond || from < 0) {
            tsm_copy_run(to, (tsm_dim)size, element, 0, n * row, size);
        } else {
            n = last > 0 ? rows_inside(position[last - 1], &sides[last - 1], y->sizes[last - 1]) : 1;
            /* Of one row its stride may be anything. */
            pad_rows(&s, to, row, n, n > 1 ? t->strides[last - 1] * (tsm_dim)size : 0);
        }
        if (last > 0)
            position[last - 1] += n;
        for (int d = last - 1; d >= 0 && position[d] == y->sizes[d]; d--) {
            position[d] = 0;
            if (d > 0)
                position[d - 1]++;
        }
    }
}

/* Modes that look at the input pad one to three dimensions behind channels, and behind a batch. The batch may be empty,
 * and channels without a batch where they are reflected. PyTorch 1.13 wants a batch where rows go round, 2.6 does not.
 * PyTorch's aten::pad has a class of its own for what it does not have. */
static tsm_status check_rank(tsm_exec *x, const tsm_tensor *t, pad_mode mode, int n) {
    const int extra = t->dims - n / 2;
    bool has_channels = true;
    if (mode == PAD_CONSTANT)
        return TSM_OK;
    if (n < 2 || n > 6 || (extra != 2 && extra != 1))
        return TSM_RAISE(x,
                         "NotImplementedError: Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for "
                         "now, but got %d amounts for a tensor of %d dimensions",
                         n, t->dims);
    for (int d = mode == PAD_REFLECT ? 1 : extra - 1; d < t->dims; d++)
        has_channels &= t->sizes[d] > 0;
    return has_channels || mode == PAD_CIRCULAR
               ? TSM_OK
               : TSM_RAISE(x,
                           "Expected a tensor with possibly 0 batch size and other non-zero dimensions for input, but "
                           "got one of %d dimensions with an empty one",
                           t->dims);
}

/* Dimensions d and d + 1 of both tensors change places. */
static void pad_swap_dims(tsm_tensor *from, tsm_tensor *to, pad_side *sides, int d) {
    const pad_side side = sides[d];
    tsm_tensor *both[2] = {from, to};
    sides[d] = sides[d + 1];
    sides[d + 1] = side;
    for (int i = 0; i < 2; i++) {
        const tsm_dim size = both[i]->sizes[d], stride = both[i]->strides[d];
        both[i]->sizes[d] = both[i]->sizes[d + 1];
        both[i]->strides[d] = both[i]->strides[d + 1];
        both[i]->sizes[d + 1] = size;
        both[i]->strides[d + 1] = stride;
    }
}

/* Takes the last two dimensions for one, where the last is not padded and its elements continue those of the other. */
static bool pad_join_last_dims(tsm_tensor *from, tsm_tensor *to, pad_side *sides) {
    const int last = from->dims - 1;
    if (last < 1 || sides[last].left || sides[last].right ||
        from->strides[last - 1] != from->sizes[last] * from->strides[last])
        return false;
    const tsm_dim n = from->sizes[last];
    tsm_tensor *both[2] = {from, to};
    sides[last - 1].size *= n;
    sides[last - 1].left *= n;
    sides[last - 1].right *= n;
    for (int i = 0; i < 2; i++) {
        both[i]->sizes[last - 1] *= n;
        both[i]->strides[last - 1] = both[i]->strides[last];
        both[i]->dims--;
    }
    return true;
}

/* Takes dimensions d and d + 1 for one, where neither is padded and those of the second continue those of the first. */
static void pad_join_whole_dims(tsm_tensor *from, tsm_tensor *to, pad_side *sides, int d) {
    tsm_tensor *both[2] = {from, to};
    for (int k = d; k < d + 2; k++)
        if (sides[k].left || sides[k].right)
            return;
    if (from->strides[d] != tsm_dim_mul(from->sizes[d + 1], from->strides[d + 1]))
        return;
    sides[d].size *= sides[d + 1].size;
    for (int i = 0; i < 2; i++) {
        tsm_tensor *t = both[i];
        t->sizes[d] *= t->sizes[d + 1];
        t->strides[d] = t->strides[d + 1];
        for (int k = d + 1; k + 1 < t->dims; k++) {
            t->sizes[k] = t->sizes[k + 1];
            t->strides[k] = t->strides[k + 1];
        }
        t->dims--;
    }
    for (int k = d + 1; k < from->dims; k++)
        sides[k] = sides[k + 1];
}

/* pads: (left, right) of the last dimension, then of the one before, ... */
static tsm_status pad(tsm_exec *x, tsm_tensor *t, pad_mode mode, int n, const tsm_dim *pads, tsm_value fill,
                      tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    pad_side sides[TSM_MAX_DIMS];
    TSM_TRY(check_rank(x, t, mode, n));
    TSM_TRY(check_amounts(x, t, mode, n, pads));
    TSM_TRY(tsm_check_number(x, (tsm_dtype)t->dtype, fill));
    for (int d = 0; d < t->dims; d++) {
        int k = t->dims - 1 - d;
        sides[d] = (pad_side){t->sizes[d], k < n / 2 ? pads[2 * k] : 0, k < n / 2 ? pads[2 * k + 1] : 0};
        sizes[d] = padded_size(t->sizes[d], sides[d].left, sides[d].right);
        if (mode == PAD_CIRCULAR && sizes[d] > 0 && uncut(&sides[d]) < 1)
            return TSM_RAISE(x, "Negative padding value is resulting in an empty dimension");
    }
    tsm_tensor *y, *element = NULL;
    tsm_dim strides[TSM_MAX_DIMS];
    const bool is_channels_last = mode == PAD_CONSTANT && tsm_tensor_suggests_channels_last(t);
    tsm_strides_contiguous(t->dims, sizes, strides);
    if (is_channels_last)
        tsm_strides_channels_last(t->dims, sizes, strides);
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)t->dtype, t->dims, sizes, strides, &y));
    tsm_status status = tsm_tensor_scalar(x, (tsm_dtype)t->dtype, fill, &element);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    tsm_tensor from = *t, to = *y;
    tsm_dim from_sizes[TSM_MAX_DIMS], from_strides[TSM_MAX_DIMS];
    memcpy(from_sizes, t->sizes, (size_t)t->dims * sizeof *from_sizes);
    memcpy(from_strides, t->strides, (size_t)t->dims * sizeof *from_strides);
    from.sizes = from_sizes;
    from.strides = from_strides;
    to.sizes = sizes;
    to.strides = strides;
    for (int d = 1; is_channels_last && d + 1 < t->dims; d++)
        pad_swap_dims(&from, &to, sides, d);
    while (mode == PAD_CONSTANT && pad_join_last_dims(&from, &to, sides))
        continue;
    for (int d = from.dims - 2; d >= 0; d--)
        pad_join_whole_dims(&from, &to, sides, d);
    fill_padded(mode, &from, sides, element->data, &to);
    tsm_tensor_drop(x, element);
    return ret_tensor(out, y);
}

static bool pad_is_text(const tsm_str *s, const char *text) {
    return s->length == tsm_chars_length(text) && !memcmp(s->text, text, s->length);
}

static tsm_status pad_list(tsm_exec *x, const tsm_value *const *in, pad_mode mode, tsm_value fill, tsm_value *out) {
    tsm_dim pads[2 * TSM_MAX_DIMS];
    const bool takes_quantized = mode == PAD_CONSTANT || (mode == PAD_REFLECT && arg_list(in, 1)->length < 6);
    if (arg_tensor(in, 0)->quantizer && !takes_quantized)
        return tsm_refuse_quantized(x);
    if (arg_tensor(in, 0)->quantizer) /* the number that fills is quantized too */
        return mode == PAD_CONSTANT ? tsm_quantized_through_floats(x, in, out) : tsm_quantized_as_stored(x, in, out);
    if ((mode == PAD_REFLECT || mode == PAD_REPLICATE) && arg_tensor(in, 0)->dtype == TSM_BOOL)
        return TSM_RAISE(x, "\"%s\" not implemented for 'Bool'", tsm_op_name(x));
    int n = tsm_arg_ints(x, in, 1, pads, 2 * TSM_MAX_DIMS);
    return n < 0 ? TSM_RAISED : pad(x, arg_tensor(in, 0), mode, n, pads, fill, out);
}

TSM_KERNEL(aten_pad) {
    static const char *const names[] = {"constant", "reflect", "replicate", "circular"};
    const tsm_str *mode = arg_str(in, 2);
    int i = 0;
    while (i < 4 && !pad_is_text(mode, names[i]))
        i++;
    if (i == 4)
        return TSM_RAISE(x, "Unrecognised padding mode %.*s", (int)mode->length, mode->text);
    if (i != PAD_CONSTANT && !arg_is_none(in, 3) && arg_float(in, 3) != 0)
        return TSM_RAISE(x, "Padding mode \"%s\" doesn't take in value argument", names[i]);
    return pad_list(x, in, (pad_mode)i, arg_is_none(in, 3) ? tsm_int(0) : *in[3], out);
}
TSM_KERNEL(aten_constant_pad_nd) {
    return pad_list(x, in, PAD_CONSTANT, *in[2], out);
}
TSM_KERNEL(aten_reflection_pad1d) {
    return pad_list(x, in, PAD_REFLECT, tsm_int(0), out);
}
TSM_KERNEL_ALIAS(aten_reflection_pad2d, aten_reflection_pad1d);
TSM_KERNEL_ALIAS(aten_reflection_pad3d, aten_reflection_pad1d);
TSM_KERNEL(aten_replication_pad1d) {
    return pad_list(x, in, PAD_REPLICATE, tsm_int(0), out);
}
TSM_KERNEL_ALIAS(aten_replication_pad2d, aten_replication_pad1d);
TSM_KERNEL_ALIAS(aten_replication_pad3d, aten_replication_pad1d);
