/* Growing texts and numbers written exactly. */
#include "runtime/value/text.h"

#include <math.h>
#include <string.h>

#include "runtime/value/decimal.h"
#include "runtime/value/exec.h"

/* ---- Growing text ---- */

tsm_status tsm_text_add(tsm_exec *x, tsm_text *t, const char *s, size_t n) {
    if (t->status != TSM_OK)
        return t->status;
    if (t->is_fixed && n > t->capacity - t->length)
        n = t->capacity - t->length;
    if (n > t->capacity - t->length) {
        size_t capacity = t->length + n + t->capacity / 2 + 48;
        char *text = t->text ? tsm_heap_realloc(&x->heap, t->text, capacity) : tsm_heap_alloc(&x->heap, capacity);
        if (!text)
            return t->status = tsm_fail(x, TSM_OUT_OF_MEMORY, "a text of %zu bytes lacks %zu bytes of buffer", capacity,
                                        x->heap.missing);
        t->text = text;
        t->capacity = capacity;
    }
    if (n)
        memcpy(t->text + t->length, s, n);
    t->length += n;
    return TSM_OK;
}

void tsm_text_free(tsm_exec *x, tsm_text *t) {
    if (t->text)
        tsm_heap_free(&x->heap, t->text);
    t->text = NULL;
    t->length = t->capacity = 0;
}

/* ---- Integers ---- */

size_t tsm_format_unsigned(char *to, uint64_t v, unsigned base) {
    char digits[64];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    memcpy(to, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

size_t tsm_format_int(char *to, int64_t v) {
    if (v >= 0)
        return tsm_format_unsigned(to, (uint64_t)v, 10);
    *to = '-';
    return 1 + tsm_format_unsigned(to + 1, 0 - (uint64_t)v, 10);
}

/* ---- Doubles to text ---- */

/* Is cutting the number behind its first `keep` digits to be rounded up (ties to even)? */
static bool decimal_rounds_up(const tsm_decimal *d, int keep) {
    if (keep < 0 || keep >= d->digits)
        return false;
    unsigned first = tsm_decimal_digit(d, keep);
    if (first != 5)
        return first > 5;
    for (int i = keep + 1; i < d->digits; i++)
        if (tsm_decimal_digit(d, i))
            return true;
    return keep > 0 && (tsm_decimal_digit(d, keep - 1) & 1);
}

/* Writes the first `keep` digits, rounded. True when rounding carried out of the top: there is one more digit then. */
static bool decimal_round(const tsm_decimal *d, int keep, char *to) {
    for (int i = 0; i < keep; i++)
        to[i] = (char)('0' + tsm_decimal_digit(d, i));
    if (!decimal_rounds_up(d, keep))
        return false;
    int i = keep;
    while (i > 0 && to[i - 1] == '9')
        to[--i] = '0';
    if (i > 0) {
        to[i - 1]++;
        return false;
    }
    memmove(to + 1, to, (size_t)keep);
    *to = '1';
    return true;
}

/* Lays out n digits at `at` (worth 0.d1d2d3... * 10^point) as a number with `fraction` digits behind the point. */
static size_t lay_out_fixed(char *at, int n, int point, int fraction) {
    if (point <= 0) {
        int zeros = n ? -point : fraction;
        memmove(at + 2 + zeros, at, (size_t)n);
        memset(at, '0', 2 + (size_t)zeros);
        at[1] = '.';
        return fraction ? (size_t)(2 + fraction) : 1;
    }
    if (n < point)
        memset(at + n, '0', (size_t)(point - n));
    if (!fraction)
        return (size_t)point;
    memmove(at + point + 1, at + point, (size_t)fraction);
    at[point] = '.';
    return (size_t)point + 1 + (size_t)fraction;
}

/* The same as d.ddde+XX. */
static size_t lay_out_scientific(char *at, int n, int exponent) {
    size_t length = (size_t)n;
    if (n > 1) {
        memmove(at + 2, at + 1, (size_t)(n - 1));
        at[1] = '.';
        length++;
    }
    at[length++] = 'e';
    at[length++] = exponent < 0 ? '-' : '+';
    unsigned size = exponent < 0 ? (unsigned)-exponent : (unsigned)exponent;
    if (size < 10)
        at[length++] = '0';
    return length + tsm_format_unsigned(at + length, size, 10);
}

size_t tsm_format_number(char *to, double v, char style, int precision) {
    uint64_t bits = tsm_double_bits(v);
    size_t sign = bits >> 63;
    if (sign)
        *to = '-';
    char *at = to + sign;
    if (!isfinite(v)) {
        memcpy(at, isinf(v) ? "inf" : "nan", 3);
        return sign + 3;
    }
    tsm_decimal d;
    int e;
    uint64_t m = tsm_double_split(bits, &e);
    tsm_decimal_make(&d, m, e);
    int point = d.digits + d.exponent;
    if (style == 'f') {
        int keep = point + precision;
        bool carried = decimal_round(&d, keep, at);
        return sign + lay_out_fixed(at, (keep > 0 ? keep : 0) + carried, point + carried, precision);
    }
    int keep = style == 'e' ? precision + 1 : precision ? precision : 1;
    point += decimal_round(&d, keep, at);
    if (style == 'e')
        return sign + lay_out_scientific(at, keep, point - 1);
    int n = keep;
    while (n > 1 && at[n - 1] == '0')
        n--;
    if (point - 1 < -4 || point - 1 >= keep)
        return sign + lay_out_scientific(at, n, point - 1);
    return sign + lay_out_fixed(at, n, point, n > point ? n - point : 0);
}

size_t tsm_format_double(char *to, double v) {
    if (v >= -0x1p63 && v < 0x1p63 && (double)(int64_t)v == v) {
        size_t n = tsm_format_int(to, (int64_t)v);
        to[n] = '.';
        return n + 1;
    }
    return tsm_format_number(to, v, 'g', 17);
}
