/* Methods of a .tsm that can be called with plain arrays: tensors in, tensors out, all of known shapes. */
#ifndef TSMC_EMBED_METHODS_H
#define TSMC_EMBED_METHODS_H

#include <stdbool.h>

#include "runtime/include/tsmobile.h"

typedef struct {
    const char *name; /* a name in C */
    tsm_dtype dtype;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    size_t elements;
} embed_tensor;

typedef struct {
    const char *name;     /* the method's, a name in C */
    const char *schema;   /* as TorchScript prints it */
    int position;         /* tsm_method's */
    size_t buffer_bytes;  /* tsm_method_bytes; 0: not known */
    bool is_typed;        /* the lists below say what it takes and gives */
    bool gives_tuple;     /* of tensors, not one tensor */
    embed_tensor *inputs; /* stb_ds arrays */
    embed_tensor *results;
} embed_method;

/* The methods of a program. Those with an example in the file (tsmc --example) are run with zeros to see what they
 * give. */
embed_method *embed_methods(const tsm_program *program);

/* C's type of an element; NULL where C has none. */
const char *embed_c_type(tsm_dtype dtype);

/* A name of C: letters, digits and `_`; others become `_`. */
const char *embed_c_name(const char *text);

#endif
