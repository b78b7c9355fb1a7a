/* tsmc: the exporter's command line. */
#include <stdio.h>
#include <string.h>

#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/frontend/parser.h"
#include "exporter/frontend/program.h"

static void dump_ast(pt_archive *archive) {
    for (size_t i = 0; i < arrlenu(archive->files); i++) {
        const pt_code_file *file = pt_archive_code(archive, archive->files[i].qualifier);
        strbuf text = {0};
        ast_print(parse_file(source_new(file->path, file->text, file->length, 1), DIALECT_SERIALIZED), &text);
        printf("%s\n", strbuf_text(&text));
    }
}

/* Compiles everything that the entries reach, in the order in which it is met. */
static void compile_all(program *p) {
    function **entries = program_entries(p);
    for (size_t i = 0; i < arrlenu(entries); i++)
        function_graph(entries[i]);
    for (size_t i = 0; i < arrlenu(program_functions(p)); i++)
        function_graph(program_functions(p)[i]);
}

static void dump_ir(program *p) {
    compile_all(p);
    for (size_t i = 0; i < arrlenu(program_functions(p)); i++) {
        const function *f = program_functions(p)[i];
        if (!f->graph)
            continue;
        strbuf text = {0};
        ir_print(f->graph, &text);
        printf("# %s\n%s", f->name, strbuf_text(&text));
    }
}

static void dump_types(program *p) {
    compile_all(p);
    for (size_t i = 0; i < arrlenu(program_classes(p)); i++) {
        const class_def *c = program_classes(p)[i];
        printf("%s\n", c->name);
        for (size_t k = 0; k < arrlenu(c->attributes); k++)
            printf("  %s : %s\n", c->attributes[k].name, type_annotation(c->attributes[k].type));
        for (size_t k = 0; k < arrlenu(c->methods); k++)
            printf("  %s\n", schema_text(c->methods[k]->schema));
    }
}

int main(int argc, char **argv) {
    if (argc != 4 || strcmp(argv[2], "--dump")) {
        fprintf(stderr, "usage: tsmc INPUT --dump ast|ir|types\n");
        return 2;
    }
    pt_archive *archive = pt_archive_open(argv[1]);
    if (!strcmp(argv[3], "ast"))
        dump_ast(archive);
    else if (!strcmp(argv[3], "ir"))
        dump_ir(program_load_archive(archive));
    else if (!strcmp(argv[3], "types"))
        dump_types(program_load_archive(archive));
    else
        diag_fail("--dump knows ast, ir and types, not '%s'", argv[3]);
    return 0;
}
