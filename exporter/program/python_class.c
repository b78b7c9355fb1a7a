/* Classes of .py sources: what their statements and decorators say, and the attributes that __init__ makes. */
#include "exporter/program/python_class.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/dataclass.h"
#include "exporter/program/python_names.h"
#include "exporter/program/type_parser.h"
#include "exporter/syntax/parser_internal.h"

static const char *last_part(const char *dotted) {
    const char *dot = strrchr(dotted, '.');
    return dot ? dot + 1 : dotted;
}

/* The name of a base, without its package; names that imports give it are followed. */
static const char *base_name(program *p, const ast_class *syntax, uint32_t i) {
    const char *name = ast_dotted_name(syntax->bases.items[i]);
    return name ? last_part(python_type_name(p, name, syntax->bases.items[i])) : "";
}

/* The class of the file that a base names; NULL when it is none. */
static const ast_class *base_class(program *p, const ast_class *syntax, uint32_t i) {
    const char *name = ast_dotted_name(syntax->bases.items[i]);
    code_file *file;
    ast_node *n = name ? program_find_definition(p, mem_printf("%s.%s", p->main_file->qualifier, name), &file) : NULL;
    return n && n->kind == AST_CLASS ? n->class_def : NULL;
}

/* Goes over a class and the classes that it inherits from, each once. */
typedef struct {
    struct {
        const ast_class *key;
        bool value; /* its bases are being looked at */
    } * seen;
    uint32_t depth;
} base_walk;

/* False: the class was looked at before. */
static bool enter_class(base_walk *w, const ast_class *c) {
    ptrdiff_t at = hmgeti(w->seen, c);
    if (at >= 0 && w->seen[at].value)
        diag_fail("class '%s' inherits from itself", c->name);
    if (at >= 0)
        return false;
    if (++w->depth > LIMIT_BASE_DEPTH)
        limit_fail(OVER_BASE_DEPTH);
    hmput(w->seen, c, true);
    return true;
}

static void leave_class(base_walk *w, const ast_class *c) {
    hmput(w->seen, c, false);
    w->depth--;
}

static bool is_exception(program *p, const ast_class *syntax, base_walk *w) {
    stack_check();
    bool found = false;
    if (!enter_class(w, syntax))
        return false;
    for (uint32_t i = 0; i < syntax->bases.count; i++) {
        const ast_class *base = base_class(p, syntax, i);
        const char *name = base_name(p, syntax, i);
        size_t n = strlen(name);
        found |= base ? is_exception(p, base, w)
                      : !strcmp(name, "Exception") || !strcmp(name, "BaseException") ||
                            (n > 5 && !strcmp(name + n - 5, "Error"));
    }
    leave_class(w, syntax);
    return found;
}

bool python_class_is_exception(program *p, const ast_class *syntax) {
    return is_exception(p, syntax, &(base_walk){0});
}

void python_class_refuse_bases(program *p, const ast_class *syntax) {
    for (uint32_t i = 0; i < syntax->bases.count; i++)
        if (strcmp(base_name(p, syntax, i), "object"))
            diag_fail("TorchScript classes does not support inheritance yet. Please directly inherit from 'object'.");
}

static bool is_enum_base(const char *name) {
    return !strcmp(name, "Enum") || !strcmp(name, "Flag") || !strcmp(name, "IntEnum") || !strcmp(name, "IntFlag") ||
           !strcmp(name, "StrEnum");
}

/* The kind of a class, by its bases. As in PyTorch, other bases are ignored unless the class has @script. */
static type_kind kind_of_class(program *p, const ast_class *syntax, base_walk *w) {
    stack_check();
    if (ast_has_decorator(&syntax->decorators, "interface"))
        return TYPE_INTERFACE;
    bool is_module = false;
    type_kind kind = TYPE_CLASS;
    if (!enter_class(w, syntax))
        return TYPE_CLASS;
    for (uint32_t i = 0; i < syntax->bases.count && kind == TYPE_CLASS; i++) {
        const char *name = base_name(p, syntax, i);
        const ast_class *base = base_class(p, syntax, i);
        if (!strcmp(name, "NamedTuple"))
            kind = TYPE_TUPLE;
        else if (is_enum_base(name) || (base && kind_of_class(p, base, w) == TYPE_ENUM))
            kind = TYPE_ENUM;
        is_module |= !strcmp(name, "Module");
    }
    leave_class(w, syntax);
    if (kind == TYPE_CLASS && !is_module && ast_has_decorator(&syntax->decorators, "script"))
        python_class_refuse_bases(p, syntax);
    return kind;
}

type_kind python_class_kind(program *p, const ast_class *syntax) {
    return kind_of_class(p, syntax, &(base_walk){0});
}

/* ---- Enums ---- */

ir_constant *python_enum_value(program *p, const class_def *c, const ast_node *value) {
    const char *callee = value->kind == AST_APPLY ? ast_dotted_name(value->apply.callee) : NULL;
    const char *mutable_type;
    if (!callee || strcmp(last_part(callee), "auto"))
        return p->front_end->evaluate_default(p, value, NULL, &mutable_type);
    bool is_flag = !strcmp(last_part(ast_dotted_name(c->syntax->bases.items[0])), "Flag");
    size_t count = arrlenu(c->constants);
    const ir_constant *last = count ? c->constants[count - 1].value : NULL;
    int64_t before = last && last->kind == CONST_INT ? last->integer : 0, next = is_flag ? 1 : before + 1;
    while (is_flag && next <= before)
        next *= 2;
    return const_int(next);
}

void python_enum_check(const class_def *c) {
    for (uint32_t i = 0; i < c->syntax->bases.count; i++) {
        const char *base = ast_dotted_name(c->syntax->bases.items[i]);
        const char *name = base ? last_part(base) : "";
        if (!strcmp(name, "int") || !strcmp(name, "str") || !strcmp(name, "float") ||
            (is_enum_base(name) && strcmp(name, "Enum") && strcmp(name, "Flag")))
            source_fail(c->syntax->bases.items[i]->range, "%s",
                        parser_in_words("enums that are numbers or strings themselves aren't supported",
                                        "'wrapper_descriptor' object has no attribute '__globals__'"));
    }
    if (!arrlenu(c->constants))
        diag_fail("No enum values defined for: '<class 'enum.EnumType'>' (%s)", c->name);
    const type *t = c->constants[0].value->type;
    if (t->kind != TYPE_INT && t->kind != TYPE_FLOAT && t->kind != TYPE_STR)
        diag_fail("Cannot create Enum with value type '%s', only int, float and string are supported",
                  t->kind == TYPE_TUPLE ? "Any" : t->text);
}

/* ---- Methods ---- */

/* What a method is called: properties get the names that archives give them. */
static const char *method_name(const ast_def *d) {
    if (ast_has_decorator(&d->decorators, "property"))
        return mem_printf("__%s_getter", d->name);
    if (ast_has_decorator(&d->decorators, "setter"))
        return mem_printf("__%s_setter", d->name);
    return d->name;
}

/* A copy of a def that stays in Python, with a body that raises an error. */
static ast_def *without_body(const ast_def *d) {
    static const char text[] = "raise RuntimeError(\"Cannot call @unused methods\")\n";
    const source_file *file = source_new("<unused>", text, sizeof text - 1, 1);
    ast_def *copy = MEM_NEW(ast_def);
    *copy = *d;
    copy->error = NULL;
    copy->body = parse_file(file, DIALECT_PYTHON)->sequence;
    return copy;
}

static bool stays_in_python(const ast_def *d) {
    return ast_has_decorator(&d->decorators, "unused") || ast_has_decorator(&d->decorators, "ignore");
}

const ast_def *python_def_to_compile(const ast_def *d) {
    return stays_in_python(d) ? without_body(d) : d;
}

void python_mark_dropped(function *f, const ast_def *d) {
    if (!stays_in_python(d))
        return;
    f->is_dropped = true;
    schema_argument *result = (schema_argument *)f->schema->returns;
    result->name = "0"; /* as PyTorch numbers what Python returns */
    if (!result->type)
        result->type = type_basic(TYPE_TENSOR);
}

/* Parameters of a plain class's method that stays in Python may be anything. */
static void accept_anything(function *f) {
    schema_argument *arguments = (schema_argument *)f->schema->arguments;
    for (uint32_t i = 1; i < f->schema->argument_count; i++)
        arguments[i].type = type_basic(TYPE_ANY);
}

static void declare_method(program *p, class_def *c, const ast_def *d, const code_file *file) {
    const char *name = mem_printf("%s.%s", c->name, method_name(d));
    bool is_dropped = stays_in_python(d);
    d = python_def_to_compile(d);
    bool is_static = ast_has_decorator(&d->decorators, "staticmethod");
    function *f = program_declare_function(p, name, d, file, is_static ? NULL : c);
    if (is_dropped)
        accept_anything(f);
    arrput(p->function_order, f);
    if (is_static)
        shput(p->functions, (char *)f->name, f);
    else
        arrput(c->methods, f);
}

/* ---- Dataclasses ---- */

static void add_dataclass_methods(program *p, class_def *c, const code_file *file) {
    ast_def **methods = dataclass_methods(c->syntax);
    for (size_t i = 0; i < arrlenu(methods); i++)
        declare_method(p, c, methods[i], file);
}

/* ---- Classes ---- */

static bool is_accessor(const function *f) {
    size_t n = strlen(f->base_name);
    return n > 9 && (!strcmp(f->base_name + n - 7, "_getter") || !strcmp(f->base_name + n - 7, "_setter"));
}

/* In PyTorch's order: __init__, which makes the attributes, properties, the other methods by name. */
static int rank_of(const function *f) {
    return !strcmp(f->base_name, "__init__") ? 0 : is_accessor(f) ? 1 : 2;
}

static bool comes_before(const function *a, const function *b) {
    int ranks = rank_of(a) - rank_of(b);
    return ranks ? ranks < 0 : strcmp(a->base_name, b->base_name) < 0;
}

/* A class is compiled as a whole when it is first named. */
static void compile_methods(class_def *c) {
    function **methods = NULL;
    for (size_t i = 0; i < arrlenu(c->methods); i++) {
        size_t at = arrlenu(methods);
        arrput(methods, c->methods[i]);
        for (; at > 0 && comes_before(methods[at], methods[at - 1]); at--) {
            function *swapped = methods[at];
            methods[at] = methods[at - 1];
            methods[at - 1] = swapped;
        }
    }
    for (size_t i = 0; i < arrlenu(methods); i++)
        if (methods[i]->state == FUNCTION_DECLARED)
            function_graph(methods[i]);
}

void python_class_define(program *p, class_def *c, const code_file *file) {
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        bool is_of_class =
            !c->is_module || (n->kind == AST_DEF && ast_has_decorator(&n->def->decorators, "staticmethod"));
        if (n->kind == AST_DEF && is_of_class)
            declare_method(p, c, n->def, file);
    }
    if (c->is_module)
        return; /* methods of modules are compiled for their objects (source_module.c) */
    if (ast_has_decorator(&c->syntax->decorators, "dataclass"))
        add_dataclass_methods(p, c, file);
    compile_methods(c);
}

/* A field of namedtuple("P", ["a", "b"]), which states no type: PyTorch assumes Tensor. */
static void add_untyped_field(const char *name, const char ***fields, const type ***types) {
    arrput(*fields, intern(name));
    arrput(*types, type_basic(TYPE_TENSOR));
}

static void add_named_field(program *p, const ast_node *item, const char ***fields, const type ***types) {
    if (item->kind == AST_STRING)
        add_untyped_field(item->string.bytes, fields, types);
    else if (item->kind == AST_TUPLE && item->sequence.count == 2 && item->sequence.items[0]->kind == AST_STRING) {
        arrput(*fields, intern(item->sequence.items[0]->string.bytes));
        arrput(*types, type_of_expression(p, item->sequence.items[1]));
    }
}

class_def *python_class_from_call(program *p, const char *name, const ast_node *n, const code_file *file) {
    const ast_node *value = n->assign.value;
    const char *maker = value && value->kind == AST_APPLY ? ast_dotted_name(value->apply.callee) : NULL;
    maker = maker ? python_type_name(p, maker, value) : NULL;
    bool makes_tuple = maker && (!strcmp(last_part(maker), "namedtuple") || !strcmp(last_part(maker), "NamedTuple"));
    if (!makes_tuple || value->apply.inputs.count < 2)
        return NULL;
    const char **fields = NULL;
    const type **types = NULL;
    const ast_node *list = value->apply.inputs.items[1];
    if (list->kind == AST_STRING)
        for (char *field = strtok(mem_strdup(list->string.bytes), " ,"); field; field = strtok(NULL, " ,"))
            add_untyped_field(field, &fields, &types);
    else if (list->kind == AST_LIST || list->kind == AST_TUPLE)
        for (uint32_t i = 0; i < list->sequence.count; i++)
            add_named_field(p, list->sequence.items[i], &fields, &types);
    class_def *c = MEM_NEW(class_def);
    c->kind = TYPE_TUPLE;
    c->name = intern(name);
    c->file = file->source;
    c->type = type_named_tuple(c->name, fields, types, (uint32_t)arrlenu(fields), c);
    shput(p->classes, (char *)c->name, c);
    arrput(p->class_order, c);
    return c;
}
