/* What the kernels of quantized tensors share.
 *
 * The loops (simd/q8.h) know activations as uint8 only. A qint8 tensor is the quint8 one with all its bytes and its
 * zero point moved by 128, so kernels compute on a moved copy of such an input and move the result back. */
#ifndef TSM_KERNELS_QUANTIZER_QUANTIZED_TENSOR_H
#define TSM_KERNELS_QUANTIZER_QUANTIZED_TENSOR_H

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"

enum { QUANTIZED_ARGUMENTS = 12 };

static inline bool quantized_is(const tsm_tensor *t) {
    return t->quantizer != NULL;
}
static inline double quantized_scale(const tsm_tensor *t) {
    return t->quantizer->scales[0];
}
static inline int64_t quantized_zero_point(const tsm_tensor *t) {
    return t->quantizer->zero_points[0];
}

/* Elements of t that an operator chooses lie in a tensor of their own: raises where t has a quantizer for each channel.
 */
tsm_status tsm_quantized_check_chosen(tsm_exec *x, const tsm_tensor *t);

/* Gives y, a new tensor of elements chosen from t, the quantizer of t, if it has one. */
static inline void quantized_chosen(tsm_tensor *y, const tsm_tensor *t) {
    y->quantizer = t->quantizer;
    if (t->quantizer)
        t->quantizer->references++;
}

/* A view of t, which is quantized per channel by whole zero points: `axis` is where its channels are, every step-th
 * from `first`; one channel that was chosen is a quantizer for the whole tensor (-1). */
tsm_status tsm_quantized_view(tsm_exec *x, const tsm_tensor *t, int dims, const tsm_dim *sizes, const tsm_dim *strides,
                              tsm_dim offset, int axis, tsm_dim first, tsm_dim step, tsm_value *out);

/* Gives y, which is of a quantized dtype, a quantizer for the whole tensor. */
tsm_status tsm_quantized_set(tsm_exec *x, tsm_tensor *y, double scale, int64_t zero_point);

/* An activation as the loops read it: bytes of uint8 and their zero point. `tensor` has one count: the argument itself,
 * or a copy. */
typedef struct {
    tsm_tensor *tensor;
    float scale;
    int32_t zero_point;
} quantized_input;

/* Raises PyTorch's text when t is not quint8 or qint8, quantized per tensor. */
tsm_status tsm_quantized_open(tsm_exec *x, tsm_tensor *t, const char *what, quantized_input *input);

/* The zero point of a result of `dtype` as the loops want it. Raises when it is not a number of that dtype. */
tsm_status tsm_quantized_result_zero(tsm_exec *x, tsm_dtype dtype, int64_t zero_point, int32_t *of_bytes);

/* A result whose bytes are computed as uint8: makes it a tensor of `dtype` with its quantizer. Gives the count of y
 * back when `status` or this fails. */
tsm_status tsm_quantized_close(tsm_exec *x, tsm_status status, tsm_tensor *y, tsm_dtype dtype, double scale,
                               int64_t zero_point, tsm_value *out);

/* The quantizer that PyTorch chooses for floats of a range: stored numbers 0 to `most`, 0 being one of them exactly. */
void tsm_quantized_choose(float least, float greatest, int32_t most, float *scale, int32_t *zero_point);

/* Copies with conversion, as Tensor.copy_ does between tensors of which at least one is quantized: floats are quantized
 * by the destination's parameters; a quantized source brings its own. */
tsm_status tsm_quantized_copy(tsm_exec *x, tsm_tensor *to, tsm_tensor *from);

/* A kernel called with n arguments, the first of which is replaced: that of an operator written for floats or integers.
 */
typedef struct {
    tsm_kernel kernel;
    int n;
    tsm_value arguments[QUANTIZED_ARGUMENTS];
} quantized_call;

/* Element by element: computed on the 256 values that a byte can stand for, and looked up. The result has these
 * parameters. */
tsm_status tsm_quantized_map(tsm_exec *x, const quantized_call *call, double scale, int64_t zero_point, tsm_value *out);

/* The bytes that `map` has for those of t, which is quantized per tensor and of bytes. The result has these parameters.
 */
tsm_status tsm_quantized_look_up(tsm_exec *x, tsm_tensor *t, const uint8_t *map, double scale, int64_t zero_point,
                                 tsm_value *out);

/* The running operator element by element: with the parameters of the input, or with those that PyTorch fixes for the
 * operator (`zero_point` for quint8). */
tsm_status tsm_quantized_map_same(tsm_exec *x, const tsm_value *const *in, tsm_value *out);
tsm_status tsm_quantized_map_fixed(tsm_exec *x, const tsm_value *const *in, double scale, int64_t zero_point,
                                   tsm_value *out);

/* The running operator on floats: its first input dequantized, its result quantized with the input's parameters. */
tsm_status tsm_quantized_through_floats(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* The same on the distances of stored numbers from the zero point, in the place of what they stand for: an average is
 * rounded to the even one of two that are equally near. */
tsm_status tsm_quantized_through_steps(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* The running operator on the stored integers, where it only chooses among elements; the result has the input's
 * quantizer. */
tsm_status tsm_quantized_as_stored(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* aten::masked_fill of a quantized tensor, with what it stores for the value. */
tsm_status tsm_quantized_masked_fill(tsm_exec *x, const tsm_value *const *in, tsm_value *out);

/* An image [N, C, spatial...] of bytes whose channels lie together. */
typedef struct {
    const uint8_t *bytes;
    size_t channels;
    ptrdiff_t batch_step, step[3]; /* of three spatial dimensions; missing ones come first */
} quantized_image;

/* Puts a channels-last copy in the place of an opened image, or drops it on failure. */
tsm_status tsm_quantized_interleave(tsm_exec *x, quantized_input *input);
/* tsm_quantized_open, with the channels together. */
tsm_status tsm_quantized_open_image(tsm_exec *x, tsm_tensor *t, quantized_input *input);
quantized_image tsm_quantized_image_of(const tsm_tensor *t);

TSM_KERNEL_DECLARE(aten_dequantize_self);
TSM_KERNEL_DECLARE(aten_quantize_per_tensor);

#endif
