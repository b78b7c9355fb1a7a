/* TorchScript's types.
 *
 * Structural types are made once: equal types have equal pointers, so comparison is `==`. Classes, interfaces, enums
 * and NamedTuples are nominal: one object for each qualified name of a compilation. */
#ifndef TSMC_IR_TYPES_H
#define TSMC_IR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exporter/base/mem.h"

typedef enum {
#define TYPE_KIND(KIND, text) TYPE_##KIND,
#include "exporter/ir/type_kinds.def"
#undef TYPE_KIND
    TYPE_KIND_COUNT
} type_kind;

typedef struct type type;
typedef struct class_def class_def; /* what a nominal type stands for; see program/program.h */

struct type {
    type_kind kind;
    uint32_t count;        /* contained types */
    uint32_t depth, parts; /* levels, and parts as its text shows them: what a named type contains does not count */
    const type *const
        *items; /* LIST, OPTIONAL, FUTURE, RREF: 1; DICT: key, value; TUPLE: fields; UNION: members, sorted by text */
    const char *name; /* qualified name of nominal types (NamedTuples included), variable of VAR; else NULL */
    const char *const *field_names; /* NamedTuple: `count` names; else NULL */
    class_def *definition;          /* CLASS, INTERFACE, ENUM; NamedTuple: its defaults; else NULL */
    const char *text; /* as TorchScript prints it in IR and schemas: "int[]", "Dict(str, int)", "__torch__.a.B" */
};

/* Types without contents. */
const type *type_basic(type_kind kind);
const type *type_list(const type *element);
/* Raises an error when the key's type has no hash. */
const type *type_dict(const type *key, const type *value);
const type *type_tuple(const type *const *items, uint32_t count);
const type *type_named_tuple(const char *name, const char *const *fields, const type *const *items, uint32_t count,
                             class_def *definition);
/* A tuple whose fields have names though it has none itself: the results of an operator. */
const type *type_tuple_with_fields(const char *const *fields, const type *const *items, uint32_t count);
/* Optional of a type that admits None already is that type; of NoneType it is NoneType. */
const type *type_optional(const type *inner);
/* Flattens, removes members that another one covers, sorts; a union of T and None is Optional[T], of one member that
 * member. */
const type *type_union(const type *const *given, uint32_t count);
const type *type_future(const type *inner);
const type *type_rref(const type *inner);
/* A new nominal type. `definition` may be filled in later. */
type *type_nominal(type_kind kind, const char *name, class_def *definition);
const type *type_var(const char *name);
/* A class that C++ code registered ("__torch__.torch.classes.quantized.LinearPackedParamsBase"): known by name only. */
const type *type_torchbind(const char *name);

/* Whether a value of type `a` may stand where `b` is wanted (T <= Optional[T] <= Any, int <= Scalar, class <=
 * interface, ...). When not and `why` is not NULL, may append an explanation to it. */
bool type_is_subtype(const type *a, const type *b, strbuf *why);

/* Whether no value of type `a` is of type `b`. False where that is not known, as of two classes. */
bool type_excludes(const type *a, const type *b);

/* The least type that both fit, or NULL: None and T give Optional[T]. With `to_union` a union when nothing else fits.
 */
const type *type_unify(const type *a, const type *b, bool to_union);

/* Contained types by meaning; NULL when the type is of another kind. */
const type *type_element(const type *t);      /* of LIST */
const type *type_without_none(const type *t); /* Optional[T] -> T; Union without None; others themselves */
bool type_admits_none(const type *t);         /* None, Optional, Any, Union with None */
bool type_is_real(const type *t);             /* int, float, bool */
/* Numbers, texts, None, devices, members of enums: values that nothing can change and whose identity nobody sees. */
bool type_is_immutable(const type *t);
bool type_has_variables(const type *t); /* t in List[t], as schemas have them */

/* As annotations are written, for error messages: "List[int]", "Dict[str, int]". */
const char *type_annotation(const type *t);

/* Makes `t` with type variables replaced by what `lookup` says (parallel arrays). NULL when one is missing. */
const type *type_substitute(const type *t, const char *const *names, const type *const *types, uint32_t count);

#endif
