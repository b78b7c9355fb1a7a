/* Programs from archives of torch.jit.save. */
#include "exporter/base/diag.h"
#include "exporter/emit/emit.h"
#include "exporter/source/load.h"

program *program_load_archive(pt_archive *archive, operator_evaluator *evaluate) {
    if (!archive->is_program)
        diag_fail("%s holds values but no program; it was not written by torch.jit.save", archive->name);
    program *p = program_new(&emit_front_end, evaluate);
    p->archive = archive;
    p->version = archive->version;
    if (archive->root->kind != PKL_OBJECT)
        diag_fail("%s does not hold a module", archive->name);
    p->module = program_constant(p, archive->root, NULL);
    return p;
}
