/* Archives as programs: code files, and classes and functions defined when they are first named. */
#include "exporter/frontend/program.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/frontend/parser.h"
#include "exporter/frontend/program_internal.h"
#include "exporter/frontend/type_parser.h"

/* ---- Code files ---- */

typedef struct {
    pt_archive *archive;
    pt_code_file *file;
    struct {
        const debug_source *key;
        source_file *value;
    } *originals;
} original_data;

static bool find_original(void *data, uint32_t offset, source_range *original) {
    original_data *d = data;
    const debug_range *r = pt_archive_source(d->archive, d->file, offset);
    if (!r || !r->source)
        return false;
    source_file *file = hmget(d->originals, r->source);
    if (!file) {
        const debug_source *s = r->source;
        file = source_new(s->file_name ? s->file_name : "<unknown>", s->text, s->length, (uint32_t)s->first_line);
        hmput(d->originals, r->source, file);
    }
    *original = source_range_make(file, (uint32_t)r->start, (uint32_t)r->end);
    return true;
}

static code_file *load_code_file(program *p, const char *qualifier) {
    ptrdiff_t at = shgeti(p->files, qualifier);
    if (at >= 0)
        return p->files[at].value;
    pt_code_file *code = p->archive ? pt_archive_code(p->archive, qualifier) : NULL;
    code_file *file = NULL;
    if (code) {
        file = MEM_NEW(code_file);
        source_file *source = source_new(code->path, code->text, code->length, 1);
        original_data *d = MEM_NEW(original_data);
        d->archive = p->archive;
        d->file = code;
        source->original = find_original;
        source->original_data = d;
        file->source = source;
        ast_node *tree = parse_file(source, DIALECT_SERIALIZED);
        for (uint32_t i = 0; i < tree->sequence.count; i++) {
            ast_node *n = tree->sequence.items[i];
            if (n->kind == AST_CLASS)
                shput(file->definitions, (char *)n->class_def->name, n);
            else if (n->kind == AST_DEF)
                shput(file->definitions, (char *)n->def->name, n);
        }
    }
    shput(p->files, mem_strdup(qualifier), file);
    return file;
}

/* The class or def that a qualified name means, with its file; NULL when there is none. */
static ast_node *find_definition(program *p, const char *name, code_file **file) {
    const char *dot = strrchr(name, '.');
    if (!dot)
        return NULL;
    *file = load_code_file(p, mem_strndup(name, (size_t)(dot - name)));
    return *file ? shget((*file)->definitions, dot + 1) : NULL;
}

/* ---- Functions ---- */

static const type *annotation_or(program *p, const ast_node *e, const type *otherwise) {
    return e ? type_of_expression(p, e) : otherwise;
}

/* The schema of a def; `owner` is the type of self. */
static op_schema *schema_of_def(program *p, const ast_def *d, const char *name, const type *owner) {
    op_schema *s = MEM_NEW(op_schema);
    s->name = s->full_name = name;
    s->overload = "";
    schema_argument *arguments = NULL, *returns = NULL;
    for (uint32_t i = 0; i < d->params.count; i++) {
        const ast_node *param = d->params.items[i];
        schema_argument a = {0};
        a.name = param->param.name;
        a.keyword_only = param->param.keyword_only;
        a.type = i == 0 && owner ? owner : annotation_or(p, param->param.type, type_basic(TYPE_TENSOR));
        if (param->param.default_value) {
            a.default_value = emit_literal(p, param->param.default_value, a.type);
            if (!a.default_value)
                source_fail(param->range, "Expected a literal as the default value of '%s'", a.name);
        }
        arrput(arguments, a);
    }
    schema_argument result = {0};
    result.name = "";
    result.type = annotation_or(p, d->return_type, type_basic(TYPE_NONE));
    arrput(returns, result);
    s->arguments = arguments;
    s->argument_count = (uint32_t)arrlenu(arguments);
    s->returns = returns;
    s->return_count = 1;
    return s;
}

static function *declare_function(program *p, const char *name, const ast_def *d, const source_file *file, class_def *owner) {
    function *f = MEM_NEW(function);
    f->name = intern(name);
    f->base_name = d->name;
    f->owner = owner;
    f->syntax = d;
    f->file = file;
    f->program = p;
    f->schema = schema_of_def(p, d, f->name, owner ? owner->type : NULL);
    return f;
}

function *program_find_function(program *p, const char *name) {
    function *f = shget(p->functions, name);
    if (f)
        return f;
    code_file *file;
    ast_node *n = find_definition(p, name, &file);
    if (!n || n->kind != AST_DEF)
        return NULL;
    f = declare_function(p, name, n->def, file->source, NULL);
    shput(p->functions, (char *)f->name, f);
    arrput(p->function_order, f);
    return f;
}

function *program_new_function(program *p, const char *name, ir_graph *graph, op_schema *schema) {
    function *f = MEM_NEW(function);
    f->name = intern(name);
    f->base_name = strrchr(f->name, '.') ? strrchr(f->name, '.') + 1 : f->name;
    f->graph = graph;
    f->schema = schema;
    f->state = FUNCTION_READY;
    f->program = p;
    arrput(p->function_order, f);
    return f;
}

program *program_of(const function *f) { return f->program; }

ir_graph *function_graph(function *f) {
    if (f->state == FUNCTION_READY)
        return f->graph;
    if (f->state == FUNCTION_EMITTING)
        source_fail(f->syntax->name_range, "function '%s' is called recursively. Recursive calls are not supported", f->base_name);
    f->state = FUNCTION_EMITTING;
    source_call call;
    source_call_push(&call, f->base_name, f->syntax->decl_range);
    emit_function(f->program, f);
    source_call_pop(&call);
    f->state = FUNCTION_READY;
    return f->graph;
}

/* ---- Classes ---- */

static const char *last_part(const char *dotted) {
    const char *dot = strrchr(dotted, '.');
    return dot ? dot + 1 : dotted;
}

static bool is_listed(const ast_node *list, const char *name) {
    for (uint32_t i = 0; list && list->kind == AST_LIST && i < list->sequence.count; i++)
        if (list->sequence.items[i]->kind == AST_STRING && !strcmp(list->sequence.items[i]->string.bytes, name))
            return true;
    return false;
}

/* Final[T], whatever T. */
static bool is_final(const ast_node *t) {
    const char *name = t && t->kind == AST_SUBSCRIPT ? ast_dotted_name(t->subscript.value) : NULL;
    return name && !strcmp(last_part(name), "Final");
}

static void define_attribute(program *p, class_def *c, const ast_node *statement, const ast_node *parameters,
                             const ast_node *buffers) {
    const ast_node *target = statement->assign.targets.items[0];
    const char *name = NULL;
    if (target->kind == AST_VAR)
        name = target->name;
    else if (target->kind == AST_SUBSCRIPT && target->subscript.indices.count == 1 &&
             target->subscript.indices.items[0]->kind == AST_STRING) {
        /* __annotations__["0"] = T */
        class_attribute a = {intern(target->subscript.indices.items[0]->string.bytes), NULL, false, false};
        a.type = type_of_expression(p, statement->assign.value);
        a.is_parameter = is_listed(parameters, a.name);
        a.is_buffer = is_listed(buffers, a.name);
        arrput(c->attributes, a);
        return;
    }
    if (!name || !statement->assign.type)
        return;
    if (is_final(statement->assign.type) || statement->assign.value) {
        const type *t = type_of_expression(p, statement->assign.type);
        class_constant constant = {name, statement->assign.value ? emit_literal(p, statement->assign.value, t) : NULL};
        if (constant.value)
            arrput(c->constants, constant);
        return;
    }
    class_attribute a = {name, type_of_expression(p, statement->assign.type), is_listed(parameters, name),
                         is_listed(buffers, name)};
    arrput(c->attributes, a);
}

static const ast_node *class_variable(const ast_class *syntax, const char *name) {
    for (uint32_t i = 0; i < syntax->body.count; i++) {
        const ast_node *s = syntax->body.items[i];
        if (s->kind == AST_ASSIGN && s->assign.targets.items[0]->kind == AST_VAR && !strcmp(s->assign.targets.items[0]->name, name))
            return s->assign.value;
    }
    return NULL;
}

static void define_class(program *p, class_def *c) {
    const ast_node *parameters = class_variable(c->syntax, "__parameters__");
    const ast_node *buffers = class_variable(c->syntax, "__buffers__");
    for (uint32_t i = 0; i < c->syntax->body.count; i++)
        if (c->syntax->body.items[i]->kind == AST_ASSIGN)
            define_attribute(p, c, c->syntax->body.items[i], parameters, buffers);
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind == AST_DEF) {
            function *f = declare_function(p, mem_printf("%s.%s", c->name, n->def->name), n->def, c->file, c);
            arrput(c->methods, f);
            arrput(p->function_order, f);
        }
    }
}

static void define_interface(program *p, class_def *c) {
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind == AST_DEF)
            arrput(c->methods, declare_function(p, mem_printf("%s.%s", c->name, n->def->name), n->def, c->file, c));
    }
}

static void define_enum(program *p, class_def *c) {
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_ASSIGN || n->assign.targets.items[0]->kind != AST_VAR)
            continue;
        class_constant member = {n->assign.targets.items[0]->name, emit_literal(p, n->assign.value, NULL)};
        if (!member.value)
            source_fail(n->range, "Expected a literal as the value of enum member '%s'", member.name);
        arrput(c->constants, member);
    }
}

static void define_named_tuple(program *p, class_def *c) {
    const char **fields = NULL;
    const type **types = NULL;
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_ASSIGN || !n->assign.type)
            continue;
        arrput(fields, n->assign.targets.items[0]->name);
        arrput(types, type_of_expression(p, n->assign.type));
    }
    c->type = type_named_tuple(c->name, fields, types, (uint32_t)arrlenu(fields), c);
}

class_def *program_find_class(program *p, const char *name) {
    class_def *c = shget(p->classes, name);
    if (c) {
        if (!c->type)
            diag_fail("class %s contains itself", name);
        return c;
    }
    if (!strncmp(name, "__torch__.torch.classes.", 24))
        diag_fail("the custom C++ class %s is not supported", name + 10);
    code_file *file;
    ast_node *n = find_definition(p, name, &file);
    if (!n || n->kind != AST_CLASS)
        return NULL;
    c = MEM_NEW(class_def);
    c->name = intern(name);
    c->syntax = n->class_def;
    c->file = file->source;
    shput(p->classes, (char *)c->name, c);
    const char *base = n->class_def->bases.count ? ast_dotted_name(n->class_def->bases.items[0]) : NULL;
    base = base ? base : "";
    if (!strcmp(base, "NamedTuple")) {
        c->kind = TYPE_TUPLE;
        define_named_tuple(p, c);
    } else if (!strcmp(base, "Enum")) {
        c->kind = TYPE_ENUM;
        c->type = type_nominal(TYPE_ENUM, c->name, c);
        define_enum(p, c);
    } else if (!strcmp(base, "Interface") || !strcmp(base, "ModuleInterface")) {
        c->kind = TYPE_INTERFACE;
        c->type = type_nominal(TYPE_INTERFACE, c->name, c);
        define_interface(p, c);
    } else {
        c->kind = TYPE_CLASS;
        c->is_module = !strcmp(base, "Module");
        c->type = type_nominal(TYPE_CLASS, c->name, c);
        define_class(p, c);
    }
    arrput(p->class_order, c);
    return c;
}

function *class_find_method(const class_def *c, const char *name) {
    for (size_t i = 0; c && i < arrlenu(c->methods); i++)
        if (!strcmp(c->methods[i]->base_name, name))
            return c->methods[i];
    return NULL;
}

int class_find_attribute(const class_def *c, const char *name) {
    for (size_t i = 0; c && i < arrlenu(c->attributes); i++)
        if (!strcmp(c->attributes[i].name, name))
            return (int)i;
    return -1;
}

const class_constant *class_find_constant(const class_def *c, const char *name) {
    for (size_t i = 0; c && i < arrlenu(c->constants); i++)
        if (!strcmp(c->constants[i].name, name))
            return &c->constants[i];
    return NULL;
}

class_def **program_classes(program *p) { return p->class_order; }
function **program_functions(program *p) { return p->function_order; }

/* ---- Values of pickles ---- */

static ir_constant *sequence_constant(program *p, pkl_value *v, ir_constant_kind kind, const type *t) {
    ir_constant *c = const_new(kind, t);
    ir_constant **items = NULL;
    for (size_t i = 0; i < v->seq.count; i++) {
        const type *wanted = kind == CONST_LIST ? type_element(t) : t->items[i];
        arrput(items, program_constant(p, v->seq.items[i], wanted));
    }
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *tuple_constant(program *p, pkl_value *v, const type *wanted) {
    if (wanted && wanted->kind == TYPE_TUPLE && wanted->count == v->seq.count)
        return sequence_constant(p, v, CONST_TUPLE, wanted);
    ir_constant *c = const_new(CONST_TUPLE, NULL);
    ir_constant **items = NULL;
    const type **types = NULL;
    for (size_t i = 0; i < v->seq.count; i++) {
        ir_constant *item = program_constant(p, v->seq.items[i], NULL);
        arrput(items, item);
        arrput(types, item->type);
    }
    c->type = type_tuple(types, (uint32_t)v->seq.count);
    c->list.items = items;
    c->list.count = (uint32_t)v->seq.count;
    return c;
}

static ir_constant *list_constant(program *p, pkl_value *v, const type *wanted) {
    if (v->type)
        wanted = type_of_text(p, v->type);
    if (!wanted || wanted->kind != TYPE_LIST) {
        const type *element = type_basic(TYPE_TENSOR);
        if (v->seq.count)
            element = program_constant(p, v->seq.items[0], NULL)->type;
        wanted = type_list(element);
    }
    return sequence_constant(p, v, CONST_LIST, wanted);
}

static ir_constant *dict_constant(program *p, pkl_value *v, const type *wanted) {
    if (v->type)
        wanted = type_of_text(p, v->type);
    if (!wanted || wanted->kind != TYPE_DICT) {
        const type *key = type_basic(TYPE_STR), *value = type_basic(TYPE_TENSOR);
        if (v->dict.count) {
            key = program_constant(p, v->dict.entries[0].key, NULL)->type;
            value = program_constant(p, v->dict.entries[0].value, NULL)->type;
        }
        wanted = type_dict(key, value);
    }
    ir_constant *c = const_new(CONST_DICT, wanted);
    ir_constant **items = NULL;
    for (size_t i = 0; i < v->dict.count; i++) {
        arrput(items, program_constant(p, v->dict.entries[i].key, wanted->items[0]));
        arrput(items, program_constant(p, v->dict.entries[i].value, wanted->items[1]));
    }
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

static ir_constant *object_constant(program *p, pkl_value *v) {
    class_def *def = program_find_class(p, v->object.class_name);
    if (!def || def->kind != TYPE_CLASS)
        diag_fail("the archive holds an object of class %s, which its code does not define", v->object.class_name);
    if (class_find_method(def, "__setstate__"))
        diag_fail("class %s restores itself by __setstate__, which is not supported", def->name);
    ir_constant *c = const_new(CONST_OBJECT, def->type);
    v->user = c;
    c->list.count = (uint32_t)arrlenu(def->attributes);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++) {
        const class_attribute *a = &def->attributes[i];
        pkl_value *item = v->object.state ? pkl_dict_get(v->object.state, a->name) : NULL;
        if (!item && !type_admits_none(a->type))
            diag_fail("the archive holds no value for attribute '%s' of an object of class %s", a->name, def->name);
        c->list.items[i] = item ? program_constant(p, item, a->type) : const_none();
    }
    return c;
}

static ir_constant *enum_constant(program *p, pkl_value *v) {
    class_def *def = program_find_class(p, v->enumerator.class_name);
    if (!def || def->kind != TYPE_ENUM)
        diag_fail("the archive holds a member of enum %s, which its code does not define", v->enumerator.class_name);
    ir_constant *value = program_constant(p, v->enumerator.value, NULL);
    for (size_t i = 0; i < arrlenu(def->constants); i++)
        if (const_equal(def->constants[i].value, value)) {
            ir_constant *c = const_new(CONST_ENUM, def->type);
            c->integer = (int64_t)i;
            return c;
        }
    diag_fail("the archive holds a member of enum %s that its code does not define", def->name);
}

static ir_constant *make_constant(program *p, pkl_value *v, const type *wanted) {
    ir_constant *c;
    switch (v->kind) {
    case PKL_NONE:
        return const_none();
    case PKL_BOOL:
        return const_bool(v->boolean);
    case PKL_INT:
        return wanted && wanted->kind == TYPE_FLOAT ? const_float((double)v->integer) : const_int(v->integer);
    case PKL_DTYPE:
    case PKL_LAYOUT:
        return const_int(v->integer);
    case PKL_FLOAT:
        return const_float(v->number);
    case PKL_COMPLEX:
        return const_complex(v->complex.real, v->complex.imag);
    case PKL_STR:
        return const_str(v->str.text, v->str.length);
    case PKL_DEVICE:
        c = const_new(CONST_DEVICE, type_basic(TYPE_DEVICE));
        c->string.bytes = v->str.text;
        c->string.length = v->str.length;
        return c;
    case PKL_TENSOR:
        c = const_new(CONST_TENSOR, type_basic(TYPE_TENSOR));
        c->tensor = v->tensor;
        return c;
    case PKL_LIST:
        return list_constant(p, v, wanted);
    case PKL_TUPLE:
        return tuple_constant(p, v, wanted);
    case PKL_DICT:
        return dict_constant(p, v, wanted);
    case PKL_OBJECT:
        return object_constant(p, v);
    case PKL_ENUM:
        return enum_constant(p, v);
    default:
        diag_fail("an attribute is a %s, which is not supported", pkl_kind_name(v->kind));
    }
}

ir_constant *program_constant(program *p, pkl_value *v, const type *wanted) {
    if (wanted)
        wanted = type_without_none(wanted);
    /* What the pickle shares stays shared; scalars may be read as other types elsewhere. */
    bool shares = v->kind >= PKL_LIST && v->kind != PKL_DEVICE && v->kind != PKL_DTYPE && v->kind != PKL_LAYOUT;
    if (shares && v->user)
        return v->user;
    ir_constant *c = make_constant(p, v, wanted);
    if (shares)
        v->user = c;
    return c;
}

ir_constant *program_archive_constant(program *p, uint32_t n) {
    pkl_value *all = p->archive->constants;
    if (!all || all->kind != PKL_TUPLE || n >= all->seq.count)
        return NULL;
    return program_constant(p, all->seq.items[n], NULL);
}

/* ---- Archives ---- */

program *program_load_archive(pt_archive *archive) {
    if (!archive->is_program)
        diag_fail("%s holds values but no program; it was not written by torch.jit.save", archive->name);
    program *p = MEM_NEW(program);
    p->archive = archive;
    p->version = archive->version;
    if (archive->root->kind != PKL_OBJECT)
        diag_fail("%s does not hold a module", archive->name);
    p->module = object_constant(p, archive->root);
    return p;
}

ir_constant *program_module(program *p) { return p->module; }

function **program_entries(program *p) {
    function **entries = NULL;
    const class_def *c = p->module->type->definition;
    for (size_t i = 0; i < arrlenu(c->methods); i++)
        arrput(entries, c->methods[i]);
    return entries;
}
