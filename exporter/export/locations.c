/* Stack traces read; their lines as source files of one line each. */
#include "exporter/export/locations.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/base/mem.h"

struct locations {
    struct {
        char *key; /* a stack trace and a module stack */
        ir_place value;
    } * places; /* stb_ds hash map */
    struct {
        char *key; /* file, line and text of a frame */
        source_file *value;
    } * files;
};

/* One entry of a stack trace. */
typedef struct {
    const char *file, *function;
    uint32_t line;
    const char *text;
    size_t length;
} frame;

locations *locations_new(void) {
    return MEM_NEW(locations);
}

/* `  File "NAME", line N, in FUNCTION`; false when the line is none. */
static bool read_header(const char *line, size_t n, frame *f) {
    static const char file[] = "File \"", number[] = "\", line ", in[] = ", in ";
    const char *text = mem_strndup(line, n);
    while (*text == ' ')
        text++;
    const char *name_end = strncmp(text, file, strlen(file)) ? NULL : strstr(text + strlen(file), number);
    if (!name_end)
        return false;
    text += strlen(file);
    f->file = mem_strndup(text, (size_t)(name_end - text));
    char *end;
    unsigned long at = strtoul(name_end + strlen(number), &end, 10);
    f->line = at < UINT32_MAX ? (uint32_t)at : 0;
    f->function = strncmp(end, in, strlen(in)) ? "" : end + strlen(in);
    return true;
}

/* The entries of a stack trace, an stb_ds array. */
static frame *read_frames(const char *trace) {
    frame *frames = NULL;
    for (const char *line = trace; *line;) {
        size_t n = strcspn(line, "\n");
        frame f = {0};
        if (read_header(line, n, &f)) {
            arrput(frames, f);
        } else if (frames) {
            frame *last = &arrlast(frames);
            if (!last->text)
                last->text = line;
            last->length = (size_t)(line + n - last->text);
        }
        line += n + (line[n] == '\n');
    }
    return frames;
}

static source_range range_of(locations *l, const frame *f) {
    size_t length = f->text ? f->length : 0;
    char *key = mem_printf("%s:%u:%.*s", f->file, f->line, (int)length, f->text ? f->text : "");
    source_file *file = shget(l->files, key);
    if (!file) {
        file = source_new(f->file, f->text ? f->text : "", length, f->line);
        shput(l->files, key, file);
    }
    uint32_t start = 0;
    while (start < length && f->text[start] == ' ')
        start++;
    return source_range_make(file, start, (uint32_t)length);
}

/* The names of the functions that ran, outermost first, an stb_ds array: those of modules by class. */
static const char **module_functions(const char *stack) {
    const char **names = NULL;
    while (*stack) {
        size_t n = strcspn(stack, ";");
        const char *entry = mem_strndup(stack, n), *comma = strrchr(entry, ',');
        if (comma)
            arrput(names, intern(mem_printf("__torch__.%s.forward", comma + 1)));
        stack += n + (stack[n] == ';');
    }
    return names;
}

static const char *text_of(json metadata, const char *key) {
    json found = json_find(metadata, key);
    return json_is_null(found) ? "" : json_string(found);
}

/* A frame of a module's forward belongs to the next module of the stack. */
static ir_place make_place(locations *l, const char *trace, const char *stack) {
    ir_place place = {{NULL, 0, 0}, NULL};
    const char **modules = module_functions(stack);
    const frame *frames = read_frames(trace);
    size_t module = 0;
    for (size_t i = 0; i < arrlenu(frames); i++) {
        ir_scope *scope = MEM_NEW(ir_scope);
        bool is_module = !strcmp(frames[i].function, "forward") && module < arrlenu(modules);
        scope->function = is_module ? modules[module++] : intern(frames[i].function);
        scope->range = place.range;
        scope->caller = place.scope;
        place.scope = scope;
        place.range = range_of(l, &frames[i]);
    }
    return place;
}

ir_place location_of(locations *l, json metadata) {
    if (!json_is_object(metadata))
        return (ir_place){{NULL, 0, 0}, NULL};
    const char *trace = text_of(metadata, "stack_trace"), *stack = text_of(metadata, "nn_module_stack");
    char *key = mem_printf("%s|%s", trace, stack);
    ptrdiff_t found = shgeti(l->places, key);
    if (found >= 0)
        return l->places[found].value;
    ir_place place = make_place(l, trace, stack);
    shput(l->places, key, place);
    return place;
}

const char *location_root_class(json metadata) {
    if (!json_is_object(metadata))
        return NULL;
    const char *stack = text_of(metadata, "nn_module_stack");
    const char *first = mem_strndup(stack, strcspn(stack, ";")), *comma = strrchr(first, ',');
    return comma && comma[1] ? comma + 1 : NULL;
}
