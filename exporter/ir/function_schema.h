/* Function schemas: the parameters and results of an operator or a function, as c10::FunctionSchema in PyTorch. */
#ifndef TSMC_IR_FUNCTION_SCHEMA_H
#define TSMC_IR_FUNCTION_SCHEMA_H

#include "exporter/ir/ir.h"
#include "exporter/ir/traits.h"

typedef struct {
    const char *name; /* "" when a return has none */
    const type *type;
    ir_constant *default_value; /* NULL: required */
    const ir_constant *literal; /* only this constant fits; NULL: any value does */
    int32_t list_size;          /* of `int[2]`: a single int is broadcast to 2; 0: not fixed */
    bool keyword_only;
    bool is_inferred;        /* of an author's parameter without annotation, which is taken for a Tensor */
    bool is_write;           /* its contents are changed: Tensor(a!) */
    bool may_alias;          /* of a return: may be (a view of) an argument with the same alias set */
    uint64_t alias_set;      /* bits for a, b, c...; bit 63: the wildcard */
    bool contained_wildcard; /* -> * : stored into a container */
} schema_argument;

struct op_schema {
    const char *name;      /* "aten::add"; for functions the qualified name */
    const char *overload;  /* "Tensor", "" */
    const char *full_name; /* "aten::add.Tensor" */
    schema_argument *arguments, *returns;
    uint32_t argument_count, return_count;
    bool variable_arguments, variable_returns;
    ir_kind kind;
    const char *text; /* as PyTorch prints it */
    op_traits traits; /* of the operators in the list */
};

/* The schema's text, as PyTorch prints it. */
const char *schema_text(const op_schema *s);

#endif
