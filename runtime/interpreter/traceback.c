/* Tracebacks of TorchScript, in PyTorch's words. */
#include <string.h>

#include "runtime/interpreter/instance.h"
#include "runtime/interpreter/positions.h"
#include "runtime/value/chars.h"

/* Frames of one call chain that are shown at most; the innermost ones are kept. */
enum { MAX_CHAIN = 32, CONTEXT_LINES = 2 };

/* Appends to the message buffer, cutting off what does not fit. */
typedef struct {
    char *to, *end; /* with a byte for a terminating zero */
    size_t work;    /* calls and bytes of source text that were looked at */
} sink;

#define TRACE_PUT(s, ...) ((s)->to += tsm_format((s)->to, (size_t)((s)->end - (s)->to), __VA_ARGS__))

static bool is_full(const sink *s) {
    return s->end - s->to <= 1;
}

/* The text that a range stands in, and the line. */
typedef struct {
    const char *name, *text;
    size_t length, start, end; /* the range in the text */
    uint32_t first_line, line; /* of the text, of the range */
} located;

/* Where a frame stands, in the author's code when that is wanted and known. False when it is unknown, or not in its
 * text. */
static bool locate(tsmf_Program root, const tsmf_Frame *f, bool original, located *at) {
    const tsmf_SourceRange *range = original && f->original.file != TSM_NO_INDEX ? &f->original : &f->serialized;
    if (range->file == TSM_NO_INDEX)
        return false;
    tsmf_SourceFile file = tsmf_Program_files(root, range->file);
    size_t offset = tsmf_SourceFile_offset(file);
    at->name = tsmf_SourceFile_name(file);
    at->text = tsmf_SourceFile_text(file);
    at->length = tsmf_SourceFile_text_len(file);
    if (range->start < offset || range->start > range->end || range->end - offset > at->length)
        return false;
    at->start = range->start - offset;
    at->end = range->end - offset;
    at->line = at->first_line = tsmf_SourceFile_first_line(file);
    for (size_t i = 0; i < at->start; i++)
        at->line += at->text[i] == '\n';
    return true;
}

/* The lines of a range with marks under it, and up to two lines before and after. */
static void put_highlight(sink *s, const located *at) {
    uint32_t line = at->first_line;
    for (size_t begin = 0, end; begin < at->length || begin <= at->start; begin = end + 1, line++) {
        for (end = begin; end < at->length && at->text[end] != '\n';)
            end++;
        if (line - at->line + CONTEXT_LINES <= 2 * CONTEXT_LINES)
            TRACE_PUT(s, "%.*s\n", (int)(end - begin), at->text + begin);
        if (line == at->line) {
            const size_t stop = at->end < end ? at->end : end;
            for (size_t i = begin; (i < stop || i <= at->start) && !is_full(s); i++)
                *s->to++ = i < at->start ? ' ' : '~';
            TRACE_PUT(s, " <--- HERE\n");
        }
    }
}

static void put_frame(sink *s, tsmf_Program root, const tsmf_Frame *f, bool original) {
    located at;
    if (is_full(s) || !locate(root, f, original, &at))
        return;
    const char *name = tsmf_Program_strings(root, f->function_name), *point = tsm_chars_last(name, '.');
    s->work += at.length;
    TRACE_PUT(s, "  File \"%s\", line %u, in %s\n", at.name, at.line, point ? point + 1 : name);
    put_highlight(s, &at);
}

bool tsm_place_get(const tsm_program *program, const tsm_operator_call *call, size_t level, tsm_place *place) {
    tsmf_Program root = {program->root};
    const tsmf_Frame *frame = NULL;
    uint32_t at = tsm_position_call(tsmf_Program_functions(root, call->function), call->instruction);
    do
        if (at == TSM_NO_INDEX)
            return false;
        else
            frame = tsm_position_frame(root, &at);
    while (level--);
    located where;
    if (!locate(root, frame, true, &where))
        return false;
    *place = (tsm_place){where.name, where.line};
    return true;
}

/* The frames' places in the author's code, where it is known, or else in the archive's. True when it is known for any
 * of them. */
static bool put_calls(sink *s, const tsm_instance *inst, uint32_t depth, bool original) {
    bool any = false;
    for (uint32_t i = 0; i < depth; i++) {
        const tsm_frame *running = &inst->frames[i];
        const tsmf_Function f = tsmf_Program_functions(inst->root, running->function);
        const tsmf_Frame *chain[MAX_CHAIN];
        uint32_t n = 0, call = tsm_position_call(f, running->pc - 1);
        while (call != TSM_NO_INDEX && n < MAX_CHAIN)
            chain[n++] = tsm_position_frame(inst->root, &call);
        s->work += n + 1 + tsmf_Function_steps_len(f);
        while (n--) {
            any |= chain[n]->original.file != TSM_NO_INDEX;
            put_frame(s, inst->root, chain[n], original);
        }
    }
    return any;
}

void tsm_traceback(tsm_instance *inst, uint32_t depth) {
    tsm_exec *x = &inst->exec;
    static const char prefix[] = "RuntimeError: ";
    const size_t ahead = inst->names_class ? 0 : sizeof prefix - 1;
    inst->names_class = false;
    if (x->message_bytes <= ahead)
        return;
    /* The last line says what went wrong: its room, at the end of the buffer, is kept free, behind that of a zero. */
    const size_t most = x->message_bytes - 1 - ahead, length = tsm_chars_length(x->message),
                 n = length < most ? length : most;
    char *const last = x->message + ahead + most - n + 1;
    memmove(last, x->message, n);
    sink s = {x->message, last - ahead, 0};
    if (tsmf_Program_frames_len(inst->root)) {
        static const char heading[] = "%s\nTraceback of TorchScript%s (most recent call last):\n";
        sink nowhere = {NULL, NULL, 0};
        bool is_generated = put_calls(&nowhere, inst, depth, true);
        TRACE_PUT(&s, heading, "The following operation failed in the TorchScript interpreter.",
                  is_generated ? ", serialized code" : "");
        put_calls(&s, inst, depth, false);
        if (is_generated) {
            TRACE_PUT(&s, heading, "", ", original code");
            put_calls(&s, inst, depth, true);
        }
    }
    memcpy(s.to, prefix, ahead);
    memmove(s.to + ahead, last, n);
    s.to[ahead + n] = 0;
    tsm_count_work(x, s.work);
}
