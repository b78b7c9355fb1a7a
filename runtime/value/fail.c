/* Error messages. */
#include <stdarg.h>
#include <string.h>

#include "runtime/value/exec.h"
#include "runtime/value/text.h"

/* Where a message goes: what does not fit is cut off. */
typedef struct {
    char *to;
    size_t room; /* without the terminating zero */
} fail_sink;

static void fail_put(fail_sink *s, const char *text, size_t n) {
    n = n < s->room ? n : s->room;
    memcpy(s->to, text, n);
    s->to += n;
    s->room -= n;
}

static size_t length_up_to(const char *s, size_t most) {
    size_t n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

static void put_signed(fail_sink *s, int64_t v) {
    char digits[TSM_NUMBER_TEXT];
    fail_put(s, digits, tsm_format_int(digits, v));
}

static void put_unsigned(fail_sink *s, uint64_t v) {
    char digits[TSM_NUMBER_TEXT];
    fail_put(s, digits, tsm_format_unsigned(digits, v, 10));
}

/* Formats one item; `f` points behind '%'. Returns where the format goes on. */
static const char *put_item(fail_sink *s, const char *f, va_list *args) {
    size_t most = SIZE_MAX;
    if (f[0] == '.' && f[1] == '*') {
        int n = va_arg(*args, int);
        most = n < 0 ? 0 : (size_t)n;
        f += 2;
    }
    char width = *f == 'l' || *f == 'z' ? *f++ : 0;
    switch (*f) {
    case 'd':
        put_signed(s, width == 'l'   ? va_arg(*args, int64_t)
                      : width == 'z' ? va_arg(*args, ptrdiff_t)
                                     : va_arg(*args, int));
        break;
    case 'u':
        put_unsigned(s, width == 'l'   ? va_arg(*args, uint64_t)
                        : width == 'z' ? va_arg(*args, size_t)
                                       : va_arg(*args, unsigned));
        break;
    case 's': {
        const char *text = va_arg(*args, const char *);
        text = text ? text : "(null)";
        fail_put(s, text, length_up_to(text, most < s->room ? most : s->room));
        break;
    }
    case 'c': {
        char c = (char)va_arg(*args, int);
        fail_put(s, &c, 1);
        break;
    }
    default:
        fail_put(s, "%", 1);
        break;
    }
    return *f ? f + 1 : f;
}

static size_t format_list(char *to, size_t n, const char *format, va_list *args) {
    if (n == 0)
        return 0;
    fail_sink s = {to, n - 1};
    while (*format) {
        size_t plain = 0;
        while (format[plain] && format[plain] != '%')
            plain++;
        fail_put(&s, format, plain);
        format += plain;
        if (*format)
            format = put_item(&s, format + 1, args);
    }
    *s.to = 0;
    return (size_t)(s.to - to);
}

size_t tsm_format(char *to, size_t n, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t length = format_list(to, n, format, &args);
    va_end(args);
    return length;
}

tsm_status tsm_fail(tsm_exec *x, tsm_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    format_list(x->message, x->message_bytes, format, &args);
    va_end(args);
    return status;
}

tsm_status tsm_fail_memory(tsm_exec *x) {
    return tsm_fail(x, TSM_OUT_OF_MEMORY, "the buffer is too small: %zu more bytes are needed", x->heap.missing);
}
