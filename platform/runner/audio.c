/* Sound as tensors: WAV files with integers of 8 to 32 bits or floats, their channels, their rate. */
#include "platform/runner/audio.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/little_endian.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RATE = 768000, PCM = 1, FLOATS = 3, EXTENSIBLE = 0xFFFE };

typedef struct {
    size_t channels, frames;
    uint32_t rate;
    float *samples; /* channel by channel */
} sound;

/* What a file says of its samples, and where they lie. */
typedef struct {
    uint32_t format, channels, rate, bits;
    const uint8_t *data;
    size_t bytes;
} wave;

_Noreturn static void bad(const char *path, const char *what) {
    die(EXIT_BAD_INPUT, "%s: %s", path, what);
}

/* The chunks of the file: "fmt " says the format, "data" has the samples. A last chunk may be cut off. */
static wave read_chunks(const char *path, const platform_file *file) {
    const uint8_t *p = file->data;
    wave w = {0};
    if (file->bytes < 12 || memcmp(p, "RIFF", 4) != 0 || memcmp(p + 8, "WAVE", 4) != 0)
        bad(path, "this is not a WAV file");
    for (size_t at = 12; file->bytes - at >= 8 && !w.data;) {
        const size_t room = file->bytes - at - 8, said = little_endian(p + at + 4, 4), n = said < room ? said : room;
        const uint8_t *chunk = p + at + 8;
        if (memcmp(p + at, "fmt ", 4) == 0 && n >= 16) {
            w.format = little_endian(chunk, 2);
            w.channels = little_endian(chunk + 2, 2);
            w.rate = little_endian(chunk + 4, 4);
            w.bits = little_endian(chunk + 14, 2);
            if (w.format == EXTENSIBLE && n >= 26)
                w.format = little_endian(chunk + 24, 2);
        } else if (memcmp(p + at, "data", 4) == 0) {
            w.data = chunk;
            w.bytes = n;
        }
        at += 8 + n + (n & 1 && n < room);
    }
    if (!w.data || !w.channels)
        bad(path, "the file has no samples, or does not say of which kind they are");
    if (w.rate < 1 || w.rate > MOST_RATE)
        bad(path, "the file does not say how many samples a second has");
    return w;
}

static float sample_of(const wave *w, const uint8_t *at) {
    if (w->format == FLOATS && w->bits == 32) {
        const uint32_t bits = little_endian(at, 4);
        float single;
        memcpy(&single, &bits, sizeof single);
        return single;
    }
    if (w->format == FLOATS) {
        const uint64_t bits = little_endian(at, 4) | (uint64_t)little_endian(at + 4, 4) << 32;
        double number;
        memcpy(&number, &bits, sizeof number);
        return (float)number;
    }
    if (w->bits == 8)
        return ((float)*at - 128) / 128;
    const uint32_t high = little_endian(at, (int)w->bits / 8) << (32 - w->bits);
    return (float)((double)(int32_t)high / 2147483648.0);
}

static sound read_sound(const char *path) {
    platform_file file;
    char reason[128];
    if (!platform_file_open(&file, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    const wave w = read_chunks(path, &file);
    const bool is_known = (w.format == PCM && w.bits % 8 == 0 && w.bits >= 8 && w.bits <= 32) ||
                          (w.format == FLOATS && (w.bits == 32 || w.bits == 64));
    if (!is_known)
        die(EXIT_BAD_INPUT, "%s: samples of format %u with %u bits are not read, only integers of 8 to 32 and floats",
            path, (unsigned)w.format, (unsigned)w.bits);
    const size_t bytes = w.bits / 8, frame = bytes * w.channels;
    sound s = {.channels = w.channels, .frames = w.bytes / frame, .rate = w.rate};
    s.samples = keep(s.channels * s.frames * sizeof *s.samples);
    for (size_t i = 0; i < s.frames; i++)
        for (size_t c = 0; c < s.channels; c++)
            s.samples[c * s.frames + i] = sample_of(&w, w.data + i * frame + c * bytes);
    return s;
}

static sound mix(sound s) {
    for (size_t i = 0; i < s.frames; i++) {
        double sum = 0;
        for (size_t c = 0; c < s.channels; c++)
            sum += s.samples[c * s.frames + i];
        s.samples[i] = (float)(sum / (double)s.channels);
    }
    s.channels = 1;
    return s;
}

/* ---- Rates ---- */

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* torchaudio.functional.resample's filter: a sinc of 6 zero crossings to each side in a Hann window, that lets through
 * 0.99 of what the lower rate can carry. Sample `phase` of every `to` is made of `count` ones from `first` on. */
typedef struct {
    long first, count;
    double *weights;
} filter;

enum { CROSSINGS = 6 };

static filter filter_of(uint32_t phase, uint32_t from, uint32_t to) {
    const double pi = 3.14159265358979323846, base = (from < to ? from : to) * 0.99;
    const double reach = CROSSINGS * from / base, middle = (double)phase * from / to;
    filter f = {(long)ceil(middle - reach), 0, NULL};
    f.count = (long)floor(middle + reach) - f.first + 1;
    f.weights = keep((size_t)f.count * sizeof *f.weights);
    for (long k = 0; k < f.count; k++) {
        const double t = ((double)(f.first + k) / from - (double)phase / to) * base;
        const double window = fabs(t) < CROSSINGS ? cos(t * pi / CROSSINGS / 2) : 0;
        f.weights[k] = window * window * (t == 0 ? 1 : sin(t * pi) / (t * pi)) * base / from;
    }
    return f;
}

static float filtered(const filter *f, const float *samples, size_t frames, size_t start) {
    double sum = 0;
    for (long k = 0; k < f->count; k++) {
        const long long at = (long long)start + f->first + k;
        if (at >= 0 && at < (long long)frames)
            sum += f->weights[k] * samples[at];
    }
    return (float)sum;
}

static sound convert_rate(sound s, uint32_t rate) {
    const uint32_t divisor = common_divisor(s.rate, rate), from = s.rate / divisor, to = rate / divisor;
    sound made = {s.channels, (size_t)(((uint64_t)s.frames * to + from - 1) / from), rate, NULL};
    made.samples = keep(made.channels * made.frames * sizeof *made.samples);
    for (uint32_t phase = 0; phase < to && phase < made.frames; phase++) {
        const filter f = filter_of(phase, from, to);
        for (size_t c = 0; c < s.channels; c++)
            for (size_t i = phase, start = 0; i < made.frames; i += to, start += from)
                made.samples[c * made.frames + i] = filtered(&f, s.samples + c * s.frames, s.frames, start);
    }
    return made;
}

static uint32_t read_rate(const char *text) {
    double rate;
    setting_numbers(text, "--audio-rate", &rate, 1);
    if (rate < 1 || rate > MOST_RATE || rate != floor(rate))
        die(EXIT_BAD_INPUT, "--audio-rate wants samples per second, 1 to %d, not '%s'", MOST_RATE, text);
    return (uint32_t)rate;
}

tsm_value audio_value(const input_place *place, const char *path, const char *rate) {
    sound s = read_sound(path);
    const int rank = place->wanted.rank;
    if (rank == 1 || (rank > 1 && wanted_size(place, rank - 2) == 1))
        s = mix(s);
    rate = setting(place->program, rate, "audio.rate");
    const uint32_t wanted = rate ? read_rate(rate) : s.rate;
    if (wanted != s.rate)
        s = convert_rate(s, wanted);
    const tsm_dim sizes[] = {1, (tsm_dim)s.channels, (tsm_dim)s.frames};
    const int dims = rank == 1 || rank == 3 ? rank : 2;
    return tensor_over(place->inst, TSM_FLOAT32, dims, sizes + 3 - dims, s.samples);
}
