/* Functions are inlined in many places, so most frames differ in nothing but who called. */
#include "exporter/codegen/pack_calls.h"

#include <string.h>

#include "exporter/base/mem.h"

typedef struct {
    image_frame *places;
    image_call *calls;
    struct {
        image_frame key;
        uint32_t value;
    } * known;
} packer;

static uint32_t find_place(packer *p, image_frame f) {
    f.caller = IMAGE_NO_INDEX;
    const ptrdiff_t at = hmgeti(p->known, f);
    if (at >= 0)
        return p->known[at].value;
    const uint32_t place = (uint32_t)arrlenu(p->places);
    arrput(p->places, f);
    hmput(p->known, f, place);
    return place;
}

/* False: it needs larger numbers. */
static bool add_call(packer *p, image_frame f) {
    const uint32_t call = (uint32_t)arrlenu(p->calls), place = find_place(p, f);
    const uint32_t caller = f.caller == IMAGE_NO_INDEX ? 0 : call - f.caller;
    if (place > UINT16_MAX || caller > UINT16_MAX)
        return false;
    const image_call c = {(uint16_t)place, (uint16_t)caller};
    arrput(p->calls, c);
    return true;
}

static int64_t clamp(int64_t v, int64_t least, int64_t most) {
    return v < least ? least : v < most ? v : most;
}

/* Distances that a step cannot hold take several: until the last one, the steps lead to no instruction of their own. */
static image_step *steps_of(const image_debug_entry *entries, uint32_t first_call) {
    image_step *steps = NULL;
    int64_t instruction = 0, call = first_call;
    for (size_t i = 0; i < arrlenu(entries); i++)
        do {
            const image_step s = {(uint8_t)clamp(entries[i].pc - instruction, 0, UINT8_MAX),
                                  entries[i].pc - instruction > UINT8_MAX
                                      ? 0
                                      : (int8_t)clamp(entries[i].frame - call, INT8_MIN, INT8_MAX)};
            arrput(steps, s);
            instruction += s.instructions;
            call += s.calls;
        } while (instruction != entries[i].pc || call != entries[i].frame);
    return steps;
}

void pack_calls(image *m) {
    packer p = {.places = NULL};
    for (size_t i = 0; i < arrlenu(m->frames); i++)
        if (!add_call(&p, m->frames[i]))
            return;
    for (size_t i = 0; i < arrlenu(m->functions); i++) {
        image_function *f = &m->functions[i];
        if (!arrlenu(f->debug))
            continue;
        f->first_call = f->debug[0].frame;
        f->steps = steps_of(f->debug, f->first_call);
        arrfree(f->debug);
    }
    m->frames = p.places;
    m->calls = p.calls;
}
