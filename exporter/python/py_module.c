/* Methods of torch.nn.Module. */
#include <string.h>

#include "exporter/python/py_eval.h"

static const char *const module_methods[] = {"__init__",
                                             "add_module",
                                             "register_module",
                                             "register_buffer",
                                             "register_parameter",
                                             "register_forward_pre_hook",
                                             "register_forward_hook",
                                             "register_backward_hook",
                                             "register_full_backward_hook",
                                             "register_full_backward_pre_hook",
                                             "children",
                                             "named_children",
                                             "modules",
                                             "named_modules",
                                             "parameters",
                                             "named_parameters",
                                             "buffers",
                                             "named_buffers",
                                             "apply",
                                             "train",
                                             "eval",
                                             "to",
                                             "float",
                                             "double",
                                             "half",
                                             "bfloat16",
                                             "cuda",
                                             "cpu",
                                             "requires_grad_",
                                             "zero_grad",
                                             "reset_parameters",
                                             "_get_name",
                                             "get_submodule",
                                             "_reset_parameters",
                                             NULL};

/* What modules have in Python, and what cannot be run here. */
static const char *const other_methods[] = {"compile",
                                            "extra_repr",
                                            "get_buffer",
                                            "get_extra_state",
                                            "get_parameter",
                                            "load_state_dict",
                                            "register_load_state_dict_post_hook",
                                            "register_load_state_dict_pre_hook",
                                            "register_state_dict_post_hook",
                                            "register_state_dict_pre_hook",
                                            "set_extra_state",
                                            "set_submodule",
                                            "share_memory",
                                            "state_dict",
                                            "to_empty",
                                            "type",
                                            "xpu",
                                            "_register_load_state_dict_pre_hook",
                                            "_register_state_dict_hook",
                                            NULL};

bool py_is_module_method(const char *name) {
    return text_is_among(name, module_methods);
}

py_value *py_module_method(py_value *self, const char *name) {
    if (py_is_module_method(name))
        return py_native(self, name);
    return text_is_among(name, other_methods) ? py_path(mem_printf("torch.nn.Module.%s", name)) : NULL;
}

/* ---- What a module has ---- */

typedef struct {
    const char *name;
    py_value *value;
} named_value;

static const void *identity(const py_value *v) {
    return v->kind == PY_OBJECT ? (const void *)v->object : v->tensor;
}

static bool is_listed(const named_value *list, const py_value *v) {
    for (size_t i = 0; i < arrlenu(list); i++)
        if (identity(list[i].value) == identity(v))
            return true;
    return false;
}

static const char *dotted(const char *prefix, const char *name) {
    return *prefix ? mem_printf("%s.%s", prefix, name) : name;
}

static bool is_child(const py_member *member) {
    return member->role == MEMBER_MODULE && member->value->kind == PY_OBJECT;
}

/* The module itself and all below it, each once. */
static void collect_modules(py_value *v, const char *prefix, named_value **list) {
    stack_check();
    if (is_listed(*list, v))
        return;
    named_value entry = {prefix, v};
    arrput(*list, entry);
    for (size_t i = 0; i < arrlenu(v->object->members); i++)
        if (is_child(&v->object->members[i]))
            collect_modules(v->object->members[i].value, dotted(prefix, v->object->members[i].name), list);
}

static named_value *all_modules(py_value *v) {
    named_value *list = NULL;
    collect_modules(v, "", &list);
    return list;
}

static named_value *all_children(const py_value *v) {
    named_value *list = NULL;
    for (size_t i = 0; i < arrlenu(v->object->members); i++) {
        named_value entry = {v->object->members[i].name, v->object->members[i].value};
        if (is_child(&v->object->members[i]) && !is_listed(list, entry.value))
            arrput(list, entry);
    }
    return list;
}

static named_value *all_tensors(py_value *v, member_role role) {
    named_value *modules = all_modules(v), *list = NULL;
    for (size_t i = 0; i < arrlenu(modules); i++) {
        const py_object *o = modules[i].value->object;
        for (size_t k = 0; k < arrlenu(o->members); k++) {
            named_value entry = {dotted(modules[i].name, o->members[k].name), o->members[k].value};
            bool is_tensor = o->members[k].role == role && entry.value->kind == PY_TENSOR;
            if (is_tensor && !is_listed(list, entry.value))
                arrput(list, entry);
        }
    }
    return list;
}

static py_value *as_list(const named_value *values, bool with_names) {
    py_value *list = py_new(PY_LIST);
    for (size_t i = 0; i < arrlenu(values); i++) {
        py_value *item = values[i].value;
        if (with_names) {
            item = py_new(PY_TUPLE);
            arrput(item->items, py_str(values[i].name));
            arrput(item->items, values[i].value);
        }
        arrput(list->items, item);
    }
    return list;
}

/* Methods that list what a module has; NULL when it is none of them. */
static py_value *list_parts(py_value *self, const char *name) {
    bool with_names = !strncmp(name, "named_", 6);
    const char *what = with_names ? name + 6 : name;
    if (!strcmp(what, "children"))
        return as_list(all_children(self), with_names);
    if (!strcmp(what, "parameters"))
        return as_list(all_tensors(self, MEMBER_PARAMETER), with_names);
    if (!strcmp(what, "buffers"))
        return as_list(all_tensors(self, MEMBER_BUFFER), with_names);
    return strcmp(what, "modules") ? NULL : as_list(all_modules(self), with_names);
}

/* ---- Registering ---- */

static void register_member(py_machine *m, py_value *self, py_arguments *a, member_role role, const char *word) {
    py_value *name = py_required(m, a, 0, "name"), *v = py_required(m, a, 1, word);
    py_value *persistent = py_argument(a, 2, "persistent");
    if (name->kind != PY_STR || strchr(name->string.bytes, '.') || !name->string.length)
        py_fail(m, "%s name must be a string without '.'", word);
    if (!self->object->is_initialized)
        py_fail(m, "AttributeError: cannot assign %s before Module.__init__() call", word);
    if (role == MEMBER_PARAMETER && v->kind != PY_NONE && !(v->kind == PY_TENSOR && v->is_parameter))
        py_fail(m, "cannot assign '%s' object to parameter '%s' (torch.nn.Parameter or None required)", py_type_name(v),
                name->string.bytes);
    py_member *member = py_add_member(self->object, name->string.bytes);
    member->role = role;
    member->value = v;
    member->is_persistent = role != MEMBER_BUFFER || !persistent || py_truth(m, persistent);
}

/* False when the method registers nothing. */
static bool call_register(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (!strcmp(name, "add_module") || !strcmp(name, "register_module"))
        register_member(m, self, a, MEMBER_MODULE, "module");
    else if (!strcmp(name, "register_buffer"))
        register_member(m, self, a, MEMBER_BUFFER, "tensor");
    else if (!strcmp(name, "register_parameter"))
        register_member(m, self, a, MEMBER_PARAMETER, "param");
    else
        return false;
    return true;
}

/* ---- Hooks ---- */

/* What is compiled with the module must have a name and a def, as in PyTorch. */
static py_value *hook_function(const py_machine *m, py_value *v) {
    py_value *f = v->kind == PY_METHOD ? v->method.function : v;
    if (f->kind != PY_FUNCTION)
        py_fail(m, "a hook must be a function that can be compiled: '%s' object has no attribute '__name__'",
                py_type_name(v));
    if (*f->function.def->name == '<')
        py_fail(m, "a hook must be a function that can be compiled: a lambda is not, \"Expected a single top-level "
                   "function\"");
    return f;
}

static void register_hook(py_machine *m, const py_value *self, const char *name, const py_arguments *a) {
    py_value *prepend = py_argument(a, SIZE_MAX, "prepend");
    py_hook hook = {hook_function(m, py_required(m, a, 0, "hook")), !strcmp(name, "register_forward_pre_hook")};
    size_t at = arrlenu(self->object->hooks);
    arrput(self->object->hooks, hook);
    for (; prepend && py_truth(m, prepend) && at > 0; at--) {
        self->object->hooks[at] = self->object->hooks[at - 1];
        self->object->hooks[at - 1] = hook;
    }
}

/* Returns what would remove the hook again, which is not supported, or NULL when the method registers no hook. Hooks of
 * backward are left out by PyTorch, too, when it compiles a module. */
static py_value *call_register_hook(py_machine *m, const py_value *self, const char *name, const py_arguments *a) {
    const size_t n = strlen(name);
    if (strncmp(name, "register_", 9) || n < 5 || strcmp(name + n - 5, "_hook"))
        return NULL;
    if (!strncmp(name, "register_forward", 16))
        register_hook(m, self, name, a);
    return py_path("torch.utils.hooks.RemovableHandle");
}

/* ---- Changing ---- */

static void set_training(py_value *self, bool training) {
    named_value *modules = all_modules(self);
    for (size_t i = 0; i < arrlenu(modules); i++)
        py_add_member(modules[i].value->object, "training")->value = py_bool(training);
}

static void convert_all(py_value *self, pt_dtype dtype) {
    for (int role = MEMBER_PARAMETER; role <= MEMBER_BUFFER; role++) {
        named_value *tensors = all_tensors(self, (member_role)role);
        for (size_t i = 0; i < arrlenu(tensors); i++) {
            py_tensor *t = tensors[i].value->tensor;
            bool is_real = t->dtype == PT_FLOAT16 || t->dtype == PT_FLOAT32 || t->dtype == PT_FLOAT64;
            if (is_real)
                *t = *py_tensor_convert(tensors[i].value, dtype)->tensor;
        }
    }
}

static py_value *get_submodule(py_machine *m, py_value *self, const py_value *path) {
    if (path->kind != PY_STR)
        py_fail(m, "the path of a submodule must be a string");
    for (const char *part = path->string.bytes, *end; *part; part = *end ? end + 1 : end) {
        end = part + strcspn(part, ".");
        self = py_attribute(m, self, intern_n(part, (size_t)(end - part)));
    }
    return self;
}

static py_value *apply_to_all(py_machine *m, py_value *self, py_value *f) {
    named_value *modules = all_modules(self);
    for (size_t i = arrlenu(modules); i-- > 0;)
        py_call1(m, f, modules[i].value);
    return self;
}

py_value *py_call_module_method(py_machine *m, py_value *self, const char *name, py_arguments *a) {
    if (self->kind != PY_OBJECT || !self->object->class_def->is_module)
        py_fail(m, "torch.nn.Module.%s needs a module, not a '%s'", name, py_type_name(self));
    if (!strcmp(name, "__init__")) {
        self->object->is_initialized = true;
        py_add_member(self->object, "training")->value = py_bool(true);
        return py_none();
    }
    if (call_register(m, self, name, a))
        return py_none();
    py_value *found = call_register_hook(m, self, name, a);
    if (!found)
        found = list_parts(self, name);
    if (found)
        return found;
    if (!strcmp(name, "apply"))
        return apply_to_all(m, self, py_required(m, a, 0, "fn"));
    if (!strcmp(name, "_get_name"))
        return py_str(self->object->class_def->name);
    if (!strcmp(name, "get_submodule"))
        return get_submodule(m, self, py_required(m, a, 0, "target"));
    py_value *mode = py_argument(a, 0, "mode"), *dtype = py_argument(a, 0, "dtype");
    if (!strcmp(name, "requires_grad_")) {
        py_value *wanted = py_argument(a, 0, "requires_grad");
        named_value *parameters = all_tensors(self, MEMBER_PARAMETER);
        for (size_t i = 0; i < arrlenu(parameters); i++)
            parameters[i].value->tensor->is_frozen = wanted && !py_truth(m, wanted);
        return self;
    }
    if (!strcmp(name, "train") || !strcmp(name, "eval"))
        set_training(self, name[0] == 't' && (!mode || py_truth(m, mode)));
    else if (!strcmp(name, "to") && dtype && dtype->kind == PY_DTYPE)
        convert_all(self, (pt_dtype)dtype->integer);
    else if (py_conversion_dtype(name) != PT_DTYPE_COUNT)
        convert_all(self, py_conversion_dtype(name));
    return self;
}
