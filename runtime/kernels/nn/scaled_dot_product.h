/* Scaled dot product attention: what its kernels and its loops share. */
#ifndef TSM_KERNELS_NN_SCALED_DOT_PRODUCT_H
#define TSM_KERNELS_NN_SCALED_DOT_PRODUCT_H

#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"
#include "runtime/tensor/lanes.h"

/* A tensor as matrices of all batches and heads. Strides are in elements, 0 where it is broadcast. */
typedef struct {
    const char *data; /* NULL: not there */
    tsm_dtype dtype;
    tsm_dim size; /* bytes of an element */
    tsm_dim batch[TSM_MAX_DIMS];
    size_t heads_each; /* heads of the queries that share one of this tensor */
    tsm_dim head, row, column;
} attention_operand;

/* Queries [batch, heads, queries, features] against keys and values of `heads_each` heads a head. */
typedef struct {
    attention_operand q, k, v;
    attention_operand mask;     /* [batch, heads, queries, keys]: bool, or numbers that are added; or not there */
    attention_operand filled;   /* as large: bools, the scores to replace by `fill`; or not there */
    attention_operand out;      /* [batch, heads, queries, value_features], not broadcast */
    attention_operand log_sums; /* [batch, heads, queries]: logarithms of the sums of exponentials, or not there */
    int batch_dims;
    tsm_dim batch_sizes[TSM_MAX_DIMS];
    size_t batch, heads, group; /* group: neighbouring heads that share keys and values, a divisor of heads */
    size_t queries, keys, features, value_features;
    bool is_causal; /* query i sees keys 0 to i */
    double scale;
    double fill;
    bool fills_last;     /* the mask is not added to what is filled */
    bool masked_are_nan; /* what a query gets that sees no key: NaN, as softmax gives, or 0 */
    bool rounds;         /* scores with masks are rounded to the queries' dtype */
} attention;

/* The matrix of one batch and head. */
const char *tsm_attention_matrix(const attention *a, const attention_operand *o, size_t batch, size_t head);

/* Compute a->out and a->log_sums; there is at least one query. */
tsm_status tsm_attention_f32(tsm_exec *x, const attention *a);
/* All operands are double but for masks. Scratch: 8 * (64 (E + Ev + L) + L Ev) bytes for L queries, 64 at most. */
tsm_status tsm_attention_f64(tsm_exec *x, const attention *a);

#endif
