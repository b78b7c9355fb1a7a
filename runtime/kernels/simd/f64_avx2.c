/* For x86-64 with AVX2 and FMA; runtime/CMakeLists.txt compiles this file with -mavx2 -mfma. */
#include "runtime/kernels/simd/f64.h"

#if defined(__AVX2__)
#include "runtime/kernels/simd/f64_product.h"

void tsm_f64_add_product_avx2(const tsm_f64_product *p) {
    add_product_f64(p);
}
#endif
