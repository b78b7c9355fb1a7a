/* The interpreter: one loop over the instructions of opcodes.def, no recursion in C.
 *
 * What the verifier has proved (program.c) is not checked again: opcodes, registers and their runs, constants, jumps, the shapes of
 * operand lists. What it cannot prove is checked where it is used: tags of values in value registers, slots of objects, depth. */
#include <math.h>
#include <string.h>

#include "runtime/core/chars.h"
#include "runtime/core/instance.h"

typedef struct {
    tsm_instance *inst;
    tsm_exec *x;
    uint32_t depth; /* frames in use */
    uint32_t top;   /* registers in use */
    /* An exception that is being unwound through `with` blocks: what tsm_fail wrote stays while their exits run. */
    tsm_status pending;
    char *message;
    size_t message_bytes;
    uint32_t unwind_from; /* the next `with` range to look at when unwinding goes on */
    tsm_value result;
} machine;

/* ---- Frames ---- */

static tsm_status push_frame(machine *m, uint32_t function, uint8_t kind, uint32_t result) {
    const tsm_function *f = &m->inst->functions[function];
    if (m->depth == m->inst->frame_limit || f->registers > m->inst->stack_registers - m->top)
        return tsm_fail(m->x, TSM_TOO_DEEP, "calls are nested too deeply");
    tsm_frame *frame = &m->inst->frames[m->depth++];
    *frame = (tsm_frame){function, m->top, 0, result, kind, 0};
    tsm_value *r = m->inst->stack + m->top;
    m->top += f->registers;
    uint32_t i = 0;
    for (; i < f->values; i++)
        r[i] = tsm_none();
    for (; i < f->ints; i++)
        r[i] = tsm_int(0);
    for (; i < f->floats; i++)
        r[i] = tsm_float(0);
    for (; i < f->registers; i++)
        r[i] = tsm_bool(false);
    return TSM_OK;
}

static void pop_frame(machine *m) {
    tsm_frame *frame = &m->inst->frames[--m->depth];
    const tsm_function *f = &m->inst->functions[frame->function];
    tsm_value *r = m->inst->stack + frame->base;
    for (uint32_t i = 0; i < f->values; i++)
        if (tsm_is_object(r[i]))
            tsm_drop(m->x, r[i]);
    m->top = frame->base;
}

/* Puts a value with its count into a register. A scalar register takes its own tag only. */
static tsm_status store(machine *m, const tsm_function *f, tsm_value *r, uint32_t to, tsm_value v) {
    if (to < f->values) {
        tsm_value old = r[to];
        r[to] = v;
        tsm_drop(m->x, old);
        return TSM_OK;
    }
    if (v.tag != r[to].tag) {
        tsm_drop(m->x, v);
        return tsm_fail(m->x, TSM_BAD_FILE, "a value is of another type than the file says");
    }
    r[to].as = v.as;
    return TSM_OK;
}

static const tsm_value *operand(const tsm_instance *inst, const tsm_value *r, uint32_t word) {
    return word & TSM_WORD_CONSTANT ? &inst->constants[word & ~TSM_WORD_CONSTANT] : &r[word & TSM_WORD_INDEX];
}

/* Takes an input for keeping: its count when this is the last use, else one more. */
static tsm_value take(const tsm_instance *inst, tsm_value *r, uint32_t word) {
    if (word & TSM_WORD_LAST_USE) {
        tsm_value *from = &r[word & TSM_WORD_INDEX];
        tsm_value v = *from;
        *from = tsm_none();
        return v;
    }
    return tsm_hold(*operand(inst, r, word));
}

static void drop_last_uses(machine *m, tsm_value *r, const uint32_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (words[i] & TSM_WORD_LAST_USE) {
            tsm_value *from = &r[words[i] & TSM_WORD_INDEX];
            tsm_value v = *from;
            *from = tsm_none();
            tsm_drop(m->x, v);
        }
}

static tsm_status push_call(machine *m, uint32_t function, uint8_t kind, tsm_value *r, const uint32_t *list) {
    const tsm_instance *inst = m->inst;
    const tsm_function *f = &inst->functions[function];
    uint32_t n = list[0];
    const uint32_t *words = list + 2;
    if (n != f->parameter_count)
        return tsm_fail(m->x, TSM_BAD_FILE, "a call has another number of arguments than the function");
    TSM_TRY(push_frame(m, function, kind, words[n]));
    tsm_value *to = inst->stack + inst->frames[m->depth - 1].base;
    for (uint32_t i = 0; i < n; i++)
        TSM_TRY(store(m, f, to, f->parameters[i], take(inst, r, words[i])));
    return TSM_OK;
}

/* The function that an interface call means: by the dynamic class of the receiver. */
static tsm_status find_method(machine *m, tsm_value self, uint32_t name, uint32_t *function) {
    if (self.tag == TSM_TAG_OBJECT) {
        tsmf_Type t = tsmf_Program_types(m->inst->root, tsm_as_object(self)->type);
        for (uint32_t i = 0; i < tsmf_Type_methods_len(t); i++)
            if (tsmf_ClassMethod_name(tsmf_Type_methods(t, i)) == name) {
                *function = tsmf_ClassMethod_function(tsmf_Type_methods(t, i));
                return TSM_OK;
            }
    }
    return tsm_fail(m->x, TSM_BAD_FILE, "an object has no method %s", tsmf_Program_method_names(m->inst->root, name));
}

/* ---- Operators ---- */

static bool fits_letter(tsm_value v, char letter) {
    if (letter >= 'a') {
        if (v.tag == TSM_TAG_NONE)
            return true;
        letter = (char)(letter - ('a' - 'A'));
    }
    switch (letter) {
    case 'T':
        return v.tag == TSM_TAG_TENSOR;
    case 'I':
        return v.tag == TSM_TAG_INT;
    case 'F':
        return v.tag == TSM_TAG_FLOAT;
    case 'N':
        return v.tag == TSM_TAG_INT || v.tag == TSM_TAG_FLOAT || v.tag == TSM_TAG_BOOL || v.tag == TSM_TAG_COMPLEX;
    case 'B':
        return v.tag == TSM_TAG_BOOL;
    case 'S':
        return v.tag == TSM_TAG_STR;
    case 'C':
        return v.tag == TSM_TAG_COMPLEX;
    case 'V':
        return v.tag == TSM_TAG_DEVICE;
    case 'G':
        return v.tag == TSM_TAG_GENERATOR;
    case 'L':
        return v.tag == TSM_TAG_LIST;
    case 'D':
        return v.tag == TSM_TAG_DICT;
    case 'U':
        return v.tag == TSM_TAG_TUPLE;
    case 'O':
        return v.tag == TSM_TAG_OBJECT;
    case 'E':
        return v.tag == TSM_TAG_ENUM;
    default:
        return true;
    }
}

/* aten::relu_ and the like: the last part of the name before the overload ends in one underscore. */
static bool writes_first_input(const tsm_operator *op) {
    const char *end = tsm_chars_first(op->name + 2, '.');
    size_t n = end ? (size_t)(end - op->name) : tsm_chars_length(op->name);
    return n > 2 && op->name[n - 1] == '_' && op->name[n - 2] != '_' && op->signature[0] == 'T';
}

static tsm_status check_destination(machine *m, tsm_value v) {
    if (v.tag != TSM_TAG_TENSOR || !tsm_as_tensor(v)->storage || !(tsm_as_tensor(v)->storage->flags & TSM_STORAGE_CONSTANT))
        return TSM_OK;
    return tsm_fail(m->x, TSM_BAD_FILE, "%s writes to a constant", m->x->op->name);
}

static bool same_sizes(const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dims != b->dims)
        return false;
    for (int d = 0; d < a->dims; d++)
        if (a->sizes[d] != b->sizes[d])
            return false;
    return true;
}

/* Stores an in-place or out= result: `out` is dropped, *out becomes the destination. */
static tsm_status deliver(machine *m, tsm_tensor *dest, bool may_resize, tsm_value *out) {
    tsm_tensor *made = tsm_as_tensor(*out);
    tsm_status status = TSM_OK;
    if (made != dest) {
        if (!same_sizes(made, dest))
            status = may_resize ? tsm_tensor_resize(m->x, dest, made->dims, made->sizes)
                                : TSM_RAISE(m->x, "output with another shape doesn't match the broadcast shape");
        if (status == TSM_OK)
            status = tsm_tensor_copy(m->x, dest, made);
        tsm_drop(m->x, *out);
        *out = tsm_hold(tsm_of_tensor(dest));
    }
    return status;
}

static tsm_status run_operator(machine *m, const tsm_function *f, tsm_value *r, uint32_t index, const uint32_t *list) {
    tsm_instance *inst = m->inst;
    tsm_exec *x = m->x;
    const tsm_operator *op = inst->operators[index];
    uint32_t inputs = list[0], outputs = list[1];
    const uint32_t *words = list + 2;
    const tsm_value *in[TSM_MAX_OPERATOR_INPUTS];
    tsm_value out[TSM_MAX_OPERATOR_OUTPUTS];
    size_t fixed = tsm_chars_length(op->signature);
    uint64_t dying = 0;
    x->op = op;
    for (uint32_t i = 0; i < inputs; i++) {
        in[i] = operand(inst, r, words[i]);
        if (i < fixed && !fits_letter(*in[i], op->signature[i]))
            return tsm_fail(x, TSM_BAD_FILE, "input %u of %s is of another type than the operator takes", i, op->name);
        if (words[i] & TSM_WORD_LAST_USE && tsm_is_object(*in[i]) && in[i]->as.o->references == 1)
            dying |= UINT64_C(1) << i;
    }
    x->inputs = inputs;
    x->outputs = outputs;
    x->dying = dying;
    x->dest = NULL;
    uint32_t first_dest = op->kind == TSM_OP_OUT ? inputs - op->dests : 0;
    if (op->kind != TSM_OP_FUNCTIONAL) {
        for (uint32_t i = 0; i < op->dests; i++)
            TSM_TRY(check_destination(m, *in[first_dest + i]));
        if (op->dests == 1)
            x->dest = tsm_as_tensor(*in[first_dest]);
    } else if (writes_first_input(op))
        TSM_TRY(check_destination(m, *in[0]));
    uint64_t start = inst->profile && x->platform.nanoseconds ? x->platform.nanoseconds(x->platform.context) : 0;
    tsm_status status = op->kernel(x, in, out);
    if (inst->profile) {
        inst->profile[index].calls++;
        if (x->platform.nanoseconds)
            inst->profile[index].nanoseconds += x->platform.nanoseconds(x->platform.context) - start;
    }
    x->dest = NULL;
    x->dying = 0;
    if (status != TSM_OK)
        return status;
    for (uint32_t i = 0; op->kind != TSM_OP_FUNCTIONAL && i < outputs && i < op->dests; i++) {
        tsm_status delivered = deliver(m, tsm_as_tensor(*in[first_dest + i]), op->kind == TSM_OP_OUT, &out[i]);
        status = status == TSM_OK ? delivered : status;
    }
    drop_last_uses(m, r, words, inputs);
    for (uint32_t i = 0; i < outputs; i++) {
        tsm_status stored = store(m, f, r, words[inputs + i], out[i]);
        status = status == TSM_OK ? stored : status;
    }
    return status;
}

/* ---- Instructions that are too long for the loop ---- */

static tsm_status wrong_tag(machine *m) { return tsm_fail(m->x, TSM_BAD_FILE, "a value is of another type than the file says"); }

static tsm_status raise(machine *m, const tsm_value *message, const tsm_value *kind) {
    if (message->tag != TSM_TAG_STR || (kind->tag != TSM_TAG_STR && kind->tag != TSM_TAG_NONE))
        return wrong_tag(m);
    const tsm_str *text = tsm_as_str(*message);
    if (kind->tag == TSM_TAG_NONE)
        return TSM_RAISE(m->x, "%.*s", (int)text->length, text->text);
    m->inst->names_class = true;
    const tsm_str *name = tsm_as_str(*kind);
    return TSM_RAISE(m->x, "%.*s: %.*s", (int)name->length, name->text, (int)text->length, text->text);
}

static tsm_status print_values(machine *m, const tsm_value *r, const uint32_t *list) {
    tsm_text t = {0};
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < list[0] && status == TSM_OK; i++) {
        if (i)
            status = tsm_text_add(m->x, &t, " ", 1);
        if (status == TSM_OK)
            status = tsm_text_add_value(m->x, &t, *operand(m->inst, r, list[2 + i]));
    }
    if (status == TSM_OK)
        status = tsm_text_add(m->x, &t, "\n", 1);
    if (status == TSM_OK)
        tsm_print(m->x, t.text, t.length);
    tsm_text_free(m->x, &t);
    return status;
}

static tsm_status construct_list(machine *m, tsm_value *r, const uint32_t *list, tsm_value *out) {
    tsm_list *l;
    TSM_TRY(tsm_make_list(m->x, list[0], &l));
    tsm_set_type(&l->header, list[2 + list[0]]);
    for (uint32_t i = 0; i < list[0]; i++)
        l->items[i] = take(m->inst, r, list[2 + i]);
    l->length = list[0];
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}

static tsm_status construct_tuple(machine *m, tsm_value *r, const uint32_t *list, uint32_t type, tsm_value *out) {
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(m->x, list[0], type, &t));
    for (uint32_t i = 0; i < list[0]; i++)
        t->items[i] = take(m->inst, r, list[2 + i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

static tsm_status construct_dict(machine *m, tsm_value *r, const uint32_t *list, tsm_value *out) {
    tsm_dict *d;
    tsm_status status = tsm_make_dict(m->x, list[0] / 2, &d);
    if (status != TSM_OK)
        return status;
    *out = tsm_of(TSM_TAG_DICT, d);
    tsm_set_type(&d->header, list[2 + list[0]]);
    for (uint32_t i = 0; i < list[0] && status == TSM_OK; i += 2)
        status = tsm_dict_put(m->x, d, *operand(m->inst, r, list[2 + i]), *operand(m->inst, r, list[3 + i]));
    if (status != TSM_OK)
        tsm_drop(m->x, *out);
    else
        drop_last_uses(m, r, list + 2, list[0]);
    return status;
}

static tsm_status unpack(machine *m, const tsm_function *f, tsm_value *r, uint32_t tag, uint32_t from, const uint32_t *list) {
    tsm_value v = r[from];
    if (v.tag != tag)
        return wrong_tag(m);
    uint32_t n = list[1], have = tag == TSM_TAG_LIST ? tsm_as_list(v)->length : tsm_as_tuple(v)->length;
    const tsm_value *items = tag == TSM_TAG_LIST ? tsm_as_list(v)->items : tsm_as_tuple(v)->items;
    if (have != n)
        return TSM_RAISE(m->x, "Expected %u elements in a list but found %u", n, have);
    tsm_hold(v); /* one of the results may take v's register */
    tsm_status status = TSM_OK;
    for (uint32_t i = 0; i < n && status == TSM_OK; i++)
        status = store(m, f, r, list[2 + list[0] + i], tsm_hold(items[i]));
    tsm_drop(m->x, v);
    return status;
}

static tsm_status slice_tuple(machine *m, tsm_value v, const uint32_t *list, tsm_value *out) {
    if (v.tag != TSM_TAG_TUPLE || list[2] > list[3] || list[3] > tsm_as_tuple(v)->length)
        return wrong_tag(m);
    tsm_tuple *t;
    TSM_TRY(tsm_make_tuple(m->x, list[3] - list[2], 0, &t));
    for (uint32_t i = 0; i < t->length; i++)
        t->items[i] = tsm_hold(tsm_as_tuple(v)->items[list[2] + i]);
    *out = tsm_of(TSM_TAG_TUPLE, t);
    return TSM_OK;
}

static bool is_any_of(const machine *m, tsm_value v, const uint32_t *list) {
    for (uint32_t i = 0; i < list[0]; i++)
        if (tsm_value_is(m->inst, v, list[2 + i]))
            return true;
    return false;
}

/* Position i of n items, negative ones from the end; false when outside. */
static inline bool position(int64_t i, uint32_t n, uint32_t *at) {
    i += i < 0 ? n : 0;
    *at = (uint32_t)i;
    return i >= 0 && i < n;
}

static tsm_status dict_lookup(machine *m, tsm_value d, tsm_value key, tsm_value *out) {
    if (d.tag != TSM_TAG_DICT)
        return wrong_tag(m);
    const tsm_dict_entry *e = tsm_dict_find(tsm_as_dict(d), key);
    if (e) {
        *out = e->item;
        return TSM_OK;
    }
    tsm_text t = {0};
    tsm_status status = tsm_text_add_value(m->x, &t, key);
    status = status == TSM_OK ? TSM_RAISE(m->x, "KeyError: %.*s", (int)t.length, t.text) : status;
    tsm_text_free(m->x, &t);
    return status;
}

static tsm_status finish_future(machine *m, tsm_value value, bool failed, tsm_value *out) {
    tsm_future *future;
    tsm_status status = tsm_make_future(m->x, &future);
    if (status != TSM_OK) {
        tsm_drop(m->x, value);
        return status;
    }
    future->value = value;
    future->failed = failed;
    *out = tsm_of(TSM_TAG_FUTURE, future);
    return TSM_OK;
}

static tsm_status wait_for(machine *m, tsm_value v, tsm_value *out) {
    if (v.tag != TSM_TAG_FUTURE)
        return wrong_tag(m);
    const tsm_future *f = tsm_as_future(v);
    if (f->failed)
        return TSM_RAISE(m->x, "%.*s", (int)tsm_as_str(f->value)->length, tsm_as_str(f->value)->text);
    *out = tsm_hold(f->value);
    return TSM_OK;
}

/* ---- Exceptions ---- */

/* Finds the next `with` of the top frame that its pc stands in, from range `from` on. */
static bool next_with(const machine *m, uint32_t from, uint32_t *found) {
    const tsm_frame *frame = &m->inst->frames[m->depth - 1];
    tsmf_Function f = tsmf_Program_functions(m->inst->root, frame->function);
    const tsmf_WithRange *w = tsmf_Function_withs(f);
    uint32_t pc = frame->pc - 1;
    for (uint32_t i = from; i < tsmf_Function_withs_len(f); i++)
        if (pc >= w[i].begin && pc < w[i].end) {
            *found = i;
            return true;
        }
    return false;
}

/* Starts the exit of a `with`: obj.__exit__(None, None, None). */
static bool enter_exit(machine *m, uint32_t index) {
    tsm_frame *frame = &m->inst->frames[m->depth - 1];
    const tsmf_WithRange *w = &tsmf_Function_withs(tsmf_Program_functions(m->inst->root, frame->function))[index];
    tsm_value *r = m->inst->stack + frame->base;
    const tsm_function *f = &m->inst->functions[w->exit_function];
    if (push_frame(m, w->exit_function, TSM_FRAME_UNWIND, 0) != TSM_OK)
        return false;
    m->inst->frames[m->depth - 1].with_index = index + 1;
    tsm_value *to = m->inst->stack + m->inst->frames[m->depth - 1].base;
    return store(m, f, to, f->parameters[0], tsm_hold(r[w->object])) == TSM_OK;
}

/* An error left a frame: runs exits, drops frames; returns true when the loop goes on (in an exit, or behind a fork). */
static bool unwind(machine *m, tsm_status status) {
    if (m->pending == TSM_OK) {
        if (status == TSM_RAISED)
            tsm_traceback(m->inst, m->depth);
        m->pending = status;
        m->message = m->x->message;
        m->message_bytes = m->x->message_bytes;
    }
    uint32_t from = m->unwind_from;
    m->unwind_from = 0;
    while (m->depth) {
        tsm_frame *frame = &m->inst->frames[m->depth - 1];
        uint32_t found;
        if (m->pending == TSM_RAISED && next_with(m, from, &found)) {
            m->x->message = NULL; /* what an exit raises is of no interest */
            m->x->message_bytes = 0;
            from = found + 1;
            if (enter_exit(m, found))
                return true;
            continue;
        }
        from = frame->kind == TSM_FRAME_UNWIND ? frame->with_index : 0;
        uint32_t kind = frame->kind, result = frame->result;
        pop_frame(m);
        if (kind == TSM_FRAME_FORK && m->pending == TSM_RAISED) {
            m->x->message = m->message;
            m->x->message_bytes = m->message_bytes;
            m->pending = TSM_OK;
            tsm_value text, future;
            size_t n = tsm_chars_length(m->x->message);
            tsm_frame *caller = &m->inst->frames[m->depth - 1];
            const tsm_function *f = &m->inst->functions[caller->function];
            if (tsm_make_str(m->x, m->x->message, n, &text) == TSM_OK && finish_future(m, text, true, &future) == TSM_OK &&
                store(m, f, m->inst->stack + caller->base, result, future) == TSM_OK)
                return true;
            m->pending = TSM_OUT_OF_MEMORY;
        }
    }
    m->x->message = m->message;
    m->x->message_bytes = m->message_bytes;
    return false;
}

/* A function is done. Returns false when it was the outermost. */
static tsm_status leave(machine *m, tsm_value v, bool *done) {
    tsm_frame frame = m->inst->frames[m->depth - 1];
    pop_frame(m);
    *done = false;
    if (frame.kind == TSM_FRAME_UNWIND) { /* its result is of no interest; the exception goes on */
        tsm_drop(m->x, v);
        m->unwind_from = frame.with_index;
        return m->pending;
    }
    if (!m->depth) {
        m->result = v;
        *done = true;
        return TSM_OK;
    }
    if (frame.kind == TSM_FRAME_FORK)
        TSM_TRY(finish_future(m, v, false, &v));
    const tsm_frame *caller = &m->inst->frames[m->depth - 1];
    return store(m, &m->inst->functions[caller->function], m->inst->stack + caller->base, frame.result, v);
}

/* ---- The loop ---- */

#if defined(__GNUC__) && !defined(TSM_SWITCH_DISPATCH)
#define TSM_COMPUTED_GOTO 1
#else
#define TSM_COMPUTED_GOTO 0
#endif

#if TSM_COMPUTED_GOTO
#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#define CASE(NAME) label_##NAME
#define NEXT                                                                                                                 \
    do {                                                                                                                     \
        in = *pc++;                                                                                                          \
        goto *labels[in.op];                                                                                                 \
    } while (0)
#else
#define CASE(NAME) case TSM_OPCODE_##NAME
#define NEXT goto dispatch
#endif

#define WIDE ((uint32_t)in.b | (uint32_t)in.c << 16)
#define LIST(at) (operands + (at))
#define INT(reg) r[reg].as.i
#define FLOAT(reg) r[reg].as.f
#define BOOL(reg) r[reg].as.b
/* 64-bit arithmetic that wraps around. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))
#define FAIL(call)                                                                                                           \
    do {                                                                                                                     \
        status = (call);                                                                                                     \
        goto failed;                                                                                                         \
    } while (0)
#define CHECK(call)                                                                                                          \
    do {                                                                                                                     \
        status = (call);                                                                                                     \
        if (status != TSM_OK)                                                                                                \
            goto failed;                                                                                                     \
    } while (0)
/* Jumps back pay for what they repeat. */
#define JUMP(offset)                                                                                                         \
    do {                                                                                                                     \
        int32_t offset_ = (offset);                                                                                          \
        pc += offset_;                                                                                                       \
        if (offset_ < 0 && (fuel += offset_) < 0)                                                                            \
            goto out_of_fuel;                                                                                                \
        NEXT;                                                                                                                \
    } while (0)
/* Puts an owned value into value register a; a borrowed one's payload into scalar register a. The tails are shared: code size. */
#define SET_VALUE(source)                                                                                                    \
    do {                                                                                                                     \
        v = (source);                                                                                                        \
        goto set_value;                                                                                                      \
    } while (0)
#define SET_SCALAR(source)                                                                                                   \
    do {                                                                                                                     \
        v = (source);                                                                                                        \
        goto set_scalar;                                                                                                     \
    } while (0)
#define EXPECT(i, TAG)                                                                                                       \
    if (r[i].tag != TSM_TAG_##TAG)                                                                                           \
    goto wrong_type
#define BINARY(NAME, ACCESS, expression)                                                                                     \
    CASE(NAME) : {                                                                                                           \
        ACCESS(in.a) = (expression);                                                                                         \
        NEXT;                                                                                                                \
    }
#define COMPARE(NAME, expression)                                                                                            \
    CASE(NAME) : {                                                                                                           \
        r[in.a].as.i = (expression);                                                                                         \
        NEXT;                                                                                                                \
    }
#define BRANCH(NAME, condition, offset)                                                                                      \
    CASE(NAME) : {                                                                                                           \
        if (condition)                                                                                                       \
            JUMP(offset);                                                                                                    \
        NEXT;                                                                                                                \
    }

static inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1)
        return WRAP(0, -, a);
    int64_t q = a / b;
    return q - (a % b && (a < 0) != (b < 0));
}

static inline int64_t floor_rem(int64_t a, int64_t b) {
    if (b == -1)
        return 0;
    int64_t rest = a % b;
    return rest + (rest && (rest < 0) != (b < 0) ? b : 0);
}

/* int(float) as the machine of the oracle does it: what does not fit is the most negative number. */
static inline int64_t to_int(double v) { return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN; }

/* A slot of an object. */
static inline tsm_value *slot_of(tsm_value v, uint32_t slot) {
    return v.tag == TSM_TAG_OBJECT && slot < tsm_as_object(v)->length ? &tsm_as_object(v)->slots[slot] : NULL;
}

tsm_status tsm_run(tsm_instance *inst, uint32_t function, const tsm_value *arguments, uint32_t n, tsm_value *result) {
#if TSM_COMPUTED_GOTO
    static const void *const labels[] = {
#define OP(NAME, operands, formula) &&label_##NAME,
#include "runtime/core/opcodes.def"
#undef OP
    };
#endif
    machine m = {.inst = inst, .x = &inst->exec, .result = {TSM_TAG_NONE, 0, {.i = 0}}};
    tsm_exec *const x = m.x;
    const int64_t budget = inst->fuel && inst->fuel < INT64_MAX ? (int64_t)inst->fuel : INT64_MAX;
    int64_t fuel = budget;
    tsm_status status = push_frame(&m, function, TSM_FRAME_CALL, 0);
    const tsm_function *f = &inst->functions[function];
    for (uint32_t i = 0; i < n && status == TSM_OK; i++)
        status = store(&m, f, inst->stack, f->parameters[i], tsm_hold(arguments[i]));
    if (status != TSM_OK) {
        while (m.depth)
            pop_frame(&m);
        return status;
    }
    tsm_frame *frame;
    tsm_value *r;
    const tsmf_Instruction *pc;
    const uint32_t *operands;
    tsmf_Instruction in;
    uint32_t at;
    tsm_value v;

enter:
    /* The top frame's registers, code and place. */
    frame = &inst->frames[m.depth - 1];
    f = &inst->functions[frame->function];
    r = inst->stack + frame->base;
    pc = f->code + frame->pc;
    operands = f->operands;
#if TSM_COMPUTED_GOTO
    NEXT;
#else
dispatch:
    in = *pc++;
    switch (in.op) {
#endif

    CASE(LOADC) : SET_VALUE(tsm_hold(inst->constants[WIDE]));
    CASE(LOADC_S) : SET_SCALAR(inst->constants[WIDE]);
    BINARY(LOADI, INT, (int32_t)WIDE)
    COMPARE(LOADB, in.b != 0)
    CASE(MOVE) : SET_VALUE(tsm_hold(r[in.b]));
    CASE(MOVE_S) : SET_SCALAR(r[in.b]);
    CASE(TAKE) : {
        v = r[in.b];
        r[in.b] = tsm_none();
        SET_VALUE(v);
    }
    CASE(DROP) : SET_VALUE(tsm_none());

    BINARY(ADD_I, INT, WRAP(INT(in.b), +, INT(in.c)))
    BINARY(SUB_I, INT, WRAP(INT(in.b), -, INT(in.c)))
    BINARY(MUL_I, INT, WRAP(INT(in.b), *, INT(in.c)))
    BINARY(ADDK_I, INT, WRAP(INT(in.b), +, (int64_t)(int16_t)in.c))
    BINARY(MULK_I, INT, WRAP(INT(in.b), *, (int64_t)(int16_t)in.c))
    CASE(FLOORDIV_I) : {
        if (!INT(in.c))
            FAIL(TSM_RAISE(x, "division by 0"));
        INT(in.a) = floor_div(INT(in.b), INT(in.c));
        NEXT;
    }
    CASE(REM_I) : {
        if (!INT(in.c))
            FAIL(TSM_RAISE(x, "integer modulo by zero"));
        INT(in.a) = floor_rem(INT(in.b), INT(in.c));
        NEXT;
    }
    CASE(FLOORDIVK_I) : {
        int64_t k = (int16_t)in.c, q = INT(in.b) / k;
        INT(in.a) = q - (INT(in.b) % k < 0);
        NEXT;
    }
    CASE(REMK_I) : {
        int64_t k = (int16_t)in.c, rest = INT(in.b) % k;
        INT(in.a) = rest < 0 ? rest + k : rest;
        NEXT;
    }
    BINARY(NEG_I, INT, WRAP(0, -, INT(in.b)))
    BINARY(AND_I, INT, INT(in.b) & INT(in.c))
    BINARY(OR_I, INT, INT(in.b) | INT(in.c))
    BINARY(XOR_I, INT, INT(in.b) ^ INT(in.c))
    BINARY(MIN_I, INT, INT(in.b) < INT(in.c) ? INT(in.b) : INT(in.c))
    BINARY(MAX_I, INT, INT(in.b) > INT(in.c) ? INT(in.b) : INT(in.c))
    COMPARE(EQ_I, INT(in.b) == INT(in.c))
    COMPARE(NE_I, INT(in.b) != INT(in.c))
    COMPARE(LT_I, INT(in.b) < INT(in.c))
    COMPARE(LE_I, INT(in.b) <= INT(in.c))
    COMPARE(EQK_I, INT(in.b) == (int16_t)in.c)
    COMPARE(NEK_I, INT(in.b) != (int16_t)in.c)
    COMPARE(LTK_I, INT(in.b) < (int16_t)in.c)
    COMPARE(LEK_I, INT(in.b) <= (int16_t)in.c)
    COMPARE(GTK_I, INT(in.b) > (int16_t)in.c)
    COMPARE(GEK_I, INT(in.b) >= (int16_t)in.c)
    BINARY(DIV_I, FLOAT, (double)INT(in.b) / (double)INT(in.c))
    BINARY(I2F, FLOAT, (double)INT(in.b))

    BINARY(ADD_F, FLOAT, FLOAT(in.b) + FLOAT(in.c))
    BINARY(SUB_F, FLOAT, FLOAT(in.b) - FLOAT(in.c))
    BINARY(MUL_F, FLOAT, FLOAT(in.b) * FLOAT(in.c))
    BINARY(DIV_F, FLOAT, FLOAT(in.b) / FLOAT(in.c))
    BINARY(NEG_F, FLOAT, -FLOAT(in.b))
    COMPARE(EQ_F, FLOAT(in.b) == FLOAT(in.c))
    COMPARE(NE_F, FLOAT(in.b) != FLOAT(in.c))
    COMPARE(LT_F, FLOAT(in.b) < FLOAT(in.c))
    COMPARE(LE_F, FLOAT(in.b) <= FLOAT(in.c))
    BINARY(F2I, INT, to_int(FLOAT(in.b)))

    COMPARE(NOT_B, !BOOL(in.b))
    COMPARE(EQ_B, BOOL(in.b) == BOOL(in.c))
    COMPARE(NE_B, BOOL(in.b) != BOOL(in.c))
    BINARY(B2I, INT, BOOL(in.b))
    COMPARE(I2B, INT(in.b) != 0)

    CASE(JMP) : JUMP((int32_t)WIDE);
    BRANCH(JT, BOOL(in.a), (int32_t)WIDE)
    BRANCH(JF, !BOOL(in.a), (int32_t)WIDE)
    BRANCH(JEQ_I, INT(in.a) == INT(in.b), (int16_t)in.c)
    BRANCH(JNE_I, INT(in.a) != INT(in.b), (int16_t)in.c)
    BRANCH(JLT_I, INT(in.a) < INT(in.b), (int16_t)in.c)
    BRANCH(JLE_I, INT(in.a) <= INT(in.b), (int16_t)in.c)
    BRANCH(JEQK_I, INT(in.a) == (int16_t)in.b, (int16_t)in.c)
    BRANCH(JNEK_I, INT(in.a) != (int16_t)in.b, (int16_t)in.c)
    BRANCH(JLTK_I, INT(in.a) < (int16_t)in.b, (int16_t)in.c)
    BRANCH(JGEK_I, INT(in.a) >= (int16_t)in.b, (int16_t)in.c)
    BRANCH(JLT_F, FLOAT(in.a) < FLOAT(in.b), (int16_t)in.c)
    BRANCH(JNLT_F, !(FLOAT(in.a) < FLOAT(in.b)), (int16_t)in.c)
    BRANCH(JNONE, r[in.a].tag == TSM_TAG_NONE, (int32_t)WIDE)
    BRANCH(JNOTNONE, r[in.a].tag != TSM_TAG_NONE, (int32_t)WIDE)
    CASE(LOOP) : {
        if (++INT(in.a) < INT(in.b))
            JUMP((int16_t)in.c);
        NEXT;
    }
    CASE(CALL) : {
        frame->pc = (uint32_t)(pc - f->code);
        CHECK(push_call(&m, in.a, TSM_FRAME_CALL, r, LIST(WIDE)));
        if (--fuel < 0)
            goto out_of_fuel;
        goto enter;
    }
    CASE(INTERFACE_CALL) : {
        uint32_t target = 0;
        frame->pc = (uint32_t)(pc - f->code);
        CHECK(find_method(&m, *operand(inst, r, LIST(WIDE)[2]), in.a, &target));
        CHECK(push_call(&m, target, TSM_FRAME_CALL, r, LIST(WIDE)));
        if (--fuel < 0)
            goto out_of_fuel;
        goto enter;
    }
    CASE(FORK) : {
        frame->pc = (uint32_t)(pc - f->code);
        CHECK(push_call(&m, in.a, TSM_FRAME_FORK, r, LIST(WIDE)));
        goto enter;
    }
    CASE(RET) : {
        bool done;
        status = leave(&m, take(inst, r, LIST(WIDE)[2]), &done);
        if (status != TSM_OK) {
            if (!unwind(&m, status))
                goto finished;
            goto enter;
        }
        if (done)
            goto finished;
        goto enter;
    }
    CASE(WAIT) : {
        CHECK(wait_for(&m, r[in.b], &v));
        SET_VALUE(v);
    }
    CASE(RAISE) : FAIL(raise(&m, operand(inst, r, LIST(WIDE)[2]), operand(inst, r, LIST(WIDE)[3])));

    CASE(OP) : {
        CHECK(run_operator(&m, f, r, in.a, LIST(WIDE)));
        NEXT;
    }
    CASE(PRINT) : {
        CHECK(print_values(&m, r, LIST(WIDE)));
        drop_last_uses(&m, r, LIST(WIDE) + 2, LIST(WIDE)[0]);
        NEXT;
    }
    CASE(WARN) : {
        const tsm_value *text = operand(inst, r, LIST(WIDE)[2]);
        if (text->tag != TSM_TAG_STR)
            goto wrong_type;
        if (!inst->warned[in.a]) {
            inst->warned[in.a] = 1;
            tsm_warn(x, tsm_as_str(*text)->text, tsm_as_str(*text)->length);
        }
        drop_last_uses(&m, r, LIST(WIDE) + 2, LIST(WIDE)[0]);
        NEXT;
    }

    COMPARE(IS_NONE, r[in.b].tag == TSM_TAG_NONE)
    COMPARE(NOT_NONE, r[in.b].tag != TSM_TAG_NONE)
    CASE(UNWRAP) : {
        if (r[in.b].tag == TSM_TAG_NONE)
            FAIL(TSM_RAISE(x, "Unwrapping null optional"));
        SET_VALUE(tsm_hold(r[in.b]));
    }
    COMPARE(ISINSTANCE, is_any_of(&m, r[in.b], LIST(in.c)))
    COMPARE(IS, tsm_values_identical(r[in.b], r[in.c]))

    CASE(LIST_CONSTRUCT) : {
        CHECK(construct_list(&m, r, LIST(WIDE), &v));
        SET_VALUE(v);
    }
    CASE(LIST_UNPACK) : {
        CHECK(unpack(&m, f, r, TSM_TAG_LIST, in.a, LIST(WIDE)));
        NEXT;
    }
    CASE(LIST_LEN) : {
        EXPECT(in.b, LIST);
        INT(in.a) = tsm_as_list(r[in.b])->length;
        NEXT;
    }
    CASE(LIST_GET) : {
        EXPECT(in.b, LIST);
        if (!position(INT(in.c), tsm_as_list(r[in.b])->length, &at))
            goto bad_index;
        SET_VALUE(tsm_hold(tsm_as_list(r[in.b])->items[at]));
    }
    CASE(LIST_GET_S) : {
        EXPECT(in.b, LIST);
        if (!position(INT(in.c), tsm_as_list(r[in.b])->length, &at))
            goto bad_index;
        SET_SCALAR(tsm_as_list(r[in.b])->items[at]);
    }
    CASE(LIST_SET) : {
        EXPECT(in.a, LIST);
        if (!position(INT(in.b), tsm_as_list(r[in.a])->length, &at))
            goto bad_index;
        tsm_value *item = &tsm_as_list(r[in.a])->items[at];
        v = *item;
        *item = tsm_hold(r[in.c]);
        tsm_drop(x, v);
        NEXT;
    }
    CASE(LIST_APPEND) : {
        EXPECT(in.a, LIST);
        tsm_list *l = tsm_as_list(r[in.a]);
        if (l->length < l->capacity)
            l->items[l->length++] = tsm_hold(r[in.b]);
        else
            CHECK(tsm_list_append(x, l, r[in.b]));
        NEXT;
    }

    CASE(TUPLE_CONSTRUCT) : {
        CHECK(construct_tuple(&m, r, LIST(WIDE), 0, &v));
        SET_VALUE(v);
    }
    CASE(NAMED_TUPLE_CONSTRUCT) : {
        CHECK(construct_tuple(&m, r, LIST(in.c), in.b + 1u, &v));
        SET_VALUE(v);
    }
    CASE(TUPLE_GET) : {
        EXPECT(in.b, TUPLE);
        if (in.c >= tsm_as_tuple(r[in.b])->length)
            goto wrong_type;
        SET_VALUE(tsm_hold(tsm_as_tuple(r[in.b])->items[in.c]));
    }
    CASE(TUPLE_GET_S) : {
        EXPECT(in.b, TUPLE);
        if (in.c >= tsm_as_tuple(r[in.b])->length)
            goto wrong_type;
        SET_SCALAR(tsm_as_tuple(r[in.b])->items[in.c]);
    }
    CASE(TUPLE_INDEX) : {
        EXPECT(in.b, TUPLE);
        if (!position(INT(in.c), tsm_as_tuple(r[in.b])->length, &at))
            FAIL(TSM_RAISE(x, "Tuple index out of range"));
        SET_VALUE(tsm_hold(tsm_as_tuple(r[in.b])->items[at]));
    }
    CASE(TUPLE_UNPACK) : {
        CHECK(unpack(&m, f, r, TSM_TAG_TUPLE, in.a, LIST(WIDE)));
        NEXT;
    }
    CASE(TUPLE_SLICE) : {
        CHECK(slice_tuple(&m, r[in.b], LIST(in.c), &v));
        SET_VALUE(v);
    }

    CASE(DICT_CONSTRUCT) : {
        CHECK(construct_dict(&m, r, LIST(WIDE), &v));
        SET_VALUE(v);
    }
    CASE(DICT_GET) : {
        CHECK(dict_lookup(&m, r[in.b], r[in.c], &v));
        SET_VALUE(tsm_hold(v));
    }
    CASE(DICT_GET_S) : {
        CHECK(dict_lookup(&m, r[in.b], r[in.c], &v));
        SET_SCALAR(v);
    }
    CASE(DICT_SET) : {
        EXPECT(in.a, DICT);
        CHECK(tsm_dict_put(x, tsm_as_dict(r[in.a]), r[in.b], r[in.c]));
        NEXT;
    }
    CASE(DICT_HAS) : {
        EXPECT(in.b, DICT);
        r[in.a].as.i = tsm_dict_find(tsm_as_dict(r[in.b]), r[in.c]) != NULL;
        NEXT;
    }

    CASE(CREATE_OBJECT) : {
        tsm_object *made;
        CHECK(tsm_make_object(x, WIDE, tsmf_Type_elements_len(tsmf_Program_types(inst->root, WIDE)), &made));
        SET_VALUE(tsm_of(TSM_TAG_OBJECT, made));
    }
    CASE(GET_ATTR) : {
        const tsm_value *slot = slot_of(r[in.b], in.c);
        if (!slot)
            goto wrong_type;
        SET_VALUE(tsm_hold(*slot));
    }
    CASE(GET_ATTR_S) : {
        const tsm_value *slot = slot_of(r[in.b], in.c);
        if (!slot)
            goto wrong_type;
        SET_SCALAR(*slot);
    }
    CASE(SET_ATTR) : {
        tsm_value *slot = slot_of(r[in.a], in.b);
        if (!slot)
            goto wrong_type;
        v = *slot;
        *slot = tsm_hold(r[in.c]);
        tsm_drop(x, v);
        NEXT;
    }
#if !TSM_COMPUTED_GOTO
    }
#endif

set_value: {
    tsm_value old = r[in.a];
    r[in.a] = v;
    tsm_drop(x, old);
    NEXT;
}
set_scalar:
    if (v.tag != r[in.a].tag)
        goto wrong_type;
    r[in.a].as = v.as;
    NEXT;

wrong_type:
    FAIL(wrong_tag(&m));
bad_index:
    FAIL(TSM_RAISE(x, "list index out of range"));
out_of_fuel:
    FAIL(tsm_fail(x, TSM_OUT_OF_FUEL, "the limit on executed instructions was reached"));

failed:
    frame->pc = (uint32_t)(pc - f->code);
    if (unwind(&m, status))
        goto enter;
finished:
    inst->instructions = (uint64_t)(budget - fuel);
    if (m.pending != TSM_OK)
        return m.pending;
    *result = m.result;
    return TSM_OK;
}
