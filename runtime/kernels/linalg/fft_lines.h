/* Discrete Fourier transforms of the lines of a tensor along one dimension, in float and double. */
#ifndef TSM_KERNELS_LINALG_FFT_LINES_H
#define TSM_KERNELS_LINALG_FFT_LINES_H

#include "runtime/kernels/loops.h"
#include "runtime/tensor/dim_lines.h"

/* One dimension's worth of work. */
typedef struct {
    const void *from;
    void *to;
    bool from_complex, to_complex;
    bool backward;
    tsm_dim n;             /* points of the transform */
    tsm_dim given, wanted; /* points read and written: those of a Hermitian line are the first n / 2 + 1 */
    tsm_dim from_step, to_step;
    double scale;
    bool is_together; /* tsm_fft_goes_together */
} fft_job;

/* Whether several lines are transformed at once: short ones, where vectors hold as many. */
bool tsm_fft_goes_together(tsm_exec *x, const fft_job *j);
/* Transforms all lines of l. The scratch memory holds tsm_fft_scratch_items(j) numbers of the precision. */
typedef void (*fft_lines)(const fft_job *j, tsm_dim_lines *l, void *scratch);
fft_lines tsm_fft_lines_choose(tsm_exec *x, bool is_double);
tsm_dim tsm_fft_scratch_items(const fft_job *j);

#endif
