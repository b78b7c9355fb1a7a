/* Views between the products of attention. Models that multiply with bmm, which takes three dimensions, add masks to
 * four:
 *
 *     scores = bmm(query, keys).view(batch, heads, queries, keys) + mask
 *     result = bmm(softmax(scores.view(batch * heads, queries, keys)), value)
 *
 * Whether the sizes in the lists are these is known at run time. Where they are, query, keys and value are viewed with
 * heads, and the result without. */
#ifndef TSMC_PASSES_OPTIMIZE_ATTENTION_HEADS_H
#define TSMC_PASSES_OPTIMIZE_ATTENTION_HEADS_H

#include "exporter/passes/analysis/mutation.h"

enum { MOST_VIEWS = 6 };

/* Zero is the beginning: behind the last product. */
typedef struct {
    ir_value *lists[MOST_VIEWS]; /* the sizes of views, from the last one back; four or three */
    size_t count;
    bool are_apart;  /* whether what was matched last stands between views that make four dimensions and three */
    bool has_masks;  /* of four dimensions */
    bool has_others; /* masks of three dimensions */
} attention_heads;

/* Whether n changes scores' sizes only; if so, takes its sizes. Nodes are given from the last one back. */
bool heads_take_view(attention_heads *h, const ir_node *n);

/* A mask is met where matching stands. */
void heads_take_mask(attention_heads *h);

/* Whether `dim`, met where matching stands, is the last one. Without views any may be. */
bool heads_take_dim(const attention_heads *h, const ir_value *dim);

/* At the product of query and keys: whether all fits together, as far as the program shows. */
bool heads_are_whole(const attention_heads *h, bool is_batch, mutation *m);

/* Whether query, keys and value are to be viewed with heads. */
static inline bool heads_are_viewed(const attention_heads *h) {
    return h->has_masks;
}

/* Appends nodes that compare the lists with sizes of the tensors, which have three dimensions; gives a bool. */
ir_value *heads_write_test(const attention_heads *h, ir_value *query, ir_value *keys, const ir_node *like,
                           ir_block *into);

/* Appends a view of the tensor with heads. */
ir_value *heads_write_view(const attention_heads *h, ir_value *tensor, const ir_node *like, ir_block *into);

/* Appends a view of the result without heads; query and value are the tensors of three dimensions. */
ir_value *heads_write_result(ir_value *result, ir_value *query, ir_value *value, const ir_node *like, ir_block *into);

#endif
