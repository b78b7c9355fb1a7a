/* Programs from archives of torch.jit.save. */
#include "exporter/base/diag.h"
#include "exporter/emit/emit.h"
#include "exporter/source/load.h"

/* Names with tensors, alone or as a part of what training keeps. */
static bool has_state_dict(const pkl_value *v) {
    for (size_t i = 0; v->kind == PKL_DICT && i < v->dict.count; i++) {
        const pkl_value *item = v->dict.entries[i].value;
        if (item->kind == PKL_TENSOR)
            return true;
        for (size_t k = 0; item->kind == PKL_DICT && k < item->dict.count; k++)
            if (item->dict.entries[k].value->kind == PKL_TENSOR)
                return true;
    }
    return false;
}

program *program_load_archive(pt_archive *archive, operator_evaluator *evaluate) {
    if (!archive->is_program)
        diag_fail(
            "%s holds values but no program; it was not written by torch.jit.save%s", archive->name,
            has_state_dict(archive->root)
                ? ": a state dict needs the class of its module, as FILE.py:NAME --weights FILE, or in PyTorch, where "
                  "torch.jit.script(model).save(\"model.pt\") writes both"
                : "");
    program *p = program_new(&emit_front_end, evaluate);
    p->archive = archive;
    p->version = archive->version;
    if (archive->root->kind != PKL_OBJECT)
        diag_fail("%s does not hold a module", archive->name);
    p->module = program_constant(p, archive->root, NULL);
    return p;
}
