/* Programs: code files and their functions, which are compiled when they are first needed. */
#include "exporter/program/program.h"
#include "exporter/base/limits.h"
#include "exporter/program/hooks.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/library/library.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"
#include "exporter/program/python_class.h"
#include "exporter/program/type_parser.h"

/* ---- Code files ---- */

/* The author's source files, as the debug information of one code file holds them. */
typedef struct {
    pt_archive *archive;
    pt_code_file *file;
    struct {
        const debug_source *key;
        source_file *value;
    } * originals;
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

static source_file *archive_source(pt_archive *archive, pt_code_file *code) {
    source_file *source = source_new(code->path, code->text, code->length, 1);
    original_data *d = MEM_NEW(original_data);
    d->archive = archive;
    d->file = code;
    source->original = find_original;
    source->original_data = d;
    return source;
}

/* Adds what an assignment binds, `a, b = ...` included. */
static void add_targets(code_file *file, const ast_node *target, ast_node *n) {
    stack_check();
    if (target->kind == AST_VAR)
        shput(file->definitions, (char *)target->name, n);
    for (uint32_t i = 0; (target->kind == AST_TUPLE || target->kind == AST_LIST) && i < target->sequence.count; i++)
        add_targets(file, target->sequence.items[i], n);
}

static void add_definitions(code_file *file, const ast_list *statements);

/* Whether an import binds the name from a package that is always available. */
static bool is_imported(const ast_list *statements, const char *name) {
    static const char *const packages[] = {"torch",     "math", "typing",     "collections",
                                           "functools", "enum", "dataclasses"};
    for (uint32_t i = 0; i < statements->count; i++) {
        const ast_node *n = statements->items[i];
        for (size_t k = 0; n->kind == AST_IMPORT && k < n->import.count; k++) {
            const ast_import_name *import = &n->import.names[k];
            size_t root = strcspn(import->module, ".");
            for (size_t j = 0; !strcmp(import->bound, name) && j < sizeof packages / sizeof *packages; j++)
                if (strlen(packages[j]) == root && !strncmp(import->module, packages[j], root))
                    return true;
        }
    }
    return false;
}

/* Adds the definitions that replace imports which fail, `except ImportError: Fast = None`, unless the import is one
 * that never fails. */
static void add_handlers(code_file *file, const ast_node *try) {
    code_file found = {0};
    add_definitions(&found, &try->unsupported.handlers);
    for (size_t i = 0; i < shlenu(found.definitions); i++)
        if (!is_imported(&try->unsupported.parts, found.definitions[i].key))
            shput(file->definitions, found.definitions[i].key, found.definitions[i].value);
}

/* Whether a def only declares the types of an overload. */
static bool is_overload(const ast_def *d) {
    for (uint32_t i = 0; i < d->decorators.count; i++) {
        const char *name = ast_dotted_name(d->decorators.items[i]);
        if (name && !strcmp(name, "torch.jit._overload"))
            return true;
    }
    return false;
}

/* The function with the types of one of its overloads. */
static ast_node *overloaded(const ast_node *n, const ast_def *declared) {
    ast_node *copy = ast_new(AST_DEF, n->range);
    copy->def = MEM_NEW(ast_def);
    *copy->def = *n->def;
    copy->def->is_overload = true;
    copy->def->return_type = declared->return_type;
    copy->def->params.items = MEM_ARRAY(ast_node *, n->def->params.count + 1);
    for (uint32_t i = 0; i < n->def->params.count; i++) {
        ast_node *param = ast_new(AST_PARAM, n->def->params.items[i]->range);
        *param = *n->def->params.items[i];
        if (i < declared->params.count)
            param->param.type = declared->params.items[i]->param.type;
        copy->def->params.items[i] = param;
    }
    return copy;
}

/* Overloads are declared before the function, which is compiled for each: NAME, NAME__2, NAME__3, ... */
static void add_function(code_file *file, ast_node *n) {
    if (is_overload(n->def)) {
        arrput(file->overloads, n->def);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(file->overloads); i++) {
        const ast_def *declared = file->overloads[i];
        if (strcmp(declared->name, n->def->name))
            continue;
        const char *name = count++ ? mem_printf("%s__%zu", declared->name, count) : declared->name;
        shput(file->definitions, (char *)intern(name), overloaded(n, declared));
    }
    if (!count)
        shput(file->definitions, (char *)n->def->name, n);
}

static void add_definitions(code_file *file, const ast_list *statements) {
    stack_check();
    for (uint32_t i = 0; i < statements->count; i++) {
        ast_node *n = statements->items[i];
        if (n->kind == AST_CLASS)
            shput(file->definitions, (char *)n->class_def->name, n);
        else if (n->kind == AST_DEF)
            add_function(file, n);
        else if (n->kind == AST_ASSIGN) {
            for (uint32_t k = 0; k < n->assign.targets.count; k++)
                add_targets(file, n->assign.targets.items[k], n);
        } else if (n->kind == AST_IF) {
            add_definitions(file, &n->branch.if_true);
            add_definitions(file, &n->branch.if_false);
        } else if (n->kind == AST_UNSUPPORTED) {
            add_handlers(file, n);
            add_definitions(file, &n->unsupported.parts);
        }
    }
}

code_file *program_add_file(program *p, const char *qualifier, const source_file *source, bool is_python) {
    code_file *file = MEM_NEW(code_file);
    file->source = source;
    file->qualifier = intern(qualifier);
    file->is_python = is_python;
    file->tree = parse_file(source, is_python ? DIALECT_PYTHON : DIALECT_SERIALIZED);
    add_definitions(file, &file->tree->sequence);
    shput(p->files, (char *)intern(qualifier), file);
    return file;
}

static code_file *add_library(program *p, const char *qualifier, const char *text, bool is_python) {
    source_file *source = source_new(qualifier, text, strlen(text), 1);
    source->is_library = true;
    code_file *added = program_add_file(p, qualifier, source, is_python);
    added->is_builtin = true;
    return added;
}

void program_add_source(program *p, const char *qualifier, const char *text) {
    if (shgeti(p->files, qualifier) < 0)
        add_library(p, qualifier, text, false);
}

code_file *program_add_python_library(program *p, const library_file *file) {
    const char *qualifier = mem_printf("__torch__.%s", file->package);
    code_file *known = shget(p->files, qualifier);
    return known ? known : add_library(p, qualifier, file->text, true);
}

/* A file of the archive, else of the compiler's own library. */
static code_file *load_code_file(program *p, const char *qualifier) {
    ptrdiff_t at = shgeti(p->files, qualifier);
    if (at >= 0)
        return p->files[at].value;
    pt_code_file *code = p->archive ? pt_archive_code(p->archive, qualifier) : NULL;
    if (code)
        return program_add_file(p, qualifier, archive_source(p->archive, code), false);
    static const char prefix[] = "__torch__.";
    if (!strncmp(qualifier, prefix, sizeof prefix - 1) && builtin_library_load(p, qualifier + sizeof prefix - 1))
        return shget(p->files, qualifier);
    shput(p->files, (char *)intern(qualifier), NULL);
    return NULL;
}

ast_node *program_find_definition(program *p, const char *name, code_file **file) {
    const char *dot = strrchr(name, '.');
    if (!dot)
        return NULL;
    *file = load_code_file(p, intern_n(name, (size_t)(dot - name)));
    return *file ? shget((*file)->definitions, dot + 1) : NULL;
}

/* ---- Functions ---- */

/* The X of Literal[X], by which functions of the compiler's own code that are overloads are told apart. */
static const ir_constant *parameter_literal(const program *p, const ast_node *param) {
    const ast_node *t = param->param.type;
    const char *name = t && t->kind == AST_SUBSCRIPT ? ast_dotted_name(t->subscript.value) : NULL;
    if (!name || strcmp(name, "Literal") || (p->main_file && !p->main_file->is_builtin))
        return NULL;
    return const_bool(t->subscript.indices.items[0]->kind == AST_TRUE);
}

static const type *parameter_type(program *p, const ast_node *param) {
    if (parameter_literal(p, param))
        return type_basic(TYPE_BOOL);
    return param->param.type ? type_of_expression(p, param->param.type) : type_basic(TYPE_TENSOR);
}

source_range ast_def_range(const ast_def *d) {
    source_range range = source_range_join(d->name_range, d->decl_range);
    return d->body.count ? source_range_join(range, d->body.items[d->body.count - 1]->range) : range;
}

/* The N of BroadcastingListN[T], for which a single T may be given; 0 for other types. */
static int32_t broadcast_size(const ast_node *t) {
    stack_check();
    static const char prefix[] = "BroadcastingList";
    const char *name = t && t->kind == AST_SUBSCRIPT ? ast_dotted_name(t->subscript.value) : NULL;
    if (name && !strcmp(name, "Optional"))
        return broadcast_size(t->subscript.indices.items[0]);
    return name && !strncmp(name, prefix, sizeof prefix - 1) ? name[sizeof prefix - 1] - '0' : 0;
}

static _Noreturn ir_constant *refuse_default(const ast_def *d, const ast_node *param, const schema_argument *a) {
    const char *name = param->param.name;
    const char *assumed = mem_printf("Because \"%s\" was not annotated with an explicit type it is assumed to be type "
                                     "'Tensor'.",
                                     name);
    source_fail(ast_def_range(d), "Expected a default value of type %s%s on parameter \"%s\".%s",
                type_annotation(a->type), param->param.type ? "" : " (inferred)", name,
                param->param.type ? "" : assumed);
}

/* The default value of a parameter of an author's function, which Python computes when it defines the function; `t` is
 * the type of the argument or of its elements. */
static ir_constant *python_default(program *p, const ast_def *d, const ast_node *param, const schema_argument *a,
                                   const type *t) {
    const char *mutable_type = NULL;
    ir_constant *c = p->front_end->evaluate_default(p, param->param.default_value, t, &mutable_type);
    if (mutable_type)
        source_fail(ast_def_range(d),
                    "Mutable default parameters are not supported because Python binds them to the function and they "
                    "persist across function calls.\n As a workaround, make the default None and instantiate the "
                    "default parameter within the body of the function. Found <class '%s'> on parameter %s",
                    mutable_type, param->param.name);
    if (!c || !type_is_subtype(c->type, t, NULL))
        refuse_default(d, param, a);
    return c;
}

/* Whether a default value must be evaluated, because its syntax alone does not give its value. */
static bool is_computed_default(ast_kind kind) {
    return kind == AST_VAR || kind == AST_SELECT || kind == AST_LIST || kind == AST_TUPLE || kind == AST_DICT;
}

static ir_constant *default_value(program *p, const ast_def *d, const ast_node *param, const schema_argument *a,
                                  bool is_python) {
    const ast_node *value = param->param.default_value;
    const type *t = type_without_none(a->type);
    const bool is_tuple = value->kind == AST_TUPLE && !(is_python && !p->main_file->is_builtin);
    const bool is_one_for_all = a->list_size && !is_tuple && value->kind != AST_NONE;
    t = is_one_for_all ? type_element(t) : a->type;
    if (is_python && value->kind == AST_NONE && t->kind == TYPE_TENSOR)
        return NULL; /* a tensor that is not defined: callers have to give one */
    const bool is_computed = is_python && is_computed_default(value->kind);
    ir_constant *c = is_computed ? NULL : program_literal(p, value, t);
    if (is_python && c && c->kind == CONST_COMPLEX && type_without_none(t)->kind == TYPE_BOOL)
        c = const_bool(c->complex.re != 0 || c->complex.im != 0);
    if (is_python && !(c && type_is_subtype(c->type, t, NULL)))
        c = c && (c->kind == CONST_DEVICE || c->kind == CONST_COMPLEX) ? refuse_default(d, param, a)
                                                                       : python_default(p, d, param, a, t);
    if (!c)
        source_fail(param->range, "Expected a literal as the default value of '%s'", a->name);
    return schema_broadcast_default(c, a);
}

/* The schema of a def; `self` is the type of a method's first parameter. Without annotation authors' functions return
 * what their return statements say, and archives' functions nothing. */
static op_schema *schema_of_def(program *p, const ast_def *d, const char *name, const type *self, bool is_python) {
    op_schema *s = MEM_NEW(op_schema);
    s->name = s->full_name = name;
    s->overload = "";
    schema_argument *arguments = NULL, *returns = NULL, result = {.name = ""};
    if (self && !d->params.count)
        source_fail(ast_def_range(d), "methods must have a self argument");
    for (uint32_t i = 0; i < d->params.count; i++) {
        const ast_node *param = d->params.items[i];
        schema_argument a = {.name = param->param.name, .keyword_only = param->param.keyword_only};
        a.type = i == 0 && self ? self : parameter_type(p, param);
        a.is_inferred = is_python && !(i == 0 && self) && !param->param.type;
        a.literal = is_python ? NULL : parameter_literal(p, param);
        a.list_size = broadcast_size(param->param.type);
        if (param->param.default_value)
            a.default_value = default_value(p, d, param, &a, is_python);
        arrput(arguments, a);
    }
    result.type = d->return_type ? type_of_expression(p, d->return_type) : is_python ? NULL : type_basic(TYPE_NONE);
    arrput(returns, result);
    s->arguments = arguments;
    s->argument_count = (uint32_t)arrlenu(arguments);
    s->returns = returns;
    s->return_count = 1;
    return s;
}

function *program_declare_function(program *p, const char *name, const ast_def *d, const code_file *file,
                                   class_def *owner) {
    if (d->error)
        source_fail(d->error->range, "%s", d->error->unsupported.message);
    function *f = MEM_NEW(function);
    f->name = intern(name);
    const char *dot = strrchr(f->name, '.');
    f->base_name = intern(dot ? dot + 1 : f->name);
    f->owner = owner;
    f->syntax = d;
    f->file = file->source;
    f->code = file;
    f->program = p;
    f->is_python = file->is_python;
    f->is_builtin = file->is_builtin;
    const code_file *outer = p->main_file;
    p->main_file = file->is_python ? file : NULL;
    f->schema = schema_of_def(p, d, f->name, owner ? owner->type : NULL, file->is_python);
    p->main_file = outer;
    return f;
}

function *program_find_function(program *p, const char *name) {
    function *f = shget(p->functions, name);
    if (f)
        return f;
    code_file *file;
    ast_node *n = program_find_definition(p, name, &file);
    if (!n || n->kind != AST_DEF)
        return NULL;
    f = program_declare_function(p, name, file->is_python ? python_def_to_compile(n->def) : n->def, file, NULL);
    if (file->is_python)
        python_mark_dropped(f, n->def);
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

ir_graph *function_graph(function *f) {
    if (f->state == FUNCTION_READY)
        return f->graph;
    if (f->state == FUNCTION_EMITTING)
        source_fail(f->syntax->name_range, "function '%s' is called recursively. Recursive calls are not supported",
                    f->base_name);
    f->state = FUNCTION_EMITTING;
    source_call call;
    source_call_push(&call, f->base_name, f->syntax->decl_range);
    const code_file *outer = f->program->main_file;
    f->program->main_file = f->is_python ? f->code : NULL;
    f->program->front_end->emit_function(f->program, f);
    f->program->main_file = outer;
    source_call_pop(&call);
    f->state = FUNCTION_READY;
    return f->graph;
}

ir_value *function_insert_call(ir_node *at, function *f, ir_value *const *inputs, size_t count) {
    function_graph(f); /* which determines its return type */
    ir_node *call = ir_node_new(at->graph, IR_CALL_FUNCTION, 1);
    call->callee = f;
    call->range = at->range;
    call->scope = at->scope;
    ir_out(call, 0)->type = f->schema->returns[0].type;
    for (size_t i = 0; i < count; i++)
        ir_node_add_input(call, inputs[i]);
    ir_insert_before(at, call);
    return ir_out(call, 0);
}

const type *function_return_type(function *f) {
    if (!f->schema->returns[0].type)
        function_graph(f);
    return f->schema->returns[0].type;
}

/* ---- Programs ---- */

program *program_new(const program_front_end *front_end, operator_evaluator *evaluate) {
    program *p = MEM_NEW(program);
    p->front_end = front_end;
    p->evaluate = evaluate;
    return p;
}

ir_constant *program_module(program *p) {
    return p->module;
}

uint64_t program_graphs_version(const program *p) {
    return p->graphs_version;
}

void program_graphs_changed(program *p) {
    p->graphs_version++;
}

function **program_entries(program *p) {
    function **entries = NULL;
    if (p->entry)
        arrput(entries, p->entry);
    class_def *c = p->module ? p->module->type->definition : NULL;
    if (c && c->lazy_methods)
        entries = c->lazy_methods->exported(c);
    for (size_t i = 0; c && !c->lazy_methods && i < arrlenu(c->methods); i++)
        arrput(entries, c->methods[i]);
    for (size_t i = 0; c && i < arrlenu(entries); i++)
        if (!strcmp(entries[i]->base_name, "forward"))
            entries[i] = hooked_forward(c, entries[i]);
    return entries;
}

class_def **program_classes(program *p) {
    return p->class_order;
}
