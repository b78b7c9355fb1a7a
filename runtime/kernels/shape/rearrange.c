/* Elements at other places of the same shape: flip, roll, tril, triu. */
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/tensor/iter.h"

/* ---- flip ---- */

#if TSM_NARROW_LANES
/* Rows of two to four elements, or of up to eight bytes, which lie side by side on both sides, each turned around as a
 * whole. A row of bytes goes as a word, of which what lies behind the row is overwritten by the next. */
enum { WORD_BYTES = 8, TURNED_ROW = 4 };
static inline uint64_t turned_word(uint64_t word, size_t size) {
    const uint64_t low = UINT64_C(0x00FF00FF00FF00FF);
    if (size == sizeof(uint32_t))
        return word >> 32 | word << 32;
    word = __builtin_bswap64(word);
    return size == sizeof(uint16_t) ? (word >> 8 & low) | (word & low) << 8 : word;
}
/* A row of at least a word, which lies at `from`, by words: the last may repeat what was written before. */
static inline __attribute__((always_inline)) void turn_long_row(char *to, const char *from, tsm_dim bytes,
                                                                size_t size) {
    for (tsm_dim k = 0; k < bytes; k += WORD_BYTES) {
        const tsm_dim at = tsm_dim_min(k, bytes - WORD_BYTES);
        uint64_t word;
        memcpy(&word, from + (bytes - WORD_BYTES - at), WORD_BYTES);
        word = turned_word(word, size);
        memcpy(to + at, &word, WORD_BYTES);
    }
}
/* Where a row of n elements is so turned: the compiler's vectors are better for many of four bytes. */
static bool turns_by_words(tsm_dim n, tsm_dim size) {
    enum { FEW_WORDS = 16 };
    return n * size >= WORD_BYTES &&
           (size <= (tsm_dim)sizeof(uint16_t) || (size == (tsm_dim)sizeof(uint32_t) && n <= FEW_WORDS));
}
static void turn_word_rows(char *to, const char *from, tsm_dim rows, tsm_dim bytes, size_t size) {
    const tsm_dim whole = tsm_dim_max(rows - WORD_BYTES, 0);
    for (tsm_dim r = 0; r < rows; r++, to += bytes, from += bytes) {
        uint64_t word = 0;
        memcpy(&word, from, r < whole ? WORD_BYTES : (size_t)bytes);
        word = turned_word(word, size) >> 8 * (WORD_BYTES - bytes);
        memcpy(to, &word, r < whole ? WORD_BYTES : (size_t)bytes);
    }
}
static void turn_rows_of(char *to, const char *from, tsm_dim rows, tsm_dim n, size_t size) {
#define TURN_ROWS(T, N)                                                                                                \
    for (tsm_dim r = 0; r < rows; r++)                                                                                 \
        for (tsm_dim i = 0; i < (N); i++)                                                                              \
    ((T *restrict)(void *)to)[r * (N) + i] = ((const T *restrict)(const void *)from)[r * (N) + (N)-1 - i]
#define TURN_ROWS_OF(T)                                                                                                \
    do {                                                                                                               \
        if (n == 2)                                                                                                    \
            TURN_ROWS(T, 2);                                                                                           \
        else if (n == 3)                                                                                               \
            TURN_ROWS(T, 3);                                                                                           \
        else                                                                                                           \
            TURN_ROWS(T, TURNED_ROW);                                                                                  \
    } while (0)
    if (size == sizeof(uint32_t))
        TURN_ROWS_OF(uint32_t);
    else
        TURN_ROWS_OF(uint64_t);
#undef TURN_ROWS_OF
#undef TURN_ROWS
}
/* Whether the two inner dimensions are such rows, and were copied. */
static bool flip_short_rows(tsm_iter *it, tsm_dim size) {
    const tsm_dim n = it->sizes[0], bytes = n * size, rows = it->dims > 1 ? it->sizes[1] : 1;
    const bool is_word = size <= (tsm_dim)sizeof(uint16_t) && bytes <= WORD_BYTES;
    if (rows < 2 || it->strides[0][1] != bytes || it->strides[1][1] != bytes || size > WORD_BYTES ||
        (!is_word && n > TURNED_ROW))
        return false;
    it->sizes[1] = 1; /* what is walked are the other dimensions */
    while (tsm_iter_next(it)) {
        const char *from = it->data[1] - bytes + size;
        if (is_word)
            turn_word_rows(it->data[0], from, rows, bytes, (size_t)size);
        else
            turn_rows_of(it->data[0], from, rows, n, (size_t)size);
    }
    return true;
}
#else
#define flip_short_rows(it, size) false
#endif

/* Rows of n elements read backwards, the first of which begins at `from`. The compiler turns vectors around where it
 * knows the step. */
static void copy_reversed(char *to, tsm_dim to_step, const char *from, tsm_dim from_step, tsm_dim rows, tsm_dim n,
                          size_t size) {
#define FOR_ROWS(STATEMENT)                                                                                            \
    for (tsm_dim r = 0; r < rows; r++, to += to_step, from += from_step)                                               \
    STATEMENT
#if TSM_NARROW_LANES
    if (turns_by_words(n, (tsm_dim)size)) {
        const tsm_dim bytes = n * (tsm_dim)size;
        from -= bytes - (tsm_dim)size;
        if (size == sizeof(uint8_t))
            FOR_ROWS(turn_long_row(to, from, bytes, sizeof(uint8_t)));
        else if (size == sizeof(uint16_t))
            FOR_ROWS(turn_long_row(to, from, bytes, sizeof(uint16_t)));
        else
            FOR_ROWS(turn_long_row(to, from, bytes, sizeof(uint32_t)));
        return;
    }
#endif
#define REVERSED_CASE(T)                                                                                               \
    case sizeof(T):                                                                                                    \
        FOR_ROWS({                                                                                                     \
            T *y = (void *)to;                                                                                         \
            const T *v = (const void *)from;                                                                           \
            TSM_INDEPENDENT for (tsm_dim i = 0; i < n; i++) y[i] = v[-i];                                              \
        })                                                                                                             \
        break;
    switch (size) {
        REVERSED_CASE(uint8_t)
        REVERSED_CASE(uint16_t)
        REVERSED_CASE(uint32_t)
        REVERSED_CASE(uint64_t)
    default:
        FOR_ROWS(tsm_copy_run(to, (tsm_dim)size, from, -(tsm_dim)size, n, size));
    }
#undef REVERSED_CASE
#undef FOR_ROWS
}

/* All rows of the second dimension at once. */
static void flip_rows(tsm_iter *it, size_t size) {
    const bool has_rows = it->dims > 1;
    const tsm_dim rows = has_rows ? it->sizes[1] : 1, to_step = has_rows ? it->strides[0][1] : 0,
                  from_step = has_rows ? it->strides[1][1] : 0;
    if (has_rows)
        it->sizes[1] = 1;
    while (tsm_iter_next(it))
        copy_reversed(it->data[0], to_step, it->data[1], from_step, rows, it->sizes[0], size);
}

static tsm_status flip(tsm_exec *x, const tsm_tensor *t, unsigned flipped, tsm_value *out) {
    tsm_tensor *y;
    tsm_iter it;
    tsm_dim strides[TSM_MAX_DIMS], first = 0, size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_make_like(x, t, (tsm_dtype)t->dtype, &y));
    if (!t->elements)
        return ret_tensor(out, y);
    for (int d = 0; d < t->dims; d++) {
        bool turned = flipped >> d & 1;
        strides[d] = turned ? -t->strides[d] : t->strides[d];
        first += turned ? (t->sizes[d] - 1) * t->strides[d] : 0;
    }
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, y);
    tsm_iter_add_raw(&it, (char *)t->data + first * size, strides, (size_t)size);
    tsm_iter_ready(&it);
    if (it.strides[0][0] != size || it.strides[1][0] != -size)
        tsm_iter_copy(&it, (size_t)size);
    else if (!flip_short_rows(&it, size))
        flip_rows(&it, (size_t)size);
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_flip) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_dim dims[TSM_MAX_DIMS];
    unsigned set = 0;
    int n = tsm_arg_ints(x, in, 1, dims, TSM_MAX_DIMS), d;
    if (n < 0)
        return TSM_RAISED;
    for (int k = 0; k < n; k++) {
        TSM_TRY(tsm_wrap_dim_or_scalar(x, dims[k], t->dims, &d));
        if (set >> d & 1)
            return TSM_RAISE(x, "dim %d appears multiple times in the list of dims", d);
        set |= 1u << d;
    }
    return flip(x, t, t->dims ? set : 0, out);
}

/* ---- roll ---- */

/* y is t moved by shift[d], 0 <= shift[d] < sizes[d]: along each dimension that moves the tensor is cut in two, and the
 * parts change places. */
static void roll(const tsm_tensor *t, const tsm_dim *shift, tsm_tensor *y) {
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    unsigned moved = 0;
    for (int d = 0; d < t->dims; d++)
        moved |= shift[d] ? 1u << d : 0;
    for (unsigned part = moved;; part = (part - 1) & moved) { /* all subsets: bit d set, what goes around the end */
        tsm_dim sizes[TSM_MAX_DIMS], from = 0, to = 0;
        tsm_iter it;
        for (int d = 0; d < t->dims; d++) {
            bool is_end = part >> d & 1;
            sizes[d] = is_end ? shift[d] : t->sizes[d] - shift[d];
            from += is_end ? (t->sizes[d] - shift[d]) * t->strides[d] : 0;
            to += is_end ? 0 : shift[d] * y->strides[d];
        }
        tsm_iter_start(&it, t->dims, sizes);
        tsm_iter_add_raw(&it, (char *)y->data + to * size, y->strides, (size_t)size);
        tsm_iter_add_raw(&it, (char *)t->data + from * size, t->strides, (size_t)size);
        tsm_iter_ready(&it);
        tsm_iter_copy(&it, (size_t)size);
        if (!part)
            return;
    }
}

/* All elements in one row. */
static tsm_status roll_flat(tsm_exec *x, tsm_tensor *t, tsm_dim shift, tsm_value *out) {
    tsm_tensor *row, *y;
    const size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_tensor_contiguous(x, t, &row));
    tsm_status status = tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y);
    if (status == TSM_OK && t->elements) {
        size_t all = (size_t)t->elements * size;
        size_t end = (size_t)((shift % t->elements + t->elements) % t->elements) * size;
        memcpy(y->data, (const char *)row->data + (all - end), end);
        memcpy((char *)y->data + end, row->data, all - end);
    }
    tsm_tensor_drop(x, row);
    return status == TSM_OK ? ret_tensor(out, y) : status;
}

TSM_KERNEL(aten_roll) {
    if (arg_tensor(in, 0)->quantizer)
        return tsm_quantized_as_stored(x, in, out);
    tsm_tensor *t = arg_tensor(in, 0), *y;
    tsm_dim shifts[TSM_MAX_DIMS], dims[TSM_MAX_DIMS], by[TSM_MAX_DIMS] = {0}, strides[TSM_MAX_DIMS];
    int n = tsm_arg_ints(x, in, 1, shifts, TSM_MAX_DIMS), m = tsm_arg_ints(x, in, 2, dims, TSM_MAX_DIMS), d;
    if (n < 0 || m < 0)
        return TSM_RAISED;
    if (n == 1 && !m)
        return roll_flat(x, t, shifts[0], out);
    if (!n || n != m)
        return TSM_RAISE(x, "shifts and dimensions must align. shifts: %d, dims:%d", n, m);
    bool all_move = true;
    for (int k = 0; k < n; k++) {
        TSM_TRY(tsm_wrap_dim(x, dims[k], t->dims, &d));
        tsm_dim size = t->sizes[d] ? t->sizes[d] : 1;
        all_move &= shifts[k] % size != 0;
        by[d] = ((by[d] + shifts[k] % size) % size + size) % size;
    }
    /* PyTorch puts two parts together, of which an empty one is never channels-last. */
    tsm_strides_contiguous(t->dims, t->sizes, strides);
    if (all_move)
        tsm_strides_suggested(t, strides);
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)t->dtype, t->dims, t->sizes, strides, &y));
    if (t->elements)
        roll(t, by, y);
    return ret_tensor(out, y);
}

/* ---- Triangles ---- */

static tsm_dim clamped(tsm_dim v, tsm_dim most) {
    return v < 0 ? 0 : v > most ? most : v;
}

/* Columns kept of row r: from *begin to *end. */
static void kept_columns(tsm_dim r, tsm_dim columns, tsm_dim diagonal, bool upper, tsm_dim *begin, tsm_dim *end) {
    *begin = upper ? clamped(tsm_dim_add(r, diagonal), columns) : 0;
    *end = upper ? columns : clamped(tsm_dim_add(tsm_dim_add(r, diagonal), 1), columns);
}

static tsm_status rearrange_triangle(tsm_exec *x, const tsm_tensor *t, tsm_dim diagonal, bool upper, tsm_value *out) {
    tsm_tensor *y;
    const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    if (t->dims < 2)
        return TSM_RAISE(x, "%s: input tensor must have at least 2 dimensions", upper ? "triu" : "tril");
    TSM_TRY(tsm_tensor_make(x, (tsm_dtype)t->dtype, t->dims, t->sizes, &y));
    if (!t->elements)
        return ret_tensor(out, y);
    tsm_dim columns = t->sizes[t->dims - 1], rows = t->sizes[t->dims - 2], begin, end;
    tsm_dim step = tsm_tensor_step(t, t->dims - 1), lines = y->elements / columns;
    char *to = y->data;
    for (tsm_dim i = 0; i < lines; i++, to += columns * size) {
        tsm_dim rest = i, at = 0;
        for (int d = t->dims - 2; d >= 0; d--) {
            at += rest % t->sizes[d] * t->strides[d];
            rest /= t->sizes[d];
        }
        kept_columns(i % rows, columns, diagonal, upper, &begin, &end);
        memset(to, 0, (size_t)(begin * size));
        tsm_copy_run(to + begin * size, size, (const char *)t->data + at * size + begin * step, step, end - begin,
                     (size_t)size);
        memset(to + end * size, 0, (size_t)((columns - end) * size));
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten_tril) {
    return rearrange_triangle(x, arg_tensor(in, 0), arg_dim(in, 1), false, out);
}
TSM_KERNEL(aten_triu) {
    return rearrange_triangle(x, arg_tensor(in, 0), arg_dim(in, 1), true, out);
}
