/* Calls of operators: what a kernel may rely on is established here, for every call, whatever the file says. */
#include "runtime/core/chars.h"
#include "runtime/core/machine.h"

const tsm_operator *tsm_operator_find(const char *name) {
    size_t low = 0, high = tsm_operator_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = tsm_chars_compare(name, tsm_operator_table[middle].name);
        if (order == 0)
            return &tsm_operator_table[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- Checks ---- */

#define BIT(TAG) (UINT32_C(1) << TSM_TAG_##TAG)
_Static_assert(TSM_TAG_COUNT <= 32, "tags are bits of a word");

/* Letters of tsm_operator.signature, upper case: the tags that each takes. */
static const uint32_t taken_tags['Z' - 'A' + 1] = {
    ['A' - 'A'] = UINT32_MAX,
    ['N' - 'A'] = BIT(INT) | BIT(FLOAT) | BIT(BOOL) | BIT(COMPLEX),
    ['F' - 'A'] = BIT(FLOAT) | BIT(INT),
    ['T' - 'A'] = BIT(TENSOR),
    ['I' - 'A'] = BIT(INT),
    ['B' - 'A'] = BIT(BOOL),
    ['S' - 'A'] = BIT(STR),
    ['C' - 'A'] = BIT(COMPLEX),
    ['V' - 'A'] = BIT(DEVICE),
    ['G' - 'A'] = BIT(GENERATOR),
    ['D' - 'A'] = BIT(DICT),
    ['U' - 'A'] = BIT(TUPLE),
    ['O' - 'A'] = BIT(OBJECT),
    ['E' - 'A'] = BIT(ENUM),
    ['L' - 'A'] = BIT(LIST),
    ['J' - 'A'] = BIT(LIST),
    ['R' - 'A'] = BIT(LIST),
    ['Y' - 'A'] = BIT(LIST),
    ['W' - 'A'] = BIT(LIST),
    ['M' - 'A'] = BIT(LIST),
    ['Q' - 'A'] = BIT(LIST),
    ['H' - 'A'] = BIT(LIST),
    ['Z' - 'A'] = BIT(LIST),
};

/* Of lists, the tags of items. */
static uint32_t taken_items(char letter) {
    switch (letter) {
    case 'J':
        return BIT(INT);
    case 'R':
        return BIT(FLOAT);
    case 'Y':
        return BIT(BOOL);
    case 'W':
        return BIT(STR);
    case 'M':
        return BIT(TENSOR);
    case 'Q':
        return BIT(TENSOR) | BIT(NONE);
    case 'H':
        return BIT(INT) | BIT(FLOAT) | BIT(BOOL) | BIT(COMPLEX);
    case 'Z':
        return BIT(COMPLEX);
    default:
        return UINT32_MAX;
    }
}

static bool fits_letter(tsm_value v, char letter) {
    if (letter >= 'a') {
        if (v.tag == TSM_TAG_NONE)
            return true;
        letter = (char)(letter - ('a' - 'A'));
    }
    if (!(taken_tags[letter - 'A'] >> v.tag & 1))
        return false;
    if (v.tag != TSM_TAG_LIST)
        return true;
    const tsm_list *l = tsm_as_list(v);
    uint32_t taken = taken_items(letter);
    for (uint32_t i = 0; i < l->length; i++)
        if (!(taken >> l->items[i].tag & 1))
            return false;
    return true;
}

static bool is_constant(tsm_value v) {
    return v.tag == TSM_TAG_TENSOR && tsm_as_tensor(v)->storage && tsm_as_tensor(v)->storage->flags & TSM_STORAGE_CONSTANT;
}

/* The file is never written: memory may map it without permission to. */
static tsm_status check_written(tsm_exec *x, tsm_value v) {
    bool constant = is_constant(v);
    if (v.tag == TSM_TAG_LIST)
        for (uint32_t i = 0; i < tsm_as_list(v)->length; i++)
            constant |= is_constant(tsm_as_list(v)->items[i]);
    return constant ? tsm_fail(x, TSM_BAD_FILE, "%s writes to a constant", x->op->name) : TSM_OK;
}

static tsm_status check_inputs(tsm_exec *x, const tsm_value *const *in, uint32_t n) {
    const char *letter = x->op->signature;
    for (uint32_t i = 0; i < n && letter[i]; i++) {
        if (!fits_letter(*in[i], letter[i]))
            return tsm_fail(x, TSM_BAD_FILE, "input %u of %s is of another type than the operator takes", i, x->op->name);
        if (x->op->written >> i & 1)
            TSM_TRY(check_written(x, *in[i]));
    }
    return TSM_OK;
}

/* ---- Results ---- */

static bool same_sizes(const tsm_tensor *a, const tsm_tensor *b) {
    for (int d = 0; d < a->dims && a->dims == b->dims; d++)
        if (a->sizes[d] != b->sizes[d])
            return false;
    return a->dims == b->dims;
}

/* Brings the result of an in-place or out= variant where it belongs; `out` becomes the destination. */
static tsm_status deliver(tsm_exec *x, tsm_tensor *dest, tsm_value *out) {
    tsm_tensor *made = tsm_as_tensor(*out);
    if (made == dest)
        return TSM_OK;
    tsm_status status = TSM_OK;
    if (!same_sizes(made, dest))
        status = x->op->kind == TSM_OP_OUT ? tsm_tensor_resize(x, dest, made->dims, made->sizes)
                                           : TSM_RAISE(x, "the result of %s has another shape than the tensor it is written to",
                                                       x->op->name);
    if (status == TSM_OK)
        status = tsm_tensor_copy(x, dest, made);
    tsm_drop(x, *out);
    *out = tsm_hold(tsm_of_tensor(dest));
    return status;
}

static tsm_status deliver_all(tsm_exec *x, const tsm_value *const *dests, tsm_value *out, uint32_t outputs) {
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < outputs && i < x->op->dests; i++) {
        tsm_status delivered = deliver(x, tsm_as_tensor(*dests[i]), &out[i]);
        status = status == TSM_OK ? delivered : status;
    }
    return status;
}

/* ---- The call ---- */

static tsm_status call_profiled(tsm_instance *inst, uint32_t index, const tsm_value *const *in, tsm_value *out) {
    tsm_exec *x = &inst->exec;
    tsm_profile_counts *counts = &inst->profile[index];
    bool has_clock = x->platform.nanoseconds != NULL;
    size_t used = x->heap.used + x->placed_bytes;
    uint64_t start = has_clock ? x->platform.nanoseconds(x->platform.context) : 0;
    tsm_status status = x->op->kernel(x, in, out);
    uint64_t end = has_clock ? x->platform.nanoseconds(x->platform.context) : 0;
    if (x->platform.trace)
        x->platform.trace(x->platform.context, x->op->name, start, end);
    counts->nanoseconds += end - start;
    counts->calls++;
    counts->bytes += x->heap.used + x->placed_bytes > used ? x->heap.used + x->placed_bytes - used : 0;
    return status;
}

tsm_status machine_run_operator(machine *m, uint32_t index, const uint32_t *list) {
    tsm_instance *inst = m->inst;
    tsm_exec *x = m->x;
    const tsm_operator *op = inst->operators[index];
    uint32_t inputs = list[0], outputs = list[1];
    const uint32_t *words = list + 2;
    tsm_value scalars[TSM_MAX_OPERATOR_INPUTS], out[TSM_MAX_OPERATOR_OUTPUTS];
    const tsm_value *in[TSM_MAX_OPERATOR_INPUTS];
    uint64_t dying = 0;
    for (uint32_t i = 0; i < inputs; i++) {
        uint32_t word = words[i], reg = word & TSM_WORD_INDEX;
        if (word & TSM_WORD_CONSTANT) {
            in[i] = &inst->constants[word & ~TSM_WORD_CONSTANT];
        } else if (reg < m->f->values) {
            in[i] = &m->r[reg];
            if (word & TSM_WORD_LAST_USE && tsm_is_object(*in[i]) && in[i]->as.o->references == 1)
                dying |= UINT64_C(1) << i;
        } else {
            scalars[i] = read_register(m, reg);
            in[i] = &scalars[i];
        }
    }
    x->op = op;
    x->inputs = inputs;
    x->outputs = outputs;
    TSM_TRY(check_inputs(x, in, inputs));
    const tsm_value *const *dests = op->kind == TSM_OP_OUT ? in + inputs - op->dests : in;
    x->dying = dying;
    x->dest = op->kind != TSM_OP_FUNCTIONAL && op->dests == 1 ? tsm_as_tensor(*dests[0]) : NULL;
    tsm_status status = inst->profile ? call_profiled(inst, index, in, out) : op->kernel(x, in, out);
    x->dest = NULL;
    x->dying = 0;
    if (status != TSM_OK)
        return status;
    if (op->kind != TSM_OP_FUNCTIONAL)
        status = deliver_all(x, dests, out, outputs);
    machine_drop_last_uses(m, words, inputs);
    for (uint32_t i = 0; i < outputs; i++) {
        tsm_status stored = store_top(m, words[inputs + i], out[i]);
        status = status == TSM_OK ? stored : status;
    }
    return status;
}
