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

static void put_frame(sink *s, tsmf_Program root, const tsmf_Frame *f, const tsmf_SourceRange *range) {
    if (range->file == TSM_NO_INDEX)
        return;
    tsmf_SourceFile file = tsmf_Program_files(root, range->file);
    const char *text = tsmf_SourceFile_text(file);
    size_t length = tsmf_SourceFile_text_len(file), offset = tsmf_SourceFile_offset(file);
    if (range->start < offset || range->start > range->end || range->end - offset > length)
        return;
    uint32_t line = tsmf_SourceFile_first_line(file);
    for (size_t i = 0; i < range->start - offset; i++)
        line += text[i] == '\n';
    put_text(s, "  File \"");
    put_text(s, tsmf_SourceFile_name(file));
    put_text(s, "\", line ");
    put_number(s, line);
    put_text(s, ", in ");
    put_text(s, base_name(tsmf_Program_strings(root, f->function_name)));
    put_text(s, "\n");
    put_highlight(s, text, length, range->start - offset, range->end - offset);
}

/* The debug frame of a call's place. */
static uint32_t frame_at(tsmf_Program root, const tsm_frame *call) {
    tsmf_Function f = tsmf_Program_functions(root, call->function);
    const tsmf_DebugEntry *d = tsmf_Function_debug(f);
    uint32_t found = TSM_NO_INDEX, pc = call->pc ? call->pc - 1 : 0;
    for (uint32_t i = 0; i < tsmf_Function_debug_len(f) && d[i].pc <= pc; i++)
        found = d[i].frame;
    return found;
}

static void put_calls(sink *s, const tsm_instance *inst, uint32_t depth, bool original) {
    const tsmf_Frame *frames = tsmf_Program_frames(inst->root);
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t chain[MAX_CHAIN], n = 0;
        for (uint32_t f = frame_at(inst->root, &inst->frames[i]); f != TSM_NO_INDEX && n < MAX_CHAIN;
             f = frames[f].caller)
            chain[n++] = f;
        while (n--) {
            const tsmf_Frame *f = &frames[chain[n]];
            bool shows_original = original && f->original.file != TSM_NO_INDEX;
            put_frame(s, inst->root, f, shows_original ? &f->original : &f->serialized);
        }
    }
}

/* Whether the author's range is known for some place of the traceback. */
static bool has_original(const tsm_instance *inst, uint32_t depth) {
    const tsmf_Frame *frames = tsmf_Program_frames(inst->root);
    for (uint32_t i = 0; i < depth; i++)
        for (uint32_t f = frame_at(inst->root, &inst->frames[i]), n = 0; f != TSM_NO_INDEX && n < MAX_CHAIN; n++) {
            if (frames[f].original.file != TSM_NO_INDEX)
                return true;
            f = frames[f].caller;
        }
    return false;
}

void tsm_traceback(tsm_instance *inst, uint32_t depth) {
    tsm_exec *x = &inst->exec;
    const char *prefix = inst->names_class ? "" : "RuntimeError: ";
    inst->names_class = false;
    if (!x->message || !x->message_bytes)
        return;
    size_t n = tsm_chars_length(x->message);
    char *copy = tsm_heap_alloc(&x->heap, n + 1);
    if (!copy)
        return; /* no room for a traceback: the message alone stays */
    memcpy(copy, x->message, n + 1);
    /* The last line is what matters most: it keeps its room. */
    size_t last = tsm_chars_length(prefix) + n + 2;
    sink s = {x->message, 0, x->message_bytes > last ? x->message_bytes - last : 0};
    if (tsmf_Program_frames_len(inst->root)) {
        static const char traceback[] = "Traceback of TorchScript", order[] = " (most recent call last):\n";
        bool is_generated = has_original(inst, depth);
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
    put(&s, copy, n);
    x->message[s.used] = 0;
    tsm_heap_free(&x->heap, copy);
}
