/* Polynomials of names and quotients. */
#include "exporter/passes/analysis/symbolic_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/base/mem.h"

enum { MOST_TERMS = 16, MOST_VARIABLES = 8 };

/* A name, or a quotient. */
typedef struct {
    const char *text;
    const symbolic_int *dividend; /* NULL: a name */
    int64_t divisor;
} variable;

typedef struct {
    int64_t factor;
    int count;
    const variable *variables[MOST_VARIABLES]; /* in the order of their texts */
} term;

/* Terms without the factor 0, those with more variables first; of equal terms there is one. */
struct symbolic_int {
    const char *text;
    int count;
    term terms[MOST_TERMS];
};

/* ---- Order and text ---- */

static int compare_terms(const void *a_, const void *b_) {
    const term *a = a_, *b = b_;
    if (a->count != b->count)
        return b->count - a->count;
    for (int i = 0; i < a->count; i++) {
        const int order = strcmp(a->variables[i]->text, b->variables[i]->text);
        if (order)
            return order;
    }
    return 0;
}

static void print_term(const term *t, bool is_first, strbuf *out) {
    const bool is_negative = t->factor < 0;
    const uint64_t size = is_negative ? 0 - (uint64_t)t->factor : (uint64_t)t->factor;
    strbuf_add(out, is_negative ? "-" : is_first ? "" : "+");
    if (size != 1 || !t->count)
        strbuf_printf(out, "%" PRIu64 "%s", size, t->count ? "*" : "");
    const bool is_product = t->count > 1 || size != 1;
    for (int i = 0; i < t->count; i++)
        strbuf_printf(out, is_product && t->variables[i]->dividend ? "%s(%s)" : "%s%s", i ? "*" : "",
                      t->variables[i]->text);
}

static const symbolic_int *finished(symbolic_int *a) {
    strbuf b = {0};
    qsort(a->terms, (size_t)a->count, sizeof *a->terms, compare_terms);
    for (int i = 0; i < a->count; i++)
        print_term(&a->terms[i], i == 0, &b);
    a->text = a->count ? strbuf_text(&b) : "0";
    return a;
}

const char *symbolic_text(const symbolic_int *a) {
    return a ? a->text : "?";
}

bool symbolic_is_equal(const symbolic_int *a, const symbolic_int *b) {
    return a && b && !strcmp(a->text, b->text);
}

bool symbolic_is_constant(const symbolic_int *a, int64_t *value) {
    if (!a || a->count > 1 || (a->count && a->terms[0].count))
        return false;
    *value = a->count ? a->terms[0].factor : 0;
    return true;
}

/* ---- Sums and products ---- */

/* Adds a term to those of `a`; false: there are too many, or the factor is too large. */
static bool add_term(symbolic_int *a, const term *t) {
    for (int i = 0; i < a->count; i++) {
        if (compare_terms(&a->terms[i], t))
            continue;
        if (__builtin_add_overflow(a->terms[i].factor, t->factor, &a->terms[i].factor))
            return false;
        if (!a->terms[i].factor)
            a->terms[i] = a->terms[--a->count];
        return true;
    }
    if (!t->factor)
        return true;
    if (a->count == MOST_TERMS)
        return false;
    a->terms[a->count++] = *t;
    return true;
}

static const symbolic_int *of_term(const term *t) {
    symbolic_int *a = MEM_NEW(symbolic_int);
    return add_term(a, t) ? finished(a) : NULL;
}

const symbolic_int *symbolic_constant(int64_t value) {
    return of_term(&(term){.factor = value});
}

static const symbolic_int *of_variable(const char *text, const symbolic_int *dividend, int64_t divisor) {
    variable *v = MEM_NEW(variable);
    *v = (variable){text, dividend, divisor};
    return of_term(&(term){.factor = 1, .count = 1, .variables = {v}});
}

const symbolic_int *symbolic_name(const char *name) {
    return of_variable(name, NULL, 0);
}

/* a + factor * b */
static const symbolic_int *add_multiple(const symbolic_int *a, const symbolic_int *b, int64_t factor) {
    if (!a || !b)
        return NULL;
    symbolic_int *sum = MEM_NEW(symbolic_int);
    *sum = *a;
    for (int i = 0; i < b->count; i++) {
        term t = b->terms[i];
        if (__builtin_mul_overflow(t.factor, factor, &t.factor) || !add_term(sum, &t))
            return NULL;
    }
    return finished(sum);
}

const symbolic_int *symbolic_add(const symbolic_int *a, const symbolic_int *b) {
    return add_multiple(a, b, 1);
}

const symbolic_int *symbolic_subtract(const symbolic_int *a, const symbolic_int *b) {
    return add_multiple(a, b, -1);
}

/* The product of two terms; false: it has too many variables, or too large a factor. */
static bool multiply_terms(const term *a, const term *b, term *product) {
    *product = (term){0};
    if (a->count + b->count > MOST_VARIABLES || __builtin_mul_overflow(a->factor, b->factor, &product->factor))
        return false;
    for (int i = 0, k = 0; i < a->count || k < b->count;) {
        const bool takes_a =
            k == b->count || (i < a->count && strcmp(a->variables[i]->text, b->variables[k]->text) <= 0);
        product->variables[product->count++] = takes_a ? a->variables[i++] : b->variables[k++];
    }
    return true;
}

const symbolic_int *symbolic_multiply(const symbolic_int *a, const symbolic_int *b) {
    if (!a || !b)
        return NULL;
    symbolic_int *sum = MEM_NEW(symbolic_int);
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            term t;
            if (!multiply_terms(&a->terms[i], &b->terms[k], &t) || !add_term(sum, &t))
                return NULL;
        }
    return finished(sum);
}

/* ---- Quotients ---- */

static int64_t divide_down(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Splits a into divisor * multiple + rest, whose factors are from 0 to divisor - 1. */
static void split(const symbolic_int *a, int64_t divisor, symbolic_int *multiple, symbolic_int *rest) {
    for (int i = 0; i < a->count; i++) {
        term t = a->terms[i];
        t.factor = divide_down(t.factor, divisor);
        add_term(multiple, &t);
        t.factor = a->terms[i].factor - t.factor * divisor;
        add_term(rest, &t);
    }
}

/* The only quotient in a, with the factor 1 and beside it nothing but a number; NULL: it is not so. */
static const variable *lone_quotient(const symbolic_int *a, int64_t *number) {
    if (!a->count || a->count > 2 || a->terms[0].count != 1 || a->terms[0].factor != 1 ||
        !a->terms[0].variables[0]->dividend || (a->count == 2 && a->terms[1].count))
        return NULL;
    *number = a->count == 2 ? a->terms[1].factor : 0;
    return a->terms[0].variables[0];
}

/* By a number above 0. */
static const symbolic_int *divide_by_number(const symbolic_int *a, int64_t divisor) {
    stack_check();
    symbolic_int *multiple = MEM_NEW(symbolic_int), *rest = MEM_NEW(symbolic_int);
    int64_t number, together;
    if (divisor == 1)
        return a;
    /* (p//m + k)//n = (p + k m)//(m n) */
    const variable *inner = lone_quotient(a, &number);
    if (inner && !__builtin_mul_overflow(inner->divisor, divisor, &together))
        return divide_by_number(add_multiple(inner->dividend, symbolic_constant(inner->divisor), number), together);
    split(a, divisor, multiple, rest);
    finished(multiple);
    finished(rest);
    if (symbolic_is_constant(rest, &number)) /* from 0 to divisor - 1 */
        return multiple;
    const bool is_simple = rest->count == 1 && rest->terms[0].factor == 1 && rest->terms[0].count == 1;
    const char *text = mem_printf(is_simple ? "%s//%" PRId64 : "(%s)//%" PRId64, rest->text, divisor);
    return symbolic_add(multiple, of_variable(text, rest, divisor));
}

/* a / b where b is one term and divides all of a; NULL: it does not. */
static const symbolic_int *divide_by_term(const symbolic_int *a, const term *b) {
    symbolic_int *quotient = MEM_NEW(symbolic_int);
    for (int i = 0; i < a->count; i++) {
        const term *t = &a->terms[i];
        term q = {.factor = t->factor / b->factor};
        int k = 0;
        for (int v = 0; v < t->count; v++)
            if (k < b->count && !strcmp(t->variables[v]->text, b->variables[k]->text))
                k++;
            else
                q.variables[q.count++] = t->variables[v];
        if (t->factor % b->factor || k < b->count || !add_term(quotient, &q))
            return NULL;
    }
    return finished(quotient);
}

const symbolic_int *symbolic_divide(const symbolic_int *a, const symbolic_int *b) {
    int64_t divisor;
    if (!a || !b)
        return NULL;
    if (symbolic_is_constant(b, &divisor))
        return divisor > 0 ? divide_by_number(a, divisor) : NULL;
    return b->count == 1 && b->terms[0].factor > 0 ? divide_by_term(a, &b->terms[0]) : NULL;
}

/* ---- Values ---- */

static bool value_of_variable(const variable *v, const char *const *names, const int64_t *values, int count,
                              int64_t *value) {
    if (v->dividend) {
        if (!symbolic_value(v->dividend, names, values, count, value))
            return false;
        *value = divide_down(*value, v->divisor);
        return true;
    }
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], v->text)) {
            *value = values[i];
            return true;
        }
    return false;
}

bool symbolic_value(const symbolic_int *a, const char *const *names, const int64_t *values, int count, int64_t *value) {
    stack_check();
    *value = 0;
    for (int i = 0; a && i < a->count; i++) {
        int64_t product = a->terms[i].factor, factor;
        for (int k = 0; k < a->terms[i].count; k++)
            if (!value_of_variable(a->terms[i].variables[k], names, values, count, &factor) ||
                __builtin_mul_overflow(product, factor, &product))
                return false;
        if (__builtin_add_overflow(*value, product, value))
            return false;
    }
    return a;
}
