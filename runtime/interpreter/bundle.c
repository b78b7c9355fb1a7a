/* Test cases that a file has with it. Linked only where a program asks for them. */
#include "runtime/interpreter/instance.h"

size_t tsm_bundle_count(const tsm_program *p) {
    return tsmf_Program_bundle_len((tsmf_Program){p->root});
}

tsm_status tsm_bundle_get(tsm_instance *inst, size_t i, int *method, tsm_value *arguments, tsm_value *expected,
                          bool *has_expected) {
    if (i >= tsmf_Program_bundle_len(inst->root))
        return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "there is no test case %zu", i);
    tsmf_BundledCase c = tsmf_Program_bundle(inst->root, (uint32_t)i);
    *method = (int)tsmf_BundledCase_method(c);
    *arguments = tsm_hold(inst->constants[tsmf_BundledCase_arguments(c)]);
    *has_expected = tsmf_BundledCase_expected(c) != TSM_NO_INDEX;
    *expected = *has_expected ? tsm_hold(inst->constants[tsmf_BundledCase_expected(c)]) : tsm_none();
    return TSM_OK;
}
