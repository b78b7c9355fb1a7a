/* Variables: what names mean in nested blocks, and how the blocks' assignments are joined. */
#include <string.h>

#include "exporter/emit/emit.h"

environment *env_push(emitter *e) {
    environment *env = MEM_NEW(environment);
    env->outer = e->env;
    e->env = env;
    return env;
}

void env_pop(emitter *e) {
    e->env = e->env->outer;
}

/* The entry of a name in one environment, NULL when it has none. */
static sugared *entry_of(const environment *env, const char *name) {
    name_entry *names = env->names;
    ptrdiff_t at = names ? hmgeti(names, name) : -1;
    return at >= 0 ? &names[at].value : NULL;
}

/* A nested def sees the variables around it; values become inputs of its graph. */
static const sugared *capture(emitter *e, const char *name) {
    const sugared *s = e->enclosing ? env_find(e->enclosing, name) : NULL;
    if (!s || s->kind == SUGAR_UNDEFINED)
        return NULL;
    sugared captured = *s;
    if (s->kind == SUGAR_VALUE) {
        arrput(e->captured, env_view(e->enclosing, s, (source_range){0}));
        captured = sugar_value(ir_graph_add_input(e->graph, name, s->type));
    }
    hmput(e->root->names, name, captured);
    return entry_of(e->root, name);
}

const sugared *env_find_from(emitter *e, environment *env, const char *name) {
    stack_check();
    for (; env; env = env->outer) {
        const sugared *s = entry_of(env, name);
        if (s)
            return s;
    }
    return capture(e, name);
}

const sugared *env_find(emitter *e, const char *name) {
    return env_find_from(e, e->env, name);
}

void env_bind(emitter *e, const char *name, sugared s) {
    hmput(e->env->names, name, s);
}

void env_refine(emitter *e, const char *name, sugared s) {
    const sugared *own = entry_of(e->env, name);
    s.is_refined = !own || own->is_refined;
    env_bind(e, name, s);
}

/* Temporaries in archives ("_12"), whose names are not worth keeping for values. */
static bool is_temporary(const char *name) {
    return name[0] == '_' && name[1] >= '0' && name[1] <= '9';
}

/* The type of a variable as messages write it. */
static const char *sugar_annotation(const sugared *s) {
    return s->value && s->value->type == s->type ? ir_value_annotation(s->value) : type_annotation(s->type);
}

static const char *kind_of(const sugared *s) {
    switch (s->kind) {
    case SUGAR_CLASS:
        return "class";
    case SUGAR_FUNCTION:
    case SUGAR_CLOSURE:
        return "function";
    case SUGAR_METHOD:
        return "method";
    case SUGAR_OPERATOR:
    case SUGAR_SPECIAL:
        return "builtin";
    case SUGAR_PACKAGE:
    case SUGAR_NAMESPACE:
        return "module";
    case SUGAR_TUPLE:
        return "Tuple";
    default:
        return "value";
    }
}

/* A variable of an outer block keeps its type, since what it is after this block may depend on control flow. */
static void check_reassignment(emitter *e, const char *name, const sugared *before, sugared *s, const type *annotated,
                               source_range range) {
    if (annotated)
        source_fail(
            range,
            "Attempting to declare and annotate the type of variable '%s' but it is already defined in an outer block",
            name);
    if (s->kind != SUGAR_VALUE || before->kind != SUGAR_VALUE)
        source_fail(
            range,
            "Cannot re-assign '%s' %s %s and %s is not a first-class value.  Only reassignments to first-class values "
            "are allowed",
            name, s->kind != SUGAR_VALUE ? "to a value of type" : "because it has type", kind_of(s), name);
    ir_value *v = emit_convert(e, s->value, before->type, range);
    strbuf why = {0};
    if (!type_is_subtype(v->type, before->type, &why)) {
        bool are_lists = v->type->kind == TYPE_LIST && before->type->kind == TYPE_LIST;
        source_fail(range, "Variable '%s' previously had type %s but is now being assigned to a value of type %s%s\n%s",
                    name, sugar_annotation(before), ir_value_annotation(v),
                    are_lists ? "\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment to "
                                "create an empty "
                                "list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements "
                                "in the list for "
                                "Python 2)"
                              : "",
                    strbuf_text(&why));
    }
    *s = sugar_value(v);
    s->is_refined = false;
}

void env_assign(emitter *e, const char *name, sugared s, const type *annotated, source_range range) {
    if (s.kind == SUGAR_TUPLE)
        s = sugar_value(sugar_to_value(e, &s, range));
    const sugared *before = e->env->outer ? env_find_from(e, e->env->outer, name) : NULL;
    if (before && before->kind != SUGAR_UNDEFINED)
        check_reassignment(e, name, before, &s, annotated, range);
    if (s.kind == SUGAR_VALUE && !s.value->name && !ir_is_constant(s.value) && !is_temporary(name) &&
        s.value->node->block == e->at->block)
        s.value->name = name;
    if (s.kind == SUGAR_VALUE) {
        if (annotated && !type_is_subtype(s.value->type, annotated, NULL))
            source_fail(range, "Variable '%s' is annotated with type %s but is being assigned to a value of type %s",
                        name, type_annotation(annotated), ir_value_annotation(s.value));
        s.type = annotated ? annotated : s.value->type;
    }
    s.is_refined = false;
    env_bind(e, name, s);
}

void env_remove(emitter *e, const char *name, source_range range) {
    const sugared *s = env_find(e, name);
    if (!s || s->kind == SUGAR_UNDEFINED)
        source_fail(range, "undefined value %s", name);
    sugared gone = sugar_named(SUGAR_UNDEFINED, NULL);
    gone.value = s->kind == SUGAR_VALUE ? env_view(e, s, range) : NULL; /* which a loop carries on, as in PyTorch */
    env_bind(e, name, gone);
}

ir_value *env_view(emitter *e, const sugared *s, source_range range) {
    if (s->type == s->value->type)
        return s->value;
    if (ir_is_constant(s->value) && !s->value->node->constant) {
        ir_value *none = emit_constant(e, const_none(), range);
        none->type = s->type;
        return none;
    }
    return ir_out(emit_node_with(e, IR_UNCHECKED_CAST, range, s->type, &s->value, 1), 0);
}

/* ---- Joining branches ---- */

/* The names that the branches assigned, sorted as PyTorch sorts them. */
static const char **assigned_in(environment *const branches[2]) {
    name_entry *all = NULL;
    const char **names = NULL;
    for (int i = 0; i < 2; i++)
        for (ptrdiff_t k = 0; k < hmlen(branches[i]->names); k++) {
            name_entry entry = branches[i]->names[k];
            if (all && hmgeti(all, entry.key) >= 0)
                continue;
            hmputs(all, entry);
            size_t at = arrlenu(names);
            arrput(names, entry.key);
            for (; at > 0 && strcmp(names[at], names[at - 1]) < 0; at--) {
                const char *swapped = names[at];
                names[at] = names[at - 1];
                names[at - 1] = swapped;
            }
        }
    return names;
}

/* Whether the branch itself gave the variable a new value. */
static bool assigns(const environment *branch, const char *name) {
    const sugared *s = entry_of(branch, name);
    return s && !s->is_refined && s->kind != SUGAR_UNDEFINED;
}

static void leave_undefined(emitter *e, const char *name, const char *message) {
    env_bind(e, name, sugar_named(SUGAR_UNDEFINED, message));
}

/* The variable's value at the end of one branch, as a result of its block. */
static void add_result(emitter *e, ir_block *b, const sugared *s, const type *t, source_range range) {
    ir_node *outer = e->at;
    e->at = b->result;
    ir_value *v = s ? env_view(e, s, range) : ir_out(emit_node(e, IR_UNINITIALIZED, range, t), 0);
    ir_block_add_result(b, v);
    e->at = outer;
}

static void join_variable(emitter *e, ir_node *n, environment *const branches[2], const bool exits[2], const char *name,
                          source_range range) {
    static const char *const branch_names[] = {"true", "false"};
    const sugared *before = env_find(e, name), *s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = exits[i] ? NULL : env_find_from(e, branches[i], name);
        if (!exits[i] && (!s[i] || s[i]->kind == SUGAR_UNDEFINED)) {
            const char *text = mem_printf("%s is not defined in the %s branch", name, branch_names[i]);
            leave_undefined(e, name, assigns(branches[!i], name) ? source_error_text(range, text) : NULL);
            return;
        }
    }
    const sugared *one = s[0] ? s[0] : s[1];
    if (one->kind != SUGAR_VALUE || (s[0] && s[1] && s[1]->kind != SUGAR_VALUE)) {
        bool is_one_thing = !(s[0] && s[1]) || s[0]->kind == s[1]->kind;
        if (one->value || e->is_python) /* it refers to a value of the branch */
            leave_undefined(e, name, NULL);
        else if (is_one_thing)
            env_bind(e, name, *one);
        return;
    }
    const type *t = one->type;
    if (s[0] && s[1]) {
        bool to_union = !e->is_python;
        to_union |= before && before->kind == SUGAR_VALUE &&
                    (before->type->kind == TYPE_UNION || type_is_subtype(before->type, type_basic(TYPE_NUMBER), NULL));
        t = type_unify(s[0]->type, s[1]->type, to_union);
        if (!t) {
            const char *message =
                mem_printf("Type mismatch: %s is set to type %s in the true branch and type %s in the false branch",
                           name, sugar_annotation(s[0]), sugar_annotation(s[1]));
            if (before && before->kind == SUGAR_VALUE)
                source_fail(range, "%s", message);
            leave_undefined(e, name, source_error_text(range, message));
            return;
        }
    }
    for (int i = 0; i < 2; i++)
        add_result(e, n->blocks[i], s[i], t, range);
    sugared joined = sugar_value(ir_node_add_output(n, t));
    /* Of equal types PyTorch keeps the second. */
    joined.value->is_inferred = s[1] && s[1]->value && s[1]->value->is_inferred;
    joined.value->name = is_temporary(name) ? NULL : name;
    if (assigns(branches[0], name) || assigns(branches[1], name))
        env_bind(e, name, joined);
    else
        env_refine(e, name, joined);
}

void env_join(emitter *e, ir_node *n, environment *const branches[2], const bool exits[2], source_range range) {
    if (exits[0] && exits[1])
        return;
    const char **names = assigned_in(branches);
    for (size_t i = 0; i < arrlenu(names); i++) {
        bool any_exits = exits[0] || exits[1];
        if (any_exits || assigns(branches[0], names[i]) || assigns(branches[1], names[i]))
            join_variable(e, n, branches, exits, names[i], range);
    }
}
