#include "exporter/passes/pipeline.h"

#include <string.h>

#include "exporter/passes/analysis/call_graph.h"
#include "exporter/passes/analysis/mutation.h"
#include "exporter/passes/lower/autodiff.h"
#include "exporter/passes/lower/decompose.h"
#include "exporter/passes/lower/inline.h"
#include "exporter/passes/lower/lower_tuples.h"
#include "exporter/passes/lower/opaque_layouts.h"
#include "exporter/passes/lower/sort_objects.h"
#include "exporter/passes/lower/unroll.h"
#include "exporter/passes/optimize/build_lists.h"
#include "exporter/passes/optimize/channel_shuffle.h"
#include "exporter/passes/optimize/conv_batch_norm.h"
#include "exporter/passes/optimize/cse.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/densify.h"
#include "exporter/passes/optimize/fold.h"
#include "exporter/passes/optimize/freeze.h"
#include "exporter/passes/optimize/functionalize.h"
#include "exporter/passes/optimize/fuse_activations.h"
#include "exporter/passes/optimize/fuse_pointwise.h"
#include "exporter/passes/optimize/hoist_rank.h"
#include "exporter/passes/optimize/layout_channels_last.h"
#include "exporter/passes/optimize/pack_weights.h"
#include "exporter/passes/optimize/peephole.h"
#include "exporter/passes/optimize/prune_attributes.h"
#include "exporter/passes/optimize/set_items.h"

typedef struct {
    program *program;
    function *const *entries;
    function **functions; /* reachable now */
    pipeline_options options;
} state;

static void update_reachable(state *s) {
    s->functions = reachable_functions(s->program, s->entries);
}

static void each_graph(const state *s, void (*pass)(ir_graph *g)) {
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        pass(function_graph(s->functions[i]));
}

static bool is_entry(const state *s, const function *f) {
    for (size_t i = 0; i < arrlenu(s->entries); i++)
        if (s->entries[i] == f)
            return true;
    return false;
}

static void run_sort_objects(state *s) {
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        sort_objects(s->program, function_graph(s->functions[i]));
    update_reachable(s);
}

/* Library functions that become reachable may call such operators themselves. */
static void run_decompose(state *s) {
    refuse_layout_questions(s->functions);
    for (size_t done = 0; done < arrlenu(s->functions);) {
        bool changed = false;
        for (; done < arrlenu(s->functions); done++)
            changed |= decompose_operators(s->program, function_graph(s->functions[done]));
        if (!changed)
            break;
        size_t before = arrlenu(s->functions);
        update_reachable(s);
        done = arrlenu(s->functions) > before ? 0 : arrlenu(s->functions);
    }
}

static void run_inline(state *s) {
    each_graph(s, inline_calls);
    update_reachable(s);
}

/* Formulas may call operators that have no kernels. */
static void run_autodiff(state *s) {
    bool asks = false;
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        asks |= asks_for_gradients(function_graph(s->functions[i]));
    if (!asks)
        return;
    run_inline(s);
    for (size_t i = 0; i < arrlenu(s->functions); i++) {
        ir_graph *g = function_graph(s->functions[i]);
        if (!asks_for_gradients(g))
            continue;
        fold_constants(g);
        lower_tuples(g);
        functionalize(g);
        differentiate(s->program, g);
    }
    update_reachable(s);
    run_decompose(s);
}

static void run_freeze(state *s) {
    ir_constant *module = program_module(s->program);
    for (size_t i = 0; module && i < arrlenu(s->functions); i++)
        if (is_entry(s, s->functions[i]) && s->functions[i]->owner == module->type->definition)
            bind_self(function_graph(s->functions[i]), module);
    mutation *m = mutation_analyse(s->program, s->functions, module);
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        freeze_attributes(function_graph(s->functions[i]), m);
}

static void run_densify(state *s) {
    each_graph(s, densify_constants);
}
static void run_fold(state *s) {
    each_graph(s, fold_constants);
}

static void run_dce(state *s) {
    each_graph(s, eliminate_dead_code);
    update_reachable(s);
}

static void run_functionalize(state *s) {
    each_graph(s, functionalize);
}
static void run_rank_questions(state *s) {
    each_graph(s, move_rank_questions);
}

static void each_graph_with_mutation(state *s, void (*pass)(ir_graph *g, mutation *m)) {
    mutation *m = mutation_analyse(s->program, s->functions, program_module(s->program));
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        pass(function_graph(s->functions[i]), m);
}

static void run_lower_tuples(state *s) {
    each_graph(s, lower_tuples);
}
static void run_peephole(state *s) {
    each_graph_with_mutation(s, simplify);
}
static void run_cse(state *s) {
    each_graph_with_mutation(s, eliminate_common_subexpressions);
}
static void run_set_items(state *s) {
    each_graph(s, set_items);
}
static void run_channel_shuffle(state *s) {
    each_graph_with_mutation(s, recognize_channel_shuffles);
}
static void run_conv_batch_norm(state *s) {
    each_graph_with_mutation(s, fold_batch_norm);
}
static void run_fuse(state *s) {
    each_graph_with_mutation(s, fuse_activations);
}
static void run_pointwise(state *s) {
    each_graph_with_mutation(s, fuse_pointwise);
}
static void run_layout(state *s) {
    each_graph_with_mutation(s, place_layout_conversions);
}

static void run_pack(state *s) {
    mutation *m = mutation_analyse(s->program, s->functions, program_module(s->program));
    packed_weights *shared = packed_weights_new();
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        pack_weights(function_graph(s->functions[i]), m, shared);
}

static void run_prune(state *s) {
    prune_attributes(program_module(s->program), s->functions);
}

/* What the answers decide is folded until there are no more. */
static void run_specialize(state *s) {
    example *e = s->options.example;
    if (!e)
        return;
    mutation_mark_constants(mutation_analyse(s->program, s->functions, program_module(s->program)));
    s->options.observe(e, s->program, s->entries, s->functions);
    static const unroll_limits short_loops = {16, 256, NULL};
    shape_facts facts = {0};
    guarded_entry guarded = guard_entry(e, &facts.given);
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        facts.shapes_change |= shapes_change_in(function_graph(s->functions[i])->block);
    for (bool changed = true; changed;) {
        facts.mutation = mutation_analyse(s->program, s->functions, program_module(s->program));
        facts.seen = e->seen;
        changed = fold_shapes(guarded.inside, &facts);
        fold_constants(function_graph(e->entry));
        changed |= unroll_loops(guarded.inside, &short_loops, &e->seen);
        changed |= build_lists(guarded.inside);
        simplify(function_graph(e->entry), facts.mutation);
    }
    eliminate_dead_code(function_graph(e->entry));
    e->is_settled = shapes_are_settled(guarded.inside, &facts);
    guard_finish(guarded);
    update_reachable(s);
}

static const struct {
    const char *name;
    int level;
    void (*run)(state *s);
} passes[] = {
    {"sort_objects", 0, run_sort_objects},
    {"decompose", 0, run_decompose},
    {"autodiff", 0, run_autodiff},
    {"inline", 1, run_inline},
    {"freeze", 1, run_freeze},
    {"densify", 1, run_densify},
    {"fold", 1, run_fold},
    {"lower_tuples", 1, run_lower_tuples},
    {"functionalize", 2, run_functionalize},
    {"rank_questions", 2, run_rank_questions},
    {"cse", 1, run_cse},
    {"peephole", 1, run_peephole},
    {"fold_again", 1, run_fold},
    {"set_items", 1, run_set_items},
    {"channel_shuffle", 2, run_channel_shuffle},
    {"conv_batch_norm", 2, run_conv_batch_norm},
    {"pack", 2, run_pack},
    {"fuse", 2, run_fuse},
    {"layout", 2, run_layout},
    {"dce", 1, run_dce},
    {"pointwise", 2, run_pointwise},
    {"prune", 1, run_prune},
    {"specialize", 0, run_specialize},
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

const char *const *pipeline_names(void) {
    const char **names = NULL;
    for (int i = 0; i < PASS_COUNT; i++)
        arrput(names, passes[i].name);
    arrput(names, NULL);
    return names;
}

/* In debug builds every pass must leave graphs as they may be. */
static void check_graphs(const state *s, const char *pass) {
#if !defined(NDEBUG)
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        ir_lint(function_graph(s->functions[i]), pass);
#else
    (void)s;
    (void)pass;
#endif
}

function **pipeline_run(program *p, function *const *entries, pipeline_options o) {
    state s = {p, entries, NULL, o};
    update_reachable(&s);
    check_graphs(&s, "the front end");
    for (int i = 0; i < PASS_COUNT; i++) {
        if (passes[i].level > o.level)
            continue;
        passes[i].run(&s);
        check_graphs(&s, passes[i].name);
        if (o.stop_after && !strcmp(o.stop_after, passes[i].name))
            break;
    }
    mutation_mark_constants(mutation_analyse(p, s.functions, program_module(p)));
    return s.functions;
}
