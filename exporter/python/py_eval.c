/* Names, function calls and statements. */
#include "exporter/python/py_eval.h"

#include <stdarg.h>
#include <string.h>

#include "exporter/program/python_names.h"

void py_fail(const py_machine *m, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = mem_vprintf(format, args);
    va_end(args);
    source_fail(m->range, "%s", text);
}

py_machine *py_machine_new(program *p) {
    py_machine *m = MEM_NEW(py_machine);
    m->program = p;
    py_class *c = MEM_NEW(py_class);
    c->name = "Module";
    c->is_module = true;
    arrput(c->order, c);
    m->module_class = c;
    return m;
}

/* ---- Names ---- */

py_scope *py_file_scope(py_machine *m, const code_file *file) {
    py_scope *scope = hmget(m->files, file);
    if (scope)
        return scope;
    scope = MEM_NEW(py_scope);
    scope->file = file;
    hmput(m->files, file, scope);
    return scope;
}

void py_bind(py_scope *scope, const char *name, py_value *v) {
    shput(scope->names, (char *)intern(name), v);
}

py_value *py_function(const ast_def *def, py_scope *scope, py_class *owner) {
    py_value *v = py_new(PY_FUNCTION);
    v->function.def = def;
    v->function.scope = scope;
    v->function.owner = owner;
    return v;
}

/* The variable at the bottom of a.b[c].d(). */
static const char *base_variable(const ast_node *n) {
    while (n->kind == AST_SELECT || n->kind == AST_SUBSCRIPT || n->kind == AST_APPLY)
        n = n->kind == AST_SELECT ? n->select.value : n->kind == AST_SUBSCRIPT ? n->subscript.value : n->apply.callee;
    return n->kind == AST_VAR ? n->name : "";
}

/* Whether a target of an assignment is the name, or a part of what it means. */
static bool binds_name(const ast_node *target, const char *name) {
    stack_check();
    if (target->kind != AST_TUPLE && target->kind != AST_LIST)
        return !strcmp(base_variable(target), name);
    for (uint32_t i = 0; i < target->sequence.count; i++)
        if (binds_name(target->sequence.items[i], name))
            return true;
    return false;
}

typedef enum { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } flow;

static flow run_statement(py_machine *m, py_scope *scope, const ast_node *n, py_value **result);

/* How many statements at a file's top level may change the value of a global name. An `if` or `for` counts twice, so
 * that it is run even when it is the only one. */
static uint32_t count_changes(const ast_list *statements, const char *name);

static uint32_t changes_of(const ast_node *n, const char *name) {
    stack_check();
    uint32_t count = 0;
    switch (n->kind) {
    case AST_ASSIGN:
        for (uint32_t k = 0; k < n->assign.targets.count; k++)
            count += binds_name(n->assign.targets.items[k], name);
        return count;
    case AST_AUG_ASSIGN:
        return binds_name(n->aug_assign.target, name);
    case AST_EXPR_STMT:
        return n->operand->kind == AST_APPLY && n->operand->apply.callee->kind == AST_SELECT &&
               !strcmp(base_variable(n->operand), name);
    case AST_FOR:
        return 2 * (count_changes(&n->loop.body, name) || binds_name(n->loop.target, name));
    case AST_IF:
        return 2 * (count_changes(&n->branch.if_true, name) || count_changes(&n->branch.if_false, name));
    case AST_DEF:
        return !strcmp(n->def->name, name);
    case AST_CLASS:
        return !strcmp(n->class_def->name, name);
    default:
        return 0;
    }
}

static uint32_t count_changes(const ast_list *statements, const char *name) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < statements->count; i++)
        count += changes_of(statements->items[i], name);
    return count;
}

static py_value *definition_value(py_machine *m, py_scope *scope, const ast_node *n) {
    if (n->kind == AST_DEF)
        return py_function(n->def, scope, NULL);
    py_value *v = py_new(PY_CLASS);
    v->class_def = py_class_of(m, n->class_def, scope->file);
    return v;
}

/* Runs those statements of a file's own level that change a name, in their order. */
static void run_changes(py_machine *m, py_scope *scope, const ast_list *statements, const char *name) {
    stack_check();
    for (uint32_t i = 0; i < statements->count; i++) {
        const ast_node *n = statements->items[i];
        py_value *ignored = NULL;
        if (!changes_of(n, name))
            continue;
        if (n->kind == AST_DEF || n->kind == AST_CLASS)
            py_bind(scope, name, definition_value(m, scope, n));
        else if (n->kind == AST_IF) {
            bool truth = py_truth(m, py_eval(m, scope, n->branch.condition));
            run_changes(m, scope, truth ? &n->branch.if_true : &n->branch.if_false, name);
        } else
            run_statement(m, scope, n, &ignored);
    }
}

/* A file's top level is not run as a whole. A name that is bound once has the value of that binding; for other names
 * all statements that change them are run, in order. */
static py_value *global_value(py_machine *m, py_scope *scope, ast_node *n, const char *name) {
    const ast_list *statements = &scope->file->tree->sequence;
    bool is_plain = count_changes(statements, name) < 2;
    if (is_plain && n->kind != AST_ASSIGN)
        return definition_value(m, scope, n);
    if (is_plain && n->assign.targets.count == 1 && n->assign.targets.items[0]->kind == AST_VAR)
        return n->assign.value ? py_eval(m, scope, n->assign.value) : NULL;
    if (m->depth >= LIMIT_PYTHON_DEPTH)
        py_fail(m, "name '%s' is not defined", name);
    m->depth++;
    run_changes(m, scope, statements, name);
    m->depth--;
    return shget(scope->names, name);
}

static py_value *file_name(py_machine *m, py_scope *scope, const char *name) {
    ast_node *n = shget(((code_file *)scope->file)->definitions, name);
    py_value *v = n ? global_value(m, scope, n, name) : NULL;
    if (v) {
        py_bind(scope, name, v);
        return v;
    }
    const char *path = python_imported_path(scope->file, name);
    if (path)
        return py_resolve_path(m, path);
    if (!strcmp(name, "__name__"))
        return py_str(scope->file->qualifier + strlen("__torch__."));
    return py_is_builtin(name) ? py_path(mem_printf("builtins.%s", name)) : NULL;
}

py_value *py_lookup(py_machine *m, py_scope *scope, const char *name) {
    py_value *v = NULL;
    for (; scope && !v; scope = scope->outer) {
        v = scope->names ? shget(scope->names, name) : NULL;
        if (!v && !scope->outer)
            v = file_name(m, scope, name);
    }
    if (!v)
        py_fail(m, "name '%s' is not defined", name);
    return v;
}

/* ---- Arguments ---- */

static ptrdiff_t find_keyword(const py_arguments *a, const char *name) {
    for (size_t i = 0; name && i < arrlenu(a->keywords); i++)
        if (!strcmp(a->keywords[i].name, name))
            return (ptrdiff_t)i;
    return -1;
}

py_value *py_argument(const py_arguments *a, size_t position, const char *name) {
    if (position < arrlenu(a->items))
        return a->items[position];
    ptrdiff_t at = find_keyword(a, name);
    return at >= 0 ? a->keywords[at].value : NULL;
}

py_value *py_required(const py_machine *m, const py_arguments *a, size_t position, const char *name) {
    py_value *v = py_argument(a, position, name);
    if (!v && name)
        py_fail(m, "missing argument '%s'", name);
    if (!v)
        py_fail(m, "missing argument %zu", position + 1);
    return v;
}

static py_value *remaining_items(const py_arguments *a, size_t from) {
    py_value *rest = py_new(PY_TUPLE);
    for (size_t i = from; i < arrlenu(a->items); i++)
        arrput(rest->items, a->items[i]);
    return rest;
}

static py_value *remaining_keywords(const py_arguments *a, const bool *used) {
    py_value *rest = py_new(PY_DICT);
    for (size_t i = 0; i < arrlenu(a->keywords); i++)
        if (!used[i])
            py_dict_set(rest, py_str(a->keywords[i].name), a->keywords[i].value);
    return rest;
}

/* What the arguments of one call are bound to. */
typedef struct {
    py_machine *machine;
    const py_arguments *given;
    const char *function;
    py_scope *scope, *around; /* of the parameters, of their default values */
    size_t next;              /* positional argument */
    bool *used;               /* keyword arguments */
} binding;

static void bind_parameter(binding *b, const ast_node *param) {
    const char *name = param->param.name;
    ptrdiff_t keyword = find_keyword(b->given, name);
    py_value *v = NULL;
    if (!param->param.keyword_only && b->next < arrlenu(b->given->items)) {
        v = b->given->items[b->next++];
        if (keyword >= 0)
            py_fail(b->machine, "%s() got multiple values for argument '%s'", b->function, name);
    } else if (keyword >= 0) {
        v = b->given->keywords[keyword].value;
        b->used[keyword] = true;
    } else if (param->param.default_value)
        v = py_eval(b->machine, b->around, param->param.default_value);
    else
        py_fail(b->machine, "%s() missing 1 required positional argument: '%s'", b->function, name);
    py_bind(b->scope, name, v);
}

static void bind_arguments(py_machine *m, py_scope *scope, const py_value *f, const py_arguments *a) {
    const ast_def *d = f->function.def;
    binding b = {.machine = m, .given = a, .scope = scope, .around = f->function.scope};
    b.function = f->function.owner ? mem_printf("%s.%s", f->function.owner->name, d->name) : d->name;
    b.used = MEM_ARRAY(bool, arrlenu(a->keywords) + 1);
    bool takes_rest = false, takes_keywords = false;
    for (uint32_t i = 0; i < d->params.count; i++) {
        const ast_node *param = d->params.items[i];
        if (param->param.stars == 1) {
            py_bind(scope, param->param.name, remaining_items(a, b.next));
            takes_rest = true;
        } else if (param->param.stars == 2) {
            py_bind(scope, param->param.name, remaining_keywords(a, b.used));
            takes_keywords = true;
        } else
            bind_parameter(&b, param);
    }
    if (!takes_rest && b.next < arrlenu(a->items))
        py_fail(m, "%s() takes %u positional arguments but %zu were given", b.function, d->params.count,
                arrlenu(a->items));
    for (size_t i = 0; i < arrlenu(a->keywords) && !takes_keywords; i++)
        if (!b.used[i])
            py_fail(m, "%s() got an unexpected keyword argument '%s'", b.function, a->keywords[i].name);
}

/* ---- Assignment ---- */

static void assign_parts(py_machine *m, py_scope *scope, const ast_list *targets, py_value *v) {
    py_value **items = py_iterate(m, v);
    uint32_t starred = UINT32_MAX;
    for (uint32_t i = 0; i < targets->count; i++)
        starred = targets->items[i]->kind == AST_STARRED ? i : starred;
    size_t count = arrlenu(items), next = 0;
    if (starred == UINT32_MAX ? count != targets->count : count + 1 < targets->count)
        py_fail(m, "%s values to unpack (expected %u)", count > targets->count ? "too many" : "not enough",
                targets->count);
    for (uint32_t i = 0; i < targets->count; i++) {
        if (i != starred) {
            py_assign(m, scope, targets->items[i], items[next++], NULL);
            continue;
        }
        py_value *rest = py_new(PY_LIST);
        for (size_t k = 0; k < count + 1 - targets->count; k++)
            arrput(rest->items, items[next++]);
        py_assign(m, scope, targets->items[i]->operand, rest, NULL);
    }
}

static void assign_item(py_machine *m, py_value *container, py_value *index, py_value *v) {
    int64_t at;
    py_value *method = container->kind == PY_OBJECT ? py_attribute_or_null(m, container, "__setitem__") : NULL;
    if (container->kind == PY_TENSOR)
        py_tensor_set_index(m, container, index, v);
    else if (container->kind == PY_DICT)
        py_dict_set(container, index, v);
    else if (container->kind == PY_LIST && py_integer(index, &at)) {
        int64_t count = (int64_t)arrlenu(container->items);
        at += at < 0 ? count : 0;
        if (at < 0 || at >= count)
            py_fail(m, "IndexError: list assignment index out of range");
        container->items[at] = v;
    } else if (method) {
        py_arguments a = {0};
        arrput(a.items, index);
        arrput(a.items, v);
        py_call(m, method, &a);
    } else
        py_fail(m, "'%s' object does not support item assignment at compile time", py_type_name(container));
}

static void assign_attribute(py_machine *m, py_scope *scope, const ast_node *target, py_value *v,
                             const ast_node *annotation) {
    py_value *object = py_eval(m, scope, target->select.value);
    m->range = target->range;
    py_set_attribute(m, object, target->select.name, v);
    py_member *member = object->kind == PY_OBJECT ? py_find_member(object->object, target->select.name) : NULL;
    if (member && annotation) {
        member->annotation = annotation;
        member->annotation_file = scope->file;
    }
}

void py_assign(py_machine *m, py_scope *scope, const ast_node *target, py_value *v, const ast_node *annotation) {
    stack_check();
    switch (target->kind) {
    case AST_VAR:
        py_bind(scope, target->name, v);
        return;
    case AST_TUPLE:
    case AST_LIST:
        assign_parts(m, scope, &target->sequence, v);
        return;
    case AST_SELECT:
        assign_attribute(m, scope, target, v, annotation);
        return;
    case AST_SUBSCRIPT: {
        py_value *container = py_eval(m, scope, target->subscript.value);
        py_value *index = py_eval_index(m, scope, target);
        m->range = target->range;
        assign_item(m, container, index, v);
        return;
    }
    default:
        source_fail(target->range, "this target of an assignment is not supported at compile time");
    }
}

/* ---- Statements ---- */

static flow run_statements(py_machine *m, py_scope *scope, const ast_list *list, py_value **result);

static void run_assign(py_machine *m, py_scope *scope, const ast_node *n) {
    if (!n->assign.value)
        return;
    py_value *v = py_eval(m, scope, n->assign.value);
    for (uint32_t i = 0; i < n->assign.targets.count; i++) {
        m->range = n->range;
        py_assign(m, scope, n->assign.targets.items[i], v, n->assign.type);
    }
}

/* Lists and tensors change in place, as in Python; other values are replaced. */
static void run_aug_assign(py_machine *m, py_scope *scope, const ast_node *n) {
    py_value *before = py_eval(m, scope, n->aug_assign.target), *v = py_eval(m, scope, n->aug_assign.value);
    m->range = n->range;
    if (before->kind == PY_LIST && n->aug_assign.op == AST_ADD) {
        py_value **items = py_iterate(m, v);
        for (size_t i = 0; i < arrlenu(items); i++)
            arrput(before->items, items[i]);
        return;
    }
    py_value *after = py_binary(m, n->aug_assign.op, before, v);
    if (before->kind == PY_TENSOR && after->kind == PY_TENSOR) { /* views share its memory */
        if (!pt_tensor_assign(py_tensor_data(before->tensor), py_tensor_data(after->tensor)))
            py_fail(m, "the result does not fit the tensor that is changed in place");
        before->tensor->is_random |= after->tensor->is_random;
    } else
        py_assign(m, scope, n->aug_assign.target, after, NULL);
}

static flow run_body(py_machine *m, py_scope *scope, const ast_node *n, py_value **result, bool *stop) {
    flow f = run_statements(m, scope, &n->loop.body, result);
    *stop = f == FLOW_BREAK || f == FLOW_RETURN;
    return f == FLOW_RETURN ? FLOW_RETURN : FLOW_NEXT;
}

static flow run_loop(py_machine *m, py_scope *scope, const ast_node *n, py_value **result) {
    bool stop = false;
    flow f = FLOW_NEXT;
    if (n->kind == AST_WHILE) {
        while (!stop && py_truth(m, py_eval(m, scope, n->loop.condition)))
            f = run_body(m, scope, n, result, &stop);
        return f;
    }
    py_value **items = py_iterate(m, py_eval(m, scope, n->loop.iterable));
    for (size_t i = 0; i < arrlenu(items) && !stop; i++) {
        m->range = n->range;
        py_assign(m, scope, n->loop.target, items[i], NULL);
        f = run_body(m, scope, n, result, &stop);
    }
    return f;
}

_Noreturn static void run_raise(py_machine *m, py_scope *scope, const ast_node *n) {
    const ast_node *e = n->operand;
    const char *kind = ast_dotted_name(e->kind == AST_APPLY ? e->apply.callee : e);
    strbuf text = {0};
    if (e->kind == AST_APPLY && e->apply.inputs.count)
        py_show(py_eval(m, scope, e->apply.inputs.items[0]), false, &text);
    source_fail(n->range, "%s: %s", kind ? kind : "exception", strbuf_text(&text));
}

static void run_assert(py_machine *m, py_scope *scope, const ast_node *n) {
    if (py_truth(m, py_eval(m, scope, n->assertion.condition)))
        return;
    strbuf text = {0};
    if (n->assertion.message)
        py_show(py_eval(m, scope, n->assertion.message), false, &text);
    source_fail(n->range, "AssertionError: %s", strbuf_text(&text));
}

/* Keeps the items that the slice does not select. */
static void delete_slice(py_machine *m, py_value *list, py_value *slice) {
    py_value *places = py_new(PY_LIST), **kept = NULL;
    for (size_t i = 0; i < arrlenu(list->items); i++)
        arrput(places->items, py_int((int64_t)i));
    py_value *taken = py_subscript(m, places, slice);
    for (size_t i = 0; i < arrlenu(list->items); i++) {
        bool goes = false;
        for (size_t k = 0; k < arrlenu(taken->items); k++)
            goes |= taken->items[k]->integer == (int64_t)i;
        if (!goes)
            arrput(kept, list->items[i]);
    }
    list->items = kept;
}

static void delete_item(py_machine *m, py_value *container, py_value *index) {
    py_value *method = container->kind == PY_OBJECT ? py_attribute_or_null(m, container, "__delitem__") : NULL;
    if (method) {
        py_call1(m, method, index);
        return;
    }
    if (container->kind == PY_LIST && index->kind == PY_SLICE) {
        delete_slice(m, container, index);
        return;
    }
    if (container->kind != PY_LIST && container->kind != PY_DICT)
        py_fail(m, "deleting items of a '%s' is not supported at compile time", py_type_name(container));
    py_arguments a = {0};
    arrput(a.items, index);
    py_call_native(m, container, "pop", &a);
}

static void run_delete(py_machine *m, py_scope *scope, const ast_node *n) {
    for (uint32_t i = 0; i < n->sequence.count; i++) {
        const ast_node *target = n->sequence.items[i];
        if (target->kind == AST_SELECT)
            py_delete_attribute(m, py_eval(m, scope, target->select.value), target->select.name);
        else if (target->kind == AST_SUBSCRIPT)
            delete_item(m, py_eval(m, scope, target->subscript.value), py_eval_index(m, scope, target));
        else if (target->kind != AST_VAR)
            source_fail(target->range, "deleting items is not supported at compile time");
    }
}

/* Statements that TorchScript refuses but this interpreter can run: nested functions and classes, `//=`, declarations,
 * and a `try`, of which only the body is run: an exception in it is an error. */
static flow run_unsupported(py_machine *m, py_scope *scope, const ast_node *n, py_value **result) {
    const ast_list *parts = &n->unsupported.parts;
    bool is_def = parts->count == 1 && parts->items[0]->kind == AST_DEF;
    bool is_class = parts->count == 1 && parts->items[0]->kind == AST_CLASS;
    if (!parts->count)
        source_fail(n->range, "%s at compile time", n->unsupported.message);
    if (is_class) {
        py_value *v = py_new(PY_CLASS);
        v->class_def = py_class_in(m, parts->items[0]->class_def, scope);
        py_bind(scope, v->class_def->name, v);
        return FLOW_NEXT;
    }
    if (!is_def)
        return run_statements(m, scope, parts, result);
    const ast_def *d = parts->items[0]->def;
    py_bind(scope, d->name, py_function(d, scope, NULL));
    return FLOW_NEXT;
}

/* Allows context managers that switch the recording of gradients, which has no effect here; refuses all others. */
static void check_contexts(const ast_node *n) {
    static const char *const names[] = {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode"};
    for (uint32_t i = 0; i < n->with.items.count; i++) {
        const ast_node *value = n->with.items.items[i]->with_item.value;
        const char *path = value->kind == AST_APPLY ? ast_dotted_name(value->apply.callee) : NULL;
        const char *name = path && strrchr(path, '.') ? strrchr(path, '.') + 1 : path;
        bool is_known = false;
        for (size_t k = 0; name && k < sizeof names / sizeof *names; k++)
            is_known |= !strcmp(name, names[k]);
        if (!is_known)
            source_fail(value->range, "this context manager is not supported at compile time");
    }
}

static flow run_statement(py_machine *m, py_scope *scope, const ast_node *n, py_value **result) {
    stack_check();
    if (++m->steps > LIMIT_PYTHON_STEPS)
        source_fail(n->range, "%s", limit_text(OVER_PYTHON_STEPS));
    m->range = n->range;
    source_call_at(n->range);
    switch (n->kind) {
    case AST_EXPR_STMT:
        py_eval(m, scope, n->operand);
        return FLOW_NEXT;
    case AST_ASSIGN:
        run_assign(m, scope, n);
        return FLOW_NEXT;
    case AST_AUG_ASSIGN:
        run_aug_assign(m, scope, n);
        return FLOW_NEXT;
    case AST_RETURN:
        *result = py_eval(m, scope, n->operand);
        return FLOW_RETURN;
    case AST_IF: {
        bool truth = py_truth(m, py_eval(m, scope, n->branch.condition));
        return run_statements(m, scope, truth ? &n->branch.if_true : &n->branch.if_false, result);
    }
    case AST_FOR:
    case AST_WHILE:
        return run_loop(m, scope, n, result);
    case AST_WITH:
        check_contexts(n);
        return run_statements(m, scope, &n->with.body, result);
    case AST_BREAK:
        return FLOW_BREAK;
    case AST_CONTINUE:
        return FLOW_CONTINUE;
    case AST_PASS:
        return FLOW_NEXT;
    case AST_RAISE:
        run_raise(m, scope, n);
    case AST_ASSERT:
        run_assert(m, scope, n);
        return FLOW_NEXT;
    case AST_DELETE:
        run_delete(m, scope, n);
        return FLOW_NEXT;
    case AST_UNSUPPORTED:
        return run_unsupported(m, scope, n, result);
    default:
        source_fail(n->range, "this statement (%s) is not supported at compile time", ast_kind_name(n->kind));
    }
}

static flow run_statements(py_machine *m, py_scope *scope, const ast_list *list, py_value **result) {
    for (uint32_t i = 0; i < list->count; i++) {
        flow f = run_statement(m, scope, list->items[i], result);
        if (f != FLOW_NEXT)
            return f;
    }
    return FLOW_NEXT;
}

/* ---- Calls ---- */

static py_value *call_function(py_machine *m, const py_value *f, const py_arguments *a) {
    const ast_def *d = f->function.def;
    if (m->depth >= LIMIT_PYTHON_DEPTH)
        py_fail(m, "RecursionError: maximum recursion depth exceeded: %s", limit_text(OVER_PYTHON_DEPTH));
    py_scope *scope = MEM_NEW(py_scope);
    scope->outer = f->function.scope;
    scope->file = f->function.scope->file;
    scope->owner = f->function.owner;
    bind_arguments(m, scope, f, a);
    if (scope->owner && d->params.count)
        scope->self = shget(scope->names, d->params.items[0]->param.name);
    source_range outer = m->range;
    source_call call;
    source_call_push(&call, d->name, d->body.items[0]->range);
    m->depth++;
    py_value *result = NULL;
    run_statements(m, scope, &d->body, &result);
    m->depth--;
    source_call_pop(&call);
    m->range = outer;
    return result ? result : py_none();
}

static py_value *call_partial(py_machine *m, py_value *partial, const py_arguments *a) {
    py_arguments all = {0};
    for (size_t i = 0; i < arrlenu(partial->method.self->items); i++)
        arrput(all.items, partial->method.self->items[i]);
    for (size_t i = 0; i < arrlenu(a->items); i++)
        arrput(all.items, a->items[i]);
    for (size_t i = 0; i < arrlenu(a->keywords); i++)
        arrput(all.keywords, a->keywords[i]);
    for (size_t i = 0; i < arrlenu(partial->method.keywords); i++) {
        py_keyword k = {partial->method.keywords[i].key->string.bytes, partial->method.keywords[i].value};
        if (find_keyword(a, k.name) < 0)
            arrput(all.keywords, k);
    }
    return py_call(m, partial->method.function, &all);
}

static py_value *call_with(py_machine *m, py_value *callee, py_value *const *items, size_t count) {
    py_arguments a = {0};
    for (size_t i = 0; i < count; i++)
        arrput(a.items, items[i]);
    return py_call(m, callee, &a);
}

/* A module's hooks get the positional arguments as a tuple; what they return takes its place unless it is None. */
static py_value *call_hooked(py_machine *m, py_value *module, py_value *forward, const py_arguments *a) {
    const py_hook *hooks = module->object->hooks;
    py_value *inputs = py_new(PY_TUPLE);
    inputs->items = a->items;
    for (size_t i = 0; i < arrlenu(hooks); i++) {
        py_value *items[] = {module, inputs};
        py_value *returned = hooks[i].is_before ? call_with(m, hooks[i].function, items, 2) : py_none();
        if (returned->kind == PY_TUPLE)
            inputs = returned;
        else if (returned->kind != PY_NONE) {
            inputs = py_new(PY_TUPLE);
            arrput(inputs->items, returned);
        }
    }
    py_value *result = py_call(m, forward, &(py_arguments){inputs->items, a->keywords});
    for (size_t i = 0; i < arrlenu(hooks); i++) {
        py_value *items[] = {module, inputs, result};
        py_value *returned = hooks[i].is_before ? py_none() : call_with(m, hooks[i].function, items, 3);
        result = returned->kind == PY_NONE ? result : returned;
    }
    return result;
}

static py_value *call_object(py_machine *m, py_value *object, py_arguments *a) {
    bool is_module = object->object->class_def->is_module;
    py_value *method = py_attribute_or_null(m, object, is_module ? "forward" : "__call__");
    if (!method)
        py_fail(m, "'%s' object is not callable", py_type_name(object));
    return arrlenu(object->object->hooks) ? call_hooked(m, object, method, a) : py_call(m, method, a);
}

py_value *py_call(py_machine *m, py_value *callee, py_arguments *a) {
    stack_check();
    switch (callee->kind) {
    case PY_FUNCTION:
        return call_function(m, callee, a);
    case PY_METHOD: {
        py_arguments with_self = {NULL, a->keywords};
        arrput(with_self.items, callee->method.self);
        for (size_t i = 0; i < arrlenu(a->items); i++)
            arrput(with_self.items, a->items[i]);
        return py_call(m, callee->method.function, &with_self);
    }
    case PY_PARTIAL:
        return call_partial(m, callee, a);
    case PY_CLASS:
        return py_construct(m, callee->class_def, a);
    case PY_PATH:
        return py_call_path(m, callee->path, a);
    case PY_NATIVE:
        return py_call_native(m, callee->native.self, callee->native.name, a);
    case PY_OBJECT:
        return call_object(m, callee, a);
    default:
        py_fail(m, "'%s' object is not callable", py_type_name(callee));
    }
}

py_value *py_call1(py_machine *m, py_value *callee, py_value *argument) {
    return call_with(m, callee, &argument, 1);
}
