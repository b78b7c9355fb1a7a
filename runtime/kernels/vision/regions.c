/* torchvision's operators on boxes: suppression of overlapping boxes, and pooling of regions. Boxes are (x1, y1, x2,
 * y2); regions have the number of their image before them. Formulas: torchvision's documentation, and He et al., Mask
 * R-CNN, section 3 (RoIAlign). Half and double precision are computed as float32. */
#include "runtime/kernels/kernel.h"

/* Two arguments as contiguous float32 tensors, each with one count. */
static tsm_status two_floats(tsm_exec *x, const tsm_value *const *in, tsm_tensor *t[2]) {
    for (int i = 0; i < 2; i++) {
        tsm_tensor *plain = NULL;
        tsm_status status = tsm_tensor_to(x, arg_tensor(in, i), TSM_FLOAT32, &plain);
        if (status == TSM_OK)
            status = tsm_tensor_contiguous(x, plain, &t[i]);
        tsm_tensor_drop(x, plain);
        if (status != TSM_OK) {
            if (i)
                tsm_tensor_drop(x, t[0]);
            return status;
        }
    }
    return TSM_OK;
}

/* y in the dtype of the images; takes over its count. */
static tsm_status give_back(tsm_exec *x, const tsm_value *const *in, tsm_tensor *y, tsm_value *out) {
    tsm_tensor *result;
    tsm_status status = tsm_tensor_to(x, y, (tsm_dtype)arg_tensor(in, 0)->dtype, &result);
    tsm_tensor_drop(x, y);
    return status == TSM_OK ? ret_tensor(out, result) : status;
}

static void drop_two(tsm_exec *x, tsm_tensor *t[2]) {
    tsm_tensor_drop(x, t[0]);
    tsm_tensor_drop(x, t[1]);
}

/* ---- Suppression ---- */

static float area_of(const float *b) {
    return (b[2] - b[0]) * (b[3] - b[1]);
}

/* The area that both boxes cover, by the area that either does. */
static float overlap_of(const float *a, const float *b) {
    float left = a[0] > b[0] ? a[0] : b[0], top = a[1] > b[1] ? a[1] : b[1];
    float right = a[2] < b[2] ? a[2] : b[2], bottom = a[3] < b[3] ? a[3] : b[3];
    float width = right > left ? right - left : 0, height = bottom > top ? bottom - top : 0, both = width * height;
    return both / (area_of(a) + area_of(b) - both);
}

/* tsm::nms(boxes, order, iou_threshold): what is kept of boxes [n, 4], taken in the order given; a box that overlaps
 * with a kept one by more than the threshold is not. */
TSM_KERNEL(tsm_nms) {
    tsm_tensor *boxes = arg_tensor(in, 0), *order = arg_tensor(in, 1), *kept;
    if (boxes->dims != 2 || boxes->sizes[1] != 4 || boxes->dtype != TSM_FLOAT32 || !tsm_tensor_is_contiguous(boxes))
        return TSM_RAISE(x, "nms: boxes must be a contiguous Float tensor of shape [n, 4]");
    tsm_dim n = boxes->sizes[0], count = 0;
    if (order->dims != 1 || order->sizes[0] != n || order->dtype != TSM_INT64 || !tsm_tensor_is_contiguous(order))
        return TSM_RAISE(x, "nms: the order must have an index for each box");
    const float *b = boxes->data, threshold = (float)arg_float(in, 2);
    const int64_t *from = order->data;
    for (tsm_dim i = 0; i < n; i++)
        if (from[i] < 0 || from[i] >= n)
            return TSM_RAISE(x, "nms: index %ld is out of range", from[i]);
    TSM_TRY(tsm_tensor_make(x, TSM_INT64, 1, &n, &kept));
    int64_t *to = kept->data;
    for (tsm_dim i = 0; i < n; i++) {
        bool is_kept = true;
        tsm_status status = tsm_charge(x, (uint64_t)count);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, kept);
            return status;
        }
        for (tsm_dim k = 0; k < count && is_kept; k++)
            is_kept = !(overlap_of(b + 4 * to[k], b + 4 * from[i]) > threshold);
        if (is_kept)
            to[count++] = from[i];
    }
    kept->sizes[0] = kept->elements = count;
    return ret_tensor(out, kept);
}

/* ---- Regions ---- */

typedef struct {
    const float *image; /* of one region's image and one channel */
    tsm_dim images, channels, height, width;
    tsm_dim out_height, out_width;
    float scale;
    tsm_dim samples; /* along each side of a bin; 0 and below: as many as it covers pixels */
    bool aligned;
} regions;

static tsm_status read_regions(tsm_exec *x, const tsm_value *const *in, tsm_tensor *const t[2], regions *r) {
    const tsm_tensor *images = t[0], *boxes = t[1];
    if (images->dims != 4 || boxes->dims != 2 || boxes->sizes[1] != 5)
        return TSM_RAISE(x, "%s: expected images [n, channels, height, width] and regions [k, 5]", tsm_op_name(x));
    r->images = images->sizes[0];
    r->channels = images->sizes[1];
    r->height = images->sizes[2];
    r->width = images->sizes[3];
    r->scale = (float)arg_float(in, 2);
    r->out_height = arg_dim(in, 3);
    r->out_width = arg_dim(in, 4);
    if (r->out_height < 1 || r->out_width < 1)
        return TSM_RAISE(x, "%s: the output must have at least one row and one column", tsm_op_name(x));
    const float *b = boxes->data;
    for (tsm_dim k = 0; k < boxes->sizes[0]; k++)
        if (!(b[5 * k] >= 0 && b[5 * k] < (float)r->images))
            return TSM_RAISE(x, "%s: region %ld names image %ld of %ld", tsm_op_name(x), (int64_t)k, (int64_t)b[5 * k],
                             (int64_t)r->images);
    return TSM_OK;
}

/* A place between pixels: the four around it, as offsets in a channel, and how much of each it takes. */
typedef struct {
    tsm_dim at[4];
    float weight[4];
} sample;

/* False more than one pixel outside of the image, where all is 0. */
static bool region_locate(const regions *r, float y, float x, sample *s) {
    if (!(y >= -1 && y <= (float)r->height && x >= -1 && x <= (float)r->width))
        return false;
    y = y > 0 ? y : 0;
    x = x > 0 ? x : 0;
    tsm_dim top = (tsm_dim)y, left = (tsm_dim)x, bottom = top + 1, right = left + 1;
    if (top >= r->height - 1) {
        top = bottom = r->height - 1;
        y = (float)top;
    }
    if (left >= r->width - 1) {
        left = right = r->width - 1;
        x = (float)left;
    }
    float down = y - (float)top, along = x - (float)left, up = 1 - down, back = 1 - along;
    *s = (sample){{top * r->width + left, top * r->width + right, bottom * r->width + left, bottom * r->width + right},
                  {up * back, up * along, down * back, down * along}};
    return true;
}

/* Adds a sample of each of `channels` planes of the image to results `step` apart. */
static void add_sample(const regions *r, const sample *s, tsm_dim channels, float *to, tsm_dim step) {
    tsm_dim plane = r->height * r->width;
    const float *image = r->image;
    for (tsm_dim c = 0; c < channels; c++, image += plane, to += step)
        *to += s->weight[0] * image[s->at[0]] + s->weight[1] * image[s->at[1]] + s->weight[2] * image[s->at[2]] +
               s->weight[3] * image[s->at[3]];
}

/* How a region lies over its image: its first bin, and how many samples each bin takes. */
typedef struct {
    float top, left, height, width; /* of the first bin */
    tsm_dim rows, columns;
} bins;

static bins bins_of(const regions *r, const float *box) {
    float offset = r->aligned ? 0.5f : 0;
    float left = box[1] * r->scale - offset, top = box[2] * r->scale - offset;
    float width = box[3] * r->scale - offset - left, height = box[4] * r->scale - offset - top;
    if (!r->aligned) {
        width = width > 1 ? width : 1;
        height = height > 1 ? height : 1;
    }
    bins b = {top, left, height / (float)r->out_height, width / (float)r->out_width, 0, 0};
    /* More samples than pixels add nothing, and a box with wrong coordinates could ask for any number. */
    float most = 4 * (float)(r->height > r->width ? r->height : r->width) + 4;
    b.rows = r->samples > 0 ? r->samples : (tsm_dim)fminf(fmaxf(ceilf(b.height), 0), most);
    b.columns = r->samples > 0 ? r->samples : (tsm_dim)fminf(fmaxf(ceilf(b.width), 0), most);
    return b;
}

/* Charges the samples of a region: those of `channels` values in each bin. */
static tsm_status charge_samples(tsm_exec *x, const regions *r, const float *box, tsm_dim channels) {
    if (!x->is_charged)
        return TSM_OK;
    bins b = bins_of(r, box);
    return tsm_charge_product(x, tsm_work((uint64_t)b.rows, (uint64_t)b.columns) + 1,
                              tsm_work((uint64_t)r->out_height, (uint64_t)r->out_width), (uint64_t)channels);
}

/* Charges `count` regions of the size of the image. Neighbouring bins share the pixels at their borders, so each side
 * counts twice. */
static tsm_status charge_pixels(tsm_exec *x, const regions *r, tsm_dim count, tsm_dim channels) {
    return tsm_charge_product(x, tsm_work((uint64_t)count, (uint64_t)channels),
                              tsm_work(2, (uint64_t)r->height) + tsm_work(2, (uint64_t)r->out_height),
                              tsm_work(2, (uint64_t)r->width) + tsm_work(2, (uint64_t)r->out_width));
}

/* The means of evenly spaced samples in one bin, for `channels` planes from r->image on; results `step` apart. */
static void align_bin(const regions *r, const bins *b, tsm_dim i, tsm_dim k, tsm_dim channels, float *to,
                      tsm_dim step) {
    float y = b->top + (float)i * b->height, x = b->left + (float)k * b->width;
    sample s;
    for (tsm_dim c = 0; c < channels; c++)
        to[c * step] = 0;
    for (tsm_dim row = 0; row < b->rows; row++)
        for (tsm_dim column = 0; column < b->columns; column++)
            if (region_locate(r, y + ((float)row + 0.5f) * b->height / (float)b->rows,
                              x + ((float)column + 0.5f) * b->width / (float)b->columns, &s))
                add_sample(r, &s, channels, to, step);
    float count = (float)b->rows * (float)b->columns;
    for (tsm_dim c = 0; count > 1 && c < channels; c++)
        to[c * step] /= count;
}

/* All channels of one region. */
static void align_region(const regions *r, const float *box, float *to) {
    bins b = bins_of(r, box);
    for (tsm_dim i = 0; i < r->out_height; i++)
        for (tsm_dim k = 0; k < r->out_width; k++)
            align_bin(r, &b, i, k, r->channels, to++, r->out_height * r->out_width);
}

/* torchvision::roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned) */
TSM_KERNEL(torchvision_roi_align) {
    regions r = {.samples = arg_dim(in, 5), .aligned = arg_bool(in, 6)};
    tsm_tensor *t[2], *y = NULL;
    TSM_TRY(two_floats(x, in, t));
    tsm_status status = read_regions(x, in, t, &r);
    tsm_dim count = t[1]->dims ? t[1]->sizes[0] : 0, plane = r.height * r.width,
            sizes[] = {count, r.channels, r.out_height, r.out_width};
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_FLOAT32, 4, sizes, &y);
    for (tsm_dim k = 0; status == TSM_OK && k < count; k++) {
        const float *box = (const float *)t[1]->data + 5 * k;
        r.image = (const float *)t[0]->data + (tsm_dim)box[0] * r.channels * plane;
        status = charge_samples(x, &r, box, r.channels);
        if (status == TSM_OK)
            align_region(&r, box, (float *)y->data + k * r.channels * r.out_height * r.out_width);
    }
    drop_two(x, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return give_back(x, in, y, out);
}

/* The rows or columns [from, to) of bin i of `count` over a region of `size` pixels that starts at `start`. */
static void bin_range(tsm_dim i, tsm_dim count, tsm_dim start, tsm_dim size, tsm_dim limit, tsm_dim *from,
                      tsm_dim *to) {
    float bin = (float)size / (float)count;
    *from = (tsm_dim)floorf((float)i * bin) + start;
    *to = (tsm_dim)ceilf((float)(i + 1) * bin) + start;
    *from = *from < 0 ? 0 : *from > limit ? limit : *from;
    *to = *to < 0 ? 0 : *to > limit ? limit : *to;
}

/* The nearest pixel. Coordinates beyond any image are clamped, so that the conversion is defined. */
static tsm_dim pixel_of(float v) {
    const float farthest = 0x1p24f;
    return v != v ? 0 : (tsm_dim)roundf(fminf(fmaxf(v, -farthest), farthest));
}

/* The largest pixel of each bin and where it lies in the image; an empty bin has 0 and -1. */
static void pool_region(const regions *r, const float *box, float *to, int32_t *places) {
    tsm_dim left = pixel_of(box[1] * r->scale), top = pixel_of(box[2] * r->scale);
    tsm_dim width = pixel_of(box[3] * r->scale) - left + 1, height = pixel_of(box[4] * r->scale) - top + 1;
    width = width > 1 ? width : 1;
    height = height > 1 ? height : 1;
    for (tsm_dim i = 0; i < r->out_height; i++)
        for (tsm_dim k = 0; k < r->out_width; k++, to++, places++) {
            tsm_dim y0, y1, x0, x1;
            bin_range(i, r->out_height, top, height, r->height, &y0, &y1);
            bin_range(k, r->out_width, left, width, r->width, &x0, &x1);
            *to = y1 <= y0 || x1 <= x0 ? 0 : -INFINITY;
            *places = -1;
            for (tsm_dim row = y0; row < y1; row++)
                for (tsm_dim column = x0; column < x1; column++) {
                    tsm_dim at = row * r->width + column;
                    if (r->image[at] > *to) {
                        *to = r->image[at];
                        *places = (int32_t)at;
                    }
                }
        }
}

/* torchvision::roi_pool(input, rois, spatial_scale, pooled_height, pooled_width) -> (maxima, their places) */
TSM_KERNEL(torchvision_roi_pool) {
    regions r = {0};
    tsm_tensor *t[2], *y = NULL, *places = NULL;
    TSM_TRY(two_floats(x, in, t));
    tsm_status status = read_regions(x, in, t, &r);
    tsm_dim count = t[1]->dims ? t[1]->sizes[0] : 0, plane = r.height * r.width,
            sizes[] = {count, r.channels, r.out_height, r.out_width};
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_FLOAT32, 4, sizes, &y);
    if (status == TSM_OK)
        status = tsm_tensor_make(x, TSM_INT32, 4, sizes, &places);
    if (status == TSM_OK)
        status = charge_pixels(x, &r, count, r.channels);
    for (tsm_dim k = 0; status == TSM_OK && k < count; k++) {
        const float *box = (const float *)t[1]->data + 5 * k;
        for (tsm_dim c = 0; c < r.channels; c++) {
            tsm_dim at = (k * r.channels + c) * r.out_height * r.out_width;
            r.image = (const float *)t[0]->data + ((tsm_dim)box[0] * r.channels + c) * plane;
            pool_region(&r, box, (float *)y->data + at, (int32_t *)places->data + at);
        }
    }
    drop_two(x, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        tsm_tensor_drop(x, places);
        return status;
    }
    status = give_back(x, in, y, &out[0]);
    if (status != TSM_OK)
        tsm_tensor_drop(x, places);
    else
        out[1] = tsm_of_tensor(places);
    return status;
}

/* ---- Regions whose bins look at channels of their own: bin (i, k) of output channel c at c * bins + i * columns + k
 * ---- */

typedef float (*bin_value)(const regions *r, const float *box, tsm_dim i, tsm_dim k);

static float align_own_bin(const regions *r, const float *box, tsm_dim i, tsm_dim k) {
    bins b = bins_of(r, box);
    float mean = NAN;
    if (b.rows > 0 && b.columns > 0)
        align_bin(r, &b, i, k, 1, &mean, 1);
    return mean;
}

/* The mean of the pixels of a bin; an empty one has 0. */
static float pool_own_bin(const regions *r, const float *box, tsm_dim i, tsm_dim k) {
    tsm_dim left = pixel_of(box[1] * r->scale), top = pixel_of(box[2] * r->scale), y0, y1, x0, x1;
    tsm_dim width = pixel_of(box[3] * r->scale) - left, height = pixel_of(box[4] * r->scale) - top;
    bin_range(i, r->out_height, top, height > 1 ? height : 1, r->height - 1, &y0, &y1);
    bin_range(k, r->out_width, left, width > 1 ? width : 1, r->width - 1, &x0, &x1);
    if (y1 <= y0 || x1 <= x0)
        return 0;
    float sum = 0;
    for (tsm_dim row = y0; row < y1; row++)
        for (tsm_dim column = x0; column < x1; column++)
            sum += r->image[row * r->width + column];
    return sum / (float)((y1 - y0) * (x1 - x0));
}

static tsm_status fill_own_bins(tsm_exec *x, const regions *r, tsm_tensor *const t[2], tsm_dim channels,
                                bin_value value, float *to, int32_t *channel_of) {
    tsm_dim plane = r->height * r->width, count = t[1]->sizes[0];
    TSM_TRY(charge_pixels(x, r, count, channels));
    for (tsm_dim region = 0; region < count; region++) {
        const float *box = (const float *)t[1]->data + 5 * region;
        regions one = *r;
        TSM_TRY(charge_samples(x, r, box, channels));
        for (tsm_dim c = 0; c < channels; c++)
            for (tsm_dim i = 0; i < r->out_height; i++)
                for (tsm_dim k = 0; k < r->out_width; k++) {
                    tsm_dim channel = (c * r->out_height + i) * r->out_width + k;
                    one.image = (const float *)t[0]->data + ((tsm_dim)box[0] * r->channels + channel) * plane;
                    *to++ = value(&one, box, i, k);
                    *channel_of++ = (int32_t)channel;
                }
    }
    return TSM_OK;
}

static tsm_status own_bins(tsm_exec *x, const tsm_value *const *in, regions r, bin_value value, tsm_value *out) {
    tsm_tensor *t[2], *y = NULL, *channel_of = NULL;
    TSM_TRY(two_floats(x, in, t));
    tsm_status status = read_regions(x, in, t, &r);
    tsm_dim of_bins = r.out_height * r.out_width;
    if (status == TSM_OK && r.channels % of_bins)
        status = TSM_RAISE(x, "input channels must be a multiple of pooling height * pooling width");
    if (status == TSM_OK) {
        tsm_dim sizes[] = {t[1]->sizes[0], r.channels / of_bins, r.out_height, r.out_width};
        status = tsm_tensor_make(x, TSM_FLOAT32, 4, sizes, &y);
        if (status == TSM_OK)
            status = tsm_tensor_make(x, TSM_INT32, 4, sizes, &channel_of);
    }
    if (status == TSM_OK)
        status = fill_own_bins(x, &r, t, r.channels / of_bins, value, y->data, channel_of->data);
    drop_two(x, t);
    if (status != TSM_OK)
        tsm_tensor_drop(x, y);
    else
        status = give_back(x, in, y, &out[0]);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, channel_of);
        return status;
    }
    out[1] = tsm_of_tensor(channel_of);
    return TSM_OK;
}

/* torchvision::ps_roi_align(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio) */
TSM_KERNEL(torchvision_ps_roi_align) {
    regions r = {.samples = arg_dim(in, 5), .aligned = true};
    return own_bins(x, in, r, align_own_bin, out);
}

/* torchvision::ps_roi_pool(input, rois, spatial_scale, pooled_height, pooled_width) */
TSM_KERNEL(torchvision_ps_roi_pool) {
    regions r = {0};
    return own_bins(x, in, r, pool_own_bin, out);
}
