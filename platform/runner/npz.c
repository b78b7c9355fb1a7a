/* Archives of .npy files: zip, without encryption and parts, entries stored or deflated. */
#include "platform/runner/npz.h"

#include "platform/platform.h"
#include "platform/runner/die.h"
#include "platform/runner/little_endian.h"
#include "platform/runner/npy.h"
#include "platform/runner/stb.h"
#include <inttypes.h>
#include <limits.h>
#include <string.h>

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    LOCAL_BYTES = 30,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    STORED = 0,
    DEFLATED = 8,
    VERSION = 20,
    FIRST_OF_JANUARY_1980 = 0x21
};

typedef struct {
    const char *path;
    const uint8_t *bytes;
    size_t n;
} archive;

_Noreturn static void damaged(const archive *a) {
    die(EXIT_BAD_INPUT, "%s: this is not a .npz file, or it is damaged", a->path);
}

/* n bytes of the file from `at` on. */
static const uint8_t *part(const archive *a, uint64_t at, uint64_t n) {
    if (at > a->n || n > a->n - at)
        damaged(a);
    return a->bytes + at;
}

static uint32_t sum_of(const uint8_t *bytes, size_t n) {
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        sum ^= bytes[i];
        for (int k = 0; k < 8; k++)
            sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return ~sum;
}

/* The directory's first byte; it stands before the last bytes of the file, which may be followed by a comment. */
static uint64_t find_directory(const archive *a, size_t *count) {
    for (size_t back = END_BYTES; back <= a->n && back <= END_BYTES + UINT16_MAX; back++) {
        const uint8_t *end = a->bytes + a->n - back;
        if (little_endian(end, 4) == END) {
            *count = little_endian(end + 10, 2);
            return little_endian(end + 16, 4);
        }
    }
    damaged(a);
}

/* The bytes of the entry that a record of the directory tells of. */
static const uint8_t *content_of(const archive *a, const uint8_t *record, size_t *n) {
    const uint32_t method = little_endian(record + 10, 2), packed = little_endian(record + 20, 4);
    const uint8_t *local = part(a, little_endian(record + 42, 4), LOCAL_BYTES);
    *n = little_endian(record + 24, 4);
    const uint64_t start =
        (uint64_t)(local - a->bytes) + LOCAL_BYTES + little_endian(local + 26, 2) + little_endian(local + 28, 2);
    const uint8_t *bytes = part(a, start, packed);
    if (little_endian(local, 4) != LOCAL || (method != STORED && method != DEFLATED) ||
        (method == STORED && packed != *n) || *n > INT_MAX || packed > INT_MAX)
        damaged(a);
    if (method == DEFLATED) {
        char *room = keep(*n + 1);
        /* stb_image does not read the last bits of its input; what follows in the file keeps them from being last. */
        part(a, start, (uint64_t)packed + END_BYTES);
        if (packed > INT_MAX - END_BYTES ||
            stbi_zlib_decode_noheader_buffer(room, (int)*n, (const char *)bytes, (int)packed + END_BYTES) != (int)*n)
            damaged(a);
        bytes = (const uint8_t *)room;
    }
    if (sum_of(bytes, *n) != little_endian(record + 16, 4))
        damaged(a);
    return bytes;
}

/* The array's name: the file's without ".npy". */
static const char *name_of(const uint8_t *text, size_t n) {
    static const char ending[] = ".npy";
    const size_t end = strlen(ending);
    if (n > end && memcmp(text + n - end, ending, end) == 0)
        n -= end;
    char *name = keep(n + 1);
    memcpy(name, text, n);
    name[n] = 0;
    return name;
}

npz_array *npz_read(const char *path, tsm_instance *inst, size_t *count) {
    platform_file file;
    char reason[128];
    if (!platform_file_open(&file, path, reason, sizeof reason))
        die(EXIT_BAD_INPUT, "cannot open %s: %s", path, reason);
    const archive a = {path, file.data, file.bytes};
    uint64_t at = find_directory(&a, count);
    npz_array *arrays = keep(*count * sizeof *arrays + 1);
    for (size_t i = 0; i < *count; i++) {
        const uint8_t *record = part(&a, at, CENTRAL_BYTES);
        const size_t name_bytes = little_endian(record + 28, 2);
        if (little_endian(record, 4) != CENTRAL)
            damaged(&a);
        size_t n;
        arrays[i].name = name_of(part(&a, at + CENTRAL_BYTES, name_bytes), name_bytes);
        const uint8_t *bytes = content_of(&a, record, &n);
        arrays[i].value = npy_value_of(path, bytes, n, inst);
        at += CENTRAL_BYTES + name_bytes + little_endian(record + 30, 2) + little_endian(record + 32, 2);
    }
    return arrays;
}

/* ---- Writing ---- */

static void put(FILE *out, uint32_t number, int bytes) {
    for (int i = 0; i < bytes; i++)
        fputc((int)(number >> 8 * i & 255), out);
}

/* What a local header and the directory say of an entry alike. */
static void put_entry(FILE *out, uint32_t sum, uint32_t n, const char *name) {
    put(out, VERSION, 2);
    put(out, 0, 2); /* flags */
    put(out, STORED, 2);
    put(out, 0, 2); /* time */
    put(out, FIRST_OF_JANUARY_1980, 2);
    put(out, sum, 4);
    put(out, n, 4);
    put(out, n, 4);
    put(out, (uint32_t)strlen(name) + 4, 2);
    put(out, 0, 2); /* more */
}

void *npz_bytes_of(const char *name, tsm_value v, size_t *n) {
    tsm_tensor_view t = {.quantizer_axis = -2};
    switch ((tsm_tag)v.tag) {
    case TSM_TAG_TENSOR:
        if (tsm_tensor_get(v, &t))
            return npy_bytes(&t, n);
        break;
    case TSM_TAG_BOOL:
        t.dtype = TSM_BOOL;
        t.data = &v.as.b;
        return npy_bytes(&t, n);
    case TSM_TAG_INT:
        t.dtype = TSM_INT64;
        t.data = &v.as.i;
        return npy_bytes(&t, n);
    case TSM_TAG_FLOAT:
        t.dtype = TSM_FLOAT64;
        t.data = &v.as.f;
        return npy_bytes(&t, n);
    default:
        break;
    }
    die(EXIT_BAD_INPUT, "%s is no tensor or number; write .json", name);
}

void npz_write(FILE *out, const npz_array *arrays, size_t count) {
    typedef struct {
        uint32_t offset, sum, n;
    } entry;
    entry *entries = keep(count * sizeof *entries + 1);
    uint64_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n;
        const uint8_t *bytes = npz_bytes_of(arrays[i].name, arrays[i].value, &n);
        if (n > INT_MAX || offset + n > INT_MAX)
            die(EXIT_BAD_INPUT, "a .npz file of more than 2 GiB is not written");
        entries[i] = (entry){(uint32_t)offset, sum_of(bytes, n), (uint32_t)n};
        put(out, LOCAL, 4);
        put_entry(out, entries[i].sum, entries[i].n, arrays[i].name);
        fprintf(out, "%s.npy", arrays[i].name);
        fwrite(bytes, 1, n, out);
        offset += LOCAL_BYTES + strlen(arrays[i].name) + 4 + n;
    }
    uint32_t directory = 0;
    for (size_t i = 0; i < count; i++) {
        put(out, CENTRAL, 4);
        put(out, VERSION, 2);
        put_entry(out, entries[i].sum, entries[i].n, arrays[i].name);
        for (int k = 0; k < 5; k++) /* a comment's length, the disk, attributes */
            put(out, 0, 2);
        put(out, entries[i].offset, 4);
        fprintf(out, "%s.npy", arrays[i].name);
        directory += CENTRAL_BYTES + (uint32_t)strlen(arrays[i].name) + 4;
    }
    put(out, END, 4);
    put(out, 0, 4); /* disks */
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)count, 2);
    put(out, directory, 4);
    put(out, (uint32_t)offset, 4);
    put(out, 0, 2); /* a comment's length */
}
