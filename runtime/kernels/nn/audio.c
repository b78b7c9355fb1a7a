/* Filters whose outputs depend on the outputs before: what torchaudio's operators are made of
 * (exporter/library/torch.ops.torchaudio.py). */
#include "runtime/kernels/kernel.h"

#define ELEMENT float
#define NAME recurse_f32
#include "runtime/kernels/nn/recurse.h"
#define ELEMENT double
#define NAME recurse_f64
#include "runtime/kernels/nn/recurse.h"

static bool is_signal(const tsm_tensor *t, tsm_dtype dtype, int dims) {
    return t->dims == dims && t->dtype == dtype && tsm_tensor_is_contiguous(t);
}

/* tsm::recursive_filter(x [batch, channels, samples], a [channels, order], before [batch, channels, order]), where
 * `before` are the outputs before x, the last one last. */
TSM_KERNEL(tsm_recursive_filter) {
    const tsm_tensor *signal = arg_tensor(in, 0), *a = arg_tensor(in, 1), *before = arg_tensor(in, 2);
    const tsm_dtype dtype = (tsm_dtype)signal->dtype;
    if ((dtype != TSM_FLOAT32 && dtype != TSM_FLOAT64) || !is_signal(signal, dtype, 3) || !is_signal(a, dtype, 2) ||
        !is_signal(before, dtype, 3))
        return TSM_RAISE(x, "recursive_filter: expected contiguous Float or Double tensors of 3, 2 and 3 dimensions");
    const tsm_dim channels = signal->sizes[1], samples = signal->sizes[2], order = a->sizes[1];
    if (a->sizes[0] != channels || before->sizes[0] != signal->sizes[0] || before->sizes[1] != channels ||
        before->sizes[2] != order)
        return TSM_RAISE(x, "recursive_filter: the coefficients or the outputs before do not fit the signal");
    tsm_tensor *y;
    TSM_TRY(tsm_charge_product(x, (uint64_t)signal->elements, (uint64_t)order, 1));
    TSM_TRY(tsm_tensor_make(x, dtype, 3, signal->sizes, &y));
    for (tsm_dim line = 0; line < signal->sizes[0] * channels; line++) {
        const tsm_dim at = line * samples, first = line % channels * order;
        if (dtype == TSM_FLOAT32)
            recurse_f32((float *)y->data + at, (const float *)signal->data + at, (const float *)a->data + first,
                        (const float *)before->data + line * order, samples, order);
        else
            recurse_f64((double *)y->data + at, (const double *)signal->data + at, (const double *)a->data + first,
                        (const double *)before->data + line * order, samples, order);
    }
    return ret_tensor(out, y);
}
