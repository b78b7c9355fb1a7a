/* Types from annotations and from type strings of pickles. */
#include "exporter/program/type_parser.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/python_names.h"
#include "exporter/syntax/parser.h"

static const struct {
    const char *name;
    type_kind kind;
} simple_names[] = {
    {"Tensor", TYPE_TENSOR},
    {"torch.Tensor", TYPE_TENSOR},
    {"torch.LongTensor", TYPE_TENSOR},
    {"torch.FloatTensor", TYPE_TENSOR},
    {"torch.DoubleTensor", TYPE_TENSOR},
    {"torch.IntTensor", TYPE_TENSOR},
    {"torch.ShortTensor", TYPE_TENSOR},
    {"torch.HalfTensor", TYPE_TENSOR},
    {"torch.CharTensor", TYPE_TENSOR},
    {"torch.ByteTensor", TYPE_TENSOR},
    {"torch.BoolTensor", TYPE_TENSOR},
    {"int", TYPE_INT},
    {"float", TYPE_FLOAT},
    {"double", TYPE_FLOAT},
    {"complex", TYPE_COMPLEX},
    {"bool", TYPE_BOOL},
    {"str", TYPE_STR},
    {"string", TYPE_STR},
    {"Device", TYPE_DEVICE},
    {"torch.device", TYPE_DEVICE},
    {"device", TYPE_DEVICE},
    {"Stream", TYPE_STREAM},
    {"number", TYPE_NUMBER},
    {"Scalar", TYPE_NUMBER},
    {"NoneType", TYPE_NONE},
    {"None", TYPE_NONE},
    {"Any", TYPE_ANY},
    {"Generator", TYPE_GENERATOR},
    {"torch.Generator", TYPE_GENERATOR},
    {"Storage", TYPE_STORAGE},
    {"Capsule", TYPE_CAPSULE},
    {"AnyClassType", TYPE_ANY_CLASS},
    {"AnyEnumType", TYPE_ANY_ENUM},
    {"AnyList", TYPE_ANY_LIST},
    {"AnyTuple", TYPE_ANY_TUPLE},
    {"list", TYPE_ANY_LIST},
    {"tuple", TYPE_ANY_TUPLE},
    {"Layout", TYPE_INT},
    {"MemoryFormat", TYPE_INT},
    {"QScheme", TYPE_INT},
    {"torch.dtype", TYPE_INT},
};

typedef const type *(*combine)(program *p, const ast_list *parts);

static const type *part(program *p, const ast_list *parts, uint32_t i) {
    return type_of_expression(p, parts->items[i]);
}

static const type **all_parts(program *p, const ast_list *parts) {
    const type **types = NULL;
    for (uint32_t i = 0; i < parts->count; i++)
        arrput(types, part(p, parts, i));
    return types;
}

static const type *make_list(program *p, const ast_list *parts) {
    return type_list(part(p, parts, 0));
}

static const type *make_optional(program *p, const ast_list *parts) {
    return type_optional(part(p, parts, 0));
}

static const type *make_future(program *p, const ast_list *parts) {
    return type_future(part(p, parts, 0));
}

static const type *make_rref(program *p, const ast_list *parts) {
    return type_rref(part(p, parts, 0));
}

static const type *make_final(program *p, const ast_list *parts) {
    return part(p, parts, 0);
}

static const type *make_dict(program *p, const ast_list *parts) {
    return type_dict(part(p, parts, 0), part(p, parts, 1));
}

static const type *make_tuple(program *p, const ast_list *parts) {
    if (parts->count == 1 && parts->items[0]->kind == AST_TUPLE && !parts->items[0]->sequence.count)
        return type_tuple(NULL, 0);
    return type_tuple(all_parts(p, parts), parts->count);
}

static const type *make_union(program *p, const ast_list *parts) {
    return type_union(all_parts(p, parts), parts->count);
}

static const struct {
    const char *name;
    uint32_t count; /* of parts; 0: any */
    combine make;
} generics[] = {
    {"List", 1, make_list},
    {"list", 1, make_list},
    {"Optional", 1, make_optional},
    {"BroadcastingList1", 1, make_list},
    {"BroadcastingList2", 1, make_list},
    {"BroadcastingList3", 1, make_list},
    {"Future", 1, make_future},
    {"Await", 1, make_future},
    {"_Await", 1, make_future},
    {"RRef", 1, make_rref},
    {"Final", 1, make_final},
    {"Dict", 2, make_dict},
    {"dict", 2, make_dict},
    {"Tuple", 0, make_tuple},
    {"tuple", 0, make_tuple},
    {"Union", 0, make_union},
};

static const type *generic_type(program *p, const ast_node *e) {
    const char *name = ast_dotted_name(e->subscript.value);
    if (name && p->main_file)
        name = python_type_name(p, name, e);
    const char *last = name && strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
    for (size_t i = 0; last && i < sizeof generics / sizeof *generics; i++)
        if (!strcmp(last, generics[i].name)) {
            ast_list parts = e->subscript.indices;
            if (parts.count == 1 && parts.items[0]->kind == AST_TUPLE && parts.items[0]->sequence.count)
                parts = parts.items[0]->sequence;
            if (generics[i].count && parts.count != generics[i].count)
                source_fail(e->range, "%s type must have exactly %s", last,
                            generics[i].count == 1 ? "one element type" : "two types");
            return generics[i].make(p, &parts);
        }
    source_fail(e->range, "Unknown type constructor %s", name ? name : "");
}

static bool begins_with(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

/* The members of `X | Y | Z`, from left to right. */
static void collect_members(program *p, const ast_node *e, const type ***types) {
    stack_check();
    if (e->kind == AST_BIT_OR) {
        collect_members(p, e->binary.left, types);
        collect_members(p, e->binary.right, types);
    } else
        arrput(*types, type_of_expression(p, e));
}

static const type *type_of_members(program *p, const ast_node *e) {
    const type **types = NULL;
    collect_members(p, e, &types);
    return type_union(types, (uint32_t)arrlenu(types));
}

/* A quoted type, "T". Errors are reported at the string; as in PyTorch, an unknown part makes the whole unknown, and
 * `X | Y` is not known in quotes. */
static const type *type_of_string(program *p, const ast_node *e) {
    const char *text = e->string.bytes;
    if (p->main_file && strchr(text, '|'))
        source_fail(e->range, "Unknown type name '%s'", text);
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        ast_node *inner = parse_expression(source_new("<type>", text, strlen(text), 1), DIALECT_SERIALIZED);
        inner->range = e->range;
        const type *t = type_of_expression(p, inner);
        diag_end(&h);
        return t;
    }
    if (p->main_file && (begins_with(h.message, "Unknown type") || begins_with(h.message, "Expression of type")))
        source_fail(e->range, "Unknown type name '%s'", text);
    diag_rethrow(&h);
}

/* Raises an error for a generic type without its parameters: `List`. */
static void refuse_bare_generic(const char *name) {
    static const char *const names[] = {"List", "Dict", "Optional", "Union", "Tuple"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name))
            continue;
        if (!strcmp(name, "Dict"))
            diag_fail("Attempted to use Dict without contained types. Please add contained type, e.g. Dict[int, int]");
        diag_fail("Attempted to use %s without a contained type. Please add a contained type, e.g. %s[int]", name,
                  name);
    }
}

/* What the file's own assignment `NAME = List[int]` or `NAME = int | None` makes of a name; NULL when there is none. */
static const type *type_of_alias(program *p, const char *name) {
    code_file *file;
    ast_node *n = p->main_file ? program_find_definition(p, name, &file) : NULL;
    bool is_assigned = n && n->kind == AST_ASSIGN && n->assign.value;
    bool is_alias = is_assigned && (n->assign.value->kind == AST_SUBSCRIPT || n->assign.value->kind == AST_BIT_OR);
    return is_alias ? type_of_expression(p, n->assign.value) : NULL;
}

/* torch.types.Number */
static const type *number_type(void) {
    const type *const kinds[] = {type_basic(TYPE_FLOAT), type_basic(TYPE_INT), type_basic(TYPE_BOOL)};
    const type **members = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        arrput(members, kinds[i]);
    return type_union(members, (uint32_t)arrlenu(members));
}

const type *type_of_expression(program *p, const ast_node *e) {
    stack_check();
    if (e->kind == AST_NONE)
        return type_basic(TYPE_NONE);
    if (e->kind == AST_STRING)
        return type_of_string(p, e);
    if (e->kind == AST_SUBSCRIPT)
        return generic_type(p, e);
    if (e->kind == AST_BIT_OR)
        return type_of_members(p, e);
    const char *name = ast_dotted_name(e), *written = name;
    if (!name)
        source_fail(e->range, "Expression of type %s cannot be used in a type expression", ast_kind_name(e->kind));
    if (p->main_file && strncmp(name, "__torch__.", 10))
        name = python_type_name(p, name, e);
    for (size_t i = 0; i < sizeof simple_names / sizeof *simple_names; i++)
        if (!strcmp(name, simple_names[i].name))
            return type_basic(simple_names[i].kind);
    if (p->main_file && (!strcmp(name, "torch.types.Number")))
        return number_type();
    const class_def *c = program_find_class(p, name);
    const type *alias = c ? NULL : type_of_alias(p, name);
    if (!c && !alias && p->main_file)
        refuse_bare_generic(name);
    if (!c && !alias)
        source_fail(e->range, "Unknown type name '%s'", written);
    return c ? c->type : alias;
}

const type *type_of_text(program *p, const char *text) {
    const source_file *file = source_new("<type>", text, strlen(text), 1);
    return type_of_expression(p, parse_expression(file, DIALECT_SERIALIZED));
}
