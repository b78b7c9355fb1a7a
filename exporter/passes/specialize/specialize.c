/* Specialization: shapes, folding, unrolling and lists in turns until nothing changes. */
#include "exporter/passes/specialize/specialize.h"

#include "exporter/base/diag.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/build_lists.h"
#include "exporter/passes/optimize/cse.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/passes/optimize/freeze_attributes.h"
#include "exporter/passes/optimize/fuse_pointwise.h"
#include "exporter/passes/optimize/peephole.h"

static const unroll_limits SHORT_LOOPS = {LIMIT_UNROLLED_TURNS, LIMIT_UNROLLED_NODES, NULL};

static mutation *analyse(program *p, function *const *entries, function *const *functions) {
    program_graphs_changed(p);
    return mutation_analyse(p, entries, functions, program_module(p));
}

/* Fills e->seen; false when an example that nobody asked for cannot be run. */
static bool observe_example(example *e, program *p, function *const *entries, function *const *functions,
                            shape_observer observe) {
    diag_handler h;
    if (!e->is_own) {
        observe(e, p, entries, functions);
        return true;
    }
    if (DIAG_TRY(&h)) {
        diag_warn("the example inputs are not used: %s", h.message);
        e->is_refused = true;
        return false;
    }
    observe(e, p, entries, functions);
    diag_end(&h);
    return true;
}

/* Whether something in the block was seen in more than one shape. */
static bool has_many_shapes(const ir_block *b, shape_map seen) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (uint32_t i = 0; i < ir_output_count(n); i++) {
            const ptrdiff_t at = hmgeti(seen, ir_out(n, i));
            if (at >= 0 && !seen[at].value)
                return true;
        }
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (has_many_shapes(n->blocks[i], seen))
                return true;
    }
    return false;
}

/* What the answers decide is folded until there are no more. Returns whether loops were unrolled. */
static bool fold_answers(program *p, function *const *entries, function *const *functions, example *e, ir_block *inside,
                         shape_facts *facts) {
    ir_graph *g = function_graph(e->entry);
    bool unrolled = false;
    for (bool changed = true; changed;) {
        facts->mutation = analyse(p, entries, functions);
        facts->seen = e->seen;
        changed = fold_shapes(inside, facts);
        fold_constants(g, analyse(p, entries, functions));
        const bool unrolls = unroll_loops(inside, &SHORT_LOOPS, &e->seen);
        changed |= unrolls;
        unrolled |= unrolls;
        changed |= build_lists(inside);
        freeze_attributes(g, analyse(p, entries, functions));
        peephole(g, analyse(p, entries, functions));
    }
    return unrolled;
}

/* A turn of a loop that was unrolled may have a shape of its own: the example is run again to see it. */
void specialize(program *p, function *const *entries, function *const *functions, example *e, shape_observer observe,
                bool fuses) {
    ir_graph *g = function_graph(e->entry);
    mutation_mark_constants(analyse(p, entries, functions));
    if (!observe_example(e, p, entries, functions, observe))
        return;
    shape_facts facts = {0};
    guarded_entry guarded = guard_entry(e, &facts.given);
    while (fold_answers(p, entries, functions, e, guarded.inside, &facts) && has_many_shapes(guarded.inside, e->seen)) {
        guard_entry_finish(guarded);
        mutation_mark_constants(analyse(p, entries, functions));
        const bool is_seen = observe_example(e, p, entries, functions, observe);
        guard_entry_hide(guarded);
        if (!is_seen)
            break;
    }
    facts.mutation = analyse(p, entries, functions);
    facts.seen = e->seen;
    if (fuses && fuse_pointwise_inside(guarded.inside, &facts)) {
        e->seen = facts.seen;
        fold_answers(p, entries, functions, e, guarded.inside, &facts);
    }
    dce(g);
    cse(g, analyse(p, entries, functions));
    facts.mutation = analyse(p, entries, functions);
    facts.seen = e->seen;
    const ir_node *n = shapes_unsettled(guarded.inside, &facts);
    e->is_settled = !n;
    e->unsettled = n ? ir_place_text(n) : NULL;
    guard_entry_finish(guarded);
}
