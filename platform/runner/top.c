/* --top: scores in order. */
#include "platform/runner/top.h"

#include "platform/json/json_text.h"
#include "platform/runner/die.h"
#include "platform/runner/element.h"
#include "platform/runner/json_write.h"
#include "platform/runner/settings.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double score;
    tsm_dim index;
} candidate;

/* Largest first, NaN last; equal ones in the order of their positions. */
static int by_score(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    const bool x_is_number = x->score == x->score, y_is_number = y->score == y->score;
    if (x_is_number != y_is_number)
        return y_is_number - x_is_number;
    if (x->score != y->score && x_is_number)
        return x->score < y->score ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* A text with one label a line. */
typedef struct {
    const char *text;
    size_t bytes;
    char separator;
} label_list;

static label_list read_labels(const tsm_program *program, const char *path) {
    platform_file file;
    char reason[128];
    if (path) {
        if (!platform_file_open(&file, path, reason, sizeof reason))
            die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
        return (label_list){file.data, file.bytes, '\n'};
    }
    const char *text = setting(program, NULL, "labels");
    if (!text)
        return (label_list){"", 0, '\n'};
    return (label_list){text, strlen(text), strchr(text, '\n') ? '\n' : ','};
}

/* Label number i and its length; 0: there is none. */
static const char *label_of(const label_list *l, tsm_dim i, size_t *n) {
    const char *at = l->text, *end = l->text + l->bytes;
    for (; i > 0 && at < end; i--) {
        const char *next = memchr(at, l->separator, (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    const char *next = at < end ? memchr(at, l->separator, (size_t)(end - at)) : NULL;
    *n = (size_t)((next ? next : end) - at);
    if (*n && at[*n - 1] == '\r')
        --*n;
    return at;
}

/* The scores of a result: a tensor, or the first of its items. */
static tsm_tensor_view scores_of(tsm_value result) {
    tsm_tensor_view t;
    const bool is_sequence = result.tag == TSM_TAG_TUPLE || result.tag == TSM_TAG_LIST;
    for (size_t i = 0; is_sequence && i < tsm_sequence_size(result); i++)
        if (tsm_tensor_get(tsm_sequence_get(result, i), &t)) {
            result = tsm_sequence_get(result, i);
            break;
        }
    if (!tsm_tensor_get(result, &t) || t.dims < 1 || element_kind_of(t.dtype) == ELEMENT_COMPLEX)
        die(EXIT_BAD_INPUT, "--top: the result is no tensor of scores");
    return t;
}

static void print_row(const json_report *r, const label_list *labels, const candidate *best, unsigned long n) {
    for (unsigned long k = 0; k < n; k++) {
        size_t length;
        const char *label = label_of(labels, best[k].index, &length);
        if (!r->is_json) {
            printf("%5lu %12.6g %6td  %.*s\n", k + 1, best[k].score, best[k].index, (int)length, label);
            continue;
        }
        char score[NUMBER_TEXT];
        number_text_of(score, best[k].score, false);
        printf("%s{\"score\": %s, \"index\": %td, \"label\": ", k ? ", " : "[", score, best[k].index);
        json_write_text(stdout, label, length);
        putchar('}');
    }
    if (r->is_json)
        fputs(n ? "]" : "[]", stdout);
}

void top_print(session *s, const options *o, json_report *r, tsm_value result) {
    const tsm_tensor_view t = scores_of(result);
    const label_list labels = read_labels(&s->program, o->labels);
    const tsm_dim classes = t.sizes[t.dims - 1], elements = element_count(&t);
    candidate *row = keep((size_t)classes * sizeof *row + 1);
    const unsigned long n = (tsm_dim)o->top < classes ? o->top : (unsigned long)classes;
    element_walk walk;
    element_walk_start(&walk, &t);
    if (r->is_json)
        json_report_member(r, "top");
    else
        printf(" rank        score  index  label\n");
    for (tsm_dim i = 0; i < elements; i++) {
        const element e = element_load(t.dtype, walk.at);
        row[i % classes] = (candidate){element_kind_of(t.dtype) == ELEMENT_FLOAT ? e.re : (double)e.i, i % classes};
        if (i % classes == classes - 1) {
            qsort(row, (size_t)classes, sizeof *row, by_score);
            if (r->is_json)
                fputs(i < classes ? "[" : ",\n  ", stdout);
            else if (elements > classes)
                printf("row %td\n", i / classes);
            print_row(r, &labels, row, n);
        }
        if (i + 1 < elements)
            element_walk_next(&walk);
    }
    if (r->is_json)
        fputs(elements ? "]" : "[]", stdout);
}
