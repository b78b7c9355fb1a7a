/* Loops over keys of 4 and 8 bytes, and the selection that is made of them. */
#include "runtime/kernels/reduce/nth_key.h"

#include "runtime/kernels/simd/wide.h"
#include "runtime/tensor/tensor.h"

#if TSM_NARROW_LANES
/* Of SAMPLE keys the one wanted is within MARGIN places of where it is expected, nineteen times in twenty. */
enum { SAMPLE = 64, MARGIN = 8, NTH_KEY_STEPS = 12, COUNTED = 1024 };

typedef struct {
    tsm_dim (*count)(const void *keys, tsm_dim n, int64_t key);
    tsm_dim (*place)(const nth_keys *k, tsm_dim nth);
} nth_key_loops;

/* In blocks, so that counts are of the keys' type. */
#define COUNT_KEYS(KEY, NAME, OP)                                                                                      \
    static tsm_dim NAME(const KEY *keys, tsm_dim n, KEY bound) {                                                       \
        tsm_dim count = 0;                                                                                             \
        for (tsm_dim i = 0, m; i < n; i += m) {                                                                        \
            KEY some = 0;                                                                                              \
            m = tsm_dim_min(n - i, COUNTED);                                                                           \
            for (tsm_dim j = 0; j < m; j++)                                                                            \
                some += keys[i + j] OP bound;                                                                          \
            count += (tsm_dim)some;                                                                                    \
        }                                                                                                              \
        return count;                                                                                                  \
    }
#define NTH_KEY(KEY, UNSIGNED, LEAST, MOST, SUFFIX)                                                                    \
    COUNT_KEYS(KEY, keys_below_##SUFFIX, <)                                                                            \
    COUNT_KEYS(KEY, keys_equal_##SUFFIX, ==)                                                                           \
    static tsm_dim count_##SUFFIX(const void *keys, tsm_dim n, int64_t key) {                                          \
        return keys_equal_##SUFFIX(keys, n, (KEY)key);                                                                 \
    }                                                                                                                  \
    /* Gathers the keys of low..high; `to` may be where they lie. */                                                   \
    static tsm_dim keys_between_##SUFFIX(KEY *to, const KEY *keys, tsm_dim n, KEY low, KEY high) {                     \
        const UNSIGNED span = (UNSIGNED)high - (UNSIGNED)low;                                                          \
        tsm_dim count = 0;                                                                                             \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const KEY key = keys[i];                                                                                   \
            to[count] = key;                                                                                           \
            count += (UNSIGNED)key - (UNSIGNED)low <= span;                                                            \
        }                                                                                                              \
        return count;                                                                                                  \
    }                                                                                                                  \
    /* Keys from all of the line, in order. */                                                                         \
    static void sample_##SUFFIX(KEY *sorted, const KEY *keys, tsm_dim n) {                                             \
        KEY sample[SAMPLE], ranks[SAMPLE] = {0};                                                                       \
        for (int i = 0; i < SAMPLE; i++)                                                                               \
            sample[i] = keys[(2 * i + 1) * (n / SAMPLE) / 2];                                                          \
        for (int i = 0; i < SAMPLE; i++) {                                                                             \
            for (int j = 0; j < i; j++)                                                                                \
                ranks[j] += sample[i] < sample[j];                                                                     \
            for (int j = i + 1; j < SAMPLE; j++)                                                                       \
                ranks[j] += sample[i] <= sample[j];                                                                    \
        }                                                                                                              \
        for (int i = 0; i < SAMPLE; i++)                                                                               \
            sorted[ranks[i]] = sample[i];                                                                              \
    }                                                                                                                  \
    /* The key at *nth in order; then *nth is how many equal ones come before it. */                                   \
    static bool nth_key_##SUFFIX(const nth_keys *k, tsm_dim *nth, KEY *found) {                                        \
        const KEY *keys = k->keys;                                                                                     \
        tsm_dim n = k->n;                                                                                              \
        for (int steps = NTH_KEY_STEPS; n > SAMPLE; steps--) {                                                         \
            KEY sorted[SAMPLE];                                                                                        \
            if (!steps)                                                                                                \
                return false;                                                                                          \
            sample_##SUFFIX(sorted, keys, n);                                                                          \
            const int at = (int)((double)*nth / (double)n * SAMPLE);                                                   \
            KEY low = at < MARGIN ? LEAST : sorted[at - MARGIN],                                                       \
                high = at + MARGIN < SAMPLE ? sorted[at + MARGIN] : MOST;                                              \
            tsm_dim before = low == LEAST ? 0 : keys_below_##SUFFIX(keys, n, low);                                     \
            const tsm_dim through = high == MOST ? n : keys_below_##SUFFIX(keys, n, (KEY)(high + 1));                  \
            if (before > *nth) {                                                                                       \
                high = (KEY)(low - 1);                                                                                 \
                low = LEAST;                                                                                           \
                before = 0;                                                                                            \
            } else if (through <= *nth) {                                                                              \
                low = (KEY)(high + 1);                                                                                 \
                high = MOST;                                                                                           \
                before = through;                                                                                      \
            }                                                                                                          \
            *nth -= before;                                                                                            \
            *found = low;                                                                                              \
            if (low == high)                                                                                           \
                return true;                                                                                           \
            n = keys_between_##SUFFIX(k->room, keys, n, low, high);                                                    \
            keys = k->room;                                                                                            \
        }                                                                                                              \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const tsm_dim before = keys_below_##SUFFIX(keys, n, keys[i]);                                              \
            if (before <= *nth && *nth < before + keys_equal_##SUFFIX(keys, n, keys[i])) {                             \
                *nth -= before;                                                                                        \
                *found = keys[i];                                                                                      \
                return true;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        return false;                                                                                                  \
    }                                                                                                                  \
    static tsm_dim place_##SUFFIX(const nth_keys *k, tsm_dim nth) {                                                    \
        const KEY *keys = k->keys;                                                                                     \
        KEY key;                                                                                                       \
        if (!nth_key_##SUFFIX(k, &nth, &key))                                                                          \
            return -1;                                                                                                 \
        tsm_dim i = 0, equal;                                                                                          \
        while (equal = keys_equal_##SUFFIX(keys + i, tsm_dim_min(k->n - i, COUNTED), key), equal <= nth) {             \
            nth -= equal;                                                                                              \
            i += COUNTED;                                                                                              \
        }                                                                                                              \
        while (keys[i] != key || nth-- > 0)                                                                            \
            i++;                                                                                                       \
        return i;                                                                                                      \
    }
NTH_KEY(int32_t, uint32_t, INT32_MIN, INT32_MAX, i32)
NTH_KEY(int64_t, uint64_t, INT64_MIN, INT64_MAX, i64)

typedef struct {
    nth_key_loops of_short, of_long;
} nth_key_tables;
TSM_TABLE_CHOSEN(nth_key_tables, nth_key_tables, {{count_i32, place_i32}, {count_i64, place_i64}})

#if !defined(TSM_WIDE_LOOPS)
static const nth_key_loops *nth_key_loops_of(tsm_exec *x, const nth_keys *k) {
    const nth_key_tables *tables = nth_key_tables_for(x);
    return k->size == sizeof(int32_t) ? &tables->of_short : &tables->of_long;
}

tsm_dim tsm_nth_key_count(tsm_exec *x, const nth_keys *k, int64_t key) {
    return nth_key_loops_of(x, k)->count(k->keys, k->n, key);
}

tsm_dim tsm_nth_key_place(tsm_exec *x, const nth_keys *k, tsm_dim nth) {
    return nth_key_loops_of(x, k)->place(k, nth);
}
#endif
#endif
