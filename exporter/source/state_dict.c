/* State dicts: what torch.save(model.state_dict()) writes, into a module's parameters and buffers. */
#include <string.h>

#include "exporter/archive/archive.h"
#include "exporter/base/diag.h"
#include "exporter/source/state_dict.h"

/* One name of the module's state dict. */
typedef struct {
    const char *name;
    py_value *value;
} state_entry;

static const char *dotted(const char *prefix, const char *name) {
    return *prefix ? mem_printf("%s.%s", prefix, name) : name;
}

static void add_tensors(const py_object *o, member_role role, const char *prefix, bool only_saved,
                        state_entry **entries) {
    for (size_t i = 0; i < arrlenu(o->members); i++) {
        const py_member *member = &o->members[i];
        bool is_wanted = member->role == role && member->value->kind == PY_TENSOR &&
                         (member->is_persistent || role != MEMBER_BUFFER || !only_saved);
        state_entry entry = {dotted(prefix, member->name), member->value};
        if (is_wanted)
            arrput(*entries, entry);
    }
}

/* In PyTorch's order: a module's parameters, its buffers, its children. A shared tensor has several names. */
static void collect_state(py_object *o, const char *prefix, bool only_saved, state_entry **entries) {
    stack_check();
    if (o->is_open)
        diag_fail("a module of class %s contains itself", o->class_def->name);
    o->is_open = true;
    add_tensors(o, MEMBER_PARAMETER, prefix, only_saved, entries);
    add_tensors(o, MEMBER_BUFFER, prefix, only_saved, entries);
    if (!only_saved)
        add_tensors(o, MEMBER_PLAIN, prefix, false, entries);
    for (size_t i = 0; i < arrlenu(o->members); i++)
        if (o->members[i].role == MEMBER_MODULE && o->members[i].value->kind == PY_OBJECT)
            collect_state(o->members[i].value->object, dotted(prefix, o->members[i].name), only_saved, entries);
    o->is_open = false;
}

/* ---- Messages ---- */

static const char *shape_text(int ndim, const int64_t *sizes) {
    strbuf text = {0};
    strbuf_add(&text, "torch.Size([");
    for (int i = 0; i < ndim; i++)
        strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)sizes[i]);
    strbuf_add(&text, "])");
    return text.text;
}

static void add_names(strbuf *out, const char *title, const char *const *names) {
    if (!arrlenu(names))
        return;
    strbuf_printf(out, "\n\t%s key(s) in state_dict: ", title);
    for (size_t i = 0; i < arrlenu(names); i++)
        strbuf_printf(out, "%s\"%s\"", i ? ", " : "", names[i]);
    strbuf_add(out, ". ");
}

/* Where a checkpoint of training has its state dict; NULL: it is one itself, or has none. */
static const char *inner_state_dict(const pkl_value *saved) {
    for (size_t i = 0; i < saved->dict.count; i++) {
        const pkl_entry *e = &saved->dict.entries[i];
        if (e->value->kind == PKL_TENSOR)
            return NULL;
        for (size_t k = 0; e->value->kind == PKL_DICT && k < e->value->dict.count; k++)
            if (e->value->dict.entries[k].value->kind == PKL_TENSOR)
                return e->key->str.text;
    }
    return NULL;
}

/* ---- Loading ---- */

static bool has_shape(const py_tensor *t, const pt_tensor *from) {
    return t->ndim == from->ndim && (!t->ndim || !memcmp(t->sizes, from->sizes, (size_t)t->ndim * sizeof *t->sizes));
}

/* Uses the elements in place, in the file, when the dtypes agree. A tensor that already has elements gets a copy
 * instead, because views may share its memory. */
static void set_values(py_tensor *t, pt_tensor *from) {
    t->is_random = false;
    t->fill = 0;
    if (t->dtype == from->dtype && !t->data)
        t->data = from;
    else
        pt_tensor_assign(py_tensor_data(t), from);
}

static pkl_value *read_state_dict(const char *path) {
    pt_archive *archive = pt_archive_open(path);
    if (archive->is_program)
        diag_fail("%s is a TorchScript program; --weights takes the file that torch.save(model.state_dict()) writes",
                  path);
    if (archive->root->kind != PKL_DICT)
        diag_fail("%s holds a %s, not a state dict", path, pkl_kind_name(archive->root->kind));
    for (size_t i = 0; i < archive->root->dict.count; i++) {
        const pkl_entry *e = &archive->root->dict.entries[i];
        if (e->key->kind != PKL_STR)
            diag_fail("%s is not a state dict: it has an entry without a name", path);
        if (e->value->kind == PKL_TENSOR && e->value->tensor->layout != PT_STRIDED)
            diag_fail("%s holds a sparse tensor, %s, which no parameter can be", path, e->key->str.text);
    }
    return archive->root;
}

void state_dict_load(py_value *module, const char *path) {
    pkl_value *saved = read_state_dict(path);
    state_entry *entries = NULL;
    const char **missing = NULL, **unexpected = NULL;
    strbuf mismatches = {0}, message = {0};
    struct {
        char *key;
        bool value;
    } *known = NULL;
    collect_state(module->object, "", true, &entries);
    for (size_t i = 0; i < arrlenu(entries); i++) {
        const pkl_value *from = pkl_dict_get(saved, entries[i].name);
        py_tensor *t = entries[i].value->tensor;
        shput(known, (char *)entries[i].name, true);
        if (!from)
            arrput(missing, entries[i].name);
        else if (from->kind != PKL_TENSOR)
            strbuf_printf(
                &mismatches,
                "\n\tWhile copying the parameter named \"%s\", expected torch.Tensor or Tensor-like object from "
                "checkpoint but received <class '%s'>",
                entries[i].name, pkl_kind_name(from->kind));
        else if (!has_shape(t, from->tensor))
            strbuf_printf(&mismatches,
                          "\n\tsize mismatch for %s: copying a param with shape %s from checkpoint, the shape in "
                          "current model is %s.",
                          entries[i].name, shape_text(from->tensor->ndim, from->tensor->sizes),
                          shape_text(t->ndim, t->sizes));
        else
            set_values(t, from->tensor);
    }
    for (size_t i = 0; i < saved->dict.count; i++)
        if (shgeti(known, saved->dict.entries[i].key->str.text) < 0)
            arrput(unexpected, saved->dict.entries[i].key->str.text);
    add_names(&message, "Missing", missing);
    add_names(&message, "Unexpected", unexpected);
    strbuf_add(&message, strbuf_text(&mismatches));
    const char *inner = message.length ? inner_state_dict(saved) : NULL;
    if (inner)
        strbuf_printf(&message,
                      "\n%s is a checkpoint, whose state dict is \"%s\": torch.save(torch.load(\"%s\")[\"%s\"], "
                      "\"weights.pth\") takes it out",
                      path, inner, path, inner);
    if (message.length)
        diag_fail("Error(s) in loading state_dict for %s:%s", module->object->class_def->name, message.text);
}

void state_dict_require(const py_value *module, const char *path) {
    enum { SHOWN = 5 };
    state_entry *entries = NULL;
    strbuf names = {0};
    size_t count = 0;

    collect_state(module->object, "", false, &entries);
    for (size_t i = 0; i < arrlenu(entries); i++)
        if (entries[i].value->tensor->is_random && count++ < SHOWN)
            strbuf_printf(&names, "%s%s", count > 1 ? ", " : "", entries[i].name);
    if (count && path)
        diag_fail("%s begins with random values that %s does not hold: %s%s", module->object->class_def->name, path,
                  names.text, count > SHOWN ? ", ..." : "");
    if (count)
        diag_fail(
            "%s has parameters that begin with random values (%s%s): give --weights STATE_DICT.pth, the file that "
            "torch.save(model.state_dict()) writes",
            module->object->class_def->name, names.text, count > SHOWN ? ", ..." : "");
}
