/* Plans of a target take the places of the others: a program's vector of plans refers to them instead, and the
 * checksums are made again. The rest of the file stays, byte for byte. */
#include "exporter/embed/variants.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"
#include "runtime/interpreter/check_sums.h"
#include "schema/generated/tsmobile_reader.h"

static const struct {
    const char *name, *compiled;
} targets[] = {
#define TARGET(name, addresses, compiled) {name, compiled},
#include "runtime/kernels/simd/targets.def"
};

static bool is_for(tsmf_TargetPlan row, const char *target) {
    for (uint32_t i = 0; i < tsmf_TargetPlan_targets_len(row); i++)
        if (!strcmp(tsmf_TargetPlan_targets(row, i), target))
            return true;
    return false;
}

/* FlatBuffers refer to tables by their distance from the reference, forward. */
static void refer(uint8_t *copy, const uint8_t *file, tsmf_Program root, uint32_t plan, tsmf_Plan own) {
    const uint8_t *reference = (const uint8_t *)tsm_flat_vector(root.p, TSMF_SLOT_plans) + 4 * (size_t)plan;
    if (own.p <= reference)
        diag_fail("the file's plans of targets lie in front of the others");
    const uint32_t distance = (uint32_t)(own.p - reference);
    memcpy(copy + (reference - file), &distance, sizeof distance);
}

static tsm_program copy_with(const tsm_program *program, const char *target) {
    const tsmf_Program root = {program->root};
    const uint8_t *file = program->file;
    uint8_t *copy = mem_alloc_aligned(program->file_bytes, 64);
    memcpy(copy, file, program->file_bytes);
    for (uint32_t i = 0; i < tsmf_Program_target_plans_len(root); i++) {
        const tsmf_TargetPlan row = tsmf_Program_target_plans(root, i);
        if (is_for(row, target) && tsmf_TargetPlan_own(row).p)
            refer(copy, file, root, tsmf_TargetPlan_plan(row), tsmf_TargetPlan_own(row));
    }
    if (tsmf_Program_sums_offset(root))
        tsm_sums_write(copy, tsmf_Program_sums_offset(root), tsmf_Program_segment_offset(root),
                       tsmf_Program_segment_bytes(root));
    tsm_program made;
    char message[1024];
    if (tsm_program_open(&made, copy, program->file_bytes, message, sizeof message) != TSM_OK)
        diag_fail("the file is damaged: with its plans for %s: %s", target, message);
    return made;
}

embed_variant *embed_variants(const tsm_program *program) {
    const tsmf_Program root = {program->root};
    embed_variant *all = NULL;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        embed_variant v = {.target = targets[t].name, .compiled = targets[t].compiled, .program = *program};
        bool differs = false;
        for (uint32_t i = 0; i < tsmf_Program_target_plans_len(root); i++) {
            const tsmf_TargetPlan row = tsmf_Program_target_plans(root, i);
            if (!is_for(row, v.target))
                continue;
            arrput(v.plans, tsmf_TargetPlan_plan(row));
            differs |= tsmf_TargetPlan_own(row).p != NULL;
        }
        if (differs)
            v.program = copy_with(program, v.target);
        if (v.plans)
            arrput(all, v);
    }
    return all;
}

bool embed_variant_has(const embed_variant *v, const tsm_program *program, size_t method) {
    const tsmf_Program root = {program->root};
    const uint32_t plan = tsmf_Method_plan(tsmf_Program_methods(root, (uint32_t)method));
    for (size_t i = 0; i < arrlenu(v->plans); i++)
        if (v->plans[i] == plan)
            return true;
    return false;
}
