/* A walk over the tokens of code. In an archive's, torch.NAME(...) and ops.NAMESPACE.NAME(...) are calls of operators;
 * in a .py source, every call of what was imported, and of methods of values. */
#include "exporter/source/unknown_operators.h"

#include <inttypes.h>
#include <string.h>

#include "exporter/emit/emit.h"
#include "exporter/program/builtins.h"
#include "exporter/program/python_names.h"
#include "exporter/schema/schema.h"
#include "exporter/source/load.h"
#include "exporter/syntax/lexer.h"

enum { LONGEST_PATH = 8 };

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

/* A function or method of a .py source, between its name and what follows it. */
typedef struct {
    const ast_def *def;
    uint32_t end;
    bool is_method, is_reached, is_read;
} definition;

typedef struct search search;
struct search {
    const source_file *file;
    void (*note_call)(search *s, const dotted_path *p);
    places found;
    /* Of an archive */
    pt_archive *archive;
    pt_code_file *code;
    /* Of a .py source */
    program *program;
    definition *definitions; /* stb_ds array */
    struct {
        char *key;
        int value;
    } * attributes; /* names behind `self.`: what modules have */
};

/* The author's line, or else that of the archive's code. */
static const char *place_of(const search *s, uint32_t offset) {
    const debug_range *r = s->archive ? pt_archive_source(s->archive, s->code, offset) : NULL;
    if (!r || !r->source || !r->source->file_name || !r->source->text)
        return mem_printf("%s:%u", s->file->name, source_line(s->file, offset));
    int64_t line = r->source->first_line;
    for (size_t i = 0; i < r->start && i < r->source->length; i++)
        line += r->source->text[i] == '\n';
    return mem_printf("%s:%" PRId64, r->source->file_name, line);
}

static void add_unknown(search *s, const char *name, uint32_t offset) {
    const char *place = place_of(s, offset);
    call_places *c = shget(s->found, name);
    if (!c) {
        c = MEM_NEW(call_places);
        shput(s->found, mem_strdup(name), c);
    }
    if (!c->last || strcmp(c->last, place))
        strbuf_printf(&c->text, "%s%s", c->last ? ", " : "", place);
    c->last = place;
}

static void note_operator(search *s, const dotted_path *p) {
    const char *name = operator_of(p);
    if (name && !is_known(name))
        add_unknown(s, name, p->start);
}

/* Joins names by dots to the path that is being read; before a call's bracket the path is what is called. A path
 * without a first name is that of a value: f(x).size() */
static void find_calls(search *s, lexer *l) {
    dotted_path p = {.count = 0};
    bool after_dot = false;
    for (token t = lexer_next(l); t.kind != TOKEN_EOF; t = lexer_next(l)) {
        if (t.kind == TOKEN_DOT && !p.count)
            p = (dotted_path){.names = {""}, .start = t.start, .count = 1};
        if (t.kind == TOKEN_IDENT) {
            if (!after_dot) {
                p.count = 0;
                p.start = t.start;
            }
            if (p.count < LONGEST_PATH)
                p.names[p.count] = mem_strndup(s->file->text + t.start, t.end - t.start);
            p.count++;
        } else if (t.kind == TOKEN_OPEN_PAREN && p.count && p.count <= LONGEST_PATH)
            s->note_call(s, &p);
        after_dot = t.kind == TOKEN_DOT && p.count;
        if (t.kind != TOKEN_IDENT && !after_dot)
            p.count = 0;
    }
}

static const char *list_found(const search *s) {
    strbuf b = {0};
    for (size_t i = 0; i < shlenu(s->found); i++)
        strbuf_printf(&b, "    %s: %s\n", s->found[i].key, strbuf_text(&s->found[i].value->text));
    return b.length ? strbuf_text(&b) : NULL;
}

const char *unknown_operators(pt_archive *archive) {
    search s = {.archive = archive, .note_call = note_operator};
    for (size_t i = 0; i < arrlenu(archive->files); i++) {
        s.code = pt_archive_code(archive, archive->files[i].qualifier);
        s.file = source_new(s.code->path, s.code->text, s.code->length, 1);
        lexer l;
        lexer_init(&l, s.file, DIALECT_SERIALIZED, 0, (uint32_t)s.file->length);
        find_calls(&s, &l);
    }
    return list_found(&s);
}

/* ---- .py sources ---- */

/* Where a statement begins, its decorators included. */
static uint32_t start_of(const ast_node *n) {
    const ast_list *decorators = n->kind == AST_DEF     ? &n->def->decorators
                                 : n->kind == AST_CLASS ? &n->class_def->decorators
                                                        : NULL;
    return decorators && decorators->count ? decorators->items[0]->range.start : n->range.start;
}

static void collect_definitions(search *s, const ast_list *statements, uint32_t end, bool in_class) {
    stack_check();
    for (uint32_t i = 0; i < statements->count; i++) {
        const ast_node *n = statements->items[i];
        const uint32_t next = i + 1 < statements->count ? start_of(statements->items[i + 1]) : end;
        if (n->kind == AST_DEF)
            arrput(s->definitions, ((definition){.def = n->def, .end = next, .is_method = in_class}));
        else if (n->kind == AST_CLASS && !in_class)
            collect_definitions(s, &n->class_def->body, next, true);
    }
}

static bool is_compiled(const ast_def *def) {
    return strcmp(def->name, "__init__") != 0 && !ast_has_decorator(&def->decorators, "ignore") &&
           !ast_has_decorator(&def->decorators, "unused");
}

/* All of that name: which of them is meant may depend on types. */
static bool reach(search *s, const char *name) {
    bool found = false;
    for (size_t i = 0; i < arrlenu(s->definitions); i++) {
        definition *d = &s->definitions[i];
        if (strcmp(d->def->name, name) != 0)
            continue;
        found = true;
        d->is_reached |= is_compiled(d->def);
    }
    return found;
}

/* What is called on a value. */
static void note_method(search *s, const dotted_path *p) {
    const char *name = p->names[p->count - 1];
    const bool is_of_module = !strcmp(p->names[0], "self") || !strcmp(p->names[0], "super");
    if (is_of_module || p->count > 2 || shgeti(s->attributes, name) >= 0 || reach(s, name) ||
        emit_is_special_method(name) || is_known(mem_printf("aten::%s", name)) ||
        is_known(mem_printf("prim::%s", name)))
        return;
    add_unknown(s, mem_printf(".%s", name), p->start);
}

static void note_name(search *s, const dotted_path *p) {
    const code_file *file = s->program->main_file;
    if (shgeti(((code_file *)file)->definitions, p->names[0]) >= 0)
        return;
    const char *path = p->names[0][0] ? python_imported_path(file, p->names[0]) : NULL;
    if (!path && p->count > 1)
        note_method(s, p);
    if (!path)
        return;
    for (uint32_t i = 1; i < p->count; i++)
        path = mem_printf("%s.%s", path, p->names[i]);
    if (!emit_knows_path(s->program, path))
        add_unknown(s, path, p->start);
}

static lexer lexer_of(const search *s, const definition *d) {
    lexer l;
    lexer_init_expression(&l, s->file, DIALECT_PYTHON, d->def->name_range.start, d->end);
    return l;
}

/* Every name of the function may be one that it calls, and every name behind `self.` an attribute that modules have. */
static void note_names(search *s, const definition *d) {
    lexer l = lexer_of(s, d);
    const char *before[2] = {"", ""}; /* the two tokens before */
    for (token t = lexer_next(&l); t.kind != TOKEN_EOF; t = lexer_next(&l)) {
        const char *text = mem_strndup(s->file->text + t.start, t.end - t.start);
        if (t.kind == TOKEN_IDENT && !strcmp(before[1], ".") && !strcmp(before[0], "self"))
            shput(s->attributes, (char *)text, 1);
        if (t.kind == TOKEN_IDENT && d->is_reached)
            reach(s, text);
        before[0] = before[1];
        before[1] = text;
    }
}

static void reach_from(search *s, const char *entry) {
    if (reach(s, intern_n(entry, strcspn(entry, "(."))))
        return;
    reach(s, "forward");
    for (size_t i = 0; i < arrlenu(s->definitions); i++)
        s->definitions[i].is_reached |= ast_has_decorator(&s->definitions[i].def->decorators, "export");
}

const char *unknown_names(const char *path, const char *text, size_t length, const char *entry) {
    search s = {.program = program_open_source(path, text, length, NULL), .note_call = note_name};
    s.file = s.program->main_file->source;
    collect_definitions(&s, &s.program->main_file->tree->sequence, (uint32_t)length, false);
    for (size_t i = 0; i < arrlenu(s.definitions); i++)
        note_names(&s, &s.definitions[i]);
    reach_from(&s, entry);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < arrlenu(s.definitions); i++) {
            definition *d = &s.definitions[i];
            again |= d->is_reached && !d->is_read;
            if (d->is_reached && !d->is_read)
                note_names(&s, d);
            d->is_read = d->is_reached;
        }
    }
    for (size_t i = 0; i < arrlenu(s.definitions); i++)
        if (s.definitions[i].is_reached) {
            lexer l = lexer_of(&s, &s.definitions[i]);
            find_calls(&s, &l);
        }
    return list_found(&s);
}
