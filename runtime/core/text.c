/* Growing texts and the exact conversion of numbers from and to decimal.
 *
 * A double is m * 2^e with m < 2^53. For e >= 0 it is an integer; for e < 0 it is (m * 5^-e) * 10^e. So one operation,
 * multiplying a number in base 10^9 by a small factor, gives every decimal digit there is. Reading guesses a double in
 * floating point and settles it by comparing the text with the digits of the points half-way to its neighbours. */
#include "runtime/core/text.h"

#include <math.h>
#include <string.h>

#include "runtime/core/exec.h"

/* ---- Growing text ---- */

tsm_status tsm_text_add(tsm_exec *x, tsm_text *t, const char *s, size_t n) {
    if (n > t->capacity - t->length) {
        size_t capacity = t->length + n + t->capacity / 2 + 48;
        char *text = t->text ? tsm_heap_realloc(&x->heap, t->text, capacity) : tsm_heap_alloc(&x->heap, capacity);
        if (!text)
            return tsm_fail(x, TSM_OUT_OF_MEMORY, "a text of %zu bytes lacks %zu bytes of buffer", capacity,
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

/* ---- Exact decimals ---- */

enum {
    BASE = 1000000000, /* of a limb */
    LIMB_DIGITS = 9,
    /* The longest number needed is half-way between two subnormals: (2^54 - 1) * 5^1075, 768 digits. */
    LIMBS = 86,
    FRACTION_BITS = 52,
    EXPONENT_ALL_ONES = 0x7ff,
    LOWEST_EXPONENT = -1074, /* of the last bit of subnormals */
};

/* value = (limbs, least first) * 10^exponent */
typedef struct {
    uint32_t limb[LIMBS];
    int limbs;    /* in use; at least one; the top one is not 0 unless the value is */
    int digits;   /* decimal digits of the limbs */
    int exponent; /* <= 0 */
} decimal;

static const uint32_t powers_of_ten[LIMB_DIGITS] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static void decimal_multiply(decimal *d, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < d->limbs; i++) {
        carry += (uint64_t)d->limb[i] * factor;
        d->limb[i] = (uint32_t)(carry % BASE);
        carry /= BASE;
    }
    for (; carry; carry /= BASE)
        d->limb[d->limbs++] = (uint32_t)(carry % BASE);
}

/* Multiplies by base^n, where step_power = base^step is the largest power that fits in 32 bits. */
static void decimal_multiply_power(decimal *d, uint32_t base, int n, uint32_t step_power, int step) {
    for (; n >= step; n -= step)
        decimal_multiply(d, step_power);
    uint32_t rest = 1;
    while (n-- > 0)
        rest *= base;
    decimal_multiply(d, rest);
}

/* d = m * 2^e */
static void decimal_make(decimal *d, uint64_t m, int e) {
    if (!m)
        e = 0;
    while (e < 0 && !(m & 1)) {
        m >>= 1;
        e++;
    }
    d->limbs = 0;
    do {
        d->limb[d->limbs++] = (uint32_t)(m % BASE);
        m /= BASE;
    } while (m);
    d->exponent = e < 0 ? e : 0;
    if (e < 0)
        decimal_multiply_power(d, 5, -e, 1220703125, 13);
    else
        decimal_multiply_power(d, 2, e, 1u << 30, 30);
    d->digits = LIMB_DIGITS * (d->limbs - 1) + 1;
    for (int i = 1; i < LIMB_DIGITS && d->limb[d->limbs - 1] >= powers_of_ten[i]; i++)
        d->digits++;
}

/* Digit i from the top; 0 past the last one. */
static unsigned decimal_digit(const decimal *d, int i) {
    int from_end = d->digits - 1 - i;
    return from_end < 0 ? 0 : d->limb[from_end / LIMB_DIGITS] / powers_of_ten[from_end % LIMB_DIGITS] % 10;
}

/* Is cutting the number behind its first `keep` digits to be rounded up (ties to even)? */
static bool decimal_rounds_up(const decimal *d, int keep) {
    if (keep < 0 || keep >= d->digits)
        return false;
    unsigned first = decimal_digit(d, keep);
    if (first != 5)
        return first > 5;
    for (int i = keep + 1; i < d->digits; i++)
        if (decimal_digit(d, i))
            return true;
    return keep > 0 && (decimal_digit(d, keep - 1) & 1);
}

/* Writes the first `keep` digits, rounded. True when rounding carried out of the top: there is one more digit then. */
static bool decimal_round(const decimal *d, int keep, char *to) {
    for (int i = 0; i < keep; i++)
        to[i] = (char)('0' + decimal_digit(d, i));
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

/* ---- Doubles to text ---- */

static uint64_t double_bits(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Splits a finite |v| into m * 2^e. */
static uint64_t double_split(uint64_t bits, int *e) {
    int biased = (int)(bits >> FRACTION_BITS & EXPONENT_ALL_ONES);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    *e = LOWEST_EXPONENT + (biased ? biased - 1 : 0);
    return biased ? fraction | UINT64_C(1) << FRACTION_BITS : fraction;
}

/* Lays out n digits at `at` (worth 0.d1d2d3... * 10^point) as a number with `fraction` digits behind the point. */
static size_t lay_out_fixed(char *at, int n, int point, int fraction) {
    if (point <= 0) {
        int zeros = n ? -point : fraction;
        memmove(at + 2 + zeros, at, (size_t)n);
        memset(at, '0', (size_t)(2 + zeros));
        at[1] = '.';
        return fraction ? (size_t)(2 + fraction) : 1;
    }
    if (n < point)
        memset(at + n, '0', (size_t)(point - n));
    if (!fraction)
        return (size_t)point;
    memmove(at + point + 1, at + point, (size_t)fraction);
    at[point] = '.';
    return (size_t)(point + 1 + fraction);
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
    uint64_t bits = double_bits(v);
    size_t sign = bits >> 63;
    if (sign)
        *to = '-';
    char *at = to + sign;
    if (!isfinite(v)) {
        memcpy(at, isinf(v) ? "inf" : "nan", 3);
        return sign + 3;
    }
    decimal d;
    int e;
    uint64_t m = double_split(bits, &e);
    decimal_make(&d, m, e);
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

/* ---- Text to numbers ---- */

/* The text being read. Reading past the end gives 0. */
typedef struct {
    const char *text;
    size_t n, at;
} reader;

static char peek(const reader *r) {
    return r->at < r->n ? r->text[r->at] : 0;
}

static bool is_digit(char c) {
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
    if (!is_digit(peek(&r)))
        return false;
    for (; is_digit(peek(&r)); r.at++) {
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
    decimal d;
    decimal_make(&d, m, e);
    int point = d.digits + d.exponent;
    if (t->point != point)
        return t->point < point ? -1 : 1;
    const char *at = t->at;
    for (int i = 0; at < t->end || i < d.digits; at++) {
        if (at < t->end && *at == '.')
            continue;
        int have = at < t->end ? *at - '0' : 0, want = (int)decimal_digit(&d, i++);
        if (have != want)
            return have < want ? -1 : 1;
    }
    return 0;
}

/* A double within a few units in the last place. */
static double guess_double(const digit_text *t) {
    uint64_t m = 0;
    int exponent = t->point;
    for (const char *at = t->at; at < t->end && m < UINT64_MAX / 10 - 1; at++)
        if (*at != '.') {
            m = m * 10 + (uint64_t)(*at - '0');
            exponent--;
        }
    double v = (double)m;
    /* In two steps, because the power alone may leave the range of doubles where the product does not. */
    int half = exponent / 2;
    return v * pow(10, half) * pow(10, exponent - half);
}

/* The double nearest to the digits; false when out of range. */
static bool round_digits(const digit_text *t, double *v) {
    if (t->point > 310 || t->point < -330)
        return false;
    double guess = guess_double(t);
    uint64_t bits = double_bits(isinf(guess) ? 0x1.fffffffffffffp1023 : guess);
    for (;;) {
        int e;
        uint64_t m = double_split(bits, &e);
        int above = compare_digits(t, 2 * m + 1, e - 1);
        if (above > 0 || (above == 0 && (m & 1))) {
            bits++;
            if (!isfinite(double_of_bits(bits)))
                return false;
            continue;
        }
        /* Below a power of two neighbours are twice as dense. */
        bool power = m == UINT64_C(1) << FRACTION_BITS && e > LOWEST_EXPONENT;
        int below = m ? compare_digits(t, power ? 4 * m - 1 : 2 * m - 1, power ? e - 2 : e - 1) : 1;
        if (below < 0 || (below == 0 && (m & 1))) {
            bits--;
            continue;
        }
        *v = double_of_bits(bits);
        return m >> FRACTION_BITS || compare_digits(t, m, e) == 0;
    }
}

/* Reads an exponent after its letter, when there is one; huge ones stay huge. */
static int read_exponent(reader *r) {
    reader ahead = *r;
    ahead.at++;
    bool negative = peek(&ahead) == '-';
    ahead.at += negative || peek(&ahead) == '+';
    if (!is_digit(peek(&ahead)))
        return 0;
    int sum = 0;
    for (; is_digit(peek(&ahead)); ahead.at++)
        sum = sum < 100000000 ? sum * 10 + (peek(&ahead) - '0') : sum;
    *r = ahead;
    return negative ? -sum : sum;
}

static int hexadecimal_digit(char c) {
    char lower = c | 0x20;
    return is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
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
        if (m >> 60) { /* no room: the last bit remembers that something was lost */
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
        if (!is_digit(c))
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
    while (at < r->n && (is_digit(r->text[at]) || r->text[at] == '_' ||
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
