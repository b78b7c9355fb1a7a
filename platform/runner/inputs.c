/* Arguments from the files and texts of the command line. */
#include "platform/runner/inputs.h"

#include "platform/runner/audio.h"
#include "platform/runner/convert.h"
#include "platform/runner/die.h"
#include "platform/runner/image.h"
#include "platform/runner/json_read.h"
#include "platform/runner/npy.h"
#include "platform/runner/npz.h"
#include <string.h>

/* Arguments that are being gathered: places that are taken, and the end of the last one. */
typedef struct {
    session *session;
    const options *options;
    tsm_value *values;
    bool *is_taken;
    size_t room, count;
} gathering;

static size_t next_place(const gathering *g) {
    size_t place = 0;
    while (place < g->room && g->is_taken[place])
        place++;
    return place;
}

static void put_at(gathering *g, size_t place, tsm_value v) {
    g->values[place] = v;
    g->is_taken[place] = true;
    g->count = place + 1 > g->count ? place + 1 : g->count;
}

static tsm_value text_of_bytes(tsm_instance *inst, const char *text, size_t n) {
    tsm_value v;
    const tsm_status status = tsm_str_new(inst, &v, text, n);
    if (status != TSM_OK)
        die_of(status, tsm_error(inst));
    return v;
}

static tsm_value text_of_file(tsm_instance *inst, const char *path) {
    platform_file file;
    char reason[128];
    if (!platform_file_open(&file, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    return text_of_bytes(inst, file.data, file.bytes);
}

/* What the method declares of an argument; nothing of one that it does not have. */
static input_place place_of_argument(const session *s, size_t i) {
    input_place place = {&s->program, s->inst, {"", "", -1, -1, NULL}};
    if (i < tsm_method_arguments(&s->program, (size_t)s->method))
        place.wanted = tsm_method_input(&s->program, (size_t)s->method, i);
    return place;
}

static tsm_value value_of(const gathering *g, const input *in, size_t i) {
    const input_place place = place_of_argument(g->session, i);
    switch (in->kind) {
    case INPUT_IMAGE:
        return image_value(&place, in->text, &g->options->image);
    case INPUT_AUDIO:
        return audio_value(&place, in->text, g->options->audio_rate);
    case INPUT_TEXT:
        return text_of_file(place.inst, in->text);
    case INPUT_STRING:
        return text_of_bytes(place.inst, in->text, strlen(in->text));
    default:
        return npy_value(in->text, place.inst);
    }
}

/* The number of the argument with this name, or the number of all. */
static size_t argument_named(const session *s, const char *name) {
    const size_t n = tsm_method_arguments(&s->program, (size_t)s->method);
    size_t i = 0;
    while (i < n && strcmp(tsm_method_input(&s->program, (size_t)s->method, i).name, name) != 0)
        i++;
    return i;
}

static void make_room(gathering *g, size_t more) {
    const size_t room = g->room + more;
    tsm_value *values = keep(room * sizeof *values + 1);
    bool *is_taken = keep(room * sizeof *is_taken + 1);
    memset(is_taken, 0, room * sizeof *is_taken);
    if (g->room) {
        memcpy(values, g->values, g->room * sizeof *values);
        memcpy(is_taken, g->is_taken, g->room * sizeof *is_taken);
    }
    g->values = values;
    g->is_taken = is_taken;
    g->room = room;
}

static void add_arrays(gathering *g, const char *path) {
    size_t count;
    npz_array *arrays = npz_read(path, g->session->inst, &count);
    make_room(g, count);
    const size_t declared = tsm_method_arguments(&g->session->program, (size_t)g->session->method);
    for (size_t i = 0; i < count; i++) {
        const size_t named = argument_named(g->session, arrays[i].name);
        if (named < declared && g->is_taken[named])
            die(EXIT_BAD_INPUT, "%s: argument '%s' is given twice", path, arrays[i].name);
        if (named < declared)
            put_at(g, named, arrays[i].value);
    }
    for (size_t i = 0; i < count; i++)
        if (argument_named(g->session, arrays[i].name) >= declared)
            put_at(g, next_place(g), arrays[i].value);
}

arguments inputs_read(session *s, const options *o) {
    const json_file *file = o->inputs ? json_open(o->inputs) : NULL;
    const size_t from_json = file ? json_array_size(file, JSON_ROOT, "the list of arguments") : 0;
    gathering g = {s, o, NULL, NULL, 0, 0};
    make_room(&g, from_json + o->given_count + tsm_method_arguments(&s->program, (size_t)s->method));
    json_node node = json_first(JSON_ROOT);
    for (size_t i = 0; i < from_json; i++, node = json_next(file, node))
        put_at(&g, i, json_value(file, node, s->inst, NULL));
    for (size_t i = 0; i < o->given_count; i++) {
        const size_t place = next_place(&g);
        if (o->given[i].kind == INPUT_NPZ)
            add_arrays(&g, o->given[i].text);
        else
            put_at(&g, place, value_of(&g, &o->given[i], place));
    }
    for (size_t i = 0; i < g.count; i++)
        if (!g.is_taken[i])
            die(EXIT_BAD_INPUT, "argument %zu is not given, and one behind it is", i);
    for (size_t i = 0; i < g.count; i++)
        convert_argument(s->inst, &s->program, (size_t)s->method, i, &g.values[i]);
    return (arguments){g.values, g.count};
}
