/* Operators on strings: sequences of bytes, of which only ASCII letters, digits and spaces have a meaning.
 *
 * Where PyTorch departs from Python (splitlines cuts inside UTF-8, zfill ignores signs, ...) its results are followed;
 * where it would never end, an error is raised. */
#include "runtime/kernels/language/lang.h"
#include "runtime/value/letter.h"

/* ---- Pieces of text ---- */

/* n bytes inside a str. */
typedef struct {
    const char *text;
    size_t n;
} text_slice;

#define NOT_FOUND SIZE_MAX

static text_slice slice_of(const tsm_value *const *in, int i) {
    return (text_slice){arg_str(in, i)->text, arg_str(in, i)->length};
}

/* Bytes [from, to). */
static text_slice cut(text_slice s, size_t from, size_t to) {
    return (text_slice){s.text + from, to - from};
}

tsm_status tsm_lang_ret_str(tsm_exec *x, tsm_value *out, const char *text, size_t n) {
    return tsm_make_str(x, text ? text : "", n, out);
}

static tsm_status str_ret_slice(tsm_exec *x, tsm_value *out, text_slice s) {
    return tsm_lang_ret_str(x, out, s.text, s.n);
}

/* Makes a str of a text and frees the text; on failure only frees. `status` is that of building it. */
static tsm_status ret_text(tsm_exec *x, tsm_value *out, tsm_text *t, tsm_status status) {
    if (status == TSM_OK)
        status = tsm_lang_ret_str(x, out, t->text, t->length);
    tsm_text_free(x, t);
    return status;
}

/* A new str of n bytes to be filled in. */
static tsm_status make_buffer(tsm_exec *x, size_t n, tsm_value *out, char **to) {
    TSM_TRY(tsm_make_str(x, NULL, n, out));
    *to = tsm_str_buffer(*out);
    return TSM_OK;
}

/* Where `what` first stands at or after `from`. */
static size_t str_find(text_slice s, text_slice what, size_t from) {
    for (size_t at = from; at <= s.n && s.n - at >= what.n; at++)
        if (memcmp(s.text + at, what.text, what.n) == 0)
            return at;
    return NOT_FOUND;
}

static size_t find_last(text_slice s, text_slice what) {
    for (size_t at = s.n - what.n; what.n <= s.n; at--) {
        if (memcmp(s.text + at, what.text, what.n) == 0)
            return at;
        if (at == 0)
            break;
    }
    return NOT_FOUND;
}

/* Charges a search for `what` at every position of s; memcmp compares several bytes at a time. */
static tsm_status charge_search(tsm_exec *x, text_slice s, text_slice what) {
    return tsm_charge_product(x, s.n, 1 + what.n / 16, 1);
}

static bool starts_with(text_slice s, text_slice what) {
    return s.n >= what.n && memcmp(s.text, what.text, what.n) == 0;
}
static bool ends_with(text_slice s, text_slice what) {
    return s.n >= what.n && memcmp(s.text + s.n - what.n, what.text, what.n) == 0;
}
static bool contains_char(text_slice s, char c) {
    return s.n && memchr(s.text, c, s.n);
}

/* ---- Kinds of bytes ---- */

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
static bool is_alpha(char c) {
    return is_lower(c) || is_upper(c);
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_alnum(char c) {
    return is_alpha(c) || is_digit(c);
}
static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_printable(char c) {
    return c >= ' ' && c <= '~';
}
static char to_lower(char c) {
    return is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}
static char to_upper(char c) {
    return is_lower(c) ? (char)(c - ('a' - 'A')) : c;
}
static char to_other_case(char c) {
    return is_upper(c) ? to_lower(c) : to_upper(c);
}

static bool all_are(text_slice s, bool (*is)(char)) {
    for (size_t i = 0; i < s.n; i++)
        if (!is(s.text[i]))
            return false;
    return true;
}

/* True for texts of at least one byte, all of the kind. */
static tsm_status ret_all_are(const tsm_value *const *in, tsm_value *out, bool (*is)(char)) {
    text_slice s = slice_of(in, 0);
    return ret_bool(out, s.n && all_are(s, is));
}

TSM_KERNEL(aten_isdigit) {
    TSM_UNUSED_IO();
    return ret_all_are(in, out, is_digit);
}
TSM_KERNEL(aten_isspace) {
    TSM_UNUSED_IO();
    return ret_all_are(in, out, is_space);
}
TSM_KERNEL(aten_isalnum) {
    TSM_UNUSED_IO();
    return ret_all_are(in, out, is_alnum);
}
TSM_KERNEL(aten_isalpha) {
    TSM_UNUSED_IO();
    return ret_all_are(in, out, is_alpha);
}
TSM_KERNEL_ALIAS(aten_isdecimal, aten_isdigit);
TSM_KERNEL_ALIAS(aten_isnumeric, aten_isdigit);

TSM_KERNEL(aten_isprintable) {
    TSM_UNUSED_IO();
    return ret_bool(out, all_are(slice_of(in, 0), is_printable));
}

/* PyTorch does not take underscores as part of identifiers. */
TSM_KERNEL(aten_isidentifier) {
    TSM_UNUSED_IO();
    text_slice s = slice_of(in, 0);
    return ret_bool(out, s.n && !is_digit(s.text[0]) && all_are(s, is_alnum));
}

/* At least one letter, and none of the other case. */
static tsm_status ret_one_case(const tsm_value *const *in, tsm_value *out, bool (*is_other)(char)) {
    text_slice s = slice_of(in, 0);
    bool any = false;
    for (size_t i = 0; i < s.n; i++) {
        if (is_other(s.text[i]))
            return ret_bool(out, false);
        any = any || is_alpha(s.text[i]);
    }
    return ret_bool(out, any);
}

TSM_KERNEL(aten_isupper) {
    TSM_UNUSED_IO();
    return ret_one_case(in, out, is_lower);
}
TSM_KERNEL(aten_islower) {
    TSM_UNUSED_IO();
    return ret_one_case(in, out, is_upper);
}

TSM_KERNEL(aten_istitle) {
    TSM_UNUSED_IO();
    text_slice s = slice_of(in, 0);
    bool any = false, inside = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.text[i];
        if (inside ? is_upper(c) : is_lower(c))
            return ret_bool(out, false);
        inside = is_alpha(c);
        any = any || inside;
    }
    return ret_bool(out, any);
}

/* ---- Case ---- */

static tsm_status ret_mapped(tsm_exec *x, const tsm_value *const *in, tsm_value *out, char (*map)(char)) {
    text_slice s = slice_of(in, 0);
    char *to;
    TSM_TRY(make_buffer(x, s.n, out, &to));
    for (size_t i = 0; i < s.n; i++)
        to[i] = map(s.text[i]);
    return TSM_OK;
}

TSM_KERNEL(aten_lower) {
    return ret_mapped(x, in, out, to_lower);
}
TSM_KERNEL(aten_upper) {
    return ret_mapped(x, in, out, to_upper);
}
TSM_KERNEL(aten_swapcase) {
    return ret_mapped(x, in, out, to_other_case);
}

/* Capitals at the start, and with `words` behind everything that is no letter; the rest small. */
static tsm_status ret_capitalized(tsm_exec *x, const tsm_value *const *in, tsm_value *out, bool words) {
    text_slice s = slice_of(in, 0);
    char *to;
    TSM_TRY(make_buffer(x, s.n, out, &to));
    for (size_t i = 0; i < s.n; i++) {
        bool first = i == 0 || (words && !is_alpha(s.text[i - 1]));
        to[i] = first ? to_upper(s.text[i]) : to_lower(s.text[i]);
    }
    return TSM_OK;
}

TSM_KERNEL(aten_capitalize) {
    return ret_capitalized(x, in, out, false);
}
TSM_KERNEL(aten_title) {
    return ret_capitalized(x, in, out, true);
}

/* ---- Width ---- */

/* The text with `left` and `right` fill characters around it. */
static tsm_status ret_padded(tsm_exec *x, tsm_value *out, text_slice s, size_t left, size_t right, char fill) {
    char *to;
    TSM_TRY(tsm_charge(x, left + right));
    TSM_TRY(make_buffer(x, left + s.n + right, out, &to));
    memset(to, fill, left);
    memcpy(to + left, s.text, s.n);
    memset(to + left + s.n, fill, right);
    return TSM_OK;
}

/* How many fill characters argument 1, the width, asks for; raises when argument 2 is not one character. */
static tsm_status padding(tsm_exec *x, const tsm_value *const *in, size_t *missing, char *fill) {
    text_slice s = slice_of(in, 0), f = slice_of(in, 2);
    int64_t width = arg_int(in, 1);
    if (f.n != 1)
        return TSM_RAISE(x, "TypeError: The fill character must be exactly one character long");
    *fill = f.text[0];
    if (width > INT32_MAX)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "a str of %ld bytes is too long", width);
    *missing = width > (int64_t)s.n ? (size_t)tsm_saturate_dim(width) - s.n : 0;
    return TSM_OK;
}

TSM_KERNEL(aten_ljust) {
    size_t missing = 0;
    char fill = ' ';
    TSM_TRY(padding(x, in, &missing, &fill));
    return ret_padded(x, out, slice_of(in, 0), 0, missing, fill);
}

TSM_KERNEL(aten_rjust) {
    size_t missing = 0;
    char fill = ' ';
    TSM_TRY(padding(x, in, &missing, &fill));
    return ret_padded(x, out, slice_of(in, 0), missing, 0, fill);
}

/* An odd fill character goes to the left when the width is odd, else to the right. */
TSM_KERNEL(aten_center) {
    size_t missing = 0;
    char fill = ' ';
    TSM_TRY(padding(x, in, &missing, &fill));
    size_t left = arg_int(in, 1) % 2 ? missing - missing / 2 : missing / 2;
    return ret_padded(x, out, slice_of(in, 0), left, missing - left, fill);
}

TSM_KERNEL(aten_zfill) {
    text_slice s = slice_of(in, 0);
    int64_t width = arg_int(in, 1);
    if (width > INT32_MAX)
        return tsm_fail(x, TSM_OUT_OF_MEMORY, "a str of %ld bytes is too long", width);
    return ret_padded(x, out, s, width > (int64_t)s.n ? (size_t)tsm_saturate_dim(width) - s.n : 0, 0, '0');
}

enum { SPACES = 16 };

static tsm_status str_add_spaces(tsm_exec *x, tsm_text *t, size_t n) {
    TSM_TRY(tsm_charge(x, n));
    return tsm_text_add(x, t, "                ", n);
}

TSM_KERNEL(aten_expandtabs) {
    text_slice s = slice_of(in, 0);
    int64_t size = arg_int(in, 1);
    tsm_text t = {0};
    tsm_status status = TSM_OK;
    for (size_t i = 0; i < s.n && status == TSM_OK; i++) {
        if (s.text[i] != '\t') {
            status = tsm_text_add(x, &t, s.text + i, 1);
            continue;
        }
        for (int64_t n = size > 0 ? size - (int64_t)t.length % size : 0; n > 0 && status == TSM_OK; n -= SPACES)
            status = str_add_spaces(x, &t, n < SPACES ? (size_t)tsm_saturate_dim(n) : SPACES);
    }
    return ret_text(x, out, &t, status);
}

/* ---- Stripping ---- */

static text_slice strip(const tsm_value *const *in, bool left, bool right) {
    text_slice s = slice_of(in, 0), chars = slice_of(in, 1);
    while (left && s.n && contains_char(chars, s.text[0]))
        s = cut(s, 1, s.n);
    while (right && s.n && contains_char(chars, s.text[s.n - 1]))
        s.n--;
    return s;
}

TSM_KERNEL(aten_strip) {
    return str_ret_slice(x, out, strip(in, true, true));
}
TSM_KERNEL(aten_lstrip) {
    return str_ret_slice(x, out, strip(in, true, false));
}
TSM_KERNEL(aten_rstrip) {
    return str_ret_slice(x, out, strip(in, false, true));
}

/* ---- Search ---- */

/* A bound of find, count, startswith: negative ones count from the end, where `past` is 1 for an end (-1 is the
 * length). */
static int64_t from_end(int64_t v, size_t n, int past) {
    if (v >= 0)
        return v;
    v += (int64_t)n + past;
    return v > 0 ? v : 0;
}

static tsm_status raise_substr(tsm_exec *x, int64_t at, size_t n) {
    return TSM_RAISE(x, "basic_string::substr: __pos (which is %ld) > this->size() (which is %zu)", at, n);
}

/* Where argument 1 stands in argument 0 between arguments 2 and 3; -1 when nowhere. */
static tsm_status str_search(tsm_exec *x, const tsm_value *const *in, bool last, int64_t *at) {
    text_slice s = slice_of(in, 0), what = slice_of(in, 1);
    int64_t start = from_end(arg_int(in, 2), s.n, 0), end = from_end(arg_int(in, 3), s.n, 1);
    text_slice part = {s.text, 0};
    if (end > start) {
        if (start > (int64_t)s.n)
            return raise_substr(x, start, s.n);
        part = cut(s, (size_t)tsm_saturate_dim(start), end < (int64_t)s.n ? (size_t)tsm_saturate_dim(end) : s.n);
    }
    TSM_TRY(charge_search(x, part, what));
    size_t found = last ? find_last(part, what) : str_find(part, what, 0);
    *at = found == NOT_FOUND ? -1 : (int64_t)found + start;
    return TSM_OK;
}

static tsm_status ret_found(tsm_exec *x, const tsm_value *const *in, tsm_value *out, bool last, bool must) {
    int64_t at = -1;
    TSM_TRY(str_search(x, in, last, &at));
    return must && at < 0 ? TSM_RAISE(x, "ValueError: substring not found") : ret_int(out, at);
}

TSM_KERNEL(aten_find) {
    return ret_found(x, in, out, false, false);
}
TSM_KERNEL(aten_rfind) {
    return ret_found(x, in, out, true, false);
}
TSM_KERNEL(aten_index_str) {
    return ret_found(x, in, out, false, true);
}
TSM_KERNEL(aten_rindex) {
    return ret_found(x, in, out, true, true);
}

/* Without overlaps. The empty text stands before every byte and at the end (PyTorch would count for ever). */
TSM_KERNEL(aten_count) {
    text_slice s = slice_of(in, 0), what = slice_of(in, 1);
    TSM_TRY(charge_search(x, s, what));
    int64_t start = from_end(arg_int(in, 2), s.n, 0), end = from_end(arg_int(in, 3), s.n, 1), n = 0;
    if (start > (int64_t)s.n)
        return ret_int(out, 0);
    for (size_t at = str_find(s, what, (size_t)tsm_saturate_dim(start)); at != NOT_FOUND; n++) {
        if ((int64_t)at >= end && (what.n || at < s.n || end < (int64_t)s.n))
            break;
        at = str_find(s, what, at + (what.n ? what.n : 1));
    }
    return ret_int(out, n);
}

/* The part of argument 0 that arguments 2 and 3 bound. An end before the start is no bound at all. */
static tsm_status bounded_part(tsm_exec *x, const tsm_value *const *in, text_slice *part) {
    text_slice s = slice_of(in, 0);
    int64_t start = from_end(arg_int(in, 2), s.n, 0), end = from_end(arg_int(in, 3), s.n, 1);
    if (start > (int64_t)s.n)
        return raise_substr(x, start, s.n);
    *part = cut(s, (size_t)tsm_saturate_dim(start),
                end >= start && end < (int64_t)s.n ? (size_t)tsm_saturate_dim(end) : s.n);
    return TSM_OK;
}

TSM_KERNEL(aten_startswith) {
    text_slice part = {NULL, 0};
    TSM_TRY(bounded_part(x, in, &part));
    return ret_bool(out, starts_with(part, slice_of(in, 1)));
}

TSM_KERNEL(aten_endswith) {
    text_slice part = {NULL, 0};
    TSM_TRY(bounded_part(x, in, &part));
    return ret_bool(out, ends_with(part, slice_of(in, 1)));
}

/* ---- Parts ---- */

TSM_KERNEL_LIGHT(aten_len_str) {
    TSM_UNUSED_IO();
    return ret_int(out, arg_str(in, 0)->length);
}

static tsm_status find_byte(tsm_exec *x, const tsm_value *const *in, size_t *at) {
    text_slice s = slice_of(in, 0);
    int64_t index = arg_int(in, 1);
    if (lang_position(index, s.n, at))
        return TSM_OK;
    return tsm_str_no_letter(x, arg_str(in, 0), index);
}

TSM_KERNEL_LIGHT(aten___getitem___str) {
    size_t at;
    TSM_TRY(find_byte(x, in, &at));
    return str_ret_slice(x, out, cut(slice_of(in, 0), at, at + 1));
}
TSM_KERNEL_ALIAS(prim_StringIndex, aten___getitem___str);

TSM_KERNEL_LIGHT(tsm_byte_at) {
    size_t at;
    TSM_TRY(find_byte(x, in, &at));
    return ret_int(out, (uint8_t)slice_of(in, 0).text[at]);
}

TSM_KERNEL_LIGHT(aten_slice_str) {
    text_slice s = slice_of(in, 0);
    lang_slice taken;
    char *to;
    TSM_TRY(tsm_lang_slice_of(x, in, s.n, &taken));
    TSM_TRY(make_buffer(x, taken.count, out, &to));
    for (size_t i = 0; i < taken.count; i++)
        to[i] = s.text[taken.first + (int64_t)i * taken.step];
    return TSM_OK;
}

TSM_KERNEL(aten_add_str) {
    text_slice a = slice_of(in, 0), b = slice_of(in, 1);
    char *to;
    TSM_TRY(make_buffer(x, a.n + b.n, out, &to));
    memcpy(to, a.text, a.n);
    memcpy(to + a.n, b.text, b.n);
    return TSM_OK;
}

/* Gives three results: the part before the separator, the separator, the part after it. */
static tsm_status ret_three(tsm_exec *x, tsm_value *out, text_slice before, text_slice separator, text_slice behind) {
    tsm_value made[3];
    text_slice parts[3] = {before, separator, behind};
    for (int i = 0; i < 3; i++) {
        tsm_status status = str_ret_slice(x, &made[i], parts[i]);
        if (status != TSM_OK) {
            while (i > 0)
                tsm_drop(x, made[--i]);
            return status;
        }
    }
    memcpy(out, made, sizeof made);
    return TSM_OK;
}

TSM_KERNEL(aten_partition) {
    text_slice s = slice_of(in, 0), separator = slice_of(in, 1);
    TSM_TRY(charge_search(x, s, separator));
    size_t at = str_find(s, separator, 0);
    if (at == NOT_FOUND)
        return ret_three(x, out, s, cut(s, 0, 0), cut(s, s.n, s.n));
    return ret_three(x, out, cut(s, 0, at), separator, cut(s, at + separator.n, s.n));
}

TSM_KERNEL(aten_rpartition) {
    text_slice s = slice_of(in, 0), separator = slice_of(in, 1);
    TSM_TRY(charge_search(x, s, separator));
    size_t at = find_last(s, separator);
    if (at == NOT_FOUND)
        return ret_three(x, out, cut(s, 0, 0), cut(s, 0, 0), s);
    return ret_three(x, out, cut(s, 0, at), separator, cut(s, at + separator.n, s.n));
}

/* ---- Splitting ---- */

static tsm_status append_slice(tsm_exec *x, tsm_list *l, text_slice s) {
    tsm_value v;
    TSM_TRY(tsm_charge(x, 1 + s.n));
    TSM_TRY(str_ret_slice(x, &v, s));
    tsm_status status = tsm_list_append(x, l, v);
    tsm_drop(x, v);
    return status;
}

static tsm_status split_at_spaces(tsm_exec *x, tsm_list *l, text_slice s) {
    for (size_t at = 0; at < s.n;) {
        size_t from = at;
        while (at < s.n && !is_space(s.text[at]))
            at++;
        if (at > from)
            TSM_TRY(append_slice(x, l, cut(s, from, at)));
        else
            at++;
    }
    return TSM_OK;
}

/* At most `max` cuts, from the left; any number when negative. */
static tsm_status split_at(tsm_exec *x, tsm_list *l, text_slice s, text_slice separator, int64_t max) {
    size_t from = 0;
    TSM_TRY(charge_search(x, s, separator));
    for (int64_t cuts = 0; max < 0 || cuts < max; cuts++) {
        size_t at = str_find(s, separator, from);
        if (at == NOT_FOUND)
            break;
        TSM_TRY(append_slice(x, l, cut(s, from, at)));
        from = at + separator.n;
    }
    return append_slice(x, l, cut(s, from, s.n));
}

/* The same from the right; the list is in reverse order. */
static tsm_status split_from_right(tsm_exec *x, tsm_list *l, text_slice s, text_slice separator, int64_t max) {
    TSM_TRY(charge_search(x, s, separator));
    for (int64_t cuts = 0; max < 0 || cuts < max; cuts++) {
        size_t at = find_last(s, separator);
        if (at == NOT_FOUND)
            break;
        TSM_TRY(append_slice(x, l, cut(s, at + separator.n, s.n)));
        s.n = at;
    }
    return append_slice(x, l, s);
}

static tsm_status new_list(tsm_exec *x, tsm_list **l) {
    return tsm_make_list(x, 4, l);
}

TSM_KERNEL(aten_split_str) {
    tsm_list *l;
    text_slice s = slice_of(in, 0);
    if (!arg_is_none(in, 1) && arg_str(in, 1)->length == 0)
        return TSM_RAISE(x, "ValueError: empty separator");
    TSM_TRY(new_list(x, &l));
    if (arg_is_none(in, 1)) /* PyTorch does not heed `max` then */
        return tsm_lang_ret_list(x, out, l, split_at_spaces(x, l, s));
    return tsm_lang_ret_list(x, out, l, split_at(x, l, s, slice_of(in, 1), arg_int(in, 2)));
}

TSM_KERNEL(aten_rsplit) {
    tsm_list *l;
    text_slice separator = slice_of(in, 1);
    if (!separator.n && arg_int(in, 2) < 0)
        return TSM_RAISE(x, "ValueError: empty separator");
    TSM_TRY(new_list(x, &l));
    tsm_status status = split_from_right(x, l, slice_of(in, 0), separator, arg_int(in, 2));
    for (uint32_t i = 0; i < l->length / 2; i++) {
        tsm_value other = l->items[l->length - 1 - i];
        l->items[l->length - 1 - i] = l->items[i];
        l->items[i] = other;
    }
    return tsm_lang_ret_list(x, out, l, status);
}

/* Bytes that end a line; the last six are those of U+2028 and U+2029 in UTF-8, each taken for itself as PyTorch does.
 */
static const char line_ends[] = "\n\r\v\f\x1c\x1d\x1e\x85\xe2\x80\xa8\xa9";

static tsm_status split_lines(tsm_exec *x, tsm_list *l, text_slice s, bool keep) {
    text_slice ends = {line_ends, sizeof line_ends - 1};
    size_t from = 0;
    for (size_t at = 0; at < s.n; at++) {
        if (!contains_char(ends, s.text[at]))
            continue;
        TSM_TRY(append_slice(x, l, cut(s, from, at)));
        if (keep)
            TSM_TRY(append_slice(x, l, cut(s, at, at + 1)));
        from = at + 1;
    }
    return from < s.n ? append_slice(x, l, cut(s, from, s.n)) : TSM_OK;
}

TSM_KERNEL(aten_splitlines) {
    tsm_list *l;
    TSM_TRY(new_list(x, &l));
    return tsm_lang_ret_list(x, out, l, split_lines(x, l, slice_of(in, 0), arg_bool(in, 1)));
}

/* list("abc") */
TSM_KERNEL(aten_list) {
    text_slice s = slice_of(in, 0);
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, s.n, &l));
    tsm_status status = TSM_OK;
    for (size_t i = 0; i < s.n && status == TSM_OK; i++)
        status = append_slice(x, l, cut(s, i, i + 1));
    return tsm_lang_ret_list(x, out, l, status);
}

/* ---- Joining and replacing ---- */

TSM_KERNEL(aten_join) {
    text_slice separator = slice_of(in, 0);
    const tsm_list *l = arg_list(in, 1);
    tsm_text t = {0};
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < l->length && status == TSM_OK; i++) {
        if (i)
            status = tsm_text_add(x, &t, separator.text, separator.n);
        if (status == TSM_OK)
            status = tsm_text_add(x, &t, tsm_as_str(l->items[i])->text, tsm_as_str(l->items[i])->length);
    }
    return ret_text(x, out, &t, status);
}

static tsm_status str_replace(tsm_exec *x, tsm_text *t, text_slice s, text_slice old, text_slice new, int64_t max) {
    size_t from = 0;
    TSM_TRY(charge_search(x, s, old));
    for (int64_t done = 0; max < 0 || done < max; done++) {
        size_t at = str_find(s, old, from);
        if (at == NOT_FOUND)
            break;
        TSM_TRY(tsm_charge(x, 1 + new.n));
        TSM_TRY(tsm_text_add(x, t, s.text + from, at - from));
        TSM_TRY(tsm_text_add(x, t, new.text, new.n));
        from = at + old.n;
    }
    return tsm_text_add(x, t, s.text + from, s.n - from);
}

TSM_KERNEL(aten_replace) {
    text_slice old = slice_of(in, 1);
    tsm_text t = {0};
    if (!old.n && arg_int(in, 3) < 0)
        return TSM_RAISE(x, "ValueError: cannot replace the empty string without a limit");
    return ret_text(x, out, &t, str_replace(x, &t, slice_of(in, 0), old, slice_of(in, 2), arg_int(in, 3)));
}

/* ---- Formatting ---- */

/* "{}" stands for the next argument; nothing else has a meaning, and arguments too many are not shown. */
static tsm_status format(tsm_exec *x, const tsm_value *const *in, tsm_text *t) {
    text_slice s = slice_of(in, 0), place = {"{}", 2};
    size_t from = 0;
    for (uint32_t used = 1;; used++) {
        size_t at = str_find(s, place, from);
        if (at == NOT_FOUND)
            return tsm_text_add(x, t, s.text + from, s.n - from);
        if (used >= x->inputs)
            return TSM_RAISE(x, "Too few arguments for format string: %.*s", (int)s.n, s.text);
        TSM_TRY(tsm_text_add(x, t, s.text + from, at - from));
        TSM_TRY(tsm_text_add_value(x, t, *in[used]));
        from = at + place.n;
    }
}

TSM_KERNEL(aten_format) {
    tsm_text t = {0};
    return ret_text(x, out, &t, format(x, in, &t));
}

/* tsm::form_message(kind, format, ...): the text becomes the message of the exception that is raised next, where no
 * memory is needed for it. */
TSM_KERNEL(tsm_form_message) {
    TSM_UNUSED_IO();
    tsm_text t = {.text = x->message, .capacity = x->message_bytes ? x->message_bytes - 1 : 0, .is_fixed = true};
    if (!arg_is_none(in, 0)) {
        TSM_TRY(tsm_text_add(x, &t, slice_of(in, 0).text, slice_of(in, 0).n));
        TSM_TRY(tsm_text_add(x, &t, ": ", 2));
    }
    x->inputs--;
    const tsm_status status = format(x, in + 1, &t);
    x->inputs++;
    if (status == TSM_OK && x->message_bytes)
        x->message[t.length] = 0;
    return status;
}

/* PyTorch's names of the kinds of values in its errors. */
static const char *kind_name(tsm_value v) {
    static const char *const names[TSM_TAG_COUNT] = {
        "None",        "Bool",  "Int",         "Double", "Device", "ComplexDouble", "String",    "Tensor",
        "GenericList", "Tuple", "GenericDict", "Object", "Enum",   "Future",        "Generator",
    };
    return v.tag < TSM_TAG_COUNT ? names[v.tag] : "?";
}

/* %d, %i, %e, %E, %f, %F. Floats are narrowed to 32 bits, as PyTorch does. */
static tsm_status str_add_number(tsm_exec *x, tsm_text *t, char key, tsm_value v) {
    char text[TSM_NUMBER_TEXT];
    if (v.tag != TSM_TAG_INT && v.tag != TSM_TAG_FLOAT && v.tag != TSM_TAG_BOOL)
        return TSM_RAISE(x, "%%%c requires a number for formatting, but got %s", key, kind_name(v));
    lang_number n = tsm_lang_number_of(v);
    if (key == 'd' || key == 'i') {
        int64_t whole = lang_truncate(n.c.re);
        if (n.kind == LANG_INT)
            whole = n.i;
        else if (whole != lang_c_int(whole))
            whole = INT32_MIN;
        return tsm_text_add(x, t, text, tsm_format_int(text, whole));
    }
    size_t length = tsm_format_number(text, (double)(float)n.c.re, to_lower(key), 6);
    for (size_t i = 0; key == 'E' && i < length; i++)
        text[i] = to_upper(text[i]);
    return tsm_text_add(x, t, text, length);
}

static tsm_status add_character(tsm_exec *x, tsm_text *t, tsm_value v) {
    if (v.tag == TSM_TAG_INT) {
        char c = (char)(uint8_t)v.as.i;
        return tsm_text_add(x, t, &c, 1);
    }
    if (v.tag == TSM_TAG_STR && tsm_as_str(v)->length == 1)
        return tsm_text_add(x, t, tsm_as_str(v)->text, 1);
    return TSM_RAISE(x, "%%c requires an int or char for formatting, but got %s", kind_name(v));
}

static tsm_status add_formatted(tsm_exec *x, tsm_text *t, char key, tsm_value v) {
    text_slice numbers = {"dieEfF", 6};
    if (contains_char(numbers, key))
        return str_add_number(x, t, key, v);
    if (key == 'c')
        return add_character(x, t, v);
    if (key == 's')
        return tsm_text_add_value(x, t, v);
    return TSM_RAISE(x, "The specifier %%%c is not supported in TorchScript format strings", key);
}

/* The % operator: argument 1 is one value or a tuple of them. */
static tsm_status percent_format(tsm_exec *x, text_slice s, const tsm_value *values, size_t n, tsm_text *t) {
    size_t from = 0, used = 0;
    for (;;) {
        size_t at = str_find(s, (text_slice){"%", 1}, from);
        if (at == NOT_FOUND)
            break;
        if (at + 1 >= s.n)
            return TSM_RAISE(x, "Incomplete format specifier");
        TSM_TRY(tsm_text_add(x, t, s.text + from, at - from));
        from = at + 2;
        if (s.text[at + 1] == '%') {
            TSM_TRY(tsm_text_add(x, t, "%", 1));
            continue;
        }
        if (used == n)
            return TSM_RAISE(x, "Too few arguments for format string");
        TSM_TRY(add_formatted(x, t, s.text[at + 1], values[used++]));
    }
    if (used < n)
        return TSM_RAISE(x, "Too many arguments for format string");
    return tsm_text_add(x, t, s.text + from, s.n - from);
}

TSM_KERNEL(aten_percentFormat) {
    tsm_text t = {0};
    if (x->inputs < 2)
        return TSM_RAISE(x, "Too few arguments for format string");
    const tsm_tuple *many = in[1]->tag == TSM_TAG_TUPLE ? tsm_as_tuple(*in[1]) : NULL;
    tsm_status status = percent_format(x, slice_of(in, 0), many ? many->items : in[1], many ? many->length : 1, &t);
    return ret_text(x, out, &t, status);
}

TSM_KERNEL(aten_str) {
    if (in[0]->tag == TSM_TAG_INT) { /* the usual case, as in keys of dicts: no tsm_text is needed */
        char digits[24];
        return tsm_make_str(x, digits, tsm_format_int(digits, in[0]->as.i), out);
    }
    tsm_text t = {0};
    return ret_text(x, out, &t, tsm_text_add_value(x, &t, *in[0]));
}

/* ---- Characters and digits ---- */

TSM_KERNEL(aten_ord) {
    text_slice s = slice_of(in, 0);
    if (s.n != 1)
        return TSM_RAISE(x, "String for ord() must be 1 character, found %zu", s.n);
    return ret_int(out, (uint8_t)s.text[0]);
}

/* One byte: what is above 255 wraps. */
TSM_KERNEL(aten_chr) {
    int64_t code = arg_int(in, 0);
    if (code < 0 || code >= 0x10ffff)
        return TSM_RAISE(x, "chr() arg not in range(0x110000), found %ld", code);
    char c = (char)(uint8_t)code;
    return tsm_lang_ret_str(x, out, &c, 1);
}

/* A sign, '0', a letter, the digits. */
static tsm_status ret_digits(tsm_exec *x, const tsm_value *const *in, tsm_value *out, char letter, unsigned base) {
    char text[TSM_NUMBER_TEXT + 4];
    int64_t v = arg_int(in, 0);
    size_t n = 0;
    if (v < 0)
        text[n++] = '-';
    text[n++] = '0';
    text[n++] = letter;
    n += tsm_format_unsigned(text + n, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, base);
    return tsm_lang_ret_str(x, out, text, n);
}

TSM_KERNEL(aten_hex) {
    return ret_digits(x, in, out, 'x', 16);
}
TSM_KERNEL(aten_oct) {
    return ret_digits(x, in, out, 'o', 8);
}
TSM_KERNEL(aten_bin) {
    return ret_digits(x, in, out, 'b', 2);
}
