/* Ordering and merging of dimensions, and loops over blocks of converted items. */
#include "runtime/tensor/iter.h"

#include "runtime/kernels/simd/casts.h"
#include "runtime/kernels/simd/wide.h"
#include "runtime/tensor/work.h"

/* ---- Geometry ---- */

void tsm_iter_start(tsm_iter *it, int dims, const tsm_dim *sizes) {
    it->operands = 0;
    it->dims = dims;
    it->empty = false;
    for (int d = 0; d < dims; d++) {
        it->sizes[d] = sizes[dims - 1 - d];
        it->empty |= sizes[d] == 0;
    }
    if (dims == 0) {
        it->dims = 1;
        it->sizes[0] = 1;
    }
}

void tsm_iter_add(tsm_iter *it, const tsm_tensor *t) {
    tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    tsm_dim *strides = it->strides[it->operands];
    for (int d = 0; d < it->dims; d++) {
        int from = t->dims - 1 - d;
        strides[d] = it->empty || from < 0 || t->sizes[from] == 1 ? 0 : t->strides[from] * size;
    }
    it->data[it->operands++] = t->data;
}

void tsm_iter_add_raw(tsm_iter *it, void *data, const tsm_dim *strides, size_t size) {
    for (int d = 0; d < it->dims; d++)
        it->strides[it->operands][d] = it->empty || it->sizes[d] == 1 ? 0 : strides[it->dims - 1 - d] * (tsm_dim)size;
    it->data[it->operands++] = data;
}

static void swap_dims(tsm_iter *it, int a, int b) {
    tsm_dim t = it->sizes[a];
    it->sizes[a] = it->sizes[b];
    it->sizes[b] = t;
    for (int o = 0; o < it->operands; o++) {
        t = it->strides[o][a];
        it->strides[o][a] = it->strides[o][b];
        it->strides[o][b] = t;
    }
}

/* Whether dimension `outer` (now further out) belongs inside of `inner`: the first operand that tells them apart
 * decides; broadcast dimensions (stride 0) tell nothing. */
static bool belongs_inside(const tsm_iter *it, int outer, int inner) {
    for (int o = 0; o < it->operands; o++) {
        tsm_dim a = it->strides[o][outer], b = it->strides[o][inner];
        if (a && b && a != b)
            return a < b;
    }
    return false;
}

static bool can_merge(const tsm_iter *it, int inner, int outer) {
    for (int o = 0; o < it->operands; o++)
        if (it->strides[o][outer] != it->strides[o][inner] * it->sizes[inner])
            return false;
    return true;
}

static void drop_dim(tsm_iter *it, int d) {
    for (; d + 1 < it->dims; d++)
        swap_dims(it, d, d + 1);
    it->dims--;
}

void tsm_iter_ready(tsm_iter *it) {
    it->position[0] = -1; /* before the first run */
    if (it->empty)        /* sizes need not be countable */
        return;
    for (int d = it->dims - 1; d >= 0; d--)
        if (it->sizes[d] == 1 && it->dims > 1)
            drop_dim(it, d);
    for (int i = 1; i < it->dims; i++)
        for (int j = i; j > 0 && belongs_inside(it, j, j - 1); j--)
            swap_dims(it, j, j - 1);
    for (int d = 0; d + 1 < it->dims;) {
        if (can_merge(it, d, d + 1)) {
            it->sizes[d] *= it->sizes[d + 1];
            drop_dim(it, d + 1);
        } else {
            d++;
        }
    }
    for (int d = 0; d < it->dims; d++)
        it->position[d] = 0;
    it->position[0] = -1; /* before the first run */
}

void tsm_iter_long_runs(tsm_iter *it) {
    enum { SHORT_RUN = 8 };
    if (it->dims < 2 || it->sizes[0] > SHORT_RUN || it->sizes[1] <= it->sizes[0])
        return;
    const tsm_dim size = it->sizes[0];
    it->sizes[0] = it->sizes[1];
    it->sizes[1] = size;
    for (int o = 0; o < it->operands; o++) {
        const tsm_dim stride = it->strides[o][0];
        it->strides[o][0] = it->strides[o][1];
        it->strides[o][1] = stride;
    }
}

bool tsm_iter_next(tsm_iter *it) {
    if (it->position[0] < 0) {
        it->position[0] = 0;
        return !it->empty;
    }
    for (int d = 1; d < it->dims; d++) {
        if (++it->position[d] < it->sizes[d]) {
            for (int o = 0; o < it->operands; o++)
                it->data[o] += it->strides[o][d];
            return true;
        }
        it->position[d] = 0;
        for (int o = 0; o < it->operands; o++)
            it->data[o] -= it->strides[o][d] * (it->sizes[d] - 1);
    }
    return false;
}

/* ---- Loops on lanes ---- */

/* How an operand reaches the loop. */
typedef enum {
    DIRECT,   /* its own memory */
    STAGED,   /* converted block by block */
    CONSTANT, /* one number: a block filled once */
    TURNED,   /* elements of the lane that lie along the second dimension: copied tile by tile */
    PERIODIC, /* of short rows that go together: the same for all rows of the second dimension, repeated in a block */
    SPREAD,   /* of such rows: one element of the lane for each row, repeated for each of its elements */
    GATHERED, /* of such rows: elements of the lane, copied to a block and, of results, from it */
} reach;

typedef struct {
    tsm_iter it;
    reach reach[TSM_MAP_OPERANDS];
    tsm_cast cast[TSM_MAP_OPERANDS]; /* converts what is staged and lies side by side; or NULL */
    char *block[TSM_MAP_OPERANDS];
    bool blocked, turned; /* whether an operand is not DIRECT, is TURNED */
    bool grouped;         /* rows are so short that many go together: both innermost dimensions are one run */
} map_state;

static bool is_constant(const tsm_iter *it, int o) {
    for (int d = 0; d < it->dims; d++)
        if (it->strides[o][d])
            return false;
    return true;
}

/* The direct conversion between an operand's elements and the lane's, if there is one and they lie side by side, or one
 * stands for all of a run. */
static tsm_cast find_cast(tsm_exec *x, const tsm_map *m, const map_state *s, int o) {
    const tsm_dtype dtype = (tsm_dtype)m->at[o].tensor->dtype, items = (tsm_dtype)tsm_dtypes_of_lanes[m->at[o].lane];
    if (s->it.strides[o][0] == 0 && o >= m->outputs && tsm_lane_is_native(m->at[o].lane, dtype))
        return tsm_cast_repeat(x, tsm_dtype_size(dtype));
    if (s->it.strides[o][0] != (tsm_dim)tsm_dtype_size(dtype))
        return NULL;
    return o < m->outputs ? tsm_cast_find(x, items, dtype) : tsm_cast_find(x, dtype, items);
}

#if TSM_NARROW_LANES
enum { MAP_TILE_ROWS = 16, MAP_TILE_COLUMNS = 64, MAP_TILE = MAP_TILE_ROWS * MAP_TILE_COLUMNS };

/* Whether a staged operand, which shares no memory with a result, lies so that tiles of it are read as they lie. */
static bool lies_turned(tsm_exec *x, const tsm_map *m, const tsm_iter *it, int o) {
    const tsm_tensor *t = m->at[o].tensor;
    for (int k = 0; k < m->outputs; k++)
        if (t->storage == m->at[k].tensor->storage)
            return false;
    return loops_are_narrow(x) && o >= m->outputs && it->dims > 1 && it->sizes[0] >= MAP_TILE_ROWS &&
           it->sizes[1] >= MAP_TILE_ROWS && tsm_lane_is_native(m->at[o].lane, (tsm_dtype)t->dtype) &&
           it->strides[o][1] == (tsm_dim)tsm_lane_size(m->at[o].lane) && it->strides[o][0] > 0;
}
#define IS_TURNED(s, o) ((s)->reach[o] == TURNED)

/* Whether an operand is in the memory of a result, but not its very elements. */
static bool lies_across(const tsm_map *m, const tsm_iter *it, int o) {
    const tsm_tensor *t = m->at[o].tensor;
    for (int k = 0; k < m->outputs && t; k++)
        if (t->storage == m->at[k].tensor->storage &&
            (it->data[o] != it->data[k] ||
             memcmp(it->strides[o], it->strides[k], (size_t)it->dims * sizeof *it->strides[o])))
            return true;
    return false;
}

enum { SPREAD_MORE = 32 }; /* bytes that are written at once of what is SPREAD */

/* How an operand reaches a loop over several rows. */
static reach reach_of_group(const tsm_map *m, const tsm_iter *it, int o) {
    const tsm_tensor *t = m->at[o].tensor;
    const tsm_dim size = (tsm_dim)tsm_lane_size(m->at[o].lane);
    if (o >= m->outputs && is_constant(it, o))
        return CONSTANT;
    if (o >= m->outputs && it->strides[o][1] == 0)
        return PERIODIC;
    if (!tsm_lane_is_native(m->at[o].lane, (tsm_dtype)t->dtype))
        return STAGED;
    if (o >= m->outputs && it->strides[o][0] == 0)
        return SPREAD;
    return it->strides[o][0] == size && it->strides[o][1] == it->sizes[0] * size ? DIRECT : GATHERED;
}

/* Whether rows go together: short ones without anything between them, beside which operands are broadcast, and of a few
 * elements any. Then `reach` is chosen. */
static bool are_grouped(tsm_exec *x, const tsm_map *m, map_state *s) {
    enum { MOST_GATHERED = 4, MOST_SPREAD = TSM_MAP_BLOCK / 4, LEAST_ROWS = 8 };
    const tsm_iter *it = &s->it;
    reach chosen[TSM_MAP_OPERANDS];
    if (!loops_are_narrow(x) || it->dims < 2 || it->sizes[0] > TSM_MAP_BLOCK / 4 || it->sizes[1] < LEAST_ROWS)
        return false;
    for (int o = 0; o < m->operands; o++) {
        chosen[o] = reach_of_group(m, it, o);
        if (chosen[o] == STAGED || (chosen[o] == GATHERED && it->sizes[0] > MOST_GATHERED) ||
            (chosen[o] == SPREAD && it->sizes[0] > MOST_SPREAD) || lies_across(m, it, o))
            return false;
    }
    memcpy(s->reach, chosen, sizeof chosen);
    return true;
}
#else
#define are_grouped(x, m, s) false
#define lies_turned(x, m, it, o) false
#define IS_TURNED(s, o) false
#define MAP_TILE 0
#define SPREAD_MORE 0
#endif

static void choose_reach(tsm_exec *x, const tsm_map *m, map_state *s) {
    s->blocked = s->turned = false;
    s->grouped = are_grouped(x, m, s);
    if (s->grouped) {
        s->blocked = true;
        return;
    }
    for (int o = 0; o < m->operands; o++) {
        const tsm_tensor *t = m->at[o].tensor;
        bool one = s->it.dims == 1 && s->it.sizes[0] == 1;
        if (o >= m->outputs && !one && is_constant(&s->it, o))
            s->reach[o] = CONSTANT;
        else if (t && tsm_lane_is_native(m->at[o].lane, (tsm_dtype)t->dtype) &&
                 (one || s->it.strides[o][0] == (tsm_dim)tsm_lane_size(m->at[o].lane)))
            s->reach[o] = DIRECT;
        else
            s->reach[o] = !t ? CONSTANT : lies_turned(x, m, &s->it, o) ? TURNED : STAGED;
        s->turned |= s->reach[o] == TURNED;
        s->cast[o] = s->reach[o] == STAGED ? find_cast(x, m, s, o) : NULL;
        s->blocked |= s->reach[o] != DIRECT;
    }
}

static void fill_constant(const tsm_map *m, map_state *s, int o, tsm_dim n) {
    tsm_lane lane = m->at[o].lane;
    if (!m->at[o].tensor) {
        tsm_lane_fill(lane, s->block[o], m->at[o].number, n);
        return;
    }
    tsm_lane_load(lane, s->block[o], (tsm_dtype)m->at[o].tensor->dtype, s->it.data[o], 0, n);
}

/* Blocks of few elements fit into `small`. */
static tsm_status make_blocks(tsm_exec *x, const tsm_map *m, map_state *s, void *small, size_t small_bytes,
                              void **scratch) {
    size_t offset[TSM_MAP_OPERANDS], bytes = 0;
    tsm_dim longest = s->it.sizes[0] < TSM_MAP_BLOCK && !s->grouped ? s->it.sizes[0] : TSM_MAP_BLOCK;
    for (int o = 0; o < m->operands; o++) {
        offset[o] = bytes;
        if (s->reach[o] != DIRECT)
            bytes += ((size_t)(IS_TURNED(s, o) ? MAP_TILE : longest) * tsm_lane_size(m->at[o].lane) + 15 +
                      (s->reach[o] == SPREAD ? SPREAD_MORE : 0)) &
                     ~(size_t)15;
    }
    char *blocks = small;
    if (bytes > small_bytes) {
        blocks = *scratch = tsm_scratch(x, bytes);
        if (!blocks)
            return TSM_OUT_OF_MEMORY;
    }
    for (int o = 0; o < m->operands; o++) {
        s->block[o] = blocks + offset[o];
        if (s->reach[o] == CONSTANT)
            fill_constant(m, s, o, longest);
    }
    return TSM_OK;
}

static void load_block(const tsm_map *m, const map_state *s, int o, const char *from, tsm_dim n) {
    if (s->cast[o])
        s->cast[o](s->block[o], from, n);
    else
        tsm_lane_load(m->at[o].lane, s->block[o], (tsm_dtype)m->at[o].tensor->dtype, from, s->it.strides[o][0], n);
}

static void store_block(const tsm_map *m, const map_state *s, int o, char *to, tsm_dim n) {
    if (s->cast[o])
        s->cast[o](to, s->block[o], n);
    else
        tsm_lane_store((tsm_dtype)m->at[o].tensor->dtype, to, s->it.strides[o][0], m->at[o].lane, s->block[o], n);
}

static void run_blocked(const tsm_map *m, map_state *s, tsm_loop loop, const void *context) {
    const tsm_iter *it = &s->it;
    void *p[TSM_MAP_OPERANDS];
    for (tsm_dim done = 0; done < it->sizes[0]; done += TSM_MAP_BLOCK) {
        const tsm_dim n = it->sizes[0] - done < TSM_MAP_BLOCK ? it->sizes[0] - done : TSM_MAP_BLOCK;
        for (int o = 0; o < m->operands; o++) {
            char *at = s->reach[o] == CONSTANT ? NULL : it->data[o] + done * it->strides[o][0];
            p[o] = s->reach[o] == DIRECT ? at : s->block[o];
            /* What is broadcast along the run is the same in all of its blocks, of which the first is the longest. */
            if (o >= m->outputs && s->reach[o] == STAGED && (done == 0 || it->strides[o][0] != 0))
                load_block(m, s, o, at, n);
        }
        loop(context, p, n);
        for (int o = 0; o < m->outputs; o++)
            if (s->reach[o] == STAGED)
                store_block(m, s, o, it->data[o] + done * it->strides[o][0], n);
    }
}

#if TSM_NARROW_LANES
/* One row of a tile, which begins at element `column` of row `row`. */
static void run_row(const tsm_map *m, map_state *s, tsm_loop loop, const void *context, tsm_dim row, tsm_dim column,
                    tsm_dim n) {
    const tsm_iter *it = &s->it;
    void *p[TSM_MAP_OPERANDS];
    for (int o = 0; o < m->operands; o++) {
        char *at = it->data[o] + row * it->strides[o][1] + column * it->strides[o][0];
        p[o] = s->reach[o] == DIRECT ? at : s->block[o];
        if (IS_TURNED(s, o))
            p[o] = s->block[o] + row % MAP_TILE_ROWS * MAP_TILE_COLUMNS * (tsm_dim)tsm_lane_size(m->at[o].lane);
        else if (o >= m->outputs && s->reach[o] == STAGED)
            load_block(m, s, o, at, n);
    }
    loop(context, p, n);
    for (int o = 0; o < m->outputs; o++)
        if (s->reach[o] == STAGED)
            store_block(m, s, o, it->data[o] + row * it->strides[o][1] + column * it->strides[o][0], n);
}

/* Both innermost dimensions tile by tile, so that what lies turned is read as it lies. */
static void run_turned(const tsm_map *m, map_state *s, tsm_loop loop, const void *context, tsm_dim rows) {
    const tsm_iter *it = &s->it;
    for (tsm_dim r = 0, height; r < rows; r += height) {
        height = rows - r < MAP_TILE_ROWS ? rows - r : MAP_TILE_ROWS;
        for (tsm_dim c = 0, n; c < it->sizes[0]; c += n) {
            n = it->sizes[0] - c < MAP_TILE_COLUMNS ? it->sizes[0] - c : MAP_TILE_COLUMNS;
            for (int o = m->outputs; o < m->operands; o++) {
                const tsm_dim size = (tsm_dim)tsm_lane_size(m->at[o].lane);
                if (IS_TURNED(s, o))
                    tsm_copy_turned(s->block[o], MAP_TILE_COLUMNS * size,
                                    it->data[o] + r * size + c * it->strides[o][0], it->strides[o][0], height, n,
                                    (size_t)size);
            }
            for (tsm_dim i = r; i < r + height; i++)
                run_row(m, s, loop, context, i, c, n);
        }
    }
}
#endif

#if TSM_NARROW_LANES
/* Elements of `rows` rows of an operand between its memory and its block, column by column. */
static void copy_group(const tsm_map *m, const map_state *s, int o, char *at, tsm_dim rows, bool is_result) {
    const tsm_iter *it = &s->it;
    const tsm_dim n = it->sizes[0], size = (tsm_dim)tsm_lane_size(m->at[o].lane);
    for (tsm_dim c = 0; c < n; c++) {
        char *item = s->block[o] + c * size, *element = at + c * it->strides[o][0];
        if (is_result)
            tsm_copy_run(element, it->strides[o][1], item, n * size, rows, (size_t)size);
        else
            tsm_copy_run(item, n * size, element, it->strides[o][1], rows, (size_t)size);
    }
}

/* One element of each of `rows` rows, for each of n elements of a row: by whole vectors, of which the last of a row may
 * reach into the next one, and that of the last row past its end, by less than SPREAD_MORE bytes. */
static void spread_group(char *block, const char *from, tsm_dim stride, tsm_dim rows, tsm_dim n, tsm_dim size) {
    enum { WORDS = SPREAD_MORE / sizeof(uint64_t) };
    const tsm_dim bytes = n * size;
#define SPREAD_CASE(T, TIMES)                                                                                          \
    case sizeof(T):                                                                                                    \
        for (tsm_dim r = 0; r < rows; r++, block += bytes) {                                                           \
            const uint64_t word = *(const T *)(const void *)(from + r * stride) * (uint64_t)(TIMES);                   \
            const uint64_t words[WORDS] = {word, word, word, word};                                                    \
            for (tsm_dim at = 0; at < bytes; at += SPREAD_MORE)                                                        \
                memcpy(block + at, words, sizeof words);                                                               \
        }                                                                                                              \
        break
    switch (size) {
        SPREAD_CASE(uint8_t, 0x0101010101010101);
        SPREAD_CASE(uint16_t, 0x0001000100010001);
        SPREAD_CASE(uint32_t, 0x0000000100000001);
        SPREAD_CASE(uint64_t, 1);
    case sizeof(tsm_complex):
        for (tsm_dim r = 0; r < rows; r++)
            for (tsm_dim c = 0; c < n; c++, block += sizeof(tsm_complex))
                memcpy(block, from + r * stride, sizeof(tsm_complex));
        break;
    default:
        break;
    }
#undef SPREAD_CASE
}

/* Both innermost dimensions, as many whole rows at once as a block holds. */
static void run_grouped(const tsm_map *m, map_state *s, tsm_loop loop, const void *context, tsm_dim rows) {
    const tsm_iter *it = &s->it;
    const tsm_dim n = it->sizes[0], most = TSM_MAP_BLOCK / n;
    for (int o = m->outputs; o < m->operands; o++) {
        const tsm_dim bytes = n * (tsm_dim)tsm_lane_size(m->at[o].lane);
        if (s->reach[o] != PERIODIC)
            continue;
        tsm_lane_load(m->at[o].lane, s->block[o], (tsm_dtype)m->at[o].tensor->dtype, it->data[o], it->strides[o][0], n);
        for (tsm_dim row = 1; row < most && row < rows; row++)
            memcpy(s->block[o] + row * bytes, s->block[o], (size_t)bytes);
    }
    for (tsm_dim r = 0, height; r < rows; r += height) {
        void *p[TSM_MAP_OPERANDS];
        height = rows - r < most ? rows - r : most;
        for (int o = 0; o < m->operands; o++) {
            char *at = s->reach[o] == CONSTANT ? NULL : it->data[o] + r * it->strides[o][1];
            p[o] = s->reach[o] == DIRECT ? at : s->block[o];
            if (s->reach[o] == SPREAD)
                spread_group(s->block[o], at, it->strides[o][1], height, n, (tsm_dim)tsm_lane_size(m->at[o].lane));
            else if (s->reach[o] == GATHERED && o >= m->outputs)
                copy_group(m, s, o, at, height, false);
        }
        loop(context, p, height * n);
        for (int o = 0; o < m->outputs; o++)
            if (s->reach[o] == GATHERED)
                copy_group(m, s, o, it->data[o] + r * it->strides[o][1], height, true);
    }
}
#endif

/* All operands are tensors of one shape, not empty, that lie as the loop reads them: nothing is to be walked. */
static bool lies_straight(const tsm_map *m) {
    const tsm_tensor *shape = m->at[0].tensor;
    for (int o = 0; o < m->operands; o++) {
        const tsm_tensor *t = m->at[o].tensor;
        if (!t || !t->elements || !tsm_lane_is_native(m->at[o].lane, (tsm_dtype)t->dtype) ||
            !tsm_tensor_is_contiguous(t) || (o && !tsm_same_shape(t, shape->dims, shape->sizes)))
            return false;
    }
    return true;
}

static void run_straight(const tsm_map *m, tsm_loop loop, const void *context) {
    void *p[TSM_MAP_OPERANDS];
    for (int o = 0; o < m->operands; o++)
        p[o] = m->at[o].tensor->data;
    loop(context, p, m->at[0].tensor->elements);
}

tsm_status tsm_map_run(tsm_exec *x, const tsm_map *m, tsm_loop loop, const void *context) {
    if (lies_straight(m)) {
        run_straight(m, loop, context);
        return TSM_OK;
    }
    map_state s;
    const tsm_tensor *shape = m->at[0].tensor;
    static const tsm_dim no_strides[TSM_MAX_DIMS];
    tsm_iter_start(&s.it, shape->dims, shape->sizes);
    for (int o = 0; o < m->operands; o++) {
        if (!m->at[o].tensor)
            tsm_iter_add_raw(&s.it, NULL, no_strides, 0);
        else if (tsm_dtype_is_quantized((tsm_dtype)m->at[o].tensor->dtype))
            return tsm_refuse_quantized(x);
        else
            tsm_iter_add(&s.it, m->at[o].tensor);
    }
    tsm_iter_ready(&s.it);
    if (s.it.empty)
        return TSM_OK;
    choose_reach(x, m, &s);
    void *scratch = NULL;
    tsm_lane_item small[16];
    if (s.blocked)
        TSM_TRY(make_blocks(x, m, &s, small, sizeof small, &scratch));
#if TSM_NARROW_LANES
    const tsm_dim rows = s.turned || s.grouped ? s.it.sizes[1] : 0;
    if (rows)
        s.it.sizes[1] = 1; /* what is walked are the other dimensions */
#endif
    while (tsm_iter_next(&s.it)) {
#if TSM_NARROW_LANES
        if (rows) {
            (s.turned ? run_turned : run_grouped)(m, &s, loop, context, rows);
            continue;
        }
#endif
        if (s.blocked)
            run_blocked(m, &s, loop, context);
        else
            loop(context, s.it.items, s.it.sizes[0]);
    }
    if (scratch)
        tsm_scratch_free(x, scratch);
    return TSM_OK;
}
