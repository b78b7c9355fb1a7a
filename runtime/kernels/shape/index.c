/* Selection of elements by index tensors. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/shape/combine.h"
#include "runtime/kernels/shape/masks.h"
#include "runtime/tensor/iter.h"
#include "runtime/tensor/overlap.h"

static bool is_index(const tsm_tensor *t) {
    return t->dtype == TSM_INT64 || t->dtype == TSM_INT32;
}

static inline int64_t index_load(const char *p, bool is_narrow) {
    int32_t narrow;
    int64_t wide;
    if (is_narrow) {
        memcpy(&narrow, p, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, p, sizeof wide);
    return wide;
}

/* ---- What a list of indices selects ---- */

/* Index tensors after bool masks became positions: index k serves dimension k of self, NULL: all of it. */
typedef struct {
    tsm_tensor *index[TSM_MAX_DIMS]; /* counted */
    int count;
    int dims; /* of the broadcast indices */
    tsm_dim sizes[TSM_MAX_DIMS];
    bool adjacent; /* indexed dimensions are neighbours, and those of the indices replace them; else these come first */
    bool from_end; /* negative indices count from the end */
    int first;
} indexing;

static bool is_indexed(const indexing *g, int d) {
    return d < g->count && g->index[d];
}

/* Where the dimensions of the indices stand among those of the result. */
static int index_place(const indexing *g) {
    return g->adjacent ? g->first : 0;
}

/* The shape of self[indices]. */
static tsm_status indexed_shape(tsm_exec *x, const tsm_tensor *self, const indexing *g, int *dims, tsm_dim *sizes) {
    *dims = 0;
    int place = index_place(g);
    tsm_dim all[3 * TSM_MAX_DIMS];
    for (int d = 0; d <= self->dims; d++) {
        if (d == place)
            for (int k = 0; k < g->dims; k++)
                all[(*dims)++] = g->sizes[k];
        if (d < self->dims && !is_indexed(g, d))
            all[(*dims)++] = self->sizes[d];
    }
    if (*dims > TSM_MAX_DIMS)
        return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
    memcpy(sizes, all, (size_t)*dims * sizeof *sizes);
    return TSM_OK;
}

/* A walk over the positions of the indices, in blocks; offsets in bytes. */
enum { INDEX_BLOCK = 64 };
typedef struct {
    const indexing *g;
    int used; /* index tensors */
    const char *at[TSM_MAX_DIMS];
    bool is_narrow[TSM_MAX_DIMS], has_narrow;
    int dim[TSM_MAX_DIMS]; /* of self */
    tsm_dim size[TSM_MAX_DIMS], stride[TSM_MAX_DIMS], step[TSM_MAX_DIMS][TSM_MAX_DIMS];
    const tsm_dim *other_strides; /* of the other tensor, by dimension of the indices; elements */
    tsm_dim item, other, position[TSM_MAX_DIMS];
    tsm_dim in_self[INDEX_BLOCK], in_other[INDEX_BLOCK];
} index_walk;

static void start_walk(index_walk *w, const tsm_tensor *self, const indexing *g, const tsm_dim *other_strides) {
    memset(w, 0, sizeof *w);
    w->g = g;
    w->item = (tsm_dim)tsm_dtype_size((tsm_dtype)self->dtype);
    w->other_strides = other_strides;
    for (int d = 0; d < self->dims; d++) {
        if (!is_indexed(g, d))
            continue;
        const tsm_tensor *index = g->index[d];
        const tsm_dim width = (tsm_dim)tsm_dtype_size((tsm_dtype)index->dtype);
        const int u = w->used++;
        w->at[u] = index->data;
        w->is_narrow[u] = index->dtype == TSM_INT32;
        w->has_narrow |= w->is_narrow[u];
        w->dim[u] = d;
        w->size[u] = self->sizes[d];
        w->stride[u] = self->strides[d] * w->item;
        for (int k = 0; k < index->dims; k++)
            w->step[u][g->dims - index->dims + k] = index->sizes[k] == 1 ? 0 : index->strides[k] * width;
    }
}

/* To the next position. */
static void advance(index_walk *w) {
    for (int k = w->g->dims - 1; k >= 0; k--) {
        bool turns = ++w->position[k] == w->g->sizes[k];
        tsm_dim by = turns ? 1 - w->g->sizes[k] : 1;
        for (int u = 0; u < w->used; u++)
            w->at[u] += by * w->step[u][k];
        w->other += by * w->other_strides[k] * w->item;
        if (!turns)
            return;
        w->position[k] = 0;
    }
}

/* The offsets of the next n positions of lines of indices, all of which are int64; false, and nothing done, where one
 * is none. */
static bool line_offsets(index_walk *w, tsm_dim n) {
    const tsm_dim apart = w->other_strides[0] * w->item;
    int is_bad = 0;
    for (int u = 0; u < w->used; u++) {
        const tsm_dim step = w->step[u][0], stride = w->stride[u], size = w->size[u];
        const int64_t least = w->g->from_end ? -(int64_t)size : 0;
        const char *at = w->at[u];
        for (tsm_dim i = 0; i < n; i++) {
            const int64_t row = *(const int64_t *)(const void *)(at + i * step);
            const tsm_dim place = (tsm_dim)((uint64_t)(row + (row < 0 ? size : 0)) * (uint64_t)stride);
            is_bad |= (row < least) | (row >= size);
            w->in_self[i] = u ? (tsm_dim)((uint64_t)w->in_self[i] + (uint64_t)place) : place;
        }
    }
    if (is_bad)
        return false;
    for (tsm_dim i = 0; i < n; i++)
        w->in_other[i] = w->other + i * apart;
    for (int u = 0; u < w->used; u++)
        w->at[u] += n * w->step[u][0];
    w->other += n * apart;
    return true;
}

/* The offsets of the next n positions; *bad: the index that is none. */
static bool next_offsets(index_walk *w, tsm_dim n, int64_t *bad, int *bad_dim) {
    if (w->g->dims == 1 && !w->has_narrow && line_offsets(w, n))
        return true;
    for (tsm_dim i = 0; i < n; i++, advance(w)) {
        tsm_dim at = 0;
        for (int u = 0; u < w->used; u++) {
            int64_t row = index_load(w->at[u], w->is_narrow[u]);
            if (row < (w->g->from_end ? -(int64_t)w->size[u] : 0) || row >= w->size[u]) {
                *bad = row;
                *bad_dim = w->dim[u];
                return false;
            }
            at += tsm_saturate_dim(row < 0 ? row + w->size[u] : row) * w->stride[u];
        }
        w->in_self[i] = at;
        w->in_other[i] = w->other;
    }
    return true;
}

/* Moves n elements: to self or from it. */
typedef void (*move_run)(const tsm_tensor *self, char *in_self, tsm_dim self_step, char *in_other, tsm_dim other_step,
                         tsm_dim n);

static void take_run(const tsm_tensor *self, char *in_self, tsm_dim self_step, char *in_other, tsm_dim other_step,
                     tsm_dim n) {
    tsm_copy_run(in_other, other_step, in_self, self_step, n, tsm_dtype_size((tsm_dtype)self->dtype));
}
/* The same for one place of the box and all positions of a block, which mostly go side by side. */
static void take_block(const index_walk *w, const char *in_self, char *in_other, tsm_dim n) {
#define BLOCK_CASE(T)                                                                                                  \
    case sizeof(T):                                                                                                    \
        if (is_line) {                                                                                                 \
            T *const to = (void *)(in_other + w->in_other[0]);                                                         \
            tsm_dim i = 0;                                                                                             \
            for (; i + 4 <= n; i += 4) { /* all are read before any is written, which may be where offsets are */      \
                const T a = TAKEN(T, i), b = TAKEN(T, i + 1), c = TAKEN(T, i + 2), d = TAKEN(T, i + 3);                \
                to[i] = a;                                                                                             \
                to[i + 1] = b;                                                                                         \
                to[i + 2] = c;                                                                                         \
                to[i + 3] = d;                                                                                         \
            }                                                                                                          \
            for (; i < n; i++)                                                                                         \
                to[i] = TAKEN(T, i);                                                                                   \
        } else                                                                                                         \
            for (tsm_dim i = 0; i < n; i++)                                                                            \
                *(T *)(void *)(in_other + w->in_other[i]) = TAKEN(T, i);                                               \
        break;
#define TAKEN(T, i) (*(const T *)(const void *)(in_self + w->in_self[i]))
    const bool is_line = w->g->dims == 1 && w->other_strides[0] == 1;
    switch (w->item) {
        BLOCK_CASE(uint8_t)
        BLOCK_CASE(uint16_t)
        BLOCK_CASE(uint32_t)
        BLOCK_CASE(uint64_t)
    default:
        BLOCK_CASE(tsm_complex)
    }
}
static void put_run(const tsm_tensor *self, char *in_self, tsm_dim self_step, char *in_other, tsm_dim other_step,
                    tsm_dim n) {
    tsm_copy_run(in_self, self_step, in_other, other_step, n, tsm_dtype_size((tsm_dtype)self->dtype));
}
static void add_run(const tsm_tensor *self, char *in_self, tsm_dim self_step, char *in_other, tsm_dim other_step,
                    tsm_dim n) {
    tsm_combine_run(COMBINE_ADD, (tsm_dtype)self->dtype, in_self, self_step, in_other, other_step, n);
}

#if TSM_NARROW_LANES
/* 2 to 32 bytes by two words that are read before any is written; more by as many words as it takes. */
static inline void copy_few_bytes(char *to, const char *from, size_t bytes) {
    enum { WORD = sizeof(tsm_complex) };
    for (; bytes > 2 * WORD; bytes -= WORD, to += WORD, from += WORD)
        memcpy(to, from, WORD);
#define TWO_WORDS(T)                                                                                                   \
    do {                                                                                                               \
        T first, last;                                                                                                 \
        memcpy(&first, from, sizeof(T));                                                                               \
        memcpy(&last, from + (bytes - sizeof(T)), sizeof(T));                                                          \
        memcpy(to, &first, sizeof(T));                                                                                 \
        memcpy(to + (bytes - sizeof(T)), &last, sizeof(T));                                                            \
    } while (0)
    if (bytes >= sizeof(tsm_complex))
        TWO_WORDS(tsm_complex);
    else if (bytes >= sizeof(uint64_t))
        TWO_WORDS(uint64_t);
    else if (bytes >= sizeof(uint32_t))
        TWO_WORDS(uint32_t);
    else
        TWO_WORDS(uint16_t);
#undef TWO_WORDS
}
/* Rows of few bytes, which lie side by side on both sides, of all positions of a block. */
static void move_few_bytes(const index_walk *w, char *in_self, char *in_other, size_t bytes, tsm_dim n, bool takes) {
    if (takes)
        for (tsm_dim i = 0; i < n; i++)
            copy_few_bytes(in_other + w->in_other[i], in_self + w->in_self[i], bytes);
    else
        for (tsm_dim i = 0; i < n; i++)
            copy_few_bytes(in_self + w->in_self[i], in_other + w->in_other[i], bytes);
}
/* The sums of one place of the box and all positions of a block; false: there is no loop for the type. */
static bool add_positions(const tsm_tensor *self, const index_walk *w, char *in_self, const char *in_other, tsm_dim n) {
#define ADD_LOOP(T)                                                                                                    \
    for (tsm_dim i = 0; i < n; i++)                                                                                    \
        *(T *)(void *)(in_self + w->in_self[i]) += *(const T *)(const void *)(in_other + w->in_other[i]);              \
    return true
    switch (self->dtype) {
    case TSM_FLOAT32:
        ADD_LOOP(float);
    case TSM_FLOAT64:
        ADD_LOOP(double);
    case TSM_INT64:
        ADD_LOOP(uint64_t);
    default:
        return false;
    }
#undef ADD_LOOP
}
/* Short runs of the box; false: nothing is moved. */
static bool move_short_runs(const tsm_tensor *self, const tsm_iter *it, const index_walk *w, tsm_dim n, move_run move) {
    enum { FEW_BYTES = 128, FEW = 8 };
    const tsm_dim self_step = it->strides[1][0], other_step = it->strides[0][0], run = it->sizes[0];
    if (move != add_run && self_step == w->item && other_step == w->item && run * w->item <= FEW_BYTES && run > 1) {
        move_few_bytes(w, it->data[1], it->data[0], (size_t)(run * w->item), n, move == take_run);
        return true;
    }
    if (move != add_run || run > FEW || !add_positions(self, w, it->data[1], it->data[0], n))
        return false;
    for (tsm_dim k = 1; k < run; k++)
        add_positions(self, w, it->data[1] + k * self_step, it->data[0] + k * other_step, n);
    return true;
}
#else
#define move_short_runs(self, it, w, n, move) false
#endif

/* The dimensions that no tensor indexes, as a box over both tensors. */
static void start_box(tsm_iter *box, const tsm_tensor *self, const indexing *g, void *other,
                      const tsm_dim *other_strides) {
    tsm_dim sizes[TSM_MAX_DIMS], in_self[TSM_MAX_DIMS], in_other[TSM_MAX_DIMS];
    const size_t item = tsm_dtype_size((tsm_dtype)self->dtype);
    int n = 0;
    for (int d = 0; d < self->dims; d++)
        if (!is_indexed(g, d)) {
            sizes[n] = self->sizes[d];
            in_self[n] = self->strides[d];
            in_other[n] = other_strides[n < index_place(g) ? n : n + g->dims];
            n++;
        }
    tsm_iter_start(box, n, sizes);
    tsm_iter_add_raw(box, other, in_other, item);
    tsm_iter_add_raw(box, self->data, in_self, item);
    tsm_iter_ready(box);
}

/* One block of positions. Single elements are taken position by position, so that the result is written in order. */
static void move_block(const tsm_tensor *self, const tsm_iter *box, const index_walk *w, tsm_dim n, move_run move) {
    tsm_iter it = *box;
    const tsm_dim self_step = it.strides[1][0], other_step = it.strides[0][0];
    while (tsm_iter_next(&it)) {
        if (move_short_runs(self, &it, w, n, move))
            continue;
        if (move == take_run && (it.sizes[0] == 1 || other_step != w->item))
            for (tsm_dim k = 0; k < it.sizes[0]; k++)
                take_block(w, it.data[1] + k * self_step, it.data[0] + k * other_step, n);
        else
            for (tsm_dim i = 0; i < n; i++)
                move(self, it.data[1] + w->in_self[i], self_step, it.data[0] + w->in_other[i], other_step, it.sizes[0]);
    }
}

/* One element for each of a line of indices, all of which are int64 and side by side, as the result's elements are:
 * returns how many were taken before one that is none, which the others' way tells of. */
static tsm_dim take_line(const tsm_tensor *self, const tsm_tensor *index, bool from_end, void *to) {
    const int64_t *rows = index->data, size = self->sizes[0], least = from_end ? -size : 0;
    const tsm_dim stride = self->strides[0], n = index->elements;
    for (tsm_dim i = 0, m; i < n; i += m) {
        int is_bad = 0;
        m = tsm_dim_min(n - i, INDEX_BLOCK);
        for (tsm_dim k = 0; k < m; k++)
            is_bad |= (rows[i + k] < least) | (rows[i + k] >= size);
        if (is_bad)
            return i;
#define LINE_CASE(T)                                                                                                   \
    case sizeof(T):                                                                                                    \
        for (tsm_dim k = 0; k < m; k++) {                                                                              \
            const int64_t row = rows[i + k];                                                                           \
            ((T *)to)[i + k] = ((const T *)self->data)[tsm_saturate_dim(row + (row < 0 ? size : 0)) * stride];         \
        }                                                                                                              \
        break;
        switch (tsm_dtype_size((tsm_dtype)self->dtype)) {
            LINE_CASE(uint8_t)
            LINE_CASE(uint16_t)
            LINE_CASE(uint32_t)
            LINE_CASE(uint64_t)
        default:
            LINE_CASE(tsm_complex)
        }
    }
    return n;
}

/* Moves what the indices select between self and the other tensor, which has the selection's shape and these strides.
 */
static tsm_status move_indexed(tsm_exec *x, const tsm_tensor *self, const indexing *g, void *other,
                               const tsm_dim *other_strides, move_run move) {
    tsm_iter box;
    index_walk w;
    tsm_dim left = 1;
    int64_t bad;
    int bad_dim;
    for (int k = 0; k < g->dims; k++)
        left *= g->sizes[k];
    start_box(&box, self, g, other, other_strides);
    start_walk(&w, self, g, other_strides + index_place(g));
    for (tsm_dim n; left && !box.empty; left -= n) {
        n = left < INDEX_BLOCK ? left : INDEX_BLOCK;
        if (!next_offsets(&w, n, &bad, &bad_dim)) {
            if (!g->from_end)
                return TSM_RAISE(x, "index out of range in self");
            return TSM_RAISE(x, "index %ld is out of bounds for dimension %d with size %zd", bad, bad_dim,
                             (ptrdiff_t)self->sizes[bad_dim]);
        }
        move_block(self, &box, &w, n, move);
    }
    return TSM_OK;
}

/* What the indices select, into the new tensor y. */
static tsm_status take_indexed(tsm_exec *x, const tsm_tensor *self, const indexing *g, tsm_tensor *y) {
    const tsm_tensor *index = self->dims == 1 ? g->index[0] : NULL;
    const bool is_line = index && index->dtype == TSM_INT64 && index->elements == y->elements &&
                         tsm_tensor_is_contiguous(index) && take_line(self, index, g->from_end, y->data) == y->elements;
    return is_line ? TSM_OK : move_indexed(x, self, g, y->data, y->strides, take_run);
}

/* ---- embedding, index_select, gather ---- */

/* Rows of `from` along dimension d, chosen by the elements of `index`; the result has `index`'s shape in place of d. */
static tsm_status take_rows(tsm_exec *x, const tsm_tensor *from, int d, tsm_tensor *index, const char *name,
                            tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims;
    if (!is_index(index))
        return TSM_RAISE(x, "%s(): Expected dtype int32 or int64 for index", name);
    indexing g = {.count = d + 1, .dims = index->dims, .adjacent = true, .first = d};
    g.index[d] = index;
    memcpy(g.sizes, index->sizes, (size_t)index->dims * sizeof *g.sizes);
    TSM_TRY(indexed_shape(x, from, &g, &dims, sizes));
    tsm_tensor *y;
    uint64_t rows = (uint64_t)index->elements;
    for (int k = 0; k < d; k++)
        rows = tsm_work(rows, (uint64_t)from->sizes[k]);
    TSM_TRY(tsm_charge(x, rows));
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)from->dtype, dims, sizes, &y));
    tsm_status status = take_indexed(x, from, &g, y);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

TSM_KERNEL_LIGHT(aten_embedding) {
    if (arg_tensor(in, 0)->dims != 2)
        return TSM_RAISE(x, "'weight' must be 2-D");
    return take_rows(x, arg_tensor(in, 0), 0, arg_tensor(in, 1), "embedding", out);
}
TSM_KERNEL_LIGHT(aten_index_select) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    int d;
    if (arg_tensor(in, 2)->dims > 1)
        return TSM_RAISE(x, "index_select(): Index is supposed to be a vector");
    tsm_tensor *from = arg_tensor(in, 0), *index = arg_tensor(in, 2), *line;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), from->dims, &d));
    if (from->dims && index->dims)
        return take_rows(x, from, d, index, "index_select", out);
    if (!from->dims && index->elements != 1)
        return TSM_RAISE(x, "index_select(): Index to scalar can have only 1 value, got %zd value(s)",
                         (ptrdiff_t)index->elements);
    const tsm_dim one = 1; /* a tensor or an index without dimensions is a line of one */
    TSM_TRY(tsm_tensor_view_of(x, from->dims ? index : from, 1, &one, &one, 0, &line));
    tsm_status status = from->dims ? take_rows(x, from, d, line, "index_select", out)
                                   : take_rows(x, line, 0, index, "index_select", out);
    tsm_tensor_drop(x, line);
    if (status == TSM_OK && !from->dims)
        tsm_as_tensor(*out)->dims = 0;
    return status;
}

/* A run of gather: elements of lines of `length` whose positions the index says; -1, or the position of a bad one. */
typedef struct {
    tsm_dim length, row_step, size;
} gather_lines;

static tsm_dim gather_run(const gather_lines *l, const tsm_iter *it) {
    char *to = it->data[0];
    const char *index = it->data[1], *from = it->data[2];
    const tsm_dim n = it->sizes[0], to_step = it->strides[0][0], index_step = it->strides[1][0],
                  from_step = it->strides[2][0];
#define GATHER_LOOP(T, INDEX, TO, ROW)                                                                                 \
    for (tsm_dim i = 0; i < n; i++) {                                                                                  \
        const int64_t row = INDEX;                                                                                     \
        if ((uint64_t)row >= length)                                                                                   \
            return i;                                                                                                  \
        *(T *)(void *)(TO) = *(const T *)(const void *)(from + (ROW));                                                 \
    }
#define GATHER_CASE(T)                                                                                                 \
    case sizeof(T):                                                                                                    \
        if (is_line) {                                                                                                 \
            GATHER_LOOP(T, ((const int64_t *)(const void *)index)[i], (T *)(void *)to + i,                             \
                        tsm_saturate_dim(row) * (tsm_dim)sizeof(T))                                                    \
        } else {                                                                                                       \
            GATHER_LOOP(T, index_load(index + i * index_step, false), to + i * to_step,                                \
                        i * from_step + tsm_saturate_dim(row) * l->row_step)                                           \
        }                                                                                                              \
        break;
    const uint64_t length = (uint64_t)l->length;
    /* The usual case: elements side by side, chosen from as many. */
    const bool is_line =
        to_step == l->size && l->row_step == l->size && from_step == 0 && index_step == (tsm_dim)sizeof(int64_t);
    switch (l->size) {
        GATHER_CASE(uint8_t)
        GATHER_CASE(uint16_t)
        GATHER_CASE(uint32_t)
        GATHER_CASE(uint64_t)
    default:
        GATHER_CASE(tsm_complex)
    }
    return -1;
}

static tsm_status gather_check(tsm_exec *x, const tsm_tensor *t, const tsm_tensor *index, int d) {
    char have[TSM_MAX_DIMS * 22], want[TSM_MAX_DIMS * 22];
    for (int k = 0; k < index->dims && k < t->dims; k++)
        if (k != d && index->sizes[k] > t->sizes[k]) {
            tsm_shape_text(want, sizeof want, index->dims, index->sizes);
            tsm_shape_text(have, sizeof have, t->dims, t->sizes);
            return TSM_RAISE(x,
                             "Size does not match at dimension %d expected index %s to be smaller than self %s apart "
                             "from dimension %d",
                             k, want, have, d);
        }
    return TSM_OK;
}

TSM_KERNEL_LIGHT(aten_gather) {
    const tsm_tensor *t = arg_tensor(in, 0), *index = arg_tensor(in, 2);
    int d;
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 1), t->dims, &d));
    /* a tensor without dimensions counts as a line of one element */
    bool lines = index->dims <= 1 && t->dims <= 1;
    if (index->elements && index->dtype != TSM_INT64)
        return TSM_RAISE(x, "gather(): Expected dtype int64 for index");
    if (index->elements && index->dims != t->dims && !lines)
        return TSM_RAISE(x, "Index tensor must have the same number of dimensions as input tensor");
    tsm_tensor *y;
    TSM_TRY(index->elements ? gather_check(x, t, index, d) : TSM_OK);
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, index->dims, index->sizes, &y));
    if (!index->elements)
        return ret_tensor(out, y);
    tsm_dim strides[TSM_MAX_DIMS] = {0};
    for (int k = 0; k < t->dims; k++)
        strides[k] = k == d ? 0 : t->strides[k];
    const size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    const gather_lines l = {t->dims ? t->sizes[d] : 1, (t->dims ? t->strides[d] : 0) * (tsm_dim)size, (tsm_dim)size};
    tsm_iter it;
    tsm_iter_start(&it, index->dims, index->sizes);
    tsm_iter_add(&it, y);
    tsm_iter_add(&it, index);
    tsm_iter_add_raw(&it, t->data, strides, size);
    tsm_iter_ready(&it);
    tsm_iter_long_runs(&it);
    while (tsm_iter_next(&it)) {
        tsm_dim bad = gather_run(&l, &it);
        if (bad < 0)
            continue;
        tsm_tensor_drop(x, y);
        return TSM_RAISE(x, "index %ld is out of bounds for dimension %d with size %zd",
                         index_load(it.data[1] + bad * it.strides[1][0], false), d, (ptrdiff_t)l.length);
    }
    return ret_tensor(out, y);
}

/* ---- index, index_put_ ---- */

static void drop_indexing(tsm_exec *x, indexing *g) {
    for (int k = 0; k < g->count; k++)
        tsm_tensor_drop(x, g->index[k]);
}

static tsm_status index_add_mask(tsm_exec *x, const tsm_tensor *self, const tsm_tensor *mask, indexing *g) {
    for (int d = 0; d < mask->dims; d++)
        if (g->count + d >= self->dims || mask->sizes[d] != self->sizes[g->count + d])
            return TSM_RAISE(
                x, "The shape of the mask at index %d does not match the shape of the indexed tensor at index %d", d,
                g->count + d);
    tsm_tensor *positions;
    TSM_TRY(tsm_mask_nonzero(x, mask, &positions));
    for (int d = 0; d < mask->dims; d++) {
        tsm_dim n = positions->sizes[0], stride = mask->dims;
        tsm_status status = tsm_tensor_view_of(x, positions, 1, &n, &stride, d, &g->index[g->count]);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, positions);
            return status;
        }
        g->count++;
    }
    tsm_tensor_drop(x, positions);
    return TSM_OK;
}

static bool is_mask(const tsm_tensor *t) {
    return t->dtype == TSM_BOOL || t->dtype == TSM_UINT8;
}

/* Checks how many indices there are, and what a list says that has nothing but a mask without dimensions: all of self,
 * or nothing. PyTorch puts one number by it, and refuses the rest; beside other indices it does not look at it. */
static tsm_status check_indices(tsm_exec *x, const tsm_tensor *self, const tsm_list *list, bool puts_number,
                                bool *is_off) {
    const tsm_tensor *flag = NULL;
    *is_off = false;
    if (list->length > (uint32_t)self->dims)
        return TSM_RAISE(x, "too many indices for tensor of dimension %d (got %u)", self->dims, list->length);
    for (uint32_t i = 0; i < list->length; i++) {
        const tsm_tensor *t = list->items[i].tag == TSM_TAG_TENSOR ? tsm_as_tensor(list->items[i]) : NULL;
        if (t && (t->dims || !is_mask(t)))
            return TSM_OK;
        flag = t ? t : flag;
    }
    if (!flag)
        return TSM_OK;
    if (!puts_number || list->length > 1)
        return TSM_RAISE(x, "%s: a mask without dimensions chooses no elements", tsm_op_name(x));
    *is_off = !*(const uint8_t *)flag->data;
    return TSM_OK;
}

static tsm_status read_indexing(tsm_exec *x, const tsm_tensor *self, const tsm_list *list, indexing *g) {
    memset(g, 0, sizeof *g);
    g->from_end = true;
    for (uint32_t i = 0; i < list->length; i++) {
        tsm_value v = list->items[i];
        if (v.tag != TSM_TAG_TENSOR && v.tag != TSM_TAG_NONE)
            return TSM_RAISE(x, "tensors used as indices must be long, byte or bool tensors");
        tsm_tensor *t = v.tag == TSM_TAG_TENSOR ? tsm_as_tensor(v) : NULL;
        if (t && is_mask(t)) {
            TSM_TRY(index_add_mask(x, self, t, g));
            continue;
        }
        if (g->count >= self->dims)
            return TSM_RAISE(x, "too many indices for tensor of dimension %d (got %u)", self->dims, list->length);
        if (t && !is_index(t))
            return TSM_RAISE(x, "tensors used as indices must be long, byte or bool tensors");
        if (t)
            tsm_hold(v);
        g->index[g->count++] = t;
    }
    int last = -1, used = 0;
    g->first = -1;
    for (int k = 0; k < g->count; k++)
        if (g->index[k]) {
            g->first = g->first < 0 ? k : g->first;
            last = k;
            used++;
            TSM_TRY(
                tsm_broadcast_shapes(x, g->dims, g->sizes, g->index[k]->dims, g->index[k]->sizes, &g->dims, g->sizes));
        }
    g->adjacent = used && last - g->first + 1 == used;
    return TSM_OK;
}

/* The list is one mask, over the first dimensions of self. */
static const tsm_tensor *only_mask(const tsm_tensor *self, const tsm_list *list) {
    if (list->length != 1 || list->items[0].tag != TSM_TAG_TENSOR)
        return NULL;
    const tsm_tensor *mask = tsm_as_tensor(list->items[0]);
    bool fits = is_mask(mask) && mask->dims && mask->dims <= self->dims;
    for (int d = 0; fits && d < mask->dims; d++)
        fits = mask->sizes[d] == self->sizes[d];
    for (tsm_dim d = self->dims - 1, side = 1; fits && d >= mask->dims; side = tsm_dim_mul(side, self->sizes[d--]))
        fits = self->strides[d] == side; /* what the mask says nothing about lies side by side */
    return fits ? mask : NULL;
}

static tsm_status index_tensor(tsm_exec *x, tsm_tensor *self, const tsm_list *list, tsm_value *out) {
    indexing g;
    tsm_tensor *y = NULL;
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims;
    const tsm_tensor *mask = only_mask(self, list);
    bool is_off;
    if (mask)
        return tsm_mask_select(x, self, mask, out);
    TSM_TRY(check_indices(x, self, list, false, &is_off));
    tsm_status status = read_indexing(x, self, list, &g);
    if (status == TSM_OK)
        status = indexed_shape(x, self, &g, &dims, sizes);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, (tsm_dtype)self->dtype, dims, sizes, &y);
    if (status == TSM_OK)
        status = take_indexed(x, self, &g, y);
    drop_indexing(x, &g);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}
TSM_KERNEL_LIGHT(aten_index_Tensor) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    return index_tensor(x, arg_tensor(in, 0), arg_list(in, 1), out);
}
TSM_KERNEL_ALIAS(aten_index_Tensor_hacked_twin, aten_index_Tensor);

TSM_KERNEL_LIGHT(aten_masked_select) {
    tsm_list *l;
    tsm_tensor *self = arg_tensor(in, 0), *mask = arg_tensor(in, 1), *wide_self = NULL, *wide_mask = NULL;
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS], strides[2][TSM_MAX_DIMS];
    if (mask->dtype != TSM_BOOL && mask->dtype != TSM_UINT8)
        return TSM_RAISE(x, "masked_select: expected BoolTensor or ByteTensor for mask");
    TSM_TRY(tsm_kernel_check_mask(x, mask));
    TSM_TRY(tsm_broadcast_shapes(x, self->dims, self->sizes, mask->dims, mask->sizes, &dims, sizes));
    if (!dims)
        sizes[dims++] = 1;
    const tsm_tensor *both[] = {self, mask};
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < dims; d++) {
            int k = d - (dims - both[i]->dims);
            strides[i][d] = k >= 0 && both[i]->sizes[k] == sizes[d] ? both[i]->strides[k] : 0;
        }
    tsm_status status = tsm_tensor_view_of(x, self, dims, sizes, strides[0], 0, &wide_self);
    if (status == TSM_OK)
        status = tsm_tensor_view_of(x, mask, dims, sizes, strides[1], 0, &wide_mask);
    if (status == TSM_OK)
        status = tsm_make_list(x, 1, &l);
    if (status == TSM_OK) {
        status = tsm_list_append(x, l, tsm_of_tensor(wide_mask));
        if (status == TSM_OK)
            status = index_tensor(x, wide_self, l, out);
        tsm_drop(x, tsm_of(TSM_TAG_LIST, l));
    }
    tsm_tensor_drop(x, wide_self);
    tsm_tensor_drop(x, wide_mask);
    return status;
}

TSM_KERNEL_LIGHT(tsm_check_filling) {
    TSM_UNUSED_IO();
    const tsm_tensor *mask = tsm_filling_index(arg_list(in, 0), arg_tensor(in, 1), arg_bool(in, 2));
    if (mask && mask->dtype == TSM_UINT8)
        return TSM_RAISE(x, "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char");
    return TSM_OK;
}
TSM_KERNEL_ALIAS(tsm_check_filling_list, tsm_check_filling);

TSM_KERNEL_LIGHT(tsm_check_put) {
    TSM_UNUSED_IO();
    return tsm_check_put(x, arg_tensor(in, 0), arg_list(in, 1), arg_tensor(in, 2), arg_bool(in, 3));
}
TSM_KERNEL_ALIAS(tsm_check_put_list, tsm_check_put);

/* Floats as elements of a quantized tensor, with its scale. */
static tsm_status quantized_values(tsm_exec *x, const tsm_tensor *self, tsm_tensor *values, bool accumulate,
                                   tsm_tensor **out) {
    *out = NULL;
    if (accumulate)
        return TSM_RAISE(x, "index_put for quantized tensors is currently only supported for accumulate=False");
    if (self->quantizer->axis >= 0)
        return TSM_RAISE(x, "index_put for quantized tensors is currently only supported for per tensor quantized "
                            "tensors");
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)self->dtype, values->dims, values->sizes, out));
    quantized_chosen(*out, self);
    return tsm_quantized_copy(x, *out, values);
}

static tsm_status put_converted(tsm_exec *x, const tsm_value *const *in, tsm_tensor *values, tsm_value *out) {
    tsm_tensor *self = arg_tensor(in, 0), *same = NULL;
    bool accumulate = arg_bool(in, 3);
    indexing g;
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims = 0;
    if (self->dtype != values->dtype)
        return TSM_RAISE(x,
                         "Index put requires the source and destination dtypes match, got %s for the destination and "
                         "%s for the source.",
                         tsm_dtype_class_name((tsm_dtype)self->dtype), tsm_dtype_class_name((tsm_dtype)values->dtype));
    tsm_tensor *filling = tsm_filling_index(arg_list(in, 1), values, accumulate);
    if (filling && is_mask(filling))
        TSM_TRY(tsm_kernel_check_mask(x, filling));
    const tsm_tensor *mask = accumulate ? NULL : only_mask(self, arg_list(in, 1));
    bool done;
    TSM_TRY(check_indices(x, self, arg_list(in, 1), !accumulate && values->elements == 1, &done));
    if (mask && mask->storage != self->storage) /* else what is put may change the mask */
        TSM_TRY(tsm_mask_put(x, self, mask, values, &done));
    if (done) {
        *out = tsm_hold(*in[0]);
        return TSM_OK;
    }
    tsm_status status = read_indexing(x, self, arg_list(in, 1), &g);
    if (status == TSM_OK)
        status = indexed_shape(x, self, &g, &dims, sizes);
    tsm_dim elements = 1, strides[TSM_MAX_DIMS];
    for (int d = 0; status == TSM_OK && d < dims; d++) {
        int k = d - (dims - values->dims);
        tsm_dim have = k >= 0 ? values->sizes[k] : 1;
        elements = tsm_dim_mul(elements, sizes[d]);
        if (have != 1 && have != sizes[d])
            status = TSM_RAISE(x, "shape mismatch: value tensor cannot be broadcast to indexing result");
        strides[d] = k >= 0 && have == sizes[d] ? values->strides[k] : 0;
    }
    if (status == TSM_OK && values->dims > dims)
        status = TSM_RAISE(x, "shape mismatch: value tensor cannot be broadcast to indexing result");
    if (status == TSM_OK)
        status = tsm_tensor_view_of(x, values, dims, sizes, strides, 0, &same);
    if (status == TSM_OK)
        status = tsm_charge_product(x, (uint64_t)elements, accumulate ? 2 : 1, 1); /* conversions, and a sum */
    if (status == TSM_OK)
        status = move_indexed(x, self, &g, same->data, same->strides, accumulate ? add_run : put_run);
    drop_indexing(x, &g);
    tsm_tensor_drop(x, same);
    if (status == TSM_OK)
        *out = tsm_hold(*in[0]);
    return status;
}

TSM_KERNEL_LIGHT(aten_index_put_) {
    const tsm_tensor *self = arg_tensor(in, 0);
    tsm_tensor *values = arg_tensor(in, 2);
    if (tsm_dtype_is_quantized((tsm_dtype)values->dtype))
        return TSM_RAISE(x, "Value argument for quantized input_put should not be quantized");
    if (!quantized_is(self) || values->dtype != TSM_FLOAT32)
        return put_converted(x, in, values, out);
    tsm_tensor *converted;
    tsm_status status = quantized_values(x, self, values, arg_bool(in, 3), &converted);
    if (status == TSM_OK)
        status = put_converted(x, in, converted, out);
    tsm_tensor_drop(x, converted);
    return status;
}
TSM_KERNEL_ALIAS(aten_index_put__hacked_twin, aten_index_put_);
