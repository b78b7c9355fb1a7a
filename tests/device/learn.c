/* Learns to recognize handwritten digits, on any target, and keeps what it has learned.
 *
 *     learn TRAIN.bin TEST.bin MODEL.tsm [STEPS]
 *
 * Bare-metal programs carry the model (tests/models/make_learner.py) in flash and are called without MODEL.tsm. Each
 * step takes 16 images; without STEPS it goes through the images three times. What was learned is written to a sector
 * of the board's memory, as to one of flash, and loaded from there by an instance that begins anew. The program ends
 * with status 0 when that instance gives the same answers, and when 97 % of the images of TEST.bin are recognized, or,
 * with STEPS, the loss of the last step is less than half of the first one's. */
#include "platform/platform.h"
#include "tests/device/digit_images.h"
#include "tests/device/model.h"
#include <stdio.h>
#include <stdlib.h>
#ifdef TSM_BAREMETAL
#include "platform/baremetal/baremetal.h"
#endif

enum { BATCH = 16, EPOCHS = 3, MOST_IMAGES = 2048, BUFFER_BYTES = 1024 * 1024, SECTOR_BYTES = 256 * 1024 };
static const double RATE = 0.05;

static char message[1024];

typedef struct {
    digit_images train, test;
    tsm_program program;
    void *buffer; /* the only memory that the model learns in */
    size_t buffer_bytes;
    tsm_instance *inst;
    int learn, recognize;
    uint32_t order[MOST_IMAGES];
    float batch[BATCH * DIGIT_MAX_PIXELS];
    int64_t labels[BATCH];
    double first_loss, last_loss;
    uint32_t steps;
} lesson;

_Noreturn static void fail(const char *what, const char *why) {
    fprintf(stderr, "learn: %s: %s\n", what, why);
    exit(2);
}

static void open_images(digit_images *images, const char *path) {
    platform_file file;
    if (!platform_file_open(&file, path, message, sizeof message))
        fail(path, message);
    if (!digit_images_open(images, file.data, file.bytes) || images->count > MOST_IMAGES)
        fail(path, "this is not a file of digit images");
}

static void start(lesson *l) {
    tsm_options options = {.platform = platform_table(), .message = message, .message_bytes = sizeof message};
    if (tsm_instance_init(&l->inst, &l->program, &options, l->buffer, l->buffer_bytes) != TSM_OK)
        fail("the model", message);
    l->learn = tsm_method(&l->program, "learn");
    l->recognize = tsm_method(&l->program, "recognize");
}

/* The order of an epoch. */
static void shuffle(lesson *l, uint32_t epoch) {
    uint32_t state = epoch + 1;
    for (uint32_t i = 0; i < l->train.count; i++)
        l->order[i] = i;
    for (uint32_t i = l->train.count - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        const uint32_t k = (state >> 8) % (i + 1), kept = l->order[i];
        l->order[i] = l->order[k];
        l->order[k] = kept;
    }
}

static tsm_value wrap_images(lesson *l, uint32_t count) {
    const tsm_dim sizes[4] = {(tsm_dim)count, 1, (tsm_dim)l->train.height, (tsm_dim)l->train.width};
    tsm_value v;
    if (tsm_tensor_wrap(l->inst, &v, TSM_FLOAT32, 4, sizes, NULL, l->batch) != TSM_OK)
        fail("the images", tsm_error(l->inst));
    return v;
}

/* One step with images [first, first + BATCH) of the order: all or nothing. Returns the loss. */
static double step(lesson *l, uint32_t first) {
    const tsm_dim count = BATCH;
    const uint32_t pixels = l->train.height * l->train.width;
    for (uint32_t i = 0; i < BATCH; i++) {
        digit_images_input(&l->train, l->order[first + i], l->batch + i * pixels);
        l->labels[i] = l->train.labels[l->order[first + i]];
    }
    tsm_value arguments[3] = {wrap_images(l, BATCH), tsm_none(), tsm_float(RATE)}, loss;
    if (tsm_tensor_wrap(l->inst, &arguments[1], TSM_INT64, 1, &count, NULL, l->labels) != TSM_OK ||
        tsm_call_or_restore(l->inst, l->learn, arguments, 3, &loss) != TSM_OK)
        fail("a step", tsm_error(l->inst));
    tsm_release(l->inst, arguments[0]);
    tsm_release(l->inst, arguments[1]);
    return loss.as.f;
}

static double learn_epoch(lesson *l, uint32_t epoch, uint32_t most) {
    double sum = 0;
    uint32_t n = 0;
    shuffle(l, epoch);
    for (; n < l->train.count / BATCH && l->steps < most; n++, l->steps++) {
        l->last_loss = step(l, n * BATCH);
        l->first_loss = l->steps ? l->first_loss : l->last_loss;
        sum += l->last_loss;
    }
    return sum / n;
}

/* How many of the images are recognized; adds to *checksum what depends on all scores. */
static uint32_t recognize(lesson *l, double *checksum) {
    uint32_t right = 0;
    for (uint32_t image = 0; image < l->test.count; image++) {
        tsm_value argument, result;
        tsm_tensor_view view;
        digit_images_input(&l->test, image, l->batch);
        argument = wrap_images(l, 1);
        if (tsm_call(l->inst, l->recognize, &argument, 1, &result) != TSM_OK || !tsm_tensor_get(result, &view))
            fail("the model", tsm_error(l->inst));
        const float *scores = view.data;
        uint32_t best = 0;
        for (uint32_t c = 0; c < l->test.classes; c++) {
            best = scores[c] > scores[best] ? c : best;
            *checksum += (double)scores[c] * (image + 1);
        }
        right += best == l->test.labels[image];
        tsm_release(l->inst, result);
        tsm_release(l->inst, argument);
    }
    return right;
}

/* Where what was learned outlives a reset. */
static void *sector(size_t *bytes) {
#ifdef TSM_BAREMETAL
    return baremetal_sector(bytes);
#else
    static unsigned char memory[SECTOR_BYTES];
    *bytes = sizeof memory;
    return memory;
#endif
}

/* Writes the state, begins anew with it, and says whether the answers are the same. */
static bool keeps_what_it_learned(lesson *l, uint32_t right, double checksum) {
    size_t room, bytes;
    void *flash = sector(&room);
    double again = 0;
    if (tsm_instance_save(l->inst, flash, room, &bytes) != TSM_OK)
        fail("saving", tsm_error(l->inst));
    start(l);
    double unlearned = 0;
    const uint32_t before = recognize(l, &unlearned);
    if (tsm_instance_load(l->inst, flash, room) != TSM_OK)
        fail("loading", tsm_error(l->inst));
    const uint32_t after = recognize(l, &again);
    printf("state         %zu bytes; begun anew: %u right, with the state: %u\n", bytes, (unsigned)before,
           (unsigned)after);
    return after == right && again == checksum;
}

int main(int argc, char **argv) {
    static lesson l;
    platform_arguments(&argc, argv);
#ifdef TSM_BAREMETAL
    baremetal_stack_paint();
#endif
    if (argc < 3 + MODEL_ARGUMENTS)
        fail("usage", "learn TRAIN.bin TEST.bin MODEL.tsm [STEPS]");
    open_images(&l.train, argv[1]);
    open_images(&l.test, argv[2]);
    const platform_file model = model_open(argv + 3);
    const char *given = argc > 3 + MODEL_ARGUMENTS ? argv[3 + MODEL_ARGUMENTS] : NULL;
    const uint32_t most = given ? (uint32_t)strtoul(given, NULL, 10) : UINT32_MAX;
    if (tsm_program_open(&l.program, model.data, model.bytes, message, sizeof message) != TSM_OK)
        fail("the model", message);
    l.buffer = platform_buffer(BUFFER_BYTES, &l.buffer_bytes);
    if (!l.buffer)
        fail("the buffer", "there is not that much memory");
    start(&l);
    uint32_t right = 0;
    double checksum = 0;
    for (uint32_t epoch = 0; epoch < EPOCHS && l.steps < most; epoch++) {
        const double loss = learn_epoch(&l, epoch, most);
        checksum = 0;
        right = recognize(&l, &checksum);
        printf("epoch %u       loss %.4f, %u of %u held-out images right (%.1f %%)\n", (unsigned)epoch + 1, loss,
               (unsigned)right, (unsigned)l.test.count, 100.0 * right / l.test.count);
    }
    const tsm_usage usage = tsm_instance_usage(l.inst);
    printf("buffer        %zu bytes at most in use: weights, the optimizer's state and all that a step computes\n",
           usage.high_water_bytes);
    const bool is_kept = keeps_what_it_learned(&l, right, checksum);
#ifdef TSM_BAREMETAL
    printf("flash         %zu bytes: program, libtsmobile and model; stack %zu bytes\n", baremetal_flash_bytes(),
           baremetal_stack_bytes());
#endif
    const bool has_learned = given ? l.last_loss < l.first_loss / 2 : right * 100 >= l.test.count * 97;
    return is_kept && has_learned ? 0 : 1;
}
