/* Code generation for a whole program: methods, functions, the size of the stack. */
#include "exporter/codegen/codegen.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/code_positions.h"
#include "exporter/codegen/lower_function.h"
#include "exporter/codegen/merge_storages.h"
#include "exporter/codegen/select.h"
#include "runtime/interpreter/opcodes.h"

/* The first version of libtsmobile that reads coded positions; older ones would run such a file without tracebacks. */
#define CODED_POSITIONS_SINCE SINCE(0, 3)

/* What libtsmobile accepts (runtime/interpreter/program.c). */
enum { MOST_STACK_SLOTS = 1 << 24, MOST_STACK_FRAMES = 1 << 16 };

/* ---- Missing operators ---- */

typedef struct {
    char *key; /* full name */
    struct missing {
        uint32_t count;
        source_range range; /* the first use */
    } value;
} * missing_map;

/* Whether lowering makes an operator call of this node that libtsmobile must have a kernel for. */
static bool is_missing(const ir_node *n, uint32_t target) {
    selection s;
    if (!n->schema || schema_is_implemented(n->schema))
        return false;
    switch (n->kind) {
    case IR_IS:
    case IR_IS_NOT:
    case IR_UNWRAP_OPTIONAL:
    case IR_WARN:
    case IR_WAIT:
    case IR_UNCHECKED_CAST:
    case IR_PRINT:
    case IR_RAISE_EXCEPTION:
        return false;
    default:
        return !select_instruction(n, target, &s);
    }
}

static void collect_missing(const ir_block *b, uint32_t target, missing_map *missing) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_missing(n->blocks[i], target, missing);
        if (!is_missing(n, target))
            continue;
        struct missing m = shget(*missing, n->schema->full_name);
        if (!m.count++)
            m.range = ir_authors_range(n);
        shput(*missing, (char *)n->schema->full_name, m);
    }
}

static void refuse_missing(function *const *functions, uint32_t target) {
    missing_map missing = NULL;
    for (size_t i = 0; i < arrlenu(functions); i++)
        collect_missing(function_graph(functions[i])->block, target, &missing);
    if (!shlenu(missing))
        return;
    strbuf b = {0};
    strbuf_printf(&b, "the program uses %zu operator%s that tsmobile does not support:\n", shlenu(missing),
                  shlenu(missing) == 1 ? "" : "s");
    for (size_t i = 0; i < shlenu(missing); i++) {
        const char *reason = schema_refusal(missing[i].key);
        strbuf_printf(&b, "%s (%u time%s)%s%s:\n", missing[i].key, missing[i].value.count,
                      missing[i].value.count == 1 ? "" : "s", reason ? ": " : "", reason ? reason : "");
        source_highlight(missing[i].value.range, &b);
    }
    diag_fail("%s", b.text);
}

/* ---- Methods ---- */

static void add_method(image_builder *u, program *p, function *f, const char *name) {
    image *m = builder_image(u);
    const op_schema *s = f->schema;
    image_method method = {.plan = IMAGE_NO_INDEX};
    method.name = name;
    method.function = builder_function(u, f);
    method.self = f->owner ? builder_constant(u, program_module(p)) : IMAGE_NO_INDEX;
    uint32_t first = f->owner ? 1 : 0; /* without self */
    for (uint32_t i = first; i < s->argument_count; i++) {
        const schema_argument *a = &s->arguments[i];
        image_argument argument = {a->name, builder_type(u, a->type), IMAGE_NO_INDEX, a->keyword_only};
        if (a->default_value)
            argument.default_value = builder_constant(u, a->default_value);
        arrput(method.arguments, argument);
    }
    method.result = builder_type(u, s->returns[0].type);
    method.is_async = f->is_async;
    op_schema shown = *s;
    shown.full_name = shown.name = f->base_name; /* as PyTorch shows it */
    shown.text = NULL;
    shown.arguments += first;
    shown.argument_count -= first;
    method.schema = schema_text(&shown);
    arrput(m->methods, method);
}

/* ---- Stack ---- */

typedef struct {
    const image *image;
    uint32_t *registers, *frames; /* needed from this function on, 0: not known yet */
    uint32_t largest;             /* most registers of one function */
} stack_depth;

/* Slots of the stack: a value register takes one, two scalar registers share one. */
static uint32_t own_registers(const image_function *f) {
    uint32_t scalars = (uint32_t)f->int_registers + f->float_registers + f->bool_registers;
    return f->value_registers + (scalars + 1) / 2;
}

static void measure(stack_depth *d, uint32_t index) {
    stack_check();
    if (d->frames[index])
        return;
    const image_function *f = &d->image->functions[index];
    d->frames[index] = 1; /* only interface calls can be recursive; interface_depth accounts for them */
    uint32_t registers = 0, frames = 0;
    for (size_t i = 0; i < arrlenu(f->code) + arrlenu(f->withs); i++) {
        uint32_t callee;
        if (i >= arrlenu(f->code))
            callee = f->withs[i - arrlenu(f->code)].exit_function;
        else if (f->code[i].op == OPCODE_CALL || f->code[i].op == OPCODE_FORK)
            callee = f->code[i].a;
        else
            continue;
        measure(d, callee);
        registers = d->registers[callee] > registers ? d->registers[callee] : registers;
        frames = d->frames[callee] > frames ? d->frames[callee] : frames;
    }
    d->registers[index] = own_registers(f) + registers;
    d->frames[index] = frames + 1;
}

/* The worst case: the call from outside and each nested interface call begin the longest chain of direct calls. */
static void measure_stack(image *m, uint32_t interface_depth) {
    size_t n = arrlenu(m->functions);
    stack_depth d = {m, MEM_ARRAY(uint32_t, n + 1), MEM_ARRAY(uint32_t, n + 1), 0};
    for (uint32_t i = 0; i < n; i++) {
        measure(&d, i);
        m->stack_registers = d.registers[i] > m->stack_registers ? d.registers[i] : m->stack_registers;
        m->stack_frames = d.frames[i] > m->stack_frames ? d.frames[i] : m->stack_frames;
    }
    if (!arrlenu(m->method_names))
        return;
    uint64_t registers = (uint64_t)m->stack_registers * (interface_depth + 1),
             frames = (uint64_t)m->stack_frames * (interface_depth + 1);
    if (registers > MOST_STACK_SLOTS || frames > MOST_STACK_FRAMES)
        diag_fail("%u calls through interfaces, one inside the other, need more registers than a file may have",
                  interface_depth);
    m->stack_registers = (uint32_t)registers;
    m->stack_frames = (uint32_t)frames;
}

/* Methods whose code begins with guards have the first one's plan. */
static void find_plans(image *m) {
    for (size_t i = 0; i < arrlenu(m->methods); i++) {
        const uint32_t *plans = image_plans_of(m, &m->methods[i]);
        if (arrlenu(plans))
            m->methods[i].plan = plans[0];
    }
}

static void check_target(const image *m, uint32_t target) {
    for (size_t i = 0; target && i < arrlenu(m->operators); i++)
        if (image_operator_version(m->operators[i]) > target)
            diag_fail("libtsmobile %s does not take what %s is given; %s does", image_version_text(target),
                      m->operators[i], image_version_text(image_operator_version(m->operators[i])));
    uint32_t version = image_version(m);
    if (target && version > target)
        diag_internal("the code for libtsmobile %s has instructions of %s", image_version_text(target),
                      image_version_text(version));
}

static void lower_all(image_builder *u) {
    uint32_t index;
    for (function *f; (f = builder_next_function(u, &index));)
        lower_function(u, f, index);
}

image *codegen_run(program *p, function *const *entries, function *const *functions, codegen_options o) {
    refuse_missing(functions, o.target);
    image_builder *u = builder_new(p, o);
    for (size_t i = 0; i < arrlenu(entries); i++)
        if (entries[i]->is_entry || !entries[i]->is_remote)
            add_method(u, p, entries[i], entries[i]->base_name);
    for (size_t i = 0; i < arrlenu(entries); i++)
        if (entries[i]->is_remote)
            add_method(u, p, entries[i], entries[i]->name);
    if (o.arguments) {
        image_bundled_case c = {0, builder_constant(u, o.arguments), IMAGE_NO_INDEX};
        for (uint32_t i = 0; i < arrlenu(entries); i++)
            c.method = strcmp(entries[i]->base_name, "forward") ? c.method : i;
        if (o.expected)
            c.expected = builder_constant(u, o.expected);
        arrput(builder_image(u)->bundle, c);
    }
    lower_all(u);
    builder_finish_classes(u);
    lower_all(u);
    builder_finish_classes(u);
    builder_finish_debug(u);
    if (!o.target || o.target >= CODED_POSITIONS_SINCE)
        code_positions(builder_image(u));
    find_plans(builder_image(u));
    check_target(builder_image(u), o.target);
    image_state_version(builder_image(u));
    measure_stack(builder_image(u), o.interface_depth ? o.interface_depth : CODEGEN_INTERFACE_DEPTH);
    merge_storages(builder_image(u));
    image_lay_out(builder_image(u));
    return builder_image(u);
}
