/* The classes and functions that a pickle may name, for pickle.c only: what each of them is and how it makes values. */
#ifndef TSMC_ARCHIVE_PICKLE_GLOBALS_H
#define TSMC_ARCHIVE_PICKLE_GLOBALS_H

#include "exporter/archive/pickle.h"

/* The unpickler's state as far as a function may see it: for errors and for making values. */
typedef struct pkl_machine pkl_machine;

/* Raises "NAME: at byte N: ...". */
_Noreturn void pkl_fail(const pkl_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

pkl_value *pkl_new(pkl_kind kind);

/* Notes that n indices of sparse tensors are about to be checked; raises an error when a pickle makes that endless
 * work. */
void pkl_charge_indices(pkl_machine *m, int64_t n);

/* A function called by REDUCE (or BUILD, in old forms) with its argument, mostly a tuple. */
typedef pkl_value *pkl_function(pkl_machine *m, const pkl_global *self, pkl_value *argument);

typedef enum {
    PKL_GLOBAL_FUNCTION, /* call() makes a value */
    PKL_GLOBAL_CLASS,    /* of TorchScript: NEWOBJ makes an object, REDUCE an enumerator */
    PKL_GLOBAL_STORAGE,  /* a storage class: part of persistent ids */
    PKL_GLOBAL_QSCHEME,  /* torch.per_tensor_affine ...: part of quantized tensors */
    PKL_GLOBAL_TENSOR,   /* torch.Tensor: part of tensors with Python attributes */
    PKL_GLOBAL_SCRIPT,   /* torch.ScriptObject: NEWOBJ makes an object whose class BUILD tells with its state */
} pkl_global_kind;

struct pkl_global {
    pkl_global_kind kind;
    const char *name; /* qualified: "torch._utils._rebuild_tensor_v2" */
    pkl_function *call;
    int number; /* the pt_dtype of a storage class, the pt_qscheme of a scheme; what the function makes of it otherwise
                 */
};

/* Finds what GLOBAL names and returns it as a value: a GLOBAL, or for constants such as torch.float32 their value.
 * Raises an error for names that are not on the list. */
pkl_value *pkl_find_global(const pkl_machine *m, const char *module, const char *name);

#endif
