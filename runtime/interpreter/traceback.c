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
    tsm_positions *of;
} sink;

#define TRACE_PUT(s, ...) ((s)->to += tsm_format((s)->to, (size_t)((s)->end - (s)->to), __VA_ARGS__))

static bool is_full(const sink *s) {
    return s->end - s->to <= 1;
}

static void put_byte(sink *s, uint32_t byte) {
    if (!is_full(s))
        *s->to++ = (char)byte;
}

/* A name: the bytes of a record that stand behind the last one that equals `mark`. */
static void put_source_name(sink *s, uint32_t record, uint32_t mark) {
    tsm_record r;
    char *const begin = s->to;
    tsm_record_open(&r, s->of, record);
    for (uint32_t byte; (byte = tsm_record_next(&r)) != 0;)
        if (byte == mark)
            s->to = begin;
        else
            put_byte(s, byte);
}

/* The line that a range begins in, or 0 when there is none or its text ends before. */
static uint32_t marked_line(tsm_positions *of, const uint32_t *range) {
    tsm_record r;
    uint32_t line = range[TSM_RANGE_LINE], byte = '\n';
    tsm_record_open(&r, of, range[TSM_RANGE_TEXT]);
    for (uint32_t i = 0; i < range[TSM_RANGE_START] && byte; i++)
        line += (byte = tsm_record_next(&r)) == '\n';
    return byte ? line : 0;
}

/* The lines of a range with marks under it, and up to two lines before and after. */
static void put_highlight(sink *s, const uint32_t *range, uint32_t marked) {
    tsm_record r;
    uint32_t byte, i = 0, line = range[TSM_RANGE_LINE];
    const uint32_t start = range[TSM_RANGE_START], end = start + range[TSM_RANGE_LENGTH];
    tsm_record_open(&r, s->of, range[TSM_RANGE_TEXT]);
    do {
        const uint32_t begin = i;
        const bool is_shown = line + CONTEXT_LINES >= marked;
        for (; (byte = tsm_record_next(&r)) != 0 && byte != '\n'; i++)
            if (is_shown)
                put_byte(s, byte);
        if (!byte && i == begin && begin > start)
            break;
        if (is_shown)
            put_byte(s, '\n');
        if (line == marked) {
            for (uint32_t k = begin; (k < i && k < end) || k <= start; k++)
                put_byte(s, k < start ? ' ' : '~');
            TRACE_PUT(s, " <--- HERE\n");
        }
        i++;
    } while (byte && line++ < marked + CONTEXT_LINES);
}

/* The range of a place: in the author's code when that is wanted and known. */
static const uint32_t *range_of(const uint32_t *place, bool original) {
    const uint32_t *const of_author = place + TSM_PLACE_ORIGINAL;
    return original && of_author[TSM_RANGE_LINE] ? of_author : place + TSM_PLACE_SERIALIZED;
}

/* Whether the frame's place is known in the author's code. */
static bool put_frame(sink *s, uint32_t call, bool original) {
    uint32_t place[TSM_PLACE_COLUMNS];
    if (!tsm_position_place(s->of, call, place))
        return false;
    const uint32_t *range = range_of(place, original);
    const uint32_t line = is_full(s) ? 0 : marked_line(s->of, range);
    if (line) {
        TRACE_PUT(s, "  File \"");
        put_source_name(s, range[TSM_RANGE_FILE], 0);
        TRACE_PUT(s, "\", line %u, in ", line);
        put_source_name(s, place[TSM_PLACE_FUNCTION], '.');
        put_byte(s, '\n');
        put_highlight(s, range, line);
    }
    return place[TSM_PLACE_ORIGINAL + TSM_RANGE_LINE];
}

bool tsm_place_get(const tsm_program *program, const tsm_operator_call *call, size_t level, tsm_place *place) {
    tsm_positions of = tsm_positions_of((tsmf_Program){program->root});
    sink s = {place->file, place->file + sizeof place->file, &of};
    uint32_t at = of.groups ? tsm_position_call(&of, call->function, call->instruction) : TSM_NO_INDEX;
    uint32_t columns[TSM_PLACE_COLUMNS];
    for (; at != TSM_NO_INDEX && level; level--)
        at = tsm_position_caller(s.of, at);
    if (at == TSM_NO_INDEX || !tsm_position_place(s.of, at, columns))
        return false;
    const uint32_t *range = range_of(columns, true);
    place->line = marked_line(s.of, range);
    put_source_name(&s, range[TSM_RANGE_FILE], 0);
    *s.to = 0;
    return place->line;
}

/* The frames' places in the author's code, where that is wanted and known, or else in the archive's. True when it is
 * known for any of them. */
static bool put_calls(sink *s, const tsm_instance *inst, uint32_t depth, bool original) {
    bool any = false;
    for (uint32_t i = 0; i < depth; i++) {
        const tsm_frame *running = &inst->frames[i];
        uint32_t chain[MAX_CHAIN], n = 0, call = tsm_position_call(s->of, running->function, running->pc - 1);
        for (; call != TSM_NO_INDEX && n < MAX_CHAIN; call = tsm_position_caller(s->of, call))
            chain[n++] = call;
        while (n--)
            any |= put_frame(s, chain[n], original);
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
    tsm_positions of = tsm_positions_of(inst->root);
    sink s = {x->message, x->message, &of}; /* nothing is written before it is known what there is */
    if (of.groups) {
        const bool is_generated = put_calls(&s, inst, depth, true);
        s.end = last - ahead;
        for (int original = 0; original <= (is_generated ? 1 : 0); original++) {
            TRACE_PUT(&s, "%s\nTraceback of TorchScript%s (most recent call last):\n",
                      original ? "" : "The following operation failed in the TorchScript interpreter.",
                      original       ? ", original code"
                      : is_generated ? ", serialized code"
                                     : "");
            put_calls(&s, inst, depth, original);
        }
    }
    memcpy(s.to, prefix, ahead);
    memmove(s.to + ahead, last, n);
    s.to[ahead + n] = 0;
    tsm_count_work(x, of.work);
}
