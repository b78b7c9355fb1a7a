/* What tsmobile's own operators do to a product on its way to memory: bias, residual, activation, as their arguments
 * say. */
#ifndef TSM_KERNELS_NN_FINISH_H
#define TSM_KERNELS_NN_FINISH_H

#include "runtime/kernels/nn/nn.h"

typedef struct {
    tsm_finish finish;    /* bias and activation; the residual is set by the kernel where it fits */
    tsm_tensor *residual; /* borrowed; NULL: none */
} fused_finish;

/* Reads bias and residual from arguments `bias`, `bias` + 1 and activation, low, high from `activation` on. */
tsm_status tsm_fused_read(tsm_exec *x, const tsm_value *const *in, int bias, int activation, tsm_dim outputs,
                          fused_finish *f);

/* The residual (if any) can be added in the loop: it is float32 and has the shape of y. */
bool tsm_fused_residual_fits(const fused_finish *f, const tsm_tensor *y);

/* Whether the program is linked with activations other than relu and clamps. */
tsm_status tsm_fused_check_activation(tsm_exec *x);

/* activation(y + residual), as aten::add and the activation would compute it. */
tsm_status tsm_fused_add_residual(tsm_exec *x, const fused_finish *f, tsm_tensor *y, tsm_value *out);

/* Gives y as the result. When residual and activation were not `done` in the loop they are computed here. Takes y's
 * count; `status` is that of the computation so far. */
tsm_status tsm_fused_deliver(tsm_exec *x, tsm_status status, const fused_finish *f, bool done, tsm_tensor *y,
                             tsm_value *out);

#endif
