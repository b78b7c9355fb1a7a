/* Specialization: shapes, folding, unrolling and lists in turns until nothing changes. */
#include "exporter/passes/specialize/specialize.h"

#include "exporter/base/diag.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/build_lists.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/fold_constants.h"
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

void specialize(program *p, function *const *entries, function *const *functions, example *e, shape_observer observe) {
    ir_graph *g = function_graph(e->entry);
    mutation_mark_constants(analyse(p, entries, functions));
    if (!observe_example(e, p, entries, functions, observe))
        return;
    shape_facts facts = {0};
    guarded_entry guarded = guard_entry(e, &facts.given);
    /* What the answers decide is folded until there are no more. */
    for (bool changed = true; changed;) {
        facts.mutation = analyse(p, entries, functions);
        facts.seen = e->seen;
        changed = fold_shapes(guarded.inside, &facts);
        fold_constants(g);
        changed |= unroll_loops(guarded.inside, &SHORT_LOOPS, &e->seen);
        changed |= build_lists(guarded.inside);
        peephole(g, analyse(p, entries, functions));
    }
    dce(g);
    facts.mutation = analyse(p, entries, functions);
    e->is_settled = shapes_are_settled(guarded.inside, &facts);
    guard_entry_finish(guarded);
}
