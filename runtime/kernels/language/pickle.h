/* Values as Python pickles of protocol 2, with the calls that torch.load understands: how torch.save writes them. The
 * elements of tensors are not part of the pickle; they are told of by number, in the order in which they appear. */
#ifndef TSM_KERNELS_LANGUAGE_PICKLE_H
#define TSM_KERNELS_LANGUAGE_PICKLE_H

#include "runtime/kernels/kernel.h"

/* Memory that the pickle refers to as storage number 0, 1, ... */
typedef struct {
    const void *data;
    size_t bytes;
} pickle_storage;

typedef struct {
    tsm_exec *x;
    tsm_text text;     /* the pickle; freed by the caller */
    tsm_text storages; /* an array of pickle_storage; freed by the caller */
} pickle_writer;

/* Writes a whole pickle of `v`. Lists and dicts carry no types beyond those of lists of numbers and of tensors, and a
 * value that appears twice is written twice. Objects, enums, futures and generators raise, and so do containers more
 * than 32 levels deep. */
tsm_status tsm_pickle_write(pickle_writer *p, tsm_value v);

#endif
