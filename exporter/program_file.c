/* Chooses the reader of a program's file. */
#include "exporter/program_file.h"

#include "exporter/export/export_program.h"
#include "exporter/lite/lite_program.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/source/load.h"

program_file program_file_open(const char *name, zip_bytes bytes) {
    program_file f = {.name = name, .bytes = bytes};
    if (export_is_file(name, bytes)) {
        f.exported = export_file_open(name, bytes);
        return f;
    }
    if (!lite_is_flatbuffer(bytes))
        f.archive = pt_archive_open_memory(name, bytes);
    f.is_bytecode = !f.archive || (f.archive->has_bytecode && !arrlen(f.archive->files));
    return f;
}

program *program_file_load(const program_file *f) {
    if (f->exported)
        return program_load_export(f->exported, evaluate_operator);
    if (!f->is_bytecode)
        return program_load_archive(f->archive, evaluate_operator);
    const lite_module *m = f->archive ? lite_read_archive(f->archive) : lite_read_flatbuffer(f->name, f->bytes);
    return program_load_lite(m, evaluate_operator);
}
