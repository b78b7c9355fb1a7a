/* Frames of the interpreter: calls, returns, exceptions. */
#include <string.h>

#include "runtime/interpreter/machine.h"
#include "runtime/value/chars.h"

/* ---- Registers ---- */

extern inline uint32_t tsm_machine_scalar_tag(const tsm_function *f, uint32_t reg);
extern inline tsm_value tsm_machine_read_register(const machine *m, uint32_t reg);
extern inline tsm_value tsm_machine_read_word(const machine *m, uint32_t word);

tsm_status tsm_machine_wrong_tag(machine *m) {
    return tsm_fail(m->x, TSM_BAD_FILE, "a value is of another type than the file says");
}

tsm_status tsm_machine_out_of_fuel(tsm_exec *x) {
    return tsm_fail(x, TSM_OUT_OF_FUEL, "the limit on executed instructions was reached");
}

tsm_status tsm_machine_charge(machine *m, size_t units) {
    return tsm_count_work(m->x, units) ? TSM_OK : tsm_machine_out_of_fuel(m->x);
}

static inline tsm_status store(machine *m, const tsm_function *f, tsm_value *r, uint32_t to, tsm_value v) {
    if (to < f->values) {
        put_value(m, &r[to], v);
        return TSM_OK;
    }
    if (v.tag != tsm_machine_scalar_tag(f, to)) {
        tsm_drop(m->x, v);
        return tsm_machine_wrong_tag(m);
    }
    scalars_of(f, r)[to].i = v.tag == TSM_TAG_BOOL ? v.as.b : v.as.i;
    return TSM_OK;
}

tsm_status tsm_machine_store(machine *m, const tsm_function *f, tsm_value *r, uint32_t to, tsm_value v) {
    return store(m, f, r, to, v);
}

tsm_value tsm_machine_take_word(machine *m, uint32_t word) {
    if (word & TSM_WORD_LAST_USE) {
        tsm_value *from = &m->r[word & TSM_WORD_INDEX];
        tsm_value v = *from;
        *from = tsm_none();
        return v;
    }
    return tsm_hold(tsm_machine_read_word(m, word));
}

void tsm_machine_drop_last_uses(machine *m, const uint32_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (is_last_use(words[i]))
            empty_value(m, &m->r[words[i] & TSM_WORD_INDEX]);
}

/* ---- Calls ---- */

void tsm_machine_enter(machine *m) {
    m->frame = &m->inst->frames[m->depth - 1];
    m->f = &m->inst->functions[m->frame->function];
    m->r = m->inst->stack + m->frame->base;
    m->s = scalars_of(m->f, m->r);
}

_Static_assert(TSM_TAG_NONE == 0, "zeroed registers are None");

tsm_status tsm_machine_push_frame(machine *m, uint32_t function, uint8_t kind, uint32_t result) {
    const tsm_function *f = &m->inst->functions[function];
    if (m->depth == m->inst->frame_limit || f->slots > m->inst->stack_slots - m->top)
        return tsm_fail(m->x, TSM_TOO_DEEP, "calls are nested too deeply");
    TSM_TRY(machine_charge_many(m, f->slots));
    m->inst->frames[m->depth++] = (tsm_frame){function, m->top, 0, result, kind, 0};
    memset(m->inst->stack + m->top, 0, f->slots * sizeof(tsm_value));
    m->top += f->slots;
    return TSM_OK;
}

void tsm_machine_pop_frame(machine *m) {
    const tsm_frame *frame = &m->inst->frames[--m->depth];
    const tsm_function *f = &m->inst->functions[frame->function];
    const tsm_value *r = m->inst->stack + frame->base;
    for (uint32_t i = 0; i < f->values; i++)
        tsm_drop(m->x, r[i]);
    m->top = frame->base;
}

tsm_status tsm_machine_push_call(machine *m, uint32_t function, uint8_t kind, const uint32_t *list) {
    const tsm_instance *inst = m->inst;
    const tsm_function *f = &inst->functions[function];
    uint32_t n = list[0];
    const uint32_t *words = list + 2;
    if (n != f->parameter_count)
        return tsm_fail(m->x, TSM_BAD_FILE, "a call has a wrong number of arguments");
    TSM_TRY(tsm_machine_push_frame(m, function, kind, words[n]));
    tsm_value *to = inst->stack + inst->frames[m->depth - 1].base;
    for (uint32_t i = 0; i < n; i++)
        TSM_TRY(tsm_machine_store(m, f, to, f->parameters[i], tsm_machine_take_word(m, words[i])));
    return TSM_OK;
}

tsm_status tsm_machine_find_method(machine *m, tsm_value self, uint32_t name, uint32_t *function) {
    if (self.tag == TSM_TAG_OBJECT) {
        tsmf_Type t = tsmf_Program_types(m->inst->root, tsm_as_object(self)->type);
        TSM_TRY(machine_charge_many(m, tsmf_Type_methods_len(t)));
        for (uint32_t i = 0; i < tsmf_Type_methods_len(t); i++)
            if (tsmf_ClassMethod_name(tsmf_Type_methods(t, i)) == name) {
                *function = tsmf_ClassMethod_function(tsmf_Type_methods(t, i));
                return TSM_OK;
            }
    }
    return tsm_fail(m->x, TSM_BAD_FILE, "an object has no method %s", tsmf_Program_method_names(m->inst->root, name));
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

static tsm_status store_result(machine *m, uint32_t to, tsm_value v) {
    const tsm_frame *caller = &m->inst->frames[m->depth - 1];
    return store(m, &m->inst->functions[caller->function], m->inst->stack + caller->base, to, v);
}

/* While an exit of a `with` runs, the message of the exception that it was entered for waits in the heap: the program
 * may raise and catch others meanwhile. */
static tsm_value saved_message(const machine *m, const tsm_frame *exit) {
    return tsm_of(TSM_TAG_STR, tsm_heap_at(&m->x->heap, exit->result));
}

static void restore_message(machine *m, const tsm_frame *exit) {
    const tsm_str *text = tsm_as_str(saved_message(m, exit));
    memcpy(m->x->message, text->text, text->length + 1);
}

tsm_status tsm_machine_leave(machine *m, tsm_value v, bool *done) {
    tsm_frame frame = m->inst->frames[m->depth - 1];
    tsm_machine_pop_frame(m);
    *done = false;
    if (frame.kind == TSM_FRAME_UNWIND) { /* its result is of no interest; the exception goes on */
        tsm_drop(m->x, v);
        restore_message(m, &frame);
        tsm_drop(m->x, saved_message(m, &frame));
        m->unwind_from = frame.with_index;
        return TSM_RAISED;
    }
    if (!m->depth) {
        m->result = v;
        *done = true;
        return TSM_OK;
    }
    if (frame.kind == TSM_FRAME_FORK)
        TSM_TRY(finish_future(m, v, false, &v));
    return store_result(m, frame.result, v);
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

/* The text of an exception, charged with what tracebacks and so many ranges took that were looked at. */
static tsm_status take_message(machine *m, uint32_t ranges, tsm_value *text) {
    TSM_TRY(tsm_machine_charge(m, ranges));
    return tsm_make_str(m->x, m->x->message, tsm_chars_length(m->x->message), text);
}

/* Starts the exit of a `with`: obj.__exit__(None, None, None). */
static tsm_status enter_exit(machine *m, uint32_t index) {
    const tsm_frame *frame = &m->inst->frames[m->depth - 1];
    const tsmf_WithRange *w = &tsmf_Function_withs(tsmf_Program_functions(m->inst->root, frame->function))[index];
    tsm_value object = m->inst->stack[frame->base + w->object], message;
    const tsm_function *f = &m->inst->functions[w->exit_function];
    TSM_TRY(take_message(m, index, &message));
    tsm_status status =
        tsm_machine_push_frame(m, w->exit_function, TSM_FRAME_UNWIND, tsm_heap_position(&m->x->heap, message.as.o));
    if (status != TSM_OK) {
        tsm_drop(m->x, message);
        return status;
    }
    m->inst->frames[m->depth - 1].with_index = index + 1;
    return tsm_machine_store(m, f, m->inst->stack + m->inst->frames[m->depth - 1].base, f->parameters[0],
                             tsm_hold(object));
}

/* An exception leaves a forked function: it becomes the future's. */
static tsm_status keep_in_future(machine *m, uint32_t result) {
    tsm_value text, future;
    TSM_TRY(take_message(m, 0, &text));
    TSM_TRY(finish_future(m, text, true, &future));
    return store_result(m, result, future);
}

tsm_status tsm_machine_unwind(machine *m, tsm_status status) {
    uint32_t from = m->unwind_from, found;
    if (status == TSM_RAISED && !from)
        tsm_traceback(m->inst, m->depth);
    m->inst->names_class = false;
    m->unwind_from = 0;
    while (m->depth) {
        if (status == TSM_RAISED && next_with(m, from, &found)) {
            status = enter_exit(m, found);
            if (status == TSM_OK)
                return TSM_OK;
            /* The exit could not begin, which ends all. */
        }
        tsm_frame frame = m->inst->frames[m->depth - 1];
        tsm_machine_pop_frame(m);
        from = 0;
        if (frame.kind == TSM_FRAME_UNWIND) { /* what an exit raises is of no interest; the first message is kept */
            if (status == TSM_RAISED)
                restore_message(m, &frame);
            tsm_drop(m->x, saved_message(m, &frame));
            from = frame.with_index;
        } else if (frame.kind == TSM_FRAME_FORK && status == TSM_RAISED) {
            status = keep_in_future(m, frame.result);
            if (status == TSM_OK)
                return TSM_OK;
        }
    }
    return status;
}
