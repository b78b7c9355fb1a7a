/* The mean over all spatial dimensions of quantized images, on the stored bytes. */
#include "runtime/kernels/reduce/mean_quantized.h"

#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/value/parts.h"

enum { MEAN_ROWS = 32 }; /* input pixels that one call of the inner loop takes */

/* Sums over all pixels of an image, line by line. */
static void sum_image(const tsm_q8_loops *q8, const quantized_image *p, const tsm_dim *in, const uint8_t *image,
                      int32_t *sums) {
    const uint8_t *rows[MEAN_ROWS];
    size_t count = 0;
    memset(sums, 0, p->channels * sizeof *sums);
    for (tsm_dim z = 0; z < in[0]; z++)
        for (tsm_dim v = 0; v < in[1]; v++)
            for (tsm_dim u = 0; u < in[2]; u++) {
                rows[count++] = image + z * p->step[0] + v * p->step[1] + u * p->step[2];
                if (count == MEAN_ROWS) {
                    q8->add_rows(sums, rows, count, p->channels);
                    count = 0;
                }
            }
    q8->add_rows(sums, rows, count, p->channels);
}

/* The mean's distance from the zero point is rounded to even. */
static void average_channels(const int32_t *sums, size_t channels, size_t pixels, int32_t zero_point, uint8_t *y) {
    const float part = 1.0f / (float)pixels;
    for (size_t c = 0; c < channels; c++) {
        float distance = (float)(sums[c] - zero_point * (int32_t)pixels) * part;
        int32_t r = (int32_t)rintf(distance) + zero_point;
        y[c] = (uint8_t)(r < 0 ? 0 : r > 255 ? 255 : r);
    }
}

bool tsm_mean_quantized_fits(const tsm_tensor *a) {
    const tsm_dim most = INT32_MAX / 255; /* pixels whose sum has room */
    return (a->dims == 4 || a->dims == 5) && a->quantizer->axis < 0 &&
           (a->dtype == TSM_QUINT8 || a->dtype == TSM_QINT8) && a->elements > 0 &&
           a->elements / a->sizes[0] / a->sizes[1] <= most;
}

TSM_PART tsm_status tsm_mean_quantized(tsm_exec *x, tsm_tensor *a, bool keep, tsm_value *out) {
    quantized_input input;
    tsm_dim sizes[TSM_MAX_DIMS] = {a->sizes[0], a->sizes[1], 1, 1, 1}, in[3] = {1, 1, 1};
    tsm_tensor *y = NULL;
    for (int d = 2; d < a->dims; d++)
        in[3 - a->dims + d] = a->sizes[d];
    TSM_TRY(tsm_quantized_open_image(x, a, &input));
    tsm_status status = tsm_tensor_make(x, TSM_UINT8, keep ? a->dims : 2, sizes, &y);
    int32_t *sums = status == TSM_OK ? tsm_scratch(x, (size_t)a->sizes[1] * sizeof *sums) : NULL;
    if (status == TSM_OK && !sums)
        status = TSM_OUT_OF_MEMORY;
    quantized_image image = tsm_quantized_image_of(input.tensor);
    for (tsm_dim i = 0; i < a->sizes[0] && status == TSM_OK; i++) {
        sum_image(loops_q8(x), &image, in, image.bytes + i * image.batch_step, sums);
        average_channels(sums, image.channels, (size_t)(in[0] * in[1] * in[2]), input.zero_point,
                         (uint8_t *)y->data + (size_t)i * image.channels);
    }
    tsm_scratch_free(x, sums);
    tsm_tensor_drop(x, input.tensor);
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, quantized_scale(a), quantized_zero_point(a), out);
}
