/* Tracebacks of TorchScript, in PyTorch's words. */
#include <string.h>

#include "runtime/interpreter/instance.h"
#include "runtime/value/chars.h"

/* Frames of one call chain that are shown at most; the innermost ones are kept. */
enum { MAX_CHAIN = 32, CONTEXT_LINES = 2 };

/* Appends to the message buffer, cutting off what does not fit. */
typedef struct {
    char *to;
    size_t used, room;
    size_t work; /* calls and bytes of source text that were looked at */
} sink;

static void put(sink *s, const char *text, size_t n) {
    while (n-- && s->used < s->room)
        s->to[s->used++] = *text++;
}

static void put_text(sink *s, const char *text) {
    put(s, text, tsm_chars_length(text));
}

static void put_repeated(sink *s, const char *c, size_t n) {
    while (n--)
        put(s, c, 1);
}

static size_t line_start(const char *text, size_t at) {
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const char *text, size_t length, size_t at) {
    while (at < length && text[at] != '\n')
        at++;
    return at;
}

/* The lines of a range with marks under it, and up to two lines before and after. */
static void put_highlight(sink *s, const char *text, size_t length, size_t start, size_t end) {
    size_t first = line_start(text, start), last = line_end(text, length, start);
    size_t from = first;
    for (int i = 0; i < CONTEXT_LINES && from; i++)
        from = line_start(text, from - 1);
    put(s, text + from, last - from);
    put_text(s, "\n");
    put_repeated(s, " ", start - first);
    size_t marks = (end < last ? end : last) - start;
    put_repeated(s, "~", marks ? marks : 1);
    put_text(s, " <--- HERE\n");
    size_t after = last < length ? last + 1 : length, to = after;
    for (int i = 0; i < CONTEXT_LINES && to < length; i++) {
        to = line_end(text, length, to);
        to += to < length;
    }
    put(s, text + after, to - after);
    if (to > after && text[to - 1] != '\n')
        put_text(s, "\n");
}

static void put_number(sink *s, uint32_t v) {
    char digits[16];
    put(s, digits, tsm_format(digits, sizeof digits, "%u", v));
}

static const char *base_name(const char *qualified) {
    const char *dot = tsm_chars_last(qualified, '.');
    return dot ? dot + 1 : qualified;
}

/* The text that a range stands in, and the line. */
typedef struct {
    const char *name, *text;
    size_t length, start, end; /* the range in the text */
    uint32_t line;
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
    at->line = tsmf_SourceFile_first_line(file);
    for (size_t i = 0; i < at->start; i++)
        at->line += at->text[i] == '\n';
    return true;
}

static void put_frame(sink *s, tsmf_Program root, const tsmf_Frame *f, bool original) {
    located at;
    if (s->used == s->room || !locate(root, f, original, &at))
        return;
    s->work += at.length;
    put_text(s, "  File \"");
    put_text(s, at.name);
    put_text(s, "\", line ");
    put_number(s, at.line);
    put_text(s, ", in ");
    put_text(s, base_name(tsmf_Program_strings(root, f->function_name)));
    put_text(s, "\n");
    put_highlight(s, at.text, at.length, at.start, at.end);
}

/* The debug frame of an instruction. */
static uint32_t frame_of(tsmf_Program root, uint32_t function, uint32_t pc) {
    tsmf_Function f = tsmf_Program_functions(root, function);
    const tsmf_DebugEntry *d = tsmf_Function_debug(f);
    uint32_t low = 0, high = tsmf_Function_debug_len(f);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d[middle].pc <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? d[low - 1].frame : TSM_NO_INDEX;
}

/* The debug frame of a call's place. */
static uint32_t frame_at(tsmf_Program root, const tsm_frame *call) {
    return frame_of(root, call->function, call->pc - 1);
}

bool tsm_place_get(const tsm_program *program, const tsm_operator_call *call, size_t level, tsm_place *place) {
    tsmf_Program root = {program->root};
    const tsmf_Frame *frames = tsmf_Program_frames(root);
    uint32_t f = frame_of(root, call->function, call->instruction);
    for (; f != TSM_NO_INDEX && level; level--)
        f = frames[f].caller;
    located at;
    if (f == TSM_NO_INDEX || !locate(root, &frames[f], true, &at))
        return false;
    *place = (tsm_place){at.name, at.line};
    return true;
}

/* The frames' places in the author's code, where it is known, or else in the archive's. True when it is known for any
 * of them. */
static bool put_calls(sink *s, const tsm_instance *inst, uint32_t depth, bool original) {
    const tsmf_Frame *frames = tsmf_Program_frames(inst->root);
    bool any = false;
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t chain[MAX_CHAIN], n = 0;
        for (uint32_t f = frame_at(inst->root, &inst->frames[i]); f != TSM_NO_INDEX && n < MAX_CHAIN;
             f = frames[f].caller)
            chain[n++] = f;
        s->work += n + 1;
        while (n--) {
            const tsmf_Frame *f = &frames[chain[n]];
            any |= f->original.file != TSM_NO_INDEX;
            put_frame(s, inst->root, f, original);
        }
    }
    return any;
}

void tsm_traceback(tsm_instance *inst, uint32_t depth) {
    tsm_exec *x = &inst->exec;
    const char *prefix = inst->names_class ? "" : "RuntimeError: ";
    inst->names_class = false;
    const size_t ahead = tsm_chars_length(prefix);
    if (x->message_bytes <= ahead)
        return;
    /* The last line says what went wrong: its room, at the end of the buffer, is kept free. */
    const size_t most = x->message_bytes - 1 - ahead, length = tsm_chars_length(x->message),
                 n = length < most ? length : most;
    char *const last = x->message + ahead + most - n;
    memmove(last, x->message, n);
    sink s = {x->message, 0, most - n, 0};
    if (tsmf_Program_frames_len(inst->root)) {
        static const char traceback[] = "Traceback of TorchScript", order[] = " (most recent call last):\n";
        sink nowhere = {NULL, 0, 0, 0};
        bool is_generated = put_calls(&nowhere, inst, depth, true);
        put_text(&s, "The following operation failed in the TorchScript interpreter.\n");
        put_text(&s, traceback);
        put_text(&s, is_generated ? ", serialized code" : "");
        put_text(&s, order);
        put_calls(&s, inst, depth, false);
        if (is_generated) {
            put_text(&s, "\n");
            put_text(&s, traceback);
            put_text(&s, ", original code");
            put_text(&s, order);
            put_calls(&s, inst, depth, true);
        }
    }
    s.room = x->message_bytes - 1;
    put_text(&s, prefix);
    put(&s, last, n);
    x->message[s.used] = 0;
    tsm_count_work(x, s.work);
}
