/* Pictures as tensors: read by stb_image, made smaller or larger, cropped, normalized, laid out. */
#include "platform/runner/image.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/stb.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANNELS = 4, MOST_PIXELS = 100000000 };

/* Rows of pixels, the channels of each beside each other. */
typedef struct {
    int height, width, channels;
    float *pixels; /* 0 to 255 */
} picture;

static float *new_pixels(int height, int width, int channels) {
    return keep((size_t)height * (size_t)width * (size_t)channels * sizeof(float));
}

static picture read_picture(const char *path, int channels) {
    platform_file file;
    char reason[128];
    if (!platform_file_open(&file, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    picture p = {.channels = channels};
    int of_file;
    const int n = file.bytes > INT_MAX ? INT_MAX : (int)file.bytes;
    const bool fits = stb_tables_fit(file.data, (size_t)n);
    const bool is_known = fits && stbi_info_from_memory(file.data, n, &p.width, &p.height, &of_file);
    if (is_known && (int64_t)p.width * p.height > MOST_PIXELS)
        die(EXIT_BAD_INPUT, "%s: the picture has %d x %d pixels; at most %d are read", path, p.height, p.width,
            MOST_PIXELS);
    /* A PNG may have 16 bits a channel, which floats keep. */
    const bool is_fine = is_known && stbi_is_16_bit_from_memory(file.data, n);
    stbi_us *words = is_fine ? stbi_load_16_from_memory(file.data, n, &p.width, &p.height, &of_file, channels) : NULL;
    stbi_uc *bytes =
        is_known && !is_fine ? stbi_load_from_memory(file.data, n, &p.width, &p.height, &of_file, channels) : NULL;
    if (!bytes && !words)
        die(EXIT_BAD_INPUT, "%s: this is no PNG or JPEG picture, or it is damaged (%s)", path,
            fits ? stbi_failure_reason() : "too many codes");
    p.pixels = new_pixels(p.height, p.width, channels);
    for (size_t i = 0, n = (size_t)p.height * (size_t)p.width * (size_t)channels; i < n; i++)
        p.pixels[i] = words ? (float)words[i] / (UINT16_MAX / UINT8_MAX) : bytes[i];
    stbi_image_free(words ? (void *)words : bytes);
    return p;
}

/* ---- Sizes ---- */

/* The weights of the pixels from `first` on in one pixel of the result: a triangle around its middle, as wide as the
 * pixels that fall into it, and at least as two. That is what torchvision and Pillow do ("bilinear", antialiased). */
typedef struct {
    int first, count;
    double *weights;
} taps;

static taps taps_of(int i, int from, int to, double *weights) {
    const double scale = (double)from / to, support = scale > 1 ? scale : 1, middle = scale * (i + 0.5);
    const int first = middle - support + 0.5 < 0 ? 0 : (int)(middle - support + 0.5);
    const int end = middle + support + 0.5 > from ? from : (int)(middle + support + 0.5);
    double sum = 0;
    for (int k = first; k < end; k++) {
        const double distance = fabs((k - middle + 0.5) / support);
        sum += weights[k - first] = distance < 1 ? 1 - distance : 0;
    }
    for (int k = 0; k < end - first; k++)
        weights[k] /= sum;
    return (taps){first, end - first, weights};
}

/* One pixel of the result, or a row of them: `together` floats, made of ones that stand `step` floats apart. */
static void resize_line(const float *from, float *to, const taps *t, size_t step, size_t together) {
    for (size_t c = 0; c < together; c++) {
        double sum = 0;
        for (int k = 0; k < t->count; k++)
            sum += t->weights[k] * from[(size_t)(t->first + k) * step + c];
        to[c] = (float)sum;
    }
}

static picture resize(picture p, int height, int width) {
    const size_t c = (size_t)p.channels;
    double *weights = keep((size_t)(p.height > p.width ? p.height : p.width) * sizeof *weights);
    picture wide = {p.height, width, p.channels, new_pixels(p.height, width, p.channels)};
    for (int x = 0; x < width; x++) {
        const taps t = taps_of(x, p.width, width, weights);
        for (int y = 0; y < p.height; y++)
            resize_line(p.pixels + (size_t)y * (size_t)p.width * c,
                        wide.pixels + ((size_t)y * (size_t)width + (size_t)x) * c, &t, c, c);
    }
    picture done = {height, width, p.channels, new_pixels(height, width, p.channels)};
    for (int y = 0; y < height; y++) {
        const taps t = taps_of(y, p.height, height, weights);
        resize_line(wide.pixels, done.pixels + (size_t)y * (size_t)width * c, &t, (size_t)width * c, (size_t)width * c);
    }
    return done;
}

/* The middle of a picture. */
static picture crop(picture p, int height, int width) {
    if (height > p.height || width > p.width)
        die(EXIT_BAD_INPUT, "a picture of %dx%d has no middle of %dx%d; make it larger with --image-size", p.height,
            p.width, height, width);
    const int top = (int)rint((p.height - height) / 2.0), left = (int)rint((p.width - width) / 2.0);
    picture done = {height, width, p.channels, new_pixels(height, width, p.channels)};
    const size_t row = (size_t)width * (size_t)p.channels;
    for (int y = 0; y < height; y++)
        memcpy(done.pixels + (size_t)y * row,
               p.pixels + ((size_t)(y + top) * (size_t)p.width + (size_t)left) * (size_t)p.channels,
               row * sizeof(float));
    return done;
}

static picture bring_to_size(picture p, const char *size, const char *crop_size, const int64_t wanted[2]) {
    int numbers[2];
    if (size && setting_size(size, "--image-size", numbers) == 2)
        p = resize(p, numbers[0], numbers[1]);
    else if (size) { /* of the shorter side */
        const bool is_high = p.height > p.width;
        const int shorter = is_high ? p.width : p.height, longer = is_high ? p.height : p.width;
        const long other = (long)((double)numbers[0] * longer / shorter);
        if (other > STBI_MAX_DIMENSIONS)
            die(EXIT_BAD_INPUT, "the picture would have more than %d pixels on a side", STBI_MAX_DIMENSIONS);
        p = resize(p, is_high ? (int)other : numbers[0], is_high ? numbers[0] : (int)other);
    }
    if (crop_size) {
        const int n = setting_size(crop_size, "--image-crop", numbers);
        p = crop(p, numbers[0], numbers[n - 1]);
    } else if (!size && wanted[0] > 0 && wanted[1] > 0 && wanted[0] <= INT_MAX && wanted[1] <= INT_MAX &&
               (wanted[0] != p.height || wanted[1] != p.width))
        p = resize(p, (int)wanted[0], (int)wanted[1]);
    return p;
}

/* ---- Layout ---- */

/* Where the letters of a layout stand: N (one picture), C, H and W; -1: not there. */
typedef struct {
    int dims, n, c, h, w;
} places;

static int place_of(const char *layout, char letter) {
    const char *at = strchr(layout, letter);
    return at ? (int)(at - layout) : -1;
}

static places read_layout(const char *layout) {
    const places l = {(int)strlen(layout), place_of(layout, 'N'), place_of(layout, 'C'), place_of(layout, 'H'),
                      place_of(layout, 'W')};
    if (l.h < 0 || l.w < 0 || l.dims != 2 + (l.n >= 0) + (l.c >= 0))
        die(EXIT_BAD_INPUT, "a layout has the letters H and W, and may have N and C, each once, not '%s'", layout);
    return l;
}

/* As many as a picture may have, or not known. */
static bool may_be_channels(int64_t size) {
    return size != 0 && size <= MOST_CHANNELS;
}

/* Channels stand last where only the last size can be theirs. */
static const char *default_layout(const input_place *place) {
    const int rank = place->wanted.rank;
    if (rank == 2)
        return "HW";
    const bool are_last = (rank == 3 || rank == 4) && !may_be_channels(wanted_size(place, rank - 3)) &&
                          may_be_channels(wanted_size(place, rank - 1));
    return rank == 3 ? (are_last ? "HWC" : "CHW") : are_last ? "NHWC" : "NCHW";
}

/* Numbers of the channels: one for all, or one for each. */
static void read_channels(const char *text, const char *what, double *numbers, int channels) {
    const int n = setting_numbers(text, what, numbers, MOST_CHANNELS);
    if (n != 1 && n != channels)
        die(EXIT_BAD_INPUT, "%s has %d numbers, and the picture has %d channel%s", what, n, channels,
            channels == 1 ? "" : "s");
    for (int c = n; c < channels; c++)
        numbers[c] = numbers[0];
}

static int count_channels(const input_place *place, const places *l, const char *mean) {
    double numbers[MOST_CHANNELS];
    const int64_t declared = l->c < 0 ? 1 : wanted_size(place, l->c);
    if (!may_be_channels(declared))
        die(EXIT_BAD_INPUT, "pictures have 1 to %d channels, and the argument has %lld", MOST_CHANNELS,
            (long long)declared);
    const int n = mean ? setting_numbers(mean, "--image-mean", numbers, MOST_CHANNELS) : 1;
    return declared > 0 ? (int)declared : n > 3 ? n : 3;
}

static void store(const picture *p, const places *l, const tsm_dim *strides, tsm_dtype dtype, const double *mean,
                  const double *std, void *data) {
    const float *pixel = p->pixels;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++, pixel++) {
                const tsm_dim at = y * strides[l->h] + x * strides[l->w] + (l->c < 0 ? 0 : c * strides[l->c]);
                if (dtype == TSM_UINT8)
                    ((uint8_t *)data)[at] = (uint8_t)(*pixel + 0.5f);
                else
                    ((float *)data)[at] = (float)((*pixel / 255.0 - mean[c]) / std[c]);
            }
}

tsm_value image_value(const input_place *place, const char *path, const image_options *options) {
    const tsm_program *program = place->program;
    const char *mean = setting(program, options->mean, "image.mean"),
               *std = setting(program, options->std, "image.std"),
               *layout = setting(program, options->layout, "image.layout");
    const places l = read_layout(layout ? layout : default_layout(place));
    picture p = read_picture(path, count_channels(place, &l, mean));
    double means[MOST_CHANNELS] = {0}, stds[MOST_CHANNELS] = {1, 1, 1, 1};
    if (mean)
        read_channels(mean, "--image-mean", means, p.channels);
    if (std)
        read_channels(std, "--image-std", stds, p.channels);
    for (int c = 0; c < p.channels; c++)
        if (stds[c] == 0)
            die(EXIT_BAD_INPUT, "--image-std: pixels cannot be divided by 0");
    const int64_t wanted[] = {wanted_size(place, l.h), wanted_size(place, l.w)};
    p = bring_to_size(p, setting(program, options->size, "image.size"), setting(program, options->crop, "image.crop"),
                      wanted);

    tsm_dim sizes[4], strides[4], elements = 1;
    for (int d = 0; d < l.dims; d++)
        sizes[d] = d == l.h ? p.height : d == l.w ? p.width : d == l.c ? p.channels : 1;
    for (int d = l.dims - 1; d >= 0; d--) {
        strides[d] = elements;
        elements *= sizes[d];
    }
    const tsm_dtype dtype = place->wanted.dtype == TSM_UINT8 ? TSM_UINT8 : TSM_FLOAT32;
    void *data = keep((size_t)elements * sizeof(float));
    store(&p, &l, strides, dtype, means, stds, data);
    return tensor_over(place->inst, dtype, l.dims, sizes, data);
}
