/* Writes into tensors that gradients pass through become new tensors. */
#include "exporter/passes/lower/functional_writes.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/memory_classes.h"
#include "exporter/passes/analysis/tensor_places.h"
#include "exporter/passes/lower/gradient_marks.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/passes/lower/written_values.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"
#include "exporter/schema/operator_node.h"

/* What is known of a root: a tensor that is written to. */
typedef struct {
    ir_node **writes;  /* those that become new tensors */
    bool is_left;      /* they do not */
    ir_value *version; /* what it is now, in the walk */
} written_root;

/* The items of a display as the author wrote them, and the versions of which they were when it was made. */
typedef struct {
    ir_value **items, **versions;
} display_items;

typedef struct {
    program *program;
    gradient_flow *flow;
    memory_classes *classes;
    tensor_places *places;
    struct {
        const ir_value *key;
        written_root *value;
    } * roots;
    struct {
        const ir_node *key;
        bool value;
    } * writes;
    struct {
        const ir_value *key; /* a name of a root */
        ir_value *value;     /* the version that it is of */
    } * versions;
    struct {
        const ir_value *key; /* a display */
        display_items *value;
    } * displays;
    const ir_node **keepers; /* what puts tensors into containers and attributes */
} writer;

/* ---- Wholes of views ---- */

/* What gives the tensor of which a view was written; NULL: there is none. */
static function *written_whole(program *p, const ir_node *view) {
    return builtin_derivative(p, view->schema->full_name, "written");
}

/* The tensor that `view` is one of, when that has become `made`. */
static ir_value *insert_whole(program *p, ir_node *at, const ir_node *view, ir_value *made) {
    function *f = written_whole(p, view);
    ir_value **inputs = NULL;
    for (uint32_t i = 0; i < f->schema->argument_count; i++)
        for (uint32_t k = 0; k <= view->schema->argument_count; k++) {
            const bool is_made = k == view->schema->argument_count;
            const char *name = is_made ? "made" : view->schema->arguments[k].name;
            if (!strcmp(name, f->schema->arguments[i].name))
                arrput(inputs, is_made ? made : ir_in(view, k));
        }
    return function_insert_call(at, f, inputs, arrlenu(inputs));
}

/* ---- Views in the place of tensors ---- */

/* Whether the tensor, made by an operator, is in no container and no variable of a branch or a loop. */
static bool has_one_name(const ir_value *v) {
    if (!v->node->schema || schema_has_trait(v->node->schema, TRAIT_RETURNS_INPUT))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        if (!u->user->schema || operator_stores(u->user, u->index) ||
            schema_has_trait(u->user->schema, TRAIT_RETURNS_INPUT))
            return false;
    }
    return true;
}

static void replace_later_uses(ir_node *n, ir_value *from, ir_value *to) {
    for (size_t i = 0; i < arrlenu(from->uses);) {
        ir_use u = from->uses[i];
        if (u.user != n && u.user != to->node && ir_is_before(n, u.user))
            ir_node_set_input(u.user, u.index, to); /* takes the use out of the array */
        else
            i++;
    }
}

/* The view has the place of the tensor from n on. */
static ir_value *replace_by_view(ir_node *n, const op_schema *view) {
    ir_value *v = ir_in(n, 0);
    saved_mark_write(n, v);
    ir_value *made = write_insert_like(n, n, view, v);
    saved_mark_name(n, v, made);
    ir_replace_uses(ir_out(n, 0), made);
    replace_later_uses(n, v, made);
    ir_destroy(n);
    return made;
}

static bool is_recorded(const writer *w, const ir_node *n) {
    return flow_mode(w->flow, n) != GRADIENTS_OFF && flow_depends(w->flow, ir_in(n, 0));
}

static void replace_views_in_place(writer *w, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            replace_views_in_place(w, n->blocks[i]);
        const op_schema *view = write_is_first(n) ? write_view_in_place(n) : NULL;
        if (view && is_recorded(w, n) && ir_in(n, 0)->node->block == b && has_one_name(ir_in(n, 0)))
            flow_mark(w->flow, replace_by_view(n, view));
    }
}

/* ---- Which tensors are written ---- */

static written_root *root_of(writer *w, const ir_value *v) {
    const ir_value *root = v->type->kind == TYPE_TENSOR ? tensor_place_of(w->places, v).root : NULL;
    return root ? hmget(w->roots, root) : NULL;
}

static bool has_wholes(const writer *w, tensor_place place) {
    for (size_t i = 0; i < arrlenu(place.views); i++)
        if (!written_whole(w->program, place.views[i]))
            return false;
    return true;
}

/* Whether n may become a new tensor. */
static bool may_become_new(writer *w, const ir_node *n, tensor_place place) {
    return write_is_first(n) && flow_mode(w->flow, n) == GRADIENTS_ON && flow_depends(w->flow, ir_in(n, 0)) &&
           (write_is_given(n) || (write_functional(n->schema) && !write_view_in_place(n))) && has_wholes(w, place) &&
           tensor_root_is_new(w->places, place.root);
}

/* Whether n gives a tensor other sizes or other memory. */
static bool changes_form(const ir_node *n) {
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        if (operator_stores(n, i))
            return true;
    return schema_has_trait(n->schema, TRAIT_RESIZES) || write_view_in_place(n);
}

static void find_write(writer *w, ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const tensor_place place = tensor_place_of(w->places, ir_in(n, i));
        if (!place.root || !operator_writes(n, i))
            continue;
        const bool becomes_new = i == 0 && may_become_new(w, n, place);
        if (!becomes_new && !changes_form(n))
            continue;
        written_root *r = hmget(w->roots, place.root);
        if (!r) {
            r = MEM_NEW(written_root);
            hmput(w->roots, place.root, r);
        }
        r->is_left |= !becomes_new;
        if (becomes_new)
            arrput(r->writes, n);
    }
}

static bool is_construct(const ir_node *n) {
    return n->kind == IR_LIST_CONSTRUCT || n->kind == IR_TUPLE_CONSTRUCT || n->kind == IR_DICT_CONSTRUCT;
}

static bool takes_apart(const ir_node *n) {
    return n->kind == IR_TUPLE_UNPACK || n->kind == IR_TUPLE_INDEX || n->kind == IR_LIST_UNPACK;
}

static bool is_container(const ir_value *v) {
    return type_can_alias(v->type) && type_without_none(v->type)->kind != TYPE_TENSOR;
}

/* Whether n puts the input into a container or an attribute, or gives a container that has it. */
static bool keeps_input(const ir_node *n, uint32_t i) {
    if (!n->schema)
        return true;
    if (i > 0 && operator_stores(n, i))
        return true;
    for (uint32_t k = 0; k < ir_output_count(n); k++)
        if (is_container(ir_out(n, k)) && operator_hands_on(n, i, k))
            return true;
    return false;
}

static bool may_keep(const ir_node *n) {
    if (n->kind == IR_IF || n->kind == IR_LOOP || n->kind == IR_UNCHECKED_CAST || n->kind == IR_UNWRAP_OPTIONAL)
        return false;
    bool gives = n->kind == IR_SET_ATTR;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        gives |= is_container(ir_out(n, i));
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (type_can_alias(ir_in(n, i)->type) && (n->schema || gives) && keeps_input(n, i))
            return true;
    return false;
}

static bool is_display(const ir_value *v);

static void find_places(writer *w, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        tensor_place_of(w->places, ir_in(n, i));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        tensor_place_of(w->places, ir_out(n, i));
}

static void find_writes(writer *w, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_writes(w, n->blocks[i]);
        find_places(w, n);
        if (may_keep(n) && !(is_construct(n) && is_display(ir_out(n, 0))))
            arrput(w->keepers, n);
        if (n->schema)
            find_write(w, n);
    }
    find_places(w, b->param);
    find_places(w, b->result);
}

/* ---- What else may be their memory ---- */

static bool stands_in(const ir_node *n, const ir_node *owner) {
    for (const ir_block *b = n->block; b->owner; b = b->owner->block)
        if (b->owner == owner)
            return true;
    return false;
}

static bool outlives(const writer *w, const ir_value *root, const ir_node *loop);

static bool source_outlives(const writer *w, const ir_value *v, const ir_node *loop) {
    const ir_value *root = tensor_place_of(w->places, v).root;
    return !root || outlives(w, root, loop);
}

/* Whether the root's memory may be there from one turn of the loop to the next, under the root's name. */
static bool outlives(const writer *w, const ir_value *root, const ir_node *loop) {
    stack_check();
    if (!stands_in(root->node, loop) || tensor_root_loop(root) || root->node->kind == IR_LOOP)
        return true;
    return root->node->kind == IR_IF && (source_outlives(w, ir_in(root->node->blocks[0]->result, root->offset), loop) ||
                                         source_outlives(w, ir_in(root->node->blocks[1]->result, root->offset), loop));
}

/* Whether b may run after a, while the root's memory is the same. */
static bool may_follow(const writer *w, const ir_node *a, const ir_node *b, const ir_value *root) {
    if (saved_precedes(a, b))
        return true;
    for (const ir_block *at = a->block; at->owner; at = at->owner->block)
        if (at->owner->kind == IR_LOOP && stands_in(b, at->owner) && outlives(w, root, at->owner))
            return true;
    return false;
}

/* Whether the write may come when v has been made and before it is read at `user`. */
static bool comes_between(const writer *w, const ir_value *root, const ir_node *write, const ir_value *v,
                          const ir_node *user) {
    if (saved_precedes(v->node, write) && saved_precedes(write, user))
        return true;
    for (const ir_block *at = write->block; at->owner; at = at->owner->block)
        if (at->owner->kind == IR_LOOP && stands_in(user, at->owner) && !stands_in(v->node, at->owner) &&
            outlives(w, root, at->owner))
            return true;
    return false;
}

/* Of a tensor that is made in a loop a variable of the loop is another turn's. */
static bool are_of_different_turns(const ir_value *variable, const ir_value *made) {
    const ir_node *loop = tensor_root_loop(variable);
    return loop && made->node->schema && stands_in(made->node, loop);
}

/* A list or tuple that is written out where it is made, and only read: it can be made again. */
static bool is_display(const ir_value *v) {
    stack_check();
    if (!is_construct(v->node) || v->node->kind == IR_DICT_CONSTRUCT)
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        if (!takes_apart(user) && !use_leaves_list(&v->uses[i]) && !(is_construct(user) && is_display(ir_out(user, 0))))
            return false;
    }
    return true;
}

/* Whether n puts a tensor that may share the root's memory into a container, or into what others may read. */
static bool keeps(const writer *w, const ir_node *n, const ir_value *root) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (memory_classes_share(w->classes, ir_in(n, i), root) && keeps_input(n, i))
            return true;
    return false;
}

/* Whether what n keeps may be read where this function does not see it. */
static bool is_seen_by_others(const ir_node *n) {
    bool stores = false;
    for (uint32_t i = 1; n->schema && i < ir_input_count(n); i++)
        stores |= operator_stores(n, i);
    if (!stores)
        return !n->schema && !is_construct(n) && !takes_apart(n);
    const ir_kind into = flow_origin(ir_in(n, 0))->node->kind;
    return into != IR_LIST_CONSTRUCT && into != IR_DICT_CONSTRUCT;
}

/* Whether some container may have got the root before the write. */
static bool is_got_before(const writer *w, const ir_value *root, const ir_node *write) {
    for (size_t i = 0; i < arrlenu(w->keepers); i++)
        if (keeps(w, w->keepers[i], root) && may_follow(w, w->keepers[i], write, root))
            return true;
    return false;
}

/* Whether a use of v, which may share the root's memory, may read it when the write has changed it. */
static bool reads_changed(const writer *w, const ir_value *root, const ir_node *write, const ir_value *v,
                          const ir_use *u) {
    const ir_node *user = u->user;
    if (user == write || gradient_mark_is(user))
        return false;
    if (type_without_none(v->type)->kind == TYPE_TENSOR)
        return comes_between(w, root, write, v, user);
    const bool only_keeps = user->kind == IR_APPEND && u->index == 0 && !ir_use_count(ir_out(user, 0));
    return !only_keeps && comes_between(w, root, write, v, user) && is_got_before(w, root, write);
}

static bool is_known(writer *w, const ir_value *root, const ir_value *v) {
    const ir_value *other = tensor_place_of(w->places, v).root;
    return other == root || is_display(v) ||
           (other && (are_of_different_turns(other, root) || are_of_different_turns(root, other)));
}

/* Whether a name that is not known to be the root, or a view of it, is used when it has been written. */
static bool has_unknown_name(writer *w, const ir_value *root, ir_node *const *writes) {
    const ir_value **holders = memory_classes_holders(w->classes, root);
    for (size_t j = 0; j < arrlenu(writes); j++) {
        for (size_t i = 0; i < arrlenu(w->keepers); i++)
            if (keeps(w, w->keepers[i], root) && is_seen_by_others(w->keepers[i]) &&
                may_follow(w, w->keepers[i], writes[j], root))
                return true;
        for (size_t i = 0; i < arrlenu(holders); i++)
            for (size_t k = 0; k < arrlenu(holders[i]->uses) && !is_known(w, root, holders[i]); k++)
                if (reads_changed(w, root, writes[j], holders[i], &holders[i]->uses[k]))
                    return true;
    }
    return false;
}

static void choose(writer *w) {
    for (ptrdiff_t i = 0; i < hmlen(w->roots); i++) {
        written_root *r = w->roots[i].value;
        r->is_left |= has_unknown_name(w, w->roots[i].key, r->writes);
        for (size_t k = 0; k < arrlenu(r->writes) && !r->is_left; k++)
            hmput(w->writes, r->writes[k], true);
    }
}

/* ---- The walk ---- */

static void note_version(writer *w, const ir_value *v) {
    const written_root *r = root_of(w, v);
    if (r && !r->is_left)
        hmput(w->versions, v, r->version);
}

static ir_value *current(writer *w, ir_node *at, ir_value *v);

/* The name for what the root is now, by the same views. */
static ir_value *current_tensor(writer *w, ir_node *at, ir_value *v, const written_root *r) {
    if (hmget(w->versions, v) == r->version)
        return v;
    const tensor_place place = tensor_place_of(w->places, v);
    ir_value *now = r->version;
    for (size_t i = 0; i < arrlenu(place.views); i++)
        now = write_insert_like(at, place.views[i], place.views[i]->schema, now);
    return now;
}

static ir_value *version_of(writer *w, const ir_value *v) {
    const written_root *r = root_of(w, v);
    return r && !r->is_left ? r->version : NULL;
}

static void note_display(writer *w, const ir_node *display) {
    display_items *d = MEM_NEW(display_items);
    for (uint32_t i = 0; i < ir_input_count(display); i++) {
        arrput(d->items, ir_in(display, i));
        arrput(d->versions, version_of(w, ir_in(display, i)));
    }
    hmput(w->displays, ir_out(display, 0), d);
}

static ir_value *current_display(writer *w, ir_node *at, ir_value *v) {
    const ir_node *display = v->node;
    const display_items *d = hmget(w->displays, v);
    ir_value **items = NULL;
    bool has_changed = false;
    for (uint32_t i = 0; d && i < ir_input_count(display); i++) {
        ir_value *version = version_of(w, d->items[i]);
        const bool is_current = version && version == d->versions[i];
        arrput(items, is_current ? ir_in(display, i) : current(w, at, d->items[i]));
        has_changed |= items[i] != ir_in(display, i);
    }
    return has_changed ? write_insert_display(at, display, items) : v;
}

static ir_value *current(writer *w, ir_node *at, ir_value *v) {
    stack_check();
    const written_root *r = root_of(w, v);
    if (r && !r->is_left && r->version)
        return current_tensor(w, at, v, r);
    return is_display(v) ? current_display(w, at, v) : v;
}

static void take_current(writer *w, ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        ir_value *v = ir_in(n, i), *now = current(w, n, v);
        if (now != v)
            ir_node_set_input(n, i, now);
    }
}

static void rewrite(writer *w, ir_node *n) {
    written_root *r = root_of(w, ir_in(n, 0));
    const size_t views = arrlenu(tensor_place_of(w->places, ir_in(n, 0)).views);
    uint32_t *same = NULL; /* other arguments that are what n writes (h.mul_(h)) */
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        if (root_of(w, ir_in(n, i)) == r)
            arrput(same, i);
    take_current(w, n);
    for (size_t i = 0; i < arrlenu(same); i++)
        write_insert_overlap_check(n, same[i]);
    if (write_is_given(n))
        arrsetlen(same, 0);
    saved_mark_write(n, r->version);
    for (size_t i = 0; i < arrlenu(same); i++)
        ir_node_set_input(n, same[i], operator_insert(n, "aten::alias", ir_in(n, same[i])));
    const ir_value *part = ir_in(n, 0);
    ir_value *made = write_insert_result(w->program, n);
    for (size_t i = 0; i < views; i++) {
        const ir_node *view = flow_origin(part)->node;
        made = insert_whole(w->program, n, view, made);
        part = ir_in(view, 0);
    }
    saved_mark_name(n, r->version, made);
    if (arrlenu(same)) { /* PyTorch keeps a copy of what it writes to, but other arguments as they are */
        saved_mark_write(n, r->version);
        saved_mark_name(n, r->version, made);
    }
    r->version = made;
}

static bool writes_inside(const ir_node *owner, const written_root *r) {
    for (size_t i = 0; i < arrlenu(r->writes); i++)
        if (stands_in(r->writes[i], owner))
            return true;
    return false;
}

/* Roots of before that the blocks of the node write to. */
static written_root **written_in(const writer *w, const ir_node *owner) {
    written_root **inside = NULL;
    for (ptrdiff_t i = 0; i < hmlen(w->roots); i++) {
        written_root *r = w->roots[i].value;
        if (!r->is_left && r->version && writes_inside(owner, r))
            arrput(inside, r);
    }
    return inside;
}

static void visit_block(writer *w, ir_block *b);
static void begin(writer *w, const ir_node *n, uint32_t count);

static void visit_branches(writer *w, ir_node *n) {
    written_root **written = written_in(w, n);
    ir_value **before = NULL;
    for (size_t i = 0; i < arrlenu(written); i++)
        arrput(before, written[i]->version);
    for (size_t k = 0; k < arrlenu(n->blocks); k++) {
        for (size_t i = 0; i < arrlenu(written); i++)
            written[i]->version = before[i];
        visit_block(w, n->blocks[k]);
        for (size_t i = 0; i < arrlenu(written); i++)
            ir_block_add_result(n->blocks[k], written[i]->version);
    }
    for (size_t i = 0; i < arrlenu(written); i++)
        written[i]->version = ir_node_add_output(n, type_basic(TYPE_TENSOR));
}

static void visit_loop(writer *w, ir_node *n) {
    written_root **written = written_in(w, n);
    ir_block *body = n->blocks[0];
    begin(w, body->param, ir_output_count(body->param));
    for (size_t i = 0; i < arrlenu(written); i++) {
        ir_node_add_input(n, written[i]->version);
        written[i]->version = ir_block_add_param(body, NULL, type_basic(TYPE_TENSOR));
    }
    visit_block(w, body);
    for (size_t i = 0; i < arrlenu(written); i++) {
        ir_block_add_result(body, written[i]->version);
        written[i]->version = ir_node_add_output(n, type_basic(TYPE_TENSOR));
    }
}

/* A root that is made here is what it is made as. */
static void begin(writer *w, const ir_node *n, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        written_root *r = hmget(w->roots, ir_out(n, i));
        if (r && !r->is_left)
            r->version = ir_out(n, i);
        if (n->schema)
            note_version(w, ir_out(n, i));
    }
}

static void visit_node(writer *w, ir_node *n) {
    const uint32_t outputs = ir_output_count(n);
    if (hmgeti(w->writes, n) >= 0) {
        rewrite(w, n);
        return;
    }
    if (is_construct(n) && is_display(ir_out(n, 0)))
        note_display(w, n);
    take_current(w, n);
    if (n->kind == IR_LOOP)
        visit_loop(w, n);
    else if (arrlenu(n->blocks))
        visit_branches(w, n);
    begin(w, n, outputs);
}

static void visit_block(writer *w, ir_block *b) {
    stack_check();
    IR_EACH(n, b)
    visit_node(w, n);
    take_current(w, b->result);
}

static void destroy_writes(ir_block *b, const writer *w) {
    stack_check();
    for (ir_node *n = b->result->previous, *previous; n != b->param; n = previous) {
        previous = n->previous;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            destroy_writes(n->blocks[i], w);
        writer here = *w; /* stb_ds's lookups write to the map's head */
        if (hmgeti(here.writes, n) >= 0)
            ir_destroy(n);
    }
}

void functional_writes(program *p, ir_graph *g) {
    writer w = {.program = p, .flow = flow_new(g)};
    write_mark_asked(w.flow, g->block);
    replace_views_in_place(&w, g->block);
    w.classes = memory_classes_new(g, ALL_NAMES);
    w.places = tensor_places_new(w.flow);
    find_writes(&w, g->block);
    choose(&w);
    visit_block(&w, g->block);
    destroy_writes(g->block, &w);
}
