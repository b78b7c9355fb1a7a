/* The parameters of a method, read from the text of its schema. */
#include "platform/runner/declared.h"

#include "platform/runner/die.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITEMS = 64, MOST_PARAMETERS = 256 };

typedef struct {
    const char *at;
} schema_text;

static char *copy_text(const char *from, size_t n) {
    char *text = keep(n + 1);
    memcpy(text, from, n);
    text[n] = 0;
    return text;
}

static void skip_blanks(schema_text *s) {
    while (*s->at == ' ')
        s->at++;
}

static bool accept(schema_text *s, const char *word) {
    skip_blanks(s);
    const size_t n = strlen(word);
    if (strncmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

static declared_type *make(declared_kind kind, declared_type **items, size_t count) {
    declared_type *t = keep(sizeof *t);
    t->kind = kind;
    t->count = count;
    t->items = keep(count * sizeof *items + 1);
    if (count)
        memcpy(t->items, items, count * sizeof *items);
    t->annotation = "";
    return t;
}

/* "Head[a, b]" */
static const char *annotate(const char *head, const declared_type *t) {
    size_t n = strlen(head) + 8;
    for (size_t i = 0; i < t->count; i++)
        n += strlen(t->items[i]->annotation) + 2;
    char *text = keep(n);
    size_t used = (size_t)sprintf(text, "%s[", head);
    for (size_t i = 0; i < t->count; i++)
        used += (size_t)sprintf(text + used, "%s%s", i ? ", " : "", t->items[i]->annotation);
    strcpy(text + used, t->count ? "]" : "()]");
    return text;
}

static declared_type *read_type(schema_text *s);

/* name := characters up to one that ends a type */
static declared_type *read_named(schema_text *s) {
    static const struct {
        const char *name;
        declared_kind kind;
    } names[] = {{"Tensor", DECLARED_TENSOR}, {"int", DECLARED_INT}, {"float", DECLARED_FLOAT},
                 {"bool", DECLARED_BOOL},     {"str", DECLARED_STR}, {"Device", DECLARED_DEVICE}};
    skip_blanks(s);
    const char *start = s->at;
    while (isalnum((unsigned char)*s->at) || (*s->at && strchr("_.<>", *s->at)))
        s->at++;
    const char *name = copy_text(start, (size_t)(s->at - start));
    declared_type *t = make(DECLARED_OTHER, NULL, 0);
    t->annotation = name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            t->kind = names[i].kind;
    if (t->kind == DECLARED_OTHER && *s->at == '(') { /* Future(T), Union(...): taken as it is */
        for (int depth = 0; *s->at; s->at++) {
            depth += *s->at == '(' ? 1 : *s->at == ')' ? -1 : 0;
            if (depth == 0) {
                s->at++;
                break;
            }
        }
    }
    return t;
}

static declared_type *read_tuple(schema_text *s) {
    declared_type *items[MOST_ITEMS];
    size_t count = 0;
    while (!accept(s, ")") && *s->at && count < MOST_ITEMS) {
        items[count++] = read_type(s);
        if (!accept(s, ",") && *s->at != ')')
            break;
    }
    declared_type *t = make(DECLARED_TUPLE, items, count);
    t->annotation = annotate("Tuple", t);
    return t;
}

/* type := ('(' types ')' | 'Dict(' type ',' type ')' | name) ('[]' | '?')* */
static declared_type *read_type(schema_text *s) {
    declared_type *t, *pair[2];
    if (accept(s, "Dict(")) {
        pair[0] = read_type(s);
        accept(s, ",");
        pair[1] = read_type(s);
        accept(s, ")");
        t = make(DECLARED_DICT, pair, 2);
        t->annotation = annotate("Dict", t);
    } else {
        t = accept(s, "(") ? read_tuple(s) : read_named(s);
    }
    for (;;) {
        if (accept(s, "[]")) {
            t = make(DECLARED_LIST, &t, 1);
            t->annotation = annotate("List", t);
        } else if (accept(s, "?")) {
            t = make(DECLARED_OPTIONAL, &t, 1);
            t->annotation = annotate("Optional", t);
        } else {
            return t;
        }
    }
}

/* '=' value: up to the comma or bracket that ends the parameter. */
static void skip_default(schema_text *s) {
    int depth = 0;
    char quote = 0;
    for (; *s->at; s->at++) {
        const char c = *s->at;
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else {
            if (depth == 0 && (c == ',' || c == ')'))
                return;
            depth += strchr("([{", c) ? 1 : strchr(")]}", c) ? -1 : 0;
        }
    }
}

declaration declaration_read(const char *schema) {
    const char *open = strchr(schema, '(');
    declaration d = {.schema = schema, .method = open ? copy_text(schema, (size_t)(open - schema)) : schema};
    d.parameters = keep(MOST_PARAMETERS * sizeof *d.parameters);
    schema_text s = {open ? open + 1 : ""};
    while (*s.at && !accept(&s, ")") && d.count < MOST_PARAMETERS) {
        if (accept(&s, "*,"))
            continue;
        declared_parameter *p = &d.parameters[d.count++];
        p->type = read_type(&s);
        skip_blanks(&s);
        const char *start = s.at;
        while (isalnum((unsigned char)*s.at) || *s.at == '_')
            s.at++;
        p->name = copy_text(start, (size_t)(s.at - start));
        skip_default(&s);
        if (!accept(&s, ",") && *s.at != ')')
            break;
    }
    return d;
}
