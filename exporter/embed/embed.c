/* The texts of C that --emit-c writes. */
#include "exporter/embed/embed.h"

#include <stdio.h>
#include <string.h>

#include "exporter/base/file.h"
#include "exporter/base/mem.h"
#include "exporter/embed/kernel_names.h"
#include "exporter/embed/methods.h"
#include "exporter/embed/parts.h"
#include "runtime/operators/operator_table.h"
#include "schema/generated/tsmobile_reader.h"

enum { BYTES_A_LINE = 24 };

embed_program embed_new(const char *path, tsm_program program) {
    const char *name = file_base_name(path);
    const size_t n = strlen(name);
    if (n > 4 && !strcmp(name + n - 4, ".tsm"))
        name = mem_strndup(name, n - 4);
    embed_program p = {.file_name = embed_c_name(name), .program = program, .variants = embed_variants(&program)};
    embed_scope scope = NULL;
    p.name = embed_name(&scope, p.file_name);
    static const char *const own[] = {"_open", "_file", "_H", "_FILE_BYTES", "_INSTANCE_BYTES"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        embed_name(&scope, mem_printf("%s%s", own[i][1] < 'a' ? embed_upper(p.name) : p.name, own[i]));
    p.methods = embed_methods(&program, p.name, &scope);
    return p;
}

/* ---- NAME.h ---- */

static void write_shape(strbuf *b, const embed_tensor *t) {
    strbuf_printf(b, "%s: %s [", embed_comment(t->name), tsm_dtype_name(t->dtype));
    for (int i = 0; i < t->dims; i++)
        strbuf_printf(b, "%s%td", i ? ", " : "", t->sizes[i]);
    strbuf_printf(b, "]");
}

/* "tsm_status digits_forward(digits *m, float *in_x, float *out_result)": names of Python may be words of C. */
static void write_prototype(strbuf *b, const char *name, const embed_method *m) {
    strbuf_printf(b, "tsm_status %s(%s *m", m->function, name);
    for (size_t i = 0; i < arrlenu(m->inputs); i++)
        strbuf_printf(b, ", %s *%s", embed_c_type(m->inputs[i].dtype), m->inputs[i].parameter);
    for (size_t i = 0; i < arrlenu(m->results); i++)
        strbuf_printf(b, ", %s *%s", embed_c_type(m->results[i].dtype), m->results[i].parameter);
    strbuf_printf(b, ")");
}

/* "#if CONDITION" of the first of several targets, "#elif" of the others. */
static void write_condition(strbuf *b, const embed_variant *v, bool *is_first) {
    strbuf_printf(b, "#%s %s\n", *is_first ? "if" : "elif", v->compiled);
    *is_first = false;
}

/* The buffer that a method needs: for the targets that the file has plans for, for the one that is compiled for, and
 * for any other. */
static void write_buffer(strbuf *b, const char *macro, const embed_program *p, const embed_method *m) {
    bool is_first = true;
    for (size_t i = 0; i < arrlenu(p->variants); i++) {
        const embed_variant *v = &p->variants[i];
        if (embed_variant_has(v, &p->program, (size_t)m->position))
            strbuf_printf(b, "#define %s_BUFFER_BYTES_%s %zu\n", macro, embed_upper(embed_c_name(v->target)),
                          tsm_method_bytes(&v->program, (size_t)m->position));
    }
    for (size_t i = 0; i < arrlenu(p->variants); i++) {
        const embed_variant *v = &p->variants[i];
        if (!embed_variant_has(v, &p->program, (size_t)m->position) ||
            tsm_method_bytes(&v->program, (size_t)m->position) == m->buffer_bytes)
            continue;
        write_condition(b, v, &is_first);
        strbuf_printf(b, "#define %s_BUFFER_BYTES %s_BUFFER_BYTES_%s\n", macro, macro,
                      embed_upper(embed_c_name(v->target)));
    }
    strbuf_printf(b, "%s#define %s_BUFFER_BYTES %zu\n%s", is_first ? "" : "#else\n", macro, m->buffer_bytes,
                  is_first ? "" : "#endif\n");
}

static void write_method(strbuf *b, const embed_program *p, const embed_method *m) {
    strbuf_printf(b, "\n/* %s */\n", embed_comment(m->schema));
    if (m->buffer_bytes)
        write_buffer(b, m->macro, p, m);
    if (!m->is_typed)
        return;
    strbuf_printf(b, "/* ");
    for (size_t i = 0; i < arrlenu(m->inputs); i++) {
        write_shape(b, &m->inputs[i]);
        strbuf_printf(b, ", ");
    }
    strbuf_printf(b, "used where they lie, and written to if the program changes them;\n * ");
    for (size_t i = 0; i < arrlenu(m->results); i++) {
        write_shape(b, &m->results[i]);
        strbuf_printf(b, i + 1 < arrlenu(m->results) ? ", " : ". */\n");
    }
    write_prototype(b, p->name, m);
    strbuf_printf(b, ";\n");
    for (size_t i = 0; i < arrlenu(m->inputs); i++)
        strbuf_printf(b, "#define %s %zu\n", m->inputs[i].macro, m->inputs[i].elements);
    for (size_t i = 0; i < arrlenu(m->results); i++)
        strbuf_printf(b, "#define %s %zu\n", m->results[i].macro, m->results[i].elements);
}

const char *embed_header(const embed_program *p) {
    const char *NAME = embed_upper(p->name);
    const embed_method *methods = p->methods;
    strbuf b = {0};
    strbuf_printf(
        &b,
        "/* %s.tsm as C, made by tsmc %s. */\n#ifndef %s_H\n#define %s_H\n\n#include <tsmobile.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/* The bytes of the file, aligned as tsm_program_open wants them. */\n"
        "#define %s_FILE_BYTES %zu\nextern const unsigned char %s_file[%s_FILE_BYTES];\n\n"
        "/* The opened program, and the instance that its calls run in. */\n"
        "typedef struct {\n    tsm_program program;\n    tsm_instance *inst;\n} %s;\n\n"
        "/* Lays the program out in a buffer that is aligned to 64 bytes. How many a method needs stands beside "
        "it, where it is\n * known; what tsm_instance_init takes before any call: %s_INSTANCE_BYTES. `options` "
        "may be NULL. */\n#define %s_INSTANCE_BYTES %zu\n"
        "tsm_status %s_open(%s *m, const tsm_options *options, void *buffer, size_t bytes);\n",
        p->file_name, TSMC_VERSION, NAME, NAME, NAME, p->program.file_bytes, p->name, NAME, p->name, NAME, NAME,
        tsm_instance_bytes(&p->program), p->name, p->name);
    for (size_t i = 0; i < arrlenu(methods); i++)
        write_method(&b, p, &methods[i]);
    strbuf_printf(&b, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return strbuf_text(&b);
}

/* ---- NAME.c ---- */

static const char copy_function[] =
    "\n/* Elements in the order of indices, wherever they lie. */\n"
    "static void copy_elements(const tsm_tensor_view *t, void *to) {\n"
    "    const size_t bytes = tsm_dtype_size(t->dtype);\n"
    "    tsm_dim at[TSM_MAX_DIMS] = {0}, offset = 0;\n"
    "    for (int i = 0; i < t->dims; i++)\n"
    "        if (t->sizes[i] == 0)\n"
    "            return;\n"
    "    for (unsigned char *out = to;; out += bytes) {\n"
    "        memcpy(out, (const unsigned char *)t->data + offset * (tsm_dim)bytes, bytes);\n"
    "        int i = t->dims - 1;\n"
    "        for (; i >= 0 && at[i] + 1 == t->sizes[i]; i--) {\n"
    "            offset -= at[i] * t->strides[i];\n"
    "            at[i] = 0;\n"
    "        }\n"
    "        if (i < 0)\n"
    "            return;\n"
    "        at[i]++;\n"
    "        offset += t->strides[i];\n"
    "    }\n"
    "}\n";

static void write_results(strbuf *b, const embed_method *m) {
    for (size_t i = 0; i < arrlenu(m->results); i++) {
        const embed_tensor *t = &m->results[i];
        const char *value = m->gives_tuple ? mem_printf("tsm_sequence_get(y, %zu)", i) : "y";
        strbuf_printf(b,
                      "    if (status == TSM_OK && tsm_tensor_get(%s, &view))\n"
                      "        copy_elements(&view, %s);\n",
                      value, t->parameter);
    }
}

static void write_call(strbuf *b, const char *name, const embed_method *m) {
    const size_t n = arrlenu(m->inputs);
    strbuf_printf(b, "\n");
    write_prototype(b, name, m);
    strbuf_printf(b,
                  " {\n    tsm_value x[%zu], y = tsm_none();\n    tsm_tensor_view view;\n"
                  "    tsm_status status = TSM_OK;\n    size_t n = 0;\n",
                  n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        const embed_tensor *t = &m->inputs[i];
        strbuf_printf(b, "    static const tsm_dim sizes_%zu[] = {", i);
        for (int k = 0; k < t->dims; k++)
            strbuf_printf(b, "%td, ", t->sizes[k]);
        strbuf_printf(b,
                      "0};\n    if (status == TSM_OK)\n        n += (status = tsm_tensor_wrap(m->inst, &x[n], "
                      "(tsm_dtype)%d, %d, sizes_%zu, NULL, %s)) == TSM_OK;\n",
                      (int)t->dtype, t->dims, i, t->parameter);
    }
    strbuf_printf(b, "    if (status == TSM_OK)\n        status = tsm_call(m->inst, %d, x, n, &y);\n", m->position);
    write_results(b, m);
    strbuf_printf(b, "    tsm_release(m->inst, y);\n    while (n > 0)\n        tsm_release(m->inst, x[--n]);\n"
                     "    return status;\n}\n");
}

static void write_bytes(strbuf *b, const uint8_t *file, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        char number[8];
        strbuf_add_n(b, number, (size_t)snprintf(number, sizeof number, "%d,", file[i]));
    }
    strbuf_printf(b, "\n");
}

/* A line of the file's bytes, in the forms that it has on the targets. */
static void write_line(strbuf *b, const embed_program *p, size_t from, size_t to) {
    const uint8_t *file = p->program.file;
    bool is_first = true;
    for (size_t i = 0; i < arrlenu(p->variants); i++) {
        const uint8_t *other = p->variants[i].program.file;
        if (other == file || !memcmp(other + from, file + from, to - from))
            continue;
        write_condition(b, &p->variants[i], &is_first);
        write_bytes(b, other, from, to);
    }
    strbuf_printf(b, "%s", is_first ? "" : "#else\n");
    write_bytes(b, file, from, to);
    strbuf_printf(b, "%s", is_first ? "" : "#endif\n");
}

const char *embed_source(const embed_program *p) {
    const size_t bytes = p->program.file_bytes;
    const embed_method *methods = p->methods;
    bool is_typed = false;
    for (size_t i = 0; i < arrlenu(methods); i++)
        is_typed |= methods[i].is_typed;
    strbuf b = {0};
    strbuf_printf(&b,
                  "/* %s.tsm as C, made by tsmc %s. */\n#include \"%s.h\"\n\n#include <string.h>\n%s\n"
                  "tsm_status %s_open(%s *m, const tsm_options *options, void *buffer, size_t bytes) {\n"
                  "    char *message = options ? options->message : NULL;\n"
                  "    tsm_status status = tsm_program_open(&m->program, %s_file, sizeof %s_file, message,\n"
                  "                                         message ? options->message_bytes : 0);\n"
                  "    m->inst = NULL;\n"
                  "    return status == TSM_OK ? tsm_instance_init(&m->inst, &m->program, options, buffer, bytes) : "
                  "status;\n}\n",
                  p->file_name, TSMC_VERSION, p->file_name, is_typed ? copy_function : "", p->name, p->name, p->name,
                  p->name);
    for (size_t i = 0; i < arrlenu(methods); i++)
        if (methods[i].is_typed)
            write_call(&b, p->name, &methods[i]);
    strbuf_printf(&b, "\n_Alignas(64) const unsigned char %s_file[%zu] = {\n", p->name, bytes);
    for (size_t i = 0; i < bytes; i += BYTES_A_LINE)
        write_line(&b, p, i, bytes - i < BYTES_A_LINE ? bytes : i + BYTES_A_LINE);
    strbuf_printf(&b, "};\n");
    return strbuf_text(&b);
}

/* ---- operators.c ---- */

/* Whether a program names the operator. */
static bool is_used(const embed_program *programs, const char *name) {
    for (size_t i = 0; i < arrlenu(programs); i++) {
        const tsmf_Program root = {programs[i].program.root};
        for (uint32_t k = 0; k < tsmf_Program_operators_len(root); k++)
            if (!strcmp(tsmf_Program_operators(root, k), name))
                return true;
    }
    return false;
}

static const char table_head[] =
    "#include <tsmobile.h>\n\n"
    "#if TSM_VERSION_NUMBER != %d\n#error \"this file is for another version of libtsmobile: make it "
    "again\"\n#endif\n\n"
    "/* As in libtsmobile. */\n"
    "typedef struct tsm_exec tsm_exec;\n"
    "typedef tsm_status (*tsm_kernel)(tsm_exec *x, const tsm_value *const *in, tsm_value *out);\n"
    "typedef union {\n    int64_t i;\n    double f;\n} tsm_scalar;\n"
    "typedef bool (*tsm_register_kernel)(const tsm_scalar *in, tsm_scalar *out);\n"
    "typedef bool (*tsm_short_kernel)(tsm_exec *x, const tsm_value *in, tsm_value *out);\n"
    "#ifdef __OPTIMIZE_SIZE__\n#define TSM_ON_REGISTERS(kernel) NULL\n#else\n#define TSM_ON_REGISTERS(kernel) "
    "kernel\n#endif\n"
    "typedef struct {\n    const char *name;\n    tsm_kernel kernel;\n    uint8_t kind, inputs, outputs;\n"
    "    bool is_light : 1;\n    unsigned overlap : 5;\n    bool is_exact : 1;\n    unsigned refuses : 7;\n"
    "    unsigned result_tag : 2;\n"
    "    const uint32_t *accepted_types;\n    uint32_t written;\n"
    "    union {\n        tsm_register_kernel on_registers;\n        tsm_short_kernel on_values;\n    };\n"
    "} tsm_operator;\n"
    "extern const tsm_operator tsm_operator_table[];\nextern const size_t tsm_operator_count;\n\n";

const char *embed_operators(const embed_program *programs) {
    strbuf kernels = {0}, types = {0}, rows = {0};
    size_t n = 0;
    for (size_t i = 0; i < tsm_operator_count; i++) {
        const tsm_operator *o = &tsm_operator_table[i];
        if (!is_used(programs, o->name))
            continue;
        strbuf_printf(&kernels, "tsm_status %s(tsm_exec *x, const tsm_value *const *in, tsm_value *out);\n",
                      embed_kernel_names[i]);
        strbuf_printf(&types, "static const uint32_t accepted_%zu[] = {", n);
        for (const uint32_t *mask = o->accepted_types; *mask; mask++)
            strbuf_printf(&types, "%#xu, ", (unsigned)*mask);
        strbuf_printf(&types, "0};\n");
        const char *name = embed_second_kernels[i], *second = "{NULL}";
        if (name && o->result_tag) {
            strbuf_printf(&kernels, "bool %s(const tsm_scalar *in, tsm_scalar *out);\n", name);
            second = mem_printf("{TSM_ON_REGISTERS(%s)}", name);
        } else if (name) {
            strbuf_printf(&kernels, "bool %s(tsm_exec *x, const tsm_value *in, tsm_value *out);\n", name);
            second = mem_printf("{.on_values = TSM_ON_REGISTERS(%s)}", name);
        }
        strbuf_printf(&rows, "    {\"%s\", %s, %d, %d, %d, %d, %d, %d, %d, %d, accepted_%zu, %#xu, %s},\n", o->name,
                      embed_kernel_names[i], o->kind, o->inputs, o->outputs, o->is_light, (int)o->overlap, o->is_exact,
                      (int)o->refuses, (int)o->result_tag, n++, (unsigned)o->written, second);
    }
    strbuf b = {0};
    strbuf_printf(&b, "/* The operators of");
    for (size_t i = 0; i < arrlenu(programs); i++)
        strbuf_printf(&b, " %s", programs[i].file_name);
    strbuf_printf(&b, ", made by tsmc %s. A program that contains this file links nothing that they do not need. */\n",
                  TSMC_VERSION);
    strbuf_printf(&b, table_head, TSM_VERSION_NUMBER);
    strbuf_printf(&b,
                  "%s\n%s\nconst tsm_operator tsm_operator_table[] = {\n%s    {0},\n};\n"
                  "const size_t tsm_operator_count = %zu;\n%s",
                  strbuf_text(&kernels), strbuf_text(&types), strbuf_text(&rows), n, embed_parts(programs));
    return strbuf_text(&b);
}
