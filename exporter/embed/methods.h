/* Methods of a .tsm that can be called with plain arrays: tensors in, tensors out, all of known shapes. */
#ifndef TSMC_EMBED_METHODS_H
#define TSMC_EMBED_METHODS_H

#include <stdbool.h>

#include "exporter/embed/names.h"
#include "runtime/include/tsmobile.h"

typedef struct {
    const char *name;      /* the author's, or what it is */
    const char *parameter; /* of the function in C */
    const char *macro;     /* that states `elements` */
    tsm_dtype dtype;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    size_t elements;
} embed_tensor;

typedef struct {
    const char *function; /* its name in C */
    const char *macro;    /* that those of its sizes begin with */
    const char *schema;   /* as TorchScript prints it */
    int position;         /* tsm_method's */
    size_t buffer_bytes;  /* tsm_method_bytes; 0: not known */
    bool is_typed;        /* the lists below say what it takes and gives */
    bool gives_tuple;     /* of tensors, not one tensor */
    embed_tensor *inputs; /* stb_ds arrays */
    embed_tensor *results;
} embed_method;

/* The methods of a program, whose names in C begin with `prefix`; the scope has those of all else in its files. Those
 * with an example in the file (tsmc --example) are run with zeros to see what they give. */
embed_method *embed_methods(const tsm_program *program, const char *prefix, embed_scope *scope);

/* C's type of an element; NULL where C has none. */
const char *embed_c_type(tsm_dtype dtype);

#endif
