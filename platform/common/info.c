/* What a .tsm file says of itself, as text and as JSON. */
#include "platform/info.h"

#include "platform/json/json_text.h"
#include <inttypes.h>
#include <string.h>

/* ---- Text ---- */

static void print_sizes(FILE *out, const tsm_value_info *v) {
    fputc('[', out);
    for (int d = 0; d < v->rank; d++) {
        fputs(d ? ", " : "", out);
        if (v->sizes[d] < 0)
            fputc('?', out);
        else
            fprintf(out, "%" PRId64, v->sizes[d]);
    }
    fputc(']', out);
}

/* "  in   x: Tensor float32[1, 3]" */
static void print_value(FILE *out, const char *what, const tsm_value_info *v) {
    fprintf(out, "  %-4s %s%s%s", what, v->name, *v->name ? ": " : "", v->type);
    if (v->dtype >= 0)
        fprintf(out, " %s", tsm_dtype_name((tsm_dtype)v->dtype));
    if (v->rank >= 0)
        print_sizes(out, v);
    fputc('\n', out);
}

static void print_method(FILE *out, const tsm_program *p, size_t m) {
    fprintf(out, "method %s\n", tsm_method_schema(p, m));
    if (*tsm_method_doc(p, m))
        fprintf(out, "  \"%s\"\n", tsm_method_doc(p, m));
    for (size_t i = 0; i < tsm_method_arguments(p, m); i++) {
        const tsm_value_info v = tsm_method_input(p, m, i);
        print_value(out, "in", &v);
    }
    for (size_t i = 0; i < tsm_method_outputs(p, m); i++) {
        const tsm_value_info v = tsm_method_output(p, m, i);
        print_value(out, "out", &v);
    }
    if (tsm_method_bytes(p, m))
        fprintf(out, "  buffer %zu bytes, for arguments as in its example\n", tsm_method_bytes(p, m));
}

static void print_text(FILE *out, const tsm_program *p) {
    fprintf(out, "%zu bytes, %zu of them tensors; by %s\n", p->file_bytes, p->segment_bytes, tsm_producer(p));
    for (size_t i = 0; i < tsm_metadata_count(p); i++) {
        const char *value, *key = tsm_metadata_get(p, i, &value);
        fprintf(out, "%s: %s\n", key, value);
    }
    for (size_t m = 0; m < tsm_method_count(p); m++)
        print_method(out, p, m);
    if (tsm_bundle_count(p))
        fprintf(out, "test cases: %zu\n", tsm_bundle_count(p));
}

/* ---- JSON ---- */

static void write_text(FILE *out, const char *key, const char *text) {
    fprintf(out, "\"%s\": ", key);
    json_write_text(out, text, strlen(text));
}

static void write_value(FILE *out, const tsm_value_info *v) {
    fputc('{', out);
    write_text(out, "name", v->name);
    fputs(", ", out);
    write_text(out, "type", v->type);
    if (v->dtype >= 0) {
        fputs(", ", out);
        write_text(out, "dtype", tsm_dtype_name((tsm_dtype)v->dtype));
    }
    if (v->rank >= 0) {
        fputs(", \"sizes\": [", out);
        for (int d = 0; d < v->rank; d++)
            fprintf(out, "%s%" PRId64, d ? ", " : "", v->sizes[d]);
        fputc(']', out);
    }
    fputc('}', out);
}

static void write_method(FILE *out, const tsm_program *p, size_t m) {
    fputs("\n    {", out);
    write_text(out, "name", tsm_method_name(p, m));
    fputs(", ", out);
    write_text(out, "schema", tsm_method_schema(p, m));
    fputs(", ", out);
    write_text(out, "doc", tsm_method_doc(p, m));
    fputs(",\n     \"inputs\": [", out);
    for (size_t i = 0; i < tsm_method_arguments(p, m); i++) {
        const tsm_value_info v = tsm_method_input(p, m, i);
        fputs(i ? ", " : "", out);
        write_value(out, &v);
    }
    fputs("],\n     \"outputs\": [", out);
    for (size_t i = 0; i < tsm_method_outputs(p, m); i++) {
        const tsm_value_info v = tsm_method_output(p, m, i);
        fputs(i ? ", " : "", out);
        write_value(out, &v);
    }
    fprintf(out, "],\n     \"buffer_bytes\": %zu}", tsm_method_bytes(p, m));
}

static void write_json(FILE *out, const tsm_program *p) {
    fprintf(out, "{\"bytes\": %zu, \"tensor_bytes\": %zu, ", p->file_bytes, p->segment_bytes);
    write_text(out, "producer", tsm_producer(p));
    fprintf(out, ", \"test_cases\": %zu,\n \"metadata\": [", tsm_bundle_count(p));
    for (size_t i = 0; i < tsm_metadata_count(p); i++) {
        const char *value, *key = tsm_metadata_get(p, i, &value);
        fprintf(out, "%s{", i ? ", " : "");
        write_text(out, "key", key);
        fputs(", ", out);
        write_text(out, "value", value);
        fputc('}', out);
    }
    fputs("],\n \"methods\": [", out);
    for (size_t m = 0; m < tsm_method_count(p); m++) {
        fputs(m ? "," : "", out);
        write_method(out, p, m);
    }
    fputs("\n]}\n", out);
}

void info_print(FILE *out, const tsm_program *p, bool as_json) {
    if (as_json)
        write_json(out, p);
    else
        print_text(out, p);
}
