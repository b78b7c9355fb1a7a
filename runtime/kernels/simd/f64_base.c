/* For the instruction set that the library is compiled for. */
#include "runtime/kernels/simd/f64_product.h"

void tsm_f64_add_product_base(const tsm_f64_product *p) {
    add_product_f64(p);
}
