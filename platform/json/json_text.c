/* Strings as JSON writes them. */
#include "platform/json/json_text.h"

#include <stdint.h>

/* The length of the UTF-8 sequence at p, or 0 when it is not one (overlong forms and surrogates included). */
static size_t utf8_length(const uint8_t *p, size_t n) {
    const size_t length = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0 || length > n)
        return 0;
    uint32_t c = length == 1 ? p[0] : p[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        c = c << 6 | (p[i] & 0x3F);
    }
    return c < least[length] || (c >= 0xD800 && c < 0xE000) || c > 0x10FFFF ? 0 : length;
}

void json_write_text(FILE *out, const char *text, size_t n) {
    const uint8_t *p = (const uint8_t *)text;
    fputc('"', out);
    for (size_t i = 0; i < n;) {
        const size_t length = utf8_length(p + i, n - i);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (p[i] < 0x20 || p[i] == 0x7F || p[i] == '<') /* no markup where it stands in a page */
            fprintf(out, "\\u%04x", p[i]);
        else if (p[i] == '"' || p[i] == '\\')
            fprintf(out, "\\%c", p[i]);
        else
            fwrite(p + i, 1, length, out);
        i += length ? length : 1;
    }
    fputc('"', out);
}
