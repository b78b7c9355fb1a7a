/* Products that other families call. */
#ifndef TSM_KERNELS_LINALG_MATMUL_H
#define TSM_KERNELS_LINALG_MATMUL_H

#include "runtime/kernels/kernel.h"

TSM_KERNEL_DECLARE(aten_bmm);
TSM_KERNEL_DECLARE(aten_linear);
TSM_KERNEL_DECLARE(aten_matmul);

#endif
