/* The table of passes in order, and how each is run over the functions of a program. */
#include "exporter/passes/pipeline.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/limits.h"
#include "exporter/base/terminal.h"
#include "exporter/passes/analysis/call_graph.h"
#include "exporter/passes/analysis/mutation.h"
#include "exporter/passes/analysis/read_constants.h"
#include "exporter/passes/lower/answer_grad_mode.h"
#include "exporter/passes/lower/answer_requires_grad.h"
#include "exporter/passes/lower/autodiff.h"
#include "exporter/passes/lower/check_opaque_layouts.h"
#include "exporter/passes/lower/checkpoint.h"
#include "exporter/passes/lower/decompose_operators.h"
#include "exporter/passes/lower/drop_gradient_modes.h"
#include "exporter/passes/lower/functional_writes.h"
#include "exporter/passes/lower/gradient_marks.h"
#include "exporter/passes/lower/inline_calls.h"
#include "exporter/passes/lower/lower_chars.h"
#include "exporter/passes/lower/lower_generators.h"
#include "exporter/passes/lower/lower_items.h"
#include "exporter/passes/lower/lower_object_sorts.h"
#include "exporter/passes/lower/lower_objects.h"
#include "exporter/passes/lower/lower_ranges.h"
#include "exporter/passes/lower/lower_remote_calls.h"
#include "exporter/passes/lower/lower_scalars.h"
#include "exporter/passes/lower/lower_tuples.h"
#include "exporter/passes/lower/promote_attributes.h"
#include "exporter/passes/lower/spell_out.h"
#include "exporter/passes/lower/tensor_table.h"
#include "exporter/passes/lower/unite_attributes.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/answer_nested.h"
#include "exporter/passes/optimize/answer_questions.h"
#include "exporter/passes/optimize/compose_layers.h"
#include "exporter/passes/optimize/cse.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/densify_constants.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/passes/optimize/fold_conv_batch_norm.h"
#include "exporter/passes/optimize/fold_tensors.h"
#include "exporter/passes/optimize/form_messages.h"
#include "exporter/passes/optimize/freeze_attributes.h"
#include "exporter/passes/optimize/functionalize.h"
#include "exporter/passes/optimize/fuse_activations.h"
#include "exporter/passes/optimize/fuse_attention.h"
#include "exporter/passes/optimize/fuse_channel_shuffle.h"
#include "exporter/passes/optimize/fuse_get_item.h"
#include "exporter/passes/optimize/fuse_pointwise.h"
#include "exporter/passes/optimize/fuse_set_item.h"
#include "exporter/passes/optimize/hoist_invariants.h"
#include "exporter/passes/optimize/hoist_rank.h"
#include "exporter/passes/optimize/insert_layout_conversions.h"
#include "exporter/passes/optimize/narrow_weights.h"
#include "exporter/passes/optimize/pack_weights.h"
#include "exporter/passes/optimize/peephole.h"
#include "exporter/passes/optimize/prune_attributes.h"
#include "exporter/passes/optimize/quantize.h"
#include "exporter/passes/optimize/share_displays.h"
#include "exporter/passes/specialize/specialize.h"

typedef struct {
    program *program;
    function *const *entries;
    function **functions; /* reachable now */
    pipeline_options options;
    uint64_t changes; /* grows when a graph of a reachable function changes, or another function is reachable */
    struct {
        const ir_graph *key;
        uint64_t value;
    } * edits;          /* of graphs, when changes were counted last */
    mutation *analysis; /* NULL: none, or things changed that are no graphs */
    uint64_t analysed_changes, analysed_version;
    struct {
        const char *key;
        int value;
    } * runs; /* of passes, by name */
    bool is_stopped;
} state;

static void count_changes(state *s) {
    const uint64_t before = s->changes;
    for (size_t i = 0; i < arrlenu(s->functions); i++) {
        const ir_graph *g = function_graph(s->functions[i]);
        const ptrdiff_t at = hmgeti(s->edits, g);
        if (at >= 0 && s->edits[at].value == g->edits)
            continue;
        hmput(s->edits, g, g->edits);
        s->changes++;
    }
    if (s->changes != before)
        program_graphs_changed(s->program);
}

static void update_reachable(state *s) {
    s->functions = call_graph_reachable(s->program, s->entries);
    count_changes(s);
}

/* An analysis holds until a graph changes. */
static mutation *analyse(state *s) {
    count_changes(s);
    if (s->analysis && s->analysed_changes == s->changes && s->analysed_version == program_graphs_version(s->program))
        return s->analysis;
    s->analysis = mutation_analyse(s->program, s->entries, s->functions, program_module(s->program));
    s->analysed_changes = s->changes;
    s->analysed_version = program_graphs_version(s->program);
    return s->analysis;
}

/* The module, where f is called from outside as its method; else NULL. */
static ir_constant *self_of(const state *s, const function *f) {
    ir_constant *module = program_module(s->program);
    for (size_t i = 0; module && i < arrlenu(s->entries); i++)
        if (s->entries[i] == f && f->owner == module->type->definition)
            return module;
    return NULL;
}

/* ---- Passes that need more than a graph ---- */

static void run_lower_object_sorts(state *s) {
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        lower_object_sorts(s->program, function_graph(s->functions[i]));
}

static void run_lower_remote_calls(state *s) {
    const bool waits = remote_futures_are_made(s->functions);
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        lower_remote_calls(function_graph(s->functions[i]), waits);
}

/* Helpers ask of what their callers have computed. */
static void run_answer_requires_grad(state *s) {
    bool is_asked = false, is_used = false;
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        is_asked |= requires_grad_is_asked(s->functions[i]);
    for (size_t i = 0; is_asked && i < arrlenu(s->functions); i++)
        inline_calls(function_graph(s->functions[i]));
    for (size_t i = 0; is_asked && i < arrlenu(s->entries); i++)
        is_used |= requires_grad_is_used(function_graph(s->entries[i]));
    for (size_t i = 0; is_asked && i < arrlenu(s->entries); i++)
        answer_requires_grad(s->program, function_graph(s->entries[i]), is_used);
    if (is_asked)
        update_reachable(s);
}

static void run_answer_grad_mode(state *s) {
    answer_grad_mode(s->functions);
}

static void run_check_opaque_layouts(state *s) {
    check_opaque_layouts(s->functions);
}

static bool is_autodiff_requested(const state *s) {
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        if (autodiff_is_requested(function_graph(s->functions[i])))
            return true;
    return false;
}

/* Library functions that become reachable may call such operators themselves. */
static void run_decompose_operators(state *s) {
    const bool keeps_derivatives = is_autodiff_requested(s);
    for (size_t done = 0; done < arrlenu(s->functions);) {
        bool changed = false;
        mutation *m = analyse(s);
        for (; done < arrlenu(s->functions); done++)
            changed |= decompose_operators(s->program, s->functions[done], m, keeps_derivatives);
        program_graphs_changed(s->program);
        if (!changed)
            break;
        size_t before = arrlenu(s->functions);
        update_reachable(s);
        done = arrlenu(s->functions) > before ? 0 : arrlenu(s->functions);
    }
}

/* What operators are made of may be made of others too. */
static void spell_all_out(program *p, ir_graph *g) {
    do
        inline_calls(g);
    while (spell_out(p, g));
}

/* What passes that follow values need of a graph: one value for an attribute, settings of layers decided, few loops,
 * objects (an optimizer with its state) and lists taken apart. A list that is known makes the length of a loop known,
 * and so on. */
static void prepare_gradients(state *s, function *f) {
    ir_graph *g = function_graph(f);
    spell_all_out(s->program, g);
    do {
        unite_attributes(g, self_of(s, f), s->functions);
        fold_constants(g, NULL);
        promote_attributes(g);
        lower_objects(g);
        lower_tuples(g);
        peephole(g, NULL);
        fold_constants(g, NULL);
    } while (autodiff_straighten(g));
    functional_writes(s->program, g);
    inline_calls(g);
    tensor_table(s->program, g);
    spell_all_out(s->program, g);
    fold_constants(g, NULL);
    peephole(g, NULL);
    unite_attributes(g, self_of(s, f), s->functions);
}

static void drop_marks(const state *s) {
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        gradient_marks_drop(function_graph(s->functions[i]));
}

/* Without gradients nothing is computed again. */
static void mark_checkpoints(const state *s, bool is_requested) {
    for (size_t k = 0; k < arrlenu(s->options.checkpoints); k++) {
        uint32_t calls = 0;
        for (size_t i = 0; i < arrlenu(s->functions); i++)
            calls += checkpoint_mark_calls(function_graph(s->functions[i]), s->options.checkpoints[k]);
        if (!is_requested || !calls)
            diag_fail("--checkpoint %s: %s", s->options.checkpoints[k],
                      calls ? "no method asks for gradients" : "nothing of this name is called");
    }
    if (!is_requested)
        drop_marks(s);
}

static bool uses_gradients(function *f) {
    const ir_graph *g = function_graph(f);
    return autodiff_is_requested(g) || gradients_are_read(g);
}

/* Formulas may call operators that have no kernels. */
static void run_autodiff(state *s) {
    const bool is_requested = is_autodiff_requested(s);
    mark_checkpoints(s, is_requested);
    if (!is_requested)
        return;
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        inline_calls(function_graph(s->functions[i]));
    update_reachable(s);
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        if (uses_gradients(s->functions[i]))
            prepare_gradients(s, s->functions[i]);
    kept_gradient *kept = NULL;
    for (size_t i = 0; i < arrlenu(s->functions); i++) {
        ir_constant *self = self_of(s, s->functions[i]);
        ir_graph *g = function_graph(s->functions[i]);
        if (self && uses_gradients(s->functions[i]))
            keep_gradients(s->program, g, autodiff_is_requested(g), self, s->functions, &kept);
    }
    for (size_t i = 0; i < arrlenu(s->functions); i++) {
        ir_graph *g = function_graph(s->functions[i]);
        ir_constant *self = self_of(s, s->functions[i]);
        if (!autodiff_is_requested(g))
            continue;
        if (autodiff_keeps_graph(g)) /* no read of a leaf goes away between two requests */
            unite_attributes(g, self, s->functions);
        autodiff(s->program, g, kept_leaves(g, self, s->functions, kept), self, s->functions);
    }
    drop_marks(s);
    drop_gradient_modes(s->functions);
    update_reachable(s);
    run_decompose_operators(s);
}

static void run_freeze_attributes(state *s) {
    for (size_t i = 0; i < arrlenu(s->functions); i++) {
        ir_constant *self = self_of(s, s->functions[i]);
        if (self)
            bind_self(function_graph(s->functions[i]), self);
    }
    mutation *m = analyse(s);
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        freeze_attributes(function_graph(s->functions[i]), m);
}

static void run_answer_nested(state *s) {
    answer_nested(s->functions);
}

/* Lists of dimensions that operators on weights take are made constant first. */
static void run_fold_tensors(state *s) {
    bool changed = false;
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        changed |= unroll_list_loops(function_graph(s->functions[i]));
    if (changed)
        program_graphs_changed(s->program);
    mutation *m = analyse(s);
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        fold_tensors(function_graph(s->functions[i]), m);
}

static void run_prune_attributes(state *s) {
    prune_attributes(program_module(s->program), s->functions);
}

static weight_scope scope_of(state *s) {
    return (weight_scope){s->entries, s->functions, program_module(s->program), analyse(s),
                          s->options.weights != WEIGHTS_AS_THEY_ARE};
}

static void run_quantize(state *s) {
    if (s->options.quantization)
        quantize(s->program, s->entries, s->functions, s->options.quantization);
}

/* What is dead, and what nobody reads of the module, does not keep weights plain. */
static void run_pack_weights(state *s) {
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        dce(function_graph(s->functions[i]));
    run_prune_attributes(s);
    program_graphs_changed(s->program);
    const weight_scope scope = scope_of(s);
    pack_weights(&scope);
}

static void run_form_messages(state *s) {
    for (size_t i = 0; i < arrlenu(s->functions) && !s->options.keeps_formats; i++)
        form_messages(function_graph(s->functions[i]));
}

static void run_narrow_weights(state *s) {
    if (s->options.weights == WEIGHTS_AS_THEY_ARE)
        return;
    const weight_scope scope = scope_of(s);
    narrow_weights(&scope, s->options.weights);
}

static void run_specialize(state *s) {
    for (size_t i = 0; i < arrlenu(s->options.examples); i++)
        specialize(s->program, s->entries, s->functions, &s->options.examples[i], s->options.observe,
                   s->options.level > 1);
}

/* ---- Entries ---- */

static bool is_called_by_others(program *p, function *const *all, const function *f) {
    function **others = NULL;
    for (size_t i = 0; i < arrlenu(all); i++)
        if (all[i] != f)
            arrput(others, all[i]);
    function **reachable = call_graph_reachable(p, others);
    for (size_t i = 0; i < arrlenu(reachable); i++)
        if (reachable[i] == f)
            return true;
    return false;
}

function **pipeline_entries(program *p, function *const *all) {
    function **kept = NULL;
    for (size_t i = 0; i < arrlenu(all); i++) {
        const bool is_helper = autodiff_needs_caller(function_graph(all[i])) && is_called_by_others(p, all, all[i]);
        if (is_helper)
            diag_warn("method '%s' is left out: it asks for gradients of what its caller has computed",
                      all[i]->base_name);
        else
            arrput(kept, all[i]);
    }
    return kept;
}

/* ---- The table ---- */

/* One of the three functions is set, or it is a group of passes that are repeated. */
typedef struct pass {
    const char *name;
    int level;
    void (*on_graph)(ir_graph *g);
    void (*with_mutation)(ir_graph *g, mutation *m);
    void (*on_program)(state *s);
    const struct pass *group;
    int count; /* of the group's passes */
} pass;

#define ON_GRAPH(LEVEL, NAME)                                                                                          \
    { #NAME, LEVEL, .on_graph = NAME }
#define WITH_MUTATION(LEVEL, NAME)                                                                                     \
    { #NAME, LEVEL, .with_mutation = NAME }
#define ON_PROGRAM(LEVEL, NAME)                                                                                        \
    { #NAME, LEVEL, .on_program = run_##NAME }
#define REPEATED(LEVEL, NAME)                                                                                          \
    { #NAME, LEVEL, .group = NAME, .count = sizeof NAME / sizeof *NAME }

/* What one of them decides gives others more to do. */
static const pass simplify[] = {
    ON_PROGRAM(1, freeze_attributes),   ON_GRAPH(1, densify_constants),
    WITH_MUTATION(1, fold_constants),   ON_GRAPH(2, promote_attributes),
    ON_GRAPH(2, lower_objects),         ON_GRAPH(1, lower_tuples),
    ON_GRAPH(2, functionalize),         WITH_MUTATION(2, compose_layers),
    WITH_MUTATION(2, hoist_rank),       WITH_MUTATION(1, cse),
    WITH_MUTATION(1, peephole),         WITH_MUTATION(2, answer_questions),
    ON_PROGRAM(2, answer_nested),       ON_PROGRAM(2, fold_tensors),
    WITH_MUTATION(2, hoist_invariants), ON_GRAPH(1, dce),
};

/* The same for code in which weights are packed and layers are fused. */
static const pass clean_up[] = {
    WITH_MUTATION(1, fold_constants),   ON_GRAPH(1, lower_tuples),
    WITH_MUTATION(2, hoist_rank),       WITH_MUTATION(1, cse),
    WITH_MUTATION(1, peephole),         WITH_MUTATION(2, answer_questions),
    WITH_MUTATION(2, hoist_invariants), ON_GRAPH(1, dce),
};

/* In order. The name of a pass is that of its function and of the file that has it. */
static const pass passes[] = {
    ON_PROGRAM(0, lower_object_sorts),
    ON_PROGRAM(0, lower_remote_calls),
    ON_GRAPH(0, lower_generators),
    ON_PROGRAM(0, answer_requires_grad),
    ON_PROGRAM(0, check_opaque_layouts),
    ON_PROGRAM(0, answer_grad_mode),
    ON_PROGRAM(0, decompose_operators),
    ON_PROGRAM(0, autodiff),
    ON_GRAPH(1, inline_calls),
    REPEATED(1, simplify),
    ON_GRAPH(1, fuse_set_item),
    ON_GRAPH(1, fuse_get_item),
    WITH_MUTATION(2, fuse_attention),
    WITH_MUTATION(2, fuse_channel_shuffle),
    WITH_MUTATION(2, fold_conv_batch_norm),
    ON_PROGRAM(2, quantize),
    ON_PROGRAM(2, pack_weights),
    WITH_MUTATION(2, fuse_activations),
    WITH_MUTATION(2, insert_layout_conversions),
    REPEATED(1, clean_up),
    ON_PROGRAM(1, prune_attributes),
    ON_PROGRAM(2, narrow_weights),
    ON_PROGRAM(1, form_messages),
    ON_PROGRAM(0, specialize),
    WITH_MUTATION(2, fuse_pointwise),
    REPEATED(1, clean_up),
    ON_GRAPH(1, lower_chars),
    ON_GRAPH(1, lower_ranges),
    ON_GRAPH(1, lower_scalars),
    ON_GRAPH(2, share_displays),
    ON_GRAPH(1, lower_items),
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

/* ---- Names ---- */

/* Calls f for the passes in order, those of groups once. */
static void each_pass(void (*f)(const pass *p, void *context), void *context) {
    for (int i = 0; i < PASS_COUNT; i++) {
        const pass *of_row = passes[i].group ? passes[i].group : &passes[i];
        for (int k = 0; k < (passes[i].group ? passes[i].count : 1); k++)
            f(&of_row[k], context);
    }
}

static void add_name(const pass *p, void *names) {
    const char ***list = names;
    for (size_t i = 0; i < arrlenu(*list); i++)
        if (!strcmp((*list)[i], p->name))
            return;
    arrput(*list, p->name);
}

const char *const *pipeline_names(void) {
    const char **names = NULL;
    each_pass(add_name, &names);
    arrput(names, NULL);
    return names;
}

bool pipeline_has(const char *name) {
    const size_t length = strcspn(name, ".");
    bool is_known = false;
    for (const char *const *known = pipeline_names(); *known; known++)
        is_known |= strlen(*known) == length && !strncmp(*known, name, length);
    const char *number = name[length] ? name + length + 1 : NULL;
    return is_known && (!number || (strspn(number, "0123456789") == strlen(number) && number[0] >= '1' &&
                                    strcmp(number, "1") != 0));
}

/* The name of the pass's next run: with its number, from the second on. */
static const char *name_of_run(state *s, const pass *p) {
    const ptrdiff_t at = hmgeti(s->runs, p->name);
    const int run = at < 0 ? 1 : s->runs[at].value + 1;
    hmput(s->runs, p->name, run);
    return run > 1 ? mem_printf("%s.%d", p->name, run) : p->name;
}

/* ---- Running ---- */

/* Checks in debug builds that a pass left valid graphs. */
static void check_graphs(const state *s, const char *after) {
#if !defined(NDEBUG)
    for (size_t i = 0; i < arrlenu(s->functions); i++)
        ir_lint(function_graph(s->functions[i]), after);
#else
    (void)s;
    (void)after;
#endif
}

static void run_pass(state *s, const pass *p) {
    const uint64_t before = s->changes;
    mutation *m = p->with_mutation ? analyse(s) : NULL;
    if (p->on_program) {
        p->on_program(s);
        s->analysis = NULL;
    }
    for (size_t i = 0; !p->on_program && i < arrlenu(s->functions); i++) {
        ir_graph *g = function_graph(s->functions[i]);
        if (p->on_graph)
            p->on_graph(g);
        else
            p->with_mutation(g, m);
    }
    update_reachable(s);
    if (s->changes != before)
        check_graphs(s, p->name);
}

/* Whether graphs can be lowered only after this pass: all passes of level 0 but specialize, which runs for an example
 * only. */
static bool is_needed(const pass *p) {
    return p->level == 0 && p->on_program != run_specialize;
}

static bool can_be_lowered(int rows_done) {
    for (int i = rows_done; i < PASS_COUNT; i++)
        if (is_needed(&passes[i]))
            return false;
    return true;
}

static void tell(state *s, int row, const char *pass) {
    if (!s->options.after_pass || !can_be_lowered(row + 1))
        return;
    mutation_mark_constants(analyse(s));
    s->options.after_pass(s->options.context, pass, s->functions);
}

/* Tells of the first run of a pass, and of a later one when it changed something. */
static void run_and_tell(state *s, int row, const pass *p) {
    const char *name = name_of_run(s, p);
    const pipeline_addition *added = s->options.addition;
    const uint64_t before = s->changes;
    terminal_progress(name, row + 1, PASS_COUNT);
    run_pass(s, p);
    if (name == p->name || s->changes != before)
        tell(s, row, name);
    if (added && !strcmp(added->after, name)) {
        run_pass(s, &(pass){added->name, 0, .on_graph = added->on_graph});
        tell(s, row, added->name);
    }
    s->is_stopped |= s->options.stop_after && !strcmp(s->options.stop_after, name);
}

/* In rounds, until in one of them no pass changes anything. Passes that would find everything as they found it before
 * do not run again. */
static void run_group(state *s, int row, const pass *group, int count) {
    uint64_t *found = MEM_ARRAY(uint64_t, (size_t)count); /* changes before the last run of each */
    bool runs = true;
    for (int round = 0; runs && round < LIMIT_PASS_ROUNDS; round++) {
        runs = false;
        for (int i = 0; i < count && !s->is_stopped; i++) {
            if (group[i].level > s->options.level || (round && found[i] == s->changes))
                continue;
            found[i] = s->changes;
            run_and_tell(s, row, &group[i]);
            runs |= s->changes != found[i];
        }
    }
}

static void run_row(state *s, int row) {
    if (passes[row].group)
        run_group(s, row, passes[row].group, passes[row].count);
    else
        run_and_tell(s, row, &passes[row]);
}

function **pipeline_run(program *p, function *const *entries, pipeline_options o) {
    state s = {.program = p, .entries = entries, .options = o};
    update_reachable(&s);
    check_graphs(&s, "the front end");
    if (o.quantization && is_autodiff_requested(&s))
        diag_fail("--quantize is for inference: the program asks for gradients");
    for (int i = 0; i < PASS_COUNT; i++)
        if (s.is_stopped ? o.is_lowered && is_needed(&passes[i]) : passes[i].level <= o.level)
            run_row(&s, i);
    if (o.stop_after && !s.is_stopped)
        diag_fail("the pass %s does not run at -O%d", o.stop_after, o.level);
    mutation_mark_constants(analyse(&s));
    read_constants_mark(s.functions);
    return s.functions;
}

typedef struct {
    const char *name;
    const pass *found;
} pass_search;

static void find_pass(const pass *p, void *search) {
    pass_search *s = search;
    if (!strcmp(p->name, s->name))
        s->found = p;
}

function **pipeline_run_pass(const char *name, program *p, function *const *entries, pipeline_options o) {
    state s = {.program = p, .entries = entries, .options = o};
    pass_search search = {name, NULL};
    update_reachable(&s);
    each_pass(find_pass, &search);
    for (int i = 0; i < PASS_COUNT && !search.found; i++)
        if (passes[i].group && !strcmp(passes[i].name, name)) {
            run_row(&s, i);
            return s.functions;
        }
    if (!search.found)
        diag_fail("no pass is called %s", name);
    run_pass(&s, search.found);
    return s.functions;
}
