/* im2col and col2im (torch.nn.Unfold and Fold): the windows of an image as columns, and columns added up to an image.
 */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/nn/nn.h"

typedef struct {
    tsm_dim kernel[2], dilation[2], padding[2], stride[2];
    tsm_dim image[2], windows[2]; /* sizes of an image and how many windows lie in it, by dimension */
    tsm_dim planes;
} fold_shape;

/* Reads four lists of two from argument `first` on. */
static tsm_status read_window(tsm_exec *x, const tsm_value *const *in, int first, fold_shape *s) {
    TSM_TRY(tsm_nn_ints(x, in, first, "kernel_size", 2, NULL, s->kernel));
    TSM_TRY(tsm_nn_ints(x, in, first + 1, "dilation", 2, NULL, s->dilation));
    TSM_TRY(tsm_nn_ints(x, in, first + 2, "padding", 2, NULL, s->padding));
    TSM_TRY(tsm_nn_ints(x, in, first + 3, "stride", 2, NULL, s->stride));
    for (int d = 0; d < 2; d++)
        if (s->kernel[d] < 1 || s->dilation[d] < 1 || s->stride[d] < 1)
            return TSM_RAISE(x, "%s: kernel size, dilation and stride should be greater than zero", tsm_op_name(x));
    if (s->padding[0] < 0 || s->padding[1] < 0)
        return TSM_RAISE(x, "padding should be non-negative, but got pad_height: %ld pad_width: %ld",
                         (int64_t)s->padding[0], (int64_t)s->padding[1]);
    return TSM_OK;
}

/* Of floats and complex numbers, and of bools as PyTorch 2 does. */
static tsm_status check_fold_elements(tsm_exec *x, const char *what, const tsm_tensor *t) {
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    if (tsm_dtype_is_floating(dtype) || tsm_dtype_is_complex(dtype) || dtype == TSM_BOOL)
        return TSM_OK;
    return tsm_loops_missing(x, what, dtype);
}

static tsm_status count_windows(tsm_exec *x, fold_shape *s) {
    for (int d = 0; d < 2; d++) {
        tsm_dim room = tsm_dim_add(s->image[d], 2 * s->padding[d]) - tsm_dim_mul(s->dilation[d], s->kernel[d] - 1) - 1;
        s->windows[d] = room < 0 ? 0 : room / s->stride[d] + 1;
        if (s->windows[d] < 1)
            return TSM_RAISE(x, "%s: the calculated shape of the array of sliding blocks must be at least one",
                             tsm_op_name(x));
    }
    return TSM_OK;
}

/* What is done with n numbers of a column from `column` on, whose places in the image are `place`, `place + step`... */
typedef void visit_run(void *context, tsm_dim column, tsm_dim place, tsm_dim step, tsm_dim n);

/* Visits all numbers of the columns [planes][kernel][windows] but those in the padding, a line of windows at a time. In
 * line, so that each of the loops below has its own copy, with the visit in it. */
static inline __attribute__((always_inline)) void walk(const fold_shape *s, visit_run *visit, void *context) {
    const tsm_dim width = s->image[1], step = s->stride[1];
    tsm_dim column = 0;
    for (tsm_dim plane = 0; plane < s->planes; plane++)
        for (tsm_dim ky = 0; ky < s->kernel[0]; ky++)
            for (tsm_dim kx = 0; kx < s->kernel[1]; kx++) {
                /* Windows `first` to `last` lie in the image with this number. */
                const tsm_dim left = kx * s->dilation[1] - s->padding[1];
                const tsm_dim first = left < 0 ? (-left - 1) / step + 1 : 0;
                const tsm_dim last = left < width ? tsm_dim_min((width - 1 - left) / step, s->windows[1] - 1) : -1;
                for (tsm_dim wy = 0; wy < s->windows[0]; wy++, column += s->windows[1]) {
                    const tsm_dim row = wy * s->stride[0] - s->padding[0] + ky * s->dilation[0];
                    if (row >= 0 && row < s->image[0] && first <= last)
                        visit(context, column + first, (plane * s->image[0] + row) * width + left + first * step,
                              last > first ? step : 1, last - first + 1);
                }
            }
}

typedef struct {
    const char *image;
    char *columns;
    size_t size; /* of an element */
} gathering;

static void im2col_gather(void *context, tsm_dim column, tsm_dim place, tsm_dim step, tsm_dim n) {
    const gathering *g = context;
    const tsm_dim size = (tsm_dim)g->size;
    tsm_copy_run(g->columns + column * size, size, g->image + place * size, step * size, n, g->size);
}

TSM_KERNEL(aten_im2col) {
    tsm_tensor *a = arg_tensor(in, 0), *image, *y;
    fold_shape s = {.planes = 1};
    TSM_TRY(read_window(x, in, 1, &s));
    if (a->dims != 3 && a->dims != 4)
        return TSM_RAISE(x, "im2col: Expected 3D or 4D input tensor, but got %d dimensions", a->dims);
    TSM_TRY(check_fold_elements(x, "im2col_out_cpu", a));
    int lead = a->dims - 3;
    for (int d = 0; d < 2; d++)
        s.image[d] = a->sizes[lead + 1 + d];
    TSM_TRY(count_windows(x, &s));
    s.planes = a->sizes[lead] * (lead ? a->sizes[0] : 1);
    tsm_dim sizes[3] = {a->sizes[0], tsm_dim_mul(tsm_dim_mul(a->sizes[lead], s.kernel[0]), s.kernel[1]),
                        tsm_dim_mul(s.windows[0], s.windows[1])};
    tsm_dtype dtype = (tsm_dtype)a->dtype;
    TSM_TRY(tsm_kernel_contiguous(x, a, dtype, &image));
    tsm_status status = tsm_tensor_make(x, dtype, 2 + lead, lead ? sizes : sizes + 1, &y);
    if (status == TSM_OK) {
        size_t size = tsm_dtype_size(dtype);
        gathering g = {image->data, y->data, size};
        if (s.padding[0] || s.padding[1]) /* which no line of windows writes */
            memset(y->data, 0, (size_t)y->elements * size);
        walk(&s, im2col_gather, &g);
        *out = tsm_of_tensor(y);
    }
    tsm_tensor_drop(x, image);
    return status;
}

typedef struct {
    const void *columns;
    void *image;
} adding;

#define IM2COL_ADD(name, T)                                                                                            \
    static void name(void *context, tsm_dim column, tsm_dim place, tsm_dim step, tsm_dim n) {                          \
        const adding *a = context;                                                                                     \
        T *image = (T *)a->image + place;                                                                              \
        const T *columns = (const T *)a->columns + column;                                                             \
        for (tsm_dim i = 0; i < n; i++)                                                                                \
            image[i * step] += columns[i];                                                                             \
    }
IM2COL_ADD(im2col_add_f32, float)
IM2COL_ADD(im2col_add_f64, double)

static void im2col_add_c128(void *context, tsm_dim column, tsm_dim place, tsm_dim step, tsm_dim n) {
    const adding *a = context;
    tsm_complex *image = (tsm_complex *)a->image + place;
    const tsm_complex *columns = (const tsm_complex *)a->columns + column;
    for (tsm_dim i = 0; i < n; i++)
        image[i * step] = cx_add(image[i * step], columns[i]);
}

static void im2col_add_columns(const fold_shape *s, const tsm_tensor *columns, tsm_tensor *y) {
    adding a = {columns->data, y->data};
    memset(y->data, 0, (size_t)y->elements * tsm_dtype_size((tsm_dtype)y->dtype));
    switch ((tsm_dtype)y->dtype) {
    case TSM_FLOAT32:
        walk(s, im2col_add_f32, &a);
        break;
    case TSM_FLOAT64:
        walk(s, im2col_add_f64, &a);
        break;
    default:
        walk(s, im2col_add_c128, &a);
        break;
    }
}

TSM_KERNEL(aten_col2im) {
    tsm_tensor *a = arg_tensor(in, 0), *columns, *y = NULL;
    fold_shape s = {.planes = 1};
    TSM_TRY(tsm_nn_ints(x, in, 1, "output_size", 2, NULL, s.image));
    TSM_TRY(read_window(x, in, 2, &s));
    if (a->dims != 2 && a->dims != 3)
        return TSM_RAISE(x, "col2im: Expected 2D or 3D input tensor, but got %d dimensions", a->dims);
    TSM_TRY(count_windows(x, &s));
    int lead = a->dims - 2;
    tsm_dim window = s.kernel[0] * s.kernel[1], channels = a->sizes[lead] / window;
    if (a->sizes[lead] % window)
        return TSM_RAISE(x,
                         "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                         "input.size(1)=%zd and a product of %zd.",
                         (ptrdiff_t)a->sizes[lead], (ptrdiff_t)window);
    if (a->sizes[lead + 1] != s.windows[0] * s.windows[1])
        return TSM_RAISE(x,
                         "Given output_size and the other numbers, expected size of input's dimension 2 to match the "
                         "calculated number of "
                         "sliding blocks %zd * %zd, but got input.size(2)=%zd.",
                         (ptrdiff_t)s.windows[0], (ptrdiff_t)s.windows[1], (ptrdiff_t)a->sizes[lead + 1]);
    TSM_TRY(check_fold_elements(x, "col2im_out_cpu", a));
    s.planes = channels * (lead ? a->sizes[0] : 1);
    tsm_dim sizes[4] = {a->sizes[0], channels, s.image[0], s.image[1]};
    /* A sum of bools is true where any is. */
    tsm_dtype dtype = a->dtype == TSM_BOOL ? TSM_FLOAT32 : tsm_kernel_compute_dtype((tsm_dtype)a->dtype);
    TSM_TRY(tsm_kernel_contiguous(x, a, dtype, &columns));
    tsm_status status = tsm_tensor_make(x, dtype, 3 + lead, lead ? sizes : sizes + 1, &y);
    if (status == TSM_OK)
        im2col_add_columns(&s, columns, y);
    tsm_tensor_drop(x, columns);
    return tsm_kernel_finish(x, status, y, (tsm_dtype)a->dtype, out);
}
