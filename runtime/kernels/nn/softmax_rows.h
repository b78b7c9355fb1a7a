/* softmax and log_softmax of neighbouring lines: elements of all lines at one position lie side by side, in rows. */
#ifndef TSM_KERNELS_NN_SOFTMAX_ROWS_H
#define TSM_KERNELS_NN_SOFTMAX_ROWS_H

#include "runtime/kernels/loops.h"

/* `count` rows of `width` floats, one after the other; each column on its own. y may be v. */
void tsm_nn_softmax_rows(tsm_exec *x, float *y, const float *v, tsm_dim count, tsm_dim width);
void tsm_nn_log_softmax_rows(tsm_exec *x, float *y, const float *v, tsm_dim count, tsm_dim width);

/* log_softmax of one line of floats, by the logarithm that `finish` makes of the sum of exponentials; y may be v. */
void tsm_nn_log_softmax_row_f32(tsm_exec *x, float *y, const float *v, tsm_dim n, float (*finish)(double sum));
/* One line of doubles, in place. */
void tsm_nn_softmax_row_f64(tsm_exec *x, double *row, tsm_dim n);
void tsm_nn_log_softmax_row_f64(tsm_exec *x, double *row, tsm_dim n);

#endif
