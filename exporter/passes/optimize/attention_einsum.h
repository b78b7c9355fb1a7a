/* Products of attention that are written as einsum:
 *
 *     scores = einsum("bqhd,bkhd->bhqk", query, keys)
 *     result = einsum("bhqk,bkhd->bqhd", weights, value)
 *
 * Such a product is one of matrices once the dimensions of its tensors are put in order: what both have and the result
 * keeps first, then rows and columns. "..." may stand for the first dimensions of all three. */
#ifndef TSMC_PASSES_OPTIMIZE_ATTENTION_EINSUM_H
#define TSMC_PASSES_OPTIMIZE_ATTENTION_EINSUM_H

#include "exporter/ir/ir.h"

enum { MOST_LABELS = 8 };

/* How the dimensions of a tensor change places. Zero: the tensor stays as it is. */
typedef struct {
    bool is_there;
    int dims;               /* how many the tensor must have, or with `has_more` at least */
    bool has_more;          /* "...": then `order` is not used */
    bool is_plain;          /* they stand as they should */
    int order[MOST_LABELS]; /* of permute; with `has_more` the last two change places */
} arrangement;

/* A product of matrices, a[..., rows, inner] and b[..., inner, columns]. */
typedef struct {
    ir_value *a, *b;
    ir_node *list; /* of both tensors, for this product alone */
    arrangement of_a, of_b, of_result;
} einsum_product;

/* Reads einsum as a product whose result [..., rows, columns] stands in this order. */
bool einsum_gives_scores(const ir_node *n, einsum_product *p);

/* Reads einsum as a product whose first tensor [..., rows, inner] stands in this order; that of the result is in
 * of_result. */
bool einsum_takes_weights(const ir_node *n, einsum_product *p);

/* Inserts nodes before `at`: whether the tensor has the dimensions that its labels ask for. */
ir_value *arrangement_fits(const arrangement *how, ir_value *tensor, ir_node *at, source_range range);

/* Inserts nodes before `at`: the tensor with its dimensions in order. */
ir_value *arrangement_apply(const arrangement *how, ir_value *tensor, ir_node *at, source_range range);

#endif
