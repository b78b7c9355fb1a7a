/* What passes may ask about an operator beside its schema: the list is traits.def, the rows are schema/traits.txt. */
#ifndef TSMC_IR_TRAITS_H
#define TSMC_IR_TRAITS_H

#include <stdint.h>

typedef enum {
#define TRAIT(name, word, test) TRAIT_##name,
#include "exporter/ir/traits.def"
    TRAIT_COUNT
} op_trait;

/* Where the operands of a step of tsm::pointwise stand among the operator's arguments. */
typedef enum {
#define FORM(name, word) FORM_##name,
#include "exporter/ir/traits.def"
    FORM_COUNT
} step_form;

typedef struct {
    uint64_t flags;  /* bit: op_trait */
    char step;       /* the letter in runtime/kernels/pointwise/pointwise_steps.def; 0: the operator is no step */
    uint8_t form;    /* step_form */
    uint8_t refuses; /* TSM_KIND_... (runtime/value/exec.h), if others than quantized tensors */
    uint16_t since; /* major << 8 | minor of the first libtsmobile that takes what the operator is given; 0: any does */
} op_traits;

_Static_assert(TRAIT_COUNT <= 64, "flags of op_traits are too narrow");

#endif
