/* Reading and writing of test cases, and the difference of two texts. */
#include "case_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/file.h"

static const char MARK[] = "---- ";

/* The line at `text` without its end. */
static char *line_at(const char *text) {
    return mem_strndup(text, strcspn(text, "\n"));
}

static const char *next_line(const char *text) {
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

static void add_setting(case_file *c, const char *line) {
    const char *colon = strchr(line, ':');
    if (!colon)
        diag_fail("%s: neither a comment nor a setting: %s", c->path, line);
    case_setting s = {mem_strndup(line, (size_t)(colon - line)), mem_strdup(colon + 1 + strspn(colon + 1, " "))};
    arrput(c->settings, s);
}

case_file case_file_read(const char *path) {
    case_file c = {.path = path};
    size_t bytes;
    const char *text = file_read(path, &bytes), *at = text;
    for (; *at && strncmp(at, MARK, strlen(MARK)); at = next_line(at))
        if (*at != '#' && *at != '\n')
            add_setting(&c, line_at(at));
    c.head = mem_strndup(text, (size_t)(at - text));
    while (*at) {
        const char *body = next_line(at), *end = body;
        while (*end && strncmp(end, MARK, strlen(MARK)))
            end = next_line(end);
        case_section s = {line_at(at + strlen(MARK)), mem_strndup(body, (size_t)(end - body))};
        arrput(c.sections, s);
        at = end;
    }
    return c;
}

void case_file_write(const case_file *c) {
    FILE *f = fopen(c->path, "wb");
    if (!f)
        diag_fail("%s: %s", c->path, strerror(errno));
    fputs(c->head, f);
    for (size_t i = 0; i < arrlenu(c->sections); i++)
        fprintf(f, "%s%s\n%s", MARK, c->sections[i].name, c->sections[i].text);
    fclose(f);
}

const char *case_file_setting(const case_file *c, const char *key) {
    for (size_t i = 0; i < arrlenu(c->settings); i++)
        if (!strcmp(c->settings[i].key, key))
            return c->settings[i].text;
    return NULL;
}

const case_section *case_file_section(const case_file *c, const char *name) {
    for (size_t i = 0; i < arrlenu(c->sections); i++)
        if (!strcmp(c->sections[i].name, name))
            return &c->sections[i];
    return NULL;
}

/* ---- Comparison ---- */

const char *case_numbered(const char *text) {
    struct {
        char *key;
        int value;
    } *numbers = NULL;
    strbuf b = {0};
    while (*text) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        size_t n = *text == '%' ? 1 + strspn(text + 1, letters) : 1;
        if (*text == '%') {
            char *name = mem_strndup(text, n);
            if (shgeti(numbers, name) < 0)
                shput(numbers, name, (int)shlen(numbers));
            strbuf_printf(&b, "%%%d", shget(numbers, name));
        } else {
            strbuf_add_n(&b, text, n);
        }
        text += n;
    }
    return strbuf_text(&b);
}

static char **lines_of(const char *text) {
    char **lines = NULL;
    for (; *text; text = next_line(text))
        arrput(lines, line_at(text));
    return lines;
}

/* longest[i * (m + 1) + j]: the length of the longest common subsequence of a[i..] and b[j..]. */
static int *common_lengths(char **a, char **b) {
    size_t n = arrlenu(a), m = arrlenu(b);
    int *longest = MEM_ARRAY(int, (n + 1) * (m + 1));
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            int down = longest[(i + 1) * (m + 1) + j], right = longest[i * (m + 1) + j + 1];
            longest[i * (m + 1) + j] = !strcmp(a[i], b[j]) ? longest[(i + 1) * (m + 1) + j + 1] + 1
                                       : down > right      ? down
                                                           : right;
        }
    return longest;
}

typedef struct {
    char sign;
    const char *text;
} diff_line;

/* Lines are equal when they are the same after their values are numbered. */
static diff_line *difference(const char *expected, const char *actual) {
    char **a = lines_of(expected), **b = lines_of(actual);
    char **a_keys = lines_of(case_numbered(expected)), **b_keys = lines_of(case_numbered(actual));
    const int *longest = common_lengths(a_keys, b_keys);
    size_t n = arrlenu(a), m = arrlenu(b), i = 0, j = 0;
    diff_line *lines = NULL;
    while (i < n || j < m) {
        if (i < n && j < m && !strcmp(a_keys[i], b_keys[j])) {
            arrput(lines, ((diff_line){' ', a[i]}));
            i++, j++;
        } else if (i < n && (j == m || longest[(i + 1) * (m + 1) + j] >= longest[i * (m + 1) + j + 1])) {
            arrput(lines, ((diff_line){'-', a[i]}));
            i++;
        } else {
            arrput(lines, ((diff_line){'+', b[j]}));
            j++;
        }
    }
    return lines;
}

void case_print_difference(const char *expected, const char *actual) {
    enum { AROUND = 3 };
    const diff_line *lines = difference(expected, actual);
    size_t n = arrlenu(lines);
    for (size_t i = 0; i < n; i++) {
        bool near = false;
        for (size_t k = i > AROUND ? i - AROUND : 0; k < n && k <= i + AROUND; k++)
            near |= lines[k].sign != ' ';
        if (near)
            printf("  %c %s\n", lines[i].sign, lines[i].text);
    }
}
