/* Where the tensors of a program's constants are needed, by storage. */
#ifndef TSMC_PASSES_ANALYSIS_TENSOR_USES_H
#define TSMC_PASSES_ANALYSIS_TENSOR_USES_H

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/mutation.h"

/* The functions and the module. Of the module only attributes that something reads are left (prune_attributes). */
typedef struct {
    function *const *entries, *const *functions; /* stb_ds arrays */
    ir_constant *module;                         /* NULL: there is none */
    mutation *mutation;
    bool are_narrow; /* weights become narrow (narrow_weights.h) */
} weight_scope;

/* A place where a tensor is needed as it is. */
typedef struct {
    const pt_tensor *tensor;
    ir_node *user;         /* NULL: it is needed all the time */
    uint32_t index;        /* of the user's inputs */
    const function *owner; /* of the user */
} tensor_use;

typedef struct {
    const pt_storage *key;
    tensor_use *value; /* stb_ds array */
} * tensor_uses;

/* The uses of all tensors that have a storage. Of a tensor in a constant list the user is the list's. */
tensor_uses tensor_uses_find(const weight_scope *scope);
void tensor_uses_put(tensor_uses *table, tensor_use u);

/* Whether two tensors are the same elements in the same order. */
bool tensor_is_same(const pt_tensor *a, const pt_tensor *b);

#endif
