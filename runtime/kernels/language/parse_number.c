/* Texts as numbers. Reading guesses a double in floating point and settles it by comparing the text with the digits of
 * the points half-way to its neighbours. */
#include "runtime/kernels/language/parse_number.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "runtime/value/decimal.h"

/* The text being read. Reading past the end gives 0. */
typedef struct {
    const char *text;
    size_t n, at;
} reader;

static char peek(const reader *r) {
    return r->at < r->n ? r->text[r->at] : 0;
}

static bool parse_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Skips white space and a sign; true for minus. */
static bool read_sign(reader *r) {
    while (peek(r) == ' ' || (peek(r) >= '\t' && peek(r) <= '\r'))
        r->at++;
    char c = peek(r);
    r->at += c == '-' || c == '+';
    return c == '-';
}

/* Reads `word` (lower case) in any case. */
static bool read_word(reader *r, const char *word) {
    size_t i = 0;
    while (word[i] && r->at + i < r->n && (r->text[r->at + i] | 0x20) == word[i])
        i++;
    if (word[i])
        return false;
    r->at += i;
    return true;
}

bool tsm_parse_int(const char *text, size_t n, size_t *used, int64_t *v) {
    reader r = {text, n, 0};
    bool negative = read_sign(&r);
    uint64_t limit = (uint64_t)INT64_MAX + negative, sum = 0;
    if (!parse_is_digit(peek(&r)))
        return false;
    for (; parse_is_digit(peek(&r)); r.at++) {
        unsigned digit = (unsigned)(peek(&r) - '0');
        if (sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *used = r.at;
    *v = (int64_t)(negative ? 0 - sum : sum);
    return true;
}

/* The digits of a decimal number in a text: worth 0.d1d2d3... * 10^point. `at` is the first that is not 0; a '.' may
 * stand among them. */
typedef struct {
    const char *at, *end;
    int point;
} digit_text;

/* Compares the digits with m * 2^e: -1, 0, 1. */
static int compare_digits(const digit_text *t, uint64_t m, int e) {
    tsm_decimal d;
    tsm_decimal_make(&d, m, e);
    int point = d.digits + d.exponent;
    if (t->point != point)
        return t->point < point ? -1 : 1;
    const char *at = t->at;
    for (int i = 0; at < t->end || i < d.digits; at++) {
        if (at < t->end && *at == '.')
            continue;
        int have = at < t->end ? *at - '0' : 0, want = (int)tsm_decimal_digit(&d, i++);
        if (have != want)
            return have < want ? -1 : 1;
    }
    return 0;
}

/* The leading digits as an integer, as many as it holds, and in *exponent the power of ten that it is multiplied by.
 * Says in *exact whether these are all the digits. */
static uint64_t leading_digits(const digit_text *t, int *exponent, bool *exact) {
    uint64_t m = 0;
    const char *at = t->at;
    *exponent = t->point;
    for (; at < t->end && m < UINT64_MAX / 10 - 1; at++)
        if (*at != '.') {
            m = m * 10 + (uint64_t)(*at - '0');
            --*exponent;
        }
    *exact = at == t->end;
    return m;
}

enum { EXACT_POWERS = 22 }; /* 10^22 is the last power of ten that is a double: 5^22 has 52 bits */

/* m and the power of ten are doubles, so that the product is rounded once (Clinger 1990, "How to read floating point
 * numbers accurately"). False where they are not. */
static bool multiply_exactly(uint64_t m, int exponent, double *v) {
    const bool rounded_once = FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1; /* not as long double first */
    if (!rounded_once || m >> (TSM_DOUBLE_FRACTION_BITS + 1) || exponent > EXACT_POWERS || exponent < -EXACT_POWERS)
        return false;
    double power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 10;
    *v = exponent < 0 ? (double)m / power : (double)m * power;
    return true;
}

/* A double within a few units in the last place of m * 10^exponent. In two steps, because the power alone may leave the
 * range of doubles where the product does not. */
static double guess_double(uint64_t m, int exponent) {
    int half = exponent / 2;
    return (double)m * pow(10, half) * pow(10, exponent - half);
}

/* The double nearest to the digits; false when out of range. */
static bool round_digits(const digit_text *t, double *v) {
    if (t->point > 310 || t->point < -330)
        return false;
    int exponent;
    bool exact;
    uint64_t leading = leading_digits(t, &exponent, &exact);
    if (exact && multiply_exactly(leading, exponent, v))
        return true;
    double guess = guess_double(leading, exponent);
    uint64_t bits = tsm_double_bits(isinf(guess) ? 0x1.fffffffffffffp1023 : guess);
    for (;;) {
        int e;
        uint64_t m = tsm_double_split(bits, &e);
        int above = compare_digits(t, 2 * m + 1, e - 1);
        if (above > 0 || (above == 0 && (m & 1))) {
            bits++;
            if (!isfinite(tsm_double_of_bits(bits)))
                return false;
            continue;
        }
        /* Below a power of two neighbours are twice as dense. */
        bool power = m == UINT64_C(1) << TSM_DOUBLE_FRACTION_BITS && e > TSM_DOUBLE_LOWEST_EXPONENT;
        int below = m ? compare_digits(t, power ? 4 * m - 1 : 2 * m - 1, power ? e - 2 : e - 1) : 1;
        if (below < 0 || (below == 0 && (m & 1))) {
            bits--;
            continue;
        }
        *v = tsm_double_of_bits(bits);
        return m >> TSM_DOUBLE_FRACTION_BITS || compare_digits(t, m, e) == 0;
    }
}

/* Reads an exponent after its letter, when there is one; huge ones stay huge. */
static int read_exponent(reader *r) {
    reader ahead = *r;
    ahead.at++;
    bool negative = peek(&ahead) == '-';
    ahead.at += negative || peek(&ahead) == '+';
    if (!parse_is_digit(peek(&ahead)))
        return 0;
    int sum = 0;
    for (; parse_is_digit(peek(&ahead)); ahead.at++)
        sum = sum < 100000000 ? sum * 10 + (peek(&ahead) - '0') : sum;
    *r = ahead;
    return negative ? -sum : sum;
}

static int hexadecimal_digit(char c) {
    char lower = c | 0x20;
    return parse_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads hexadecimal digits behind "0x". False when there are none. */
static bool read_hexadecimal(reader *r, double *v, bool *in_range) {
    uint64_t m = 0;
    int exponent = 0;
    bool any = false, point = false;
    for (;; r->at++) {
        int digit = hexadecimal_digit(peek(r));
        if (digit < 0 && (peek(r) != '.' || point))
            break;
        if (digit < 0) {
            point = true;
            continue;
        }
        any = true;
        if (m >> 60) { /* no room: the last bit records whether a digit other than 0 was cut off, for rounding */
            m |= digit != 0;
            exponent += point ? 0 : 4;
        } else {
            m = m << 4 | (uint64_t)digit;
            exponent -= point ? 4 : 0;
        }
    }
    if (!any)
        return false;
    if ((peek(r) | 0x20) == 'p')
        exponent += read_exponent(r);
    *v = ldexp((double)m, exponent);
    *in_range = isfinite(*v) && (!m || *v >= 0x1p-1022 || ldexp(*v, -exponent) == (double)m);
    return true;
}

/* Reads decimal digits, a point, an exponent. False when there are no digits. */
static bool read_decimal(reader *r, double *v, bool *in_range) {
    digit_text t = {NULL, NULL, 0};
    bool any = false, point = false;
    for (;; r->at++) {
        char c = peek(r);
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!parse_is_digit(c))
            break;
        any = true;
        if (c != '0' && !t.at)
            t.at = r->text + r->at;
        if (c != '0')
            t.end = r->text + r->at + 1;
        if (t.at && !point)
            t.point++;
        else if (!t.at && point)
            t.point--;
    }
    if (!any)
        return false;
    if ((peek(r) | 0x20) == 'e')
        t.point += read_exponent(r);
    *v = 0;
    *in_range = !t.at || round_digits(&t, v);
    return true;
}

static void read_nan_payload(reader *r) {
    size_t at = r->at;
    if (peek(r) != '(')
        return;
    do
        at++;
    while (at < r->n && (parse_is_digit(r->text[at]) || r->text[at] == '_' ||
                         ((r->text[at] | 0x20) >= 'a' && (r->text[at] | 0x20) <= 'z')));
    if (at < r->n && r->text[at] == ')')
        r->at = at + 1;
}

bool tsm_parse_double(const char *text, size_t n, size_t *used, double *v) {
    reader r = {text, n, 0};
    bool negative = read_sign(&r), in_range = true;
    if (read_word(&r, "infinity") || read_word(&r, "inf")) {
        *v = INFINITY;
    } else if (read_word(&r, "nan")) {
        *v = NAN;
        read_nan_payload(&r);
    } else {
        reader decimal_text = r;
        if (!read_word(&r, "0x") || !read_hexadecimal(&r, v, &in_range)) {
            r = decimal_text;
            if (!read_decimal(&r, v, &in_range))
                return false;
        }
    }
    *used = r.at;
    if (negative)
        *v = -*v;
    return in_range;
}
