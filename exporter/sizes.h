/* tsmc --sizes: what takes how many bytes of a .tsm file. */
#ifndef TSMC_SIZES_H
#define TSMC_SIZES_H

#include "exporter/codegen/image.h"
#include "exporter/program/program.h"

/* Names the tensors of a module (NULL: there is none) by their attributes, before passes replace these. Returns the
 * bytes of their elements as they were read, what several share once. */
uint64_t sizes_name_tensors(const ir_constant *module);

/* The first tensor with a name of a storage (NULL: none), and the names of the operators that read it: an stb_ds
 * array. */
typedef struct {
    uint64_t bytes;
    const image_tensor *tensor;
    const char **readers;
} sized_tensor;

/* The bytes of all tensors that an operator reads; an stb_ds map. */
typedef struct {
    char *key;
    uint64_t value;
} sized_operator;

/* Of all storages in the file's order: an stb_ds array. */
sized_tensor *sizes_of_tensors(const image *m, function *const *functions);
sized_operator *sizes_of_operators(const sized_tensor *tensors);
const char *sizes_part_name(image_part part);

/* The bytes of the file's parts, of each tensor, and of the tensors that each operator of the functions reads; how much
 * the file has beyond what sizes_name_tensors gave (0: nothing is said of it). */
void sizes_print(const image *m, const image_sizes *sizes, function *const *functions, uint64_t read, strbuf *out);

#endif
