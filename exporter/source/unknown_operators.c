/* A walk over the tokens of an archive's code: torch.NAME(...) and ops.NAMESPACE.NAME(...) are calls of operators. */
#include "exporter/source/unknown_operators.h"

#include <inttypes.h>
#include <string.h>

#include "exporter/program/builtins.h"
#include "exporter/schema/schema.h"
#include "exporter/syntax/lexer.h"

enum { LONGEST_PATH = 3 };

/* Names joined by dots: the last ones that were read. */
typedef struct {
    const char *names[LONGEST_PATH];
    uint32_t start, count; /* count: of all, also beyond the longest */
} dotted_path;

/* Where an operator is called. */
typedef struct {
    strbuf text;
    const char *last; /* the place that was added last */
} call_places;

typedef struct {
    char *key; /* the operator */
    call_places *value;
} * places;

static bool is_known(const char *name) {
    uint32_t count;
    schema_overloads(name, &count);
    return count || builtin_is_operator(name);
}

/* The operator that a call of the path is, "aten::relu"; NULL: it is none. */
static const char *operator_of(const dotted_path *p) {
    if (p->count == 2 && !strcmp(p->names[0], "torch")) {
        const char *name = mem_printf("prim::%s", p->names[1]);
        return is_known(name) ? name : mem_printf("aten::%s", p->names[1]);
    }
    return p->count == 3 && !strcmp(p->names[0], "ops") ? mem_printf("%s::%s", p->names[1], p->names[2]) : NULL;
}

typedef struct {
    pt_archive *archive;
    pt_code_file *code;
    const source_file *file;
    places found;
} search;

/* The author's line, or else that of the archive's code. */
static const char *place_of(const search *s, uint32_t offset) {
    const debug_range *r = pt_archive_source(s->archive, s->code, offset);
    if (!r || !r->source || !r->source->file_name || !r->source->text)
        return mem_printf("%s:%u", s->file->name, source_line(s->file, offset));
    int64_t line = r->source->first_line;
    for (size_t i = 0; i < r->start && i < r->source->length; i++)
        line += r->source->text[i] == '\n';
    return mem_printf("%s:%" PRId64, r->source->file_name, line);
}

static void note_call(search *s, const dotted_path *p) {
    const char *name = operator_of(p), *place;
    if (!name || is_known(name))
        return;
    call_places *c = shget(s->found, name);
    if (!c) {
        c = MEM_NEW(call_places);
        shput(s->found, mem_strdup(name), c);
    }
    place = place_of(s, p->start);
    if (!c->last || strcmp(c->last, place))
        strbuf_printf(&c->text, "%s%s", c->last ? ", " : "", place);
    c->last = place;
}

static void find_calls(search *s) {
    const source_file *file = s->file;
    lexer l;
    dotted_path p = {.count = 0};
    bool after_dot = false;
    lexer_init(&l, file, DIALECT_SERIALIZED, 0, (uint32_t)file->length);
    for (token t = lexer_next(&l); t.kind != TOKEN_EOF; t = lexer_next(&l)) {
        if (t.kind == TOKEN_IDENT) {
            if (!after_dot) {
                p.count = 0;
                p.start = t.start;
            }
            if (p.count < LONGEST_PATH)
                p.names[p.count] = mem_strndup(file->text + t.start, t.end - t.start);
            p.count++;
        } else if (t.kind == TOKEN_OPEN_PAREN && p.count)
            note_call(s, &p);
        after_dot = t.kind == TOKEN_DOT && p.count;
        if (t.kind != TOKEN_IDENT && !after_dot)
            p.count = 0;
    }
}

const char *unknown_operators(pt_archive *archive) {
    search s = {.archive = archive};
    for (size_t i = 0; i < arrlenu(archive->files); i++) {
        s.code = pt_archive_code(archive, archive->files[i].qualifier);
        s.file = source_new(s.code->path, s.code->text, s.code->length, 1);
        find_calls(&s);
    }
    strbuf b = {0};
    for (size_t i = 0; i < shlenu(s.found); i++)
        strbuf_printf(&b, "    %s: %s\n", s.found[i].key, strbuf_text(&s.found[i].value->text));
    return b.length ? strbuf_text(&b) : NULL;
}
