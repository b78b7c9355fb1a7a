/* Calls of operators: what a kernel may rely on is established here, for every call, whatever the file says. */
#include "runtime/interpreter/machine.h"
#include "runtime/interpreter/operators.h"
#include "runtime/tensor/overlap.h"
#include "runtime/tensor/work.h"
#include "runtime/value/chars.h"
#include "runtime/value/parts.h"

const tsm_operator *tsm_operator_find(const char *name) {
    const tsm_operator *table = tsm_operator_table;
    const size_t *count = &tsm_operator_count;
#ifdef __GNUC__
    __asm__("" : "+r"(table), "+r"(count)); /* a program may have another table: or clang uses what it sees here */
#endif
    size_t low = 0, high = *count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = tsm_chars_compare(name, table[middle].name);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- Checks ---- */

_Static_assert((int)TSM_TAG_COUNT <= (int)TSM_ACCEPTS_ITEMS, "tags are bits of half a word");

static bool items_fit(const tsm_list *l, uint32_t accepted) {
    if (accepted == TSM_ACCEPTS_ALL_ITEMS >> TSM_ACCEPTS_ITEMS)
        return true;
    for (uint32_t i = 0; i < l->length; i++)
        if (!(accepted >> l->items[i].tag & 1))
            return false;
    return true;
}

static inline bool fits_as_list(tsm_value v, uint32_t accepted) {
    return v.tag == TSM_TAG_LIST && accepted & TSM_ACCEPTS(LIST) &&
           items_fit(tsm_as_list(v), accepted >> TSM_ACCEPTS_ITEMS);
}

/* The file is never written: memory may map it without permission to. No operator writes to the tensors of a list
 * (gen_operators.py). */
static tsm_status check_written(tsm_exec *x, tsm_value v) {
    if (v.tag == TSM_TAG_TENSOR && tsm_as_tensor(v)->storage->flags & TSM_STORAGE_CONSTANT)
        return tsm_fail(x, TSM_BAD_FILE, "%s writes to a constant", x->op->name);
    return TSM_OK;
}

/* A gradient that is not there is None where the types say tensor: the program's mistake, not the file's. */
static tsm_status wrong_input(tsm_exec *x, uint32_t i, uint32_t accepted, tsm_value v) {
    if (v.tag == TSM_TAG_NONE && accepted & TSM_ACCEPTS(TENSOR))
        return TSM_RAISE(x, "Expected a proper Tensor but got None for argument #%u", i);
    return tsm_fail(x, TSM_BAD_FILE, "input %u of %s is of another type than the operator takes", i, x->op->name);
}

/* ---- Results ---- */

static bool same_sizes(const tsm_tensor *a, const tsm_tensor *b) {
    for (int d = 0; d < a->dims && a->dims == b->dims; d++)
        if (a->sizes[d] != b->sizes[d])
            return false;
    return a->dims == b->dims;
}

TSM_PART tsm_status tsm_machine_deliver(tsm_exec *x, tsm_tensor *dest, const tsm_value *const *in, tsm_value *out) {
    tsm_tensor *made = tsm_as_tensor(*out);
    if (made == dest)
        return TSM_OK;
    tsm_status status = tsm_check_destination_dtype(x, dest, (tsm_dtype)made->dtype);
    if (status == TSM_OK && !same_sizes(made, dest))
        status = x->op->kind == TSM_OP_OUT
                     ? tsm_tensor_resize(x, dest, made->dims, made->sizes)
                     : TSM_RAISE(x, "the result of %s has another shape than its destination", x->op->name);
    if (status == TSM_OK)
        status = tsm_check_destination(x, dest, in);
    if (status == TSM_OK)
        status = tsm_tensor_copy(x, dest, made);
    tsm_drop(x, *out);
    if (status == TSM_OK)
        *out = tsm_hold(tsm_of_tensor(dest));
    return status;
}

/* ---- The call ---- */

static tsm_status call_profiled(tsm_exec *x, tsm_profile_counts *counts, const tsm_value *const *in, tsm_value *out) {
    bool has_clock = x->platform.nanoseconds != NULL;
    size_t used = x->heap.used + x->placed_bytes;
    uint64_t start = has_clock ? x->platform.nanoseconds(x->platform.context) : 0;
    tsm_status status = tsm_run_charged(x, in, out);
    uint64_t end = has_clock ? x->platform.nanoseconds(x->platform.context) : 0;
    if (x->platform.trace)
        x->platform.trace(x->platform.context, x->op->name, start, end);
    counts->nanoseconds += end - start;
    counts->calls++;
    counts->bytes += x->heap.used + x->placed_bytes > used ? x->heap.used + x->placed_bytes - used : 0;
    return status;
}

/* Calls of operators that write to inputs, and calls that are counted or charged. */
static tsm_status call_otherwise(tsm_instance *inst, uint32_t index, const tsm_value *const *in, tsm_value *out) {
    tsm_exec *x = &inst->exec;
    const tsm_operator *op = x->op;
    for (uint32_t i = 0, written = op->written; written; i++, written >>= 1)
        if (written & 1)
            TSM_TRY(check_written(x, *in[i]));
    if (op->kind == TSM_OP_FUNCTIONAL && op->overlap != TSM_OVERLAP_ANY)
        TSM_TRY(tsm_check_destination(x, tsm_as_tensor(*in[0]), in));
    tsm_tensor *dest =
        op->kind == TSM_OP_FUNCTIONAL ? NULL : tsm_as_tensor(*in[op->kind == TSM_OP_OUT ? x->inputs - 1 : 0]);
    x->dest = dest;
    tsm_status status = inst->profile ? call_profiled(x, &inst->profile[index], in, out) : tsm_run_charged(x, in, out);
    x->dest = NULL;
    return status == TSM_OK && dest ? tsm_machine_deliver(x, dest, in, out) : status;
}

/* Finds the inputs of a call and checks that the operator accepts them; `scalars` has room for those from scalar
 * registers. */
static tsm_status find_inputs(const machine *m, const uint32_t *list, const tsm_value **in, tsm_value *scalars) {
    const uint32_t *accepted = m->x->op->accepted_types, *words = list + 2;
    uint32_t values = m->f->values;
    uint64_t dying = 0;
    size_t inputs = list[0];
    for (size_t i = 0; i < inputs; i++) {
        uint32_t word = words[i], reg = word & TSM_WORD_INDEX;
        const tsm_value *v = &scalars[i];
        if (word & TSM_WORD_CONSTANT) {
            v = &m->inst->constants[word & ~TSM_WORD_CONSTANT];
        } else if (reg < values) {
            v = &m->r[reg];
            if (word & TSM_WORD_LAST_USE)
                dying |= UINT64_C(1) << i;
        } else {
            scalars[i] = tsm_machine_read_register(m, reg);
        }
        in[i] = v;
        if ((*accepted & ~TSM_ACCEPTS(LIST)) >> v->tag & 1)
            accepted++;
        else if (*accepted && !fits_as_list(*v, *accepted++))
            return wrong_input(m->x, (uint32_t)i, accepted[-1], *v);
    }
    m->x->dying = dying;
    return TSM_OK;
}

static void tell_observer(const machine *m, const tsm_value *out) {
    const tsm_exec *x = m->x;
    tsm_operator_call call = {x->op->name, out, x->outputs, m->frame->function, m->frame->pc - 1};
    x->platform.observe(x->platform.context, m->inst, &call);
}

#ifndef __OPTIMIZE_SIZE__
_Static_assert((int)TSM_TAG_BOOL < 4 && (int)TSM_TAG_INT < 4 && (int)TSM_TAG_FLOAT < 4, "result_tag has two bits");

/* The number that a word names, if the operator takes its kind; an int stands for a float, too. */
static inline bool take_number(const machine *m, uint32_t word, uint32_t accepted, tsm_scalar *number) {
    uint32_t reg = word & TSM_WORD_INDEX, tag;
    if (word & TSM_WORD_CONSTANT) {
        const tsm_value *v = &m->inst->constants[word & ~TSM_WORD_CONSTANT];
        tag = v->tag;
        number->i = v->as.i;
    } else if (reg >= m->f->values) {
        tag = tsm_machine_scalar_tag(m->f, reg);
        *number = m->s[reg];
    } else {
        return false;
    }
    const int64_t whole = number->i;
    if (accepted & TSM_ACCEPTS(FLOAT) && tag == TSM_TAG_INT)
        number->f = (double)whole;
    return accepted >> tag & 1;
}

bool tsm_machine_run_on_registers(machine *m, const tsm_operator *op, const uint32_t *list) {
    const uint32_t inputs = list[0], to = list[2 + inputs];
    tsm_scalar in[2];
    if (m->inst->profile || to < m->f->values || tsm_machine_scalar_tag(m->f, to) != op->result_tag ||
        !take_number(m, list[2], op->accepted_types[0], &in[0]) ||
        (inputs == 2 && !take_number(m, list[3], op->accepted_types[1], &in[1])) || !op->on_registers(in, &m->s[to]))
        return false;
    m->x->calls++;
    return true;
}

bool tsm_machine_run_on_values(machine *m, const tsm_operator *op, const uint32_t *list) {
    tsm_value in[TSM_SHORT_INPUTS], out;
    const uint32_t inputs = list[0], *words = list + 2, to = words[inputs];
    uint32_t marks = 0;
    if (m->inst->profile || to >= m->f->values) /* results are strings and lists, which the other way refuses there */
        return false;
    for (uint32_t i = 0; i < inputs; i++) {
        const uint32_t word = words[i], reg = word & TSM_WORD_INDEX;
        if (word & TSM_WORD_CONSTANT) {
            in[i] = m->inst->constants[word & ~TSM_WORD_CONSTANT];
        } else if (reg < m->f->values) {
            in[i] = m->r[reg];
            marks |= word;
        } else {
            in[i].tag = tsm_machine_scalar_tag(m->f, reg);
            in[i].as.i = m->s[reg].i;
        }
    }
    if (!op->on_values(m->x, in, &out))
        return false;
    if (m->x->is_limited && !tsm_count_short_call(m->x, op, in, out)) { /* the other way refuses it */
        tsm_drop(m->x, out);
        return false;
    }
    m->x->calls++;
    if (marks & TSM_WORD_LAST_USE)
        tsm_machine_drop_last_uses(m, words, inputs);
    put_value(m, &m->r[to], read_in_parts(&out));
    return true;
}
#endif

tsm_status tsm_machine_run_operator(machine *m, uint32_t index, const uint32_t *list) {
    tsm_exec *x = m->x;
    const tsm_operator *op = m->inst->operators[index];
    tsm_value scalars[TSM_MAX_OPERATOR_INPUTS], out[TSM_MAX_OPERATOR_OUTPUTS];
    const tsm_value *in[TSM_MAX_OPERATOR_INPUTS];
    x->op = op;
    x->calls++;
    x->inputs = list[0];
    x->outputs = list[1];
    TSM_TRY(find_inputs(m, list, in, scalars));
    bool plain = !(op->written | x->is_limited | (x->made_kinds & op->refuses)) && !m->inst->profile;
    TSM_TRY(plain ? op->kernel(x, in, out) : call_otherwise(m->inst, index, in, out));
    if (m->inst->profile && x->platform.observe)
        tell_observer(m, out);
    for (uint64_t dying = x->dying; dying; dying &= dying - 1)
        empty_value(m, &m->r[list[2 + __builtin_ctzll(dying)] & TSM_WORD_INDEX]);
    x->dying = 0;
    tsm_status status = TSM_OK;
    const uint32_t *to = list + 2 + list[0];
    for (uint32_t i = 0; i < list[1]; i++)
        if (to[i] < m->f->values) {
            put_value(m, &m->r[to[i]], read_in_parts(&out[i]));
        } else {
            tsm_status stored = store_top(m, to[i], out[i]);
            status = status == TSM_OK ? stored : status;
        }
    return status;
}
