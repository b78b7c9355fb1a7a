/* Type texts of bytecode, which may define named tuples on the way. */
#include "exporter/lite/type_text.h"

#include <ctype.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/program_internal.h"
#include "exporter/program/type_parser.h"

static const char mark[] = "[NamedTuple,";

/* The bracket that closes the one at `open`; raises an error when there is none. */
static const char *closing(const char *text, const char *open) {
    int depth = 0;
    for (const char *c = open; *c; c++) {
        depth += (*c == '[') - (*c == ']');
        if (!depth)
            return c;
    }
    diag_fail("the type '%s' is malformed", text);
}

/* Defines a named tuple from its list of fields, "[[first, int],[second, int]]", between `at` and `end`. */
static void define_named_tuple(program *p, const char *name, const char *text, const char *at, const char *end) {
    const char **fields = NULL;
    const type **types = NULL;
    at = memchr(at, '[', (size_t)(end - at));
    for (const char *c = at ? at + 1 : end; c < end; c++) {
        if (*c != '[')
            continue;
        const char *close = closing(text, c), *comma = memchr(c, ',', (size_t)(close - c));
        if (!comma)
            diag_fail("the type '%s' is malformed", text);
        const char *type_start = comma + 1;
        while (isspace((unsigned char)*type_start))
            type_start++;
        arrput(fields, intern_n(c + 1, (size_t)(comma - c - 1)));
        arrput(types, lite_type(p, mem_strndup(type_start, (size_t)(close - type_start))));
        c = close;
    }
    class_def *def = MEM_NEW(class_def);
    def->name = intern(name);
    def->kind = TYPE_TUPLE;
    def->type = type_named_tuple(def->name, fields, types, (uint32_t)arrlenu(fields), def);
    shput(p->classes, (char *)def->name, def);
    arrput(p->class_order, def);
}

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* FlatBuffers files name types of arguments that they do not define (enums, NamedTuples); these become Any. */
static const char *without_unknown(program *p, const char *text) {
    static const char prefix[] = "__torch__.";
    strbuf b = {0};
    while (*text) {
        size_t n = 0;
        while (is_name_char(text[n]))
            n++;
        bool is_class = n >= sizeof prefix && !strncmp(text, prefix, sizeof prefix - 1);
        if (is_class && !program_find_class(p, mem_strndup(text, n)))
            strbuf_add(&b, "Any");
        else
            strbuf_add_n(&b, text, n);
        strbuf_add_n(&b, text + n, text[n] != 0);
        text += n + (text[n] != 0);
    }
    return strbuf_text(&b);
}

const type *lite_type(program *p, const char *text) {
    stack_check();
    strbuf plain = {0};
    const char *rest = text;
    for (const char *found; (found = strstr(rest, mark)) != NULL;) {
        const char *name = found, *end = closing(text, found);
        while (name > rest && is_name_char(name[-1]))
            name--;
        const char *full = mem_strndup(name, (size_t)(found - name));
        if (!shget(p->classes, full))
            define_named_tuple(p, full, text, found + sizeof mark - 1, end);
        strbuf_add_n(&plain, rest, (size_t)(found - rest));
        rest = end + 1;
    }
    strbuf_add(&plain, rest);
    return type_of_text(p, without_unknown(p, plain.text));
}
