/* Complex convolutions as four real ones. */
#include "runtime/kernels/nn/conv_complex.h"

#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/shape/shape.h"
#include "runtime/tensor/lanes.h"

enum { IMAGE, WEIGHT, BIAS, FACTORS, MAX_ARGUMENTS = 8 };

/* Real and imaginary parts of the operands, and the four products: [part of the image][part of the weight]. */
typedef struct {
    tsm_value parts[FACTORS][2], made[2][2];
} complex_product;

static tsm_status take_parts(tsm_exec *x, const tsm_value *const *in, complex_product *p) {
    for (int i = 0; i < FACTORS; i++) {
        const tsm_tensor *t = arg_tensor_or_null(in, i);
        if (!t)
            continue;
        if (!tsm_dtype_is_complex((tsm_dtype)t->dtype))
            return TSM_RAISE(x, "%s: input, weight and bias must all be complex, but got %s", tsm_op_name(x),
                             tsm_dtype_name((tsm_dtype)t->dtype));
        TSM_TRY(tsm_kernel_call(x, tsm_k_aten_real, 1, in[i], &p->parts[i][0]));
        TSM_TRY(tsm_kernel_call(x, tsm_k_aten_imag, 1, in[i], &p->parts[i][1]));
    }
    return TSM_OK;
}

/* The bias joins the products of the image's real part. */
static tsm_status multiply_parts(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *const *in,
                                 complex_product *p) {
    tsm_value arguments[MAX_ARGUMENTS];
    for (int i = FACTORS; i < n; i++)
        arguments[i] = *in[i];
    for (int image = 0; image < 2; image++)
        for (int weight = 0; weight < 2; weight++) {
            arguments[IMAGE] = p->parts[IMAGE][image];
            arguments[WEIGHT] = p->parts[WEIGHT][weight];
            arguments[BIAS] = image ? tsm_none() : p->parts[BIAS][weight];
            TSM_TRY(tsm_kernel_call(x, kernel, n, arguments, &p->made[image][weight]));
        }
    return TSM_OK;
}

/* Element i of a made product, in memory. */
static double number_of(tsm_value v, tsm_dim i) {
    const tsm_tensor *t = tsm_as_tensor(v);
    tsm_lane_item item;
    tsm_lane_load(TSM_LANE_F64, &item, (tsm_dtype)t->dtype,
                  (const char *)t->data + i * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype), 0, 1);
    return item.f64;
}

/* The products have no gaps and lie alike: contiguous, or channels-last where the image is. */
static tsm_status join_parts(tsm_exec *x, const complex_product *p, tsm_dtype dtype, tsm_value *out) {
    const tsm_tensor *like = tsm_as_tensor(p->made[0][0]);
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make_like(x, like, dtype, &y));
    for (tsm_dim i = 0; i < y->elements; i++) {
        tsm_lane_item v = {.c = cx(number_of(p->made[0][0], i) - number_of(p->made[1][1], i),
                                   number_of(p->made[0][1], i) + number_of(p->made[1][0], i))};
        tsm_lane_store(dtype, (char *)y->data + (size_t)i * tsm_dtype_size(dtype), 0, TSM_LANE_C128, &v, 1);
    }
    return ret_tensor(out, y);
}

tsm_status tsm_conv_complex(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *const *in, tsm_value *out) {
    complex_product p;
    for (int i = 0; i < 2; i++)
        p.parts[IMAGE][i] = p.parts[WEIGHT][i] = p.parts[BIAS][i] = p.made[0][i] = p.made[1][i] = tsm_none();
    tsm_status status = take_parts(x, in, &p);
    if (status == TSM_OK)
        status = multiply_parts(x, kernel, n, in, &p);
    if (status == TSM_OK)
        status = join_parts(x, &p, (tsm_dtype)arg_tensor(in, IMAGE)->dtype, out);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < FACTORS; k++)
            tsm_drop(x, p.parts[k][i]);
        tsm_drop(x, p.made[0][i]);
        tsm_drop(x, p.made[1][i]);
    }
    return status;
}
