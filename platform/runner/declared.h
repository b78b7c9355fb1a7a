/* The parameters of a method, read from its schema's text: what arguments are converted to, as PyTorch's Python binding
 * does. */
#ifndef RUNNER_DECLARED_H
#define RUNNER_DECLARED_H

#include <stddef.h>

typedef enum {
    DECLARED_OTHER, /* taken as it is */
    DECLARED_TENSOR,
    DECLARED_INT,
    DECLARED_FLOAT,
    DECLARED_BOOL,
    DECLARED_STR,
    DECLARED_DEVICE,
    DECLARED_LIST,
    DECLARED_TUPLE,
    DECLARED_DICT,
    DECLARED_OPTIONAL,
} declared_kind;

typedef struct declared_type {
    declared_kind kind;
    size_t count; /* contained types: list and optional 1, dict 2, tuple any */
    struct declared_type **items;
    const char *annotation; /* as in Python: "List[int]" */
} declared_type;

typedef struct {
    const char *name;
    const declared_type *type;
} declared_parameter;

typedef struct {
    const char *method; /* "forward" */
    const char *schema;
    declared_parameter *parameters;
    size_t count;
} declaration;

/* Reads "forward(Tensor x, int n=1) -> Tensor"; what is not understood becomes DECLARED_OTHER. Memory is kept until the
 * program ends. */
declaration declaration_read(const char *schema);

#endif
