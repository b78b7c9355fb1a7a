/* Zip archives: the directory, and members with their checksums verified (APPNOTE.TXT of PKWARE, 4.3). */
#include "exporter/archive/zip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

enum {
    FLAG_ENCRYPTED = 1,
    FLAG_SIZES_FOLLOW = 8, /* the local header does not know them */
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    /* No deflate stream expands further (258 bytes from 2 bits); the slack is for streams of a few bytes. */
    MAX_DEFLATE_RATIO = 1032,
    MAX_DEFLATE_SLACK = 1024,
    DATA_ALIGN = 64,
    ELEMENT_ALIGN = 16, /* the largest element, complex128 */
};

/* What an archive may inflate to in all: enough for source text and hand-repacked weights, too little for a zip bomb.
 */
static const uint64_t free_expansion = (uint64_t)256 << 20;
static const uint64_t expansion_ratio = 32;

static const uint64_t four_gib = UINT64_C(0xFFFFFFFF);

typedef struct {
    char *key;
    size_t value;
} name_index;

struct zip_archive {
    const char *name;
    const char *top_folder; /* NULL: none */
    zip_bytes file;
    zip_entry *entries;  /* stb_ds array */
    name_index *by_name; /* stb_ds hash map: name -> index in entries */
    uint64_t expanded;   /* bytes taken for content that could not be used in place */
};

/* ---- opening ---- */

/* Large files are mapped: of most a program needs little. NULL when that fails. */
static const uint8_t *map_file(FILE *f, size_t size) {
#ifdef _WIN32
    (void)size;
    const HANDLE mapping = CreateFileMappingA((HANDLE)_get_osfhandle(fileno(f)), NULL, PAGE_READONLY, 0, 0, NULL);
    return mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : NULL;
#else
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(f), 0);
    return bytes == MAP_FAILED ? NULL : bytes;
#endif
}

zip_bytes zip_load_file(const char *path) {
    FILE *f = fopen(path, "rb");
    struct stat info;
    if (!f || fstat(fileno(f), &info)) {
        const char *reason = strerror(errno);
        if (f)
            fclose(f);
        diag_fail("%s: cannot be opened: %s", path, reason);
    }
    if (!S_ISREG(info.st_mode)) {
        fclose(f);
        diag_fail("%s: is not a regular file", path);
    }
    size_t size = (size_t)info.st_size;
    if (size >= four_gib) {
        zip_bytes mapped = {map_file(f, size), size};
        fclose(f);
        if (!mapped.bytes)
            diag_fail("%s: cannot be mapped: %s", path, strerror(errno));
        return mapped;
    }
    limit_add_input(size);
    uint8_t *bytes = mem_alloc_aligned(size, DATA_ALIGN);
    size_t got = fread(bytes, 1, size, f);
    fclose(f);
    if (got != size)
        diag_fail("%s: cannot be read: %zu of %zu bytes arrived", path, got, size);
    return (zip_bytes){bytes, size};
}

/* ---- the directory ---- */

/* A record's fields: its first byte, and where they stand. */
enum {
    END_RECORD = 22,
    WIDE_END_LOCATOR = 20,
    WIDE_END_RECORD = 56,
    RECORD = 46,
    HEADER = 30,
    LONGEST_COMMENT = 65535
};

static uint64_t little_endian(const uint8_t *bytes, size_t count) {
    uint64_t v = 0;
    while (count--)
        v = v << 8 | bytes[count];
    return v;
}

/* The record of `size` bytes that begins so; NULL: there is none. */
static const uint8_t *record_at(zip_bytes file, uint64_t at, uint64_t size, const char signature[4]) {
    const bool is_there = at <= file.size && size <= file.size - at && !memcmp(file.bytes + at, signature, 4);
    return is_there ? file.bytes + at : NULL;
}

typedef struct {
    uint64_t entries, at; /* where it stands */
} zip_directory;

/* What the last record of an archive says; in archives of zip64 the one that it leads to, where all is wider. */
static bool find_directory(zip_bytes file, zip_directory *d) {
    if (file.size < END_RECORD)
        return false;
    uint64_t at = file.size - END_RECORD;
    const uint64_t first = at > LONGEST_COMMENT ? at - LONGEST_COMMENT : 0;
    while (at > first && !record_at(file, at, END_RECORD, "PK\5\6"))
        at--;
    const uint8_t *end = record_at(file, at, END_RECORD, "PK\5\6");
    if (!end)
        return false;
    const uint8_t *locator =
        at >= WIDE_END_LOCATOR ? record_at(file, at - WIDE_END_LOCATOR, WIDE_END_LOCATOR, "PK\6\7") : NULL;
    const uint64_t wide_at = locator ? little_endian(locator + 8, 8) : 0;
    const uint8_t *wide = locator ? record_at(file, wide_at, WIDE_END_RECORD, "PK\6\6") : NULL;
    const uint64_t parts = wide ? little_endian(wide + 16, 4) | little_endian(wide + 20, 4) : little_endian(end + 4, 4);
    const uint64_t here = wide ? little_endian(wide + 24, 8) : little_endian(end + 8, 2);
    const uint64_t size = wide ? little_endian(wide + 40, 8) : little_endian(end + 12, 4);
    const uint64_t offset = wide ? little_endian(wide + 48, 8) : little_endian(end + 16, 4);
    d->entries = wide ? little_endian(wide + 32, 8) : little_endian(end + 10, 2);
    at = wide ? wide_at : at;
    if (parts || here != d->entries || size > at || offset > at - size)
        return false;
    d->at = offset;
    return true;
}

/* The zip64 field among a record's extra fields; its length goes to *length. NULL: there is none. */
static const uint8_t *find_wide_fields(const uint8_t *extra, uint64_t size, uint64_t *length) {
    enum { ZIP64 = 1, HEAD = 4 };
    for (uint64_t at = 0; size - at >= HEAD; at += HEAD + *length) {
        *length = little_endian(extra + at + 2, 2);
        if (*length > size - at - HEAD)
            return NULL;
        if (little_endian(extra + at, 2) == ZIP64)
            return extra + at + HEAD;
    }
    return NULL;
}

/* Replaces a number that has all bits set by the next wide one. */
static bool widen(uint64_t *number, const uint8_t **wide, uint64_t *left) {
    if (*number != four_gib)
        return true;
    if (!*wide || *left < sizeof(uint64_t))
        return false;
    *number = little_endian(*wide, sizeof(uint64_t));
    *wide += sizeof(uint64_t);
    *left -= sizeof(uint64_t);
    return true;
}

/* Reads the record at *at into *e and moves *at behind it. Returns NULL or what is wrong; "" when there is no record.
 */
static const char *read_record(zip_bytes file, uint64_t *at, zip_entry *e) {
    const uint8_t *r = record_at(file, *at, RECORD, "PK\1\2");
    if (!r)
        return "";
    const uint64_t name = little_endian(r + 28, 2), extra = little_endian(r + 30, 2);
    const uint64_t whole = RECORD + name + extra + little_endian(r + 32, 2);
    if (whole > file.size - *at)
        return "";
    const uint64_t method = little_endian(r + 10, 2);
    *e = (zip_entry){
        .name = mem_strndup((const char *)r + RECORD, name),
        .name_bytes = name,
        .size = little_endian(r + 24, 4),
        .compressed_size = little_endian(r + 20, 4),
        .crc = (uint32_t)little_endian(r + 16, 4),
        .deflated = method == METHOD_DEFLATED,
        .encrypted = little_endian(r + 8, 2) & FLAG_ENCRYPTED,
        .header = little_endian(r + 42, 4),
    };
    *at += whole;
    if (method != METHOD_STORED && method != METHOD_DEFLATED)
        return mem_printf("entry '%s' is compressed by method %llu; only 'stored' and 'deflated' are supported",
                          e->name, (unsigned long long)method);
    uint64_t left = 0;
    const uint8_t *wide = find_wide_fields(r + RECORD + name, extra, &left);
    if (!widen(&e->size, &wide, &left) || !widen(&e->compressed_size, &wide, &left) || !widen(&e->header, &wide, &left))
        return mem_printf("the record of entry '%s' is damaged", e->name);
    return NULL;
}

/* Reads all directory records into *entries (stb_ds array), with their full names. Returns NULL or what is wrong. */
static const char *list_entries(zip_bytes file, zip_entry **entries) {
    zip_directory d;
    if (!find_directory(file, &d))
        return "is not a zip archive, or its end is missing";
    for (uint64_t i = 0; i < d.entries; i++) {
        zip_entry entry;
        const char *wrong = read_record(file, &d.at, &entry);
        if (wrong && wrong[0])
            return wrong;
        if (wrong)
            break;
        arrput(*entries, entry);
    }
    if (!arrlen(*entries) || arrlenu(*entries) != d.entries)
        return mem_printf("its directory is damaged after %td entries", arrlen(*entries));
    return NULL;
}

/* Takes one directory record in: checks its sizes, cuts the top folder off its name, and enters it under the rest. */
static void add_entry(zip_archive *z, zip_entry entry) {
    size_t top = z->top_folder ? strlen(z->top_folder) + 1 : 0;
    bool inside = !top || (!strncmp(entry.name, z->top_folder, top - 1) && entry.name[top - 1] == '/');
    if (!inside || entry.name[strlen(entry.name) - 1] == '/')
        return;
    if (entry.deflated && (entry.size >= four_gib || entry.compressed_size >= four_gib))
        diag_fail("%s: compressed entry '%s' has 4 GiB or more; such entries are not supported", z->name, entry.name);
    if (entry.encrypted)
        diag_fail("%s: entry '%s' is encrypted", z->name, entry.name);
    entry.name += top;
    if (shgeti(z->by_name, entry.name) >= 0)
        diag_fail("%s: entry '%s' occurs twice", z->name, entry.name);
    shput(z->by_name, entry.name, arrlenu(z->entries));
    arrput(z->entries, entry);
}

zip_archive *zip_open_memory(const char *name, zip_bytes file) {
    zip_archive *z = MEM_NEW(zip_archive);
    z->name = mem_strdup(name);
    z->file = file;
    zip_entry *records = NULL;
    const char *wrong = list_entries(file, &records);
    if (wrong)
        diag_fail("%s: %s", name, wrong);
    const char *slash = strchr(records[0].name, '/');
    if (slash)
        z->top_folder = mem_strndup(records[0].name, (size_t)(slash - records[0].name));
    for (ptrdiff_t i = 0; i < arrlen(records); i++)
        add_entry(z, records[i]);
    return z;
}

bool zip_has_top_folder(const zip_archive *z) {
    return z->top_folder;
}

size_t zip_count(const zip_archive *z) {
    return arrlenu(z->entries);
}

const zip_entry *zip_at(const zip_archive *z, size_t i) {
    return &z->entries[i];
}

const zip_entry *zip_find(const zip_archive *z, const char *name) {
    name_index *map = z->by_name; /* the lookup macro assigns its argument */
    ptrdiff_t i = shgeti(map, name);
    return i < 0 ? NULL : &z->entries[map[i].value];
}

/* ---- reading ---- */

/* Finds where an entry's bytes begin in the file. Returns false when its local header is damaged or contradicts the
 * directory. */
static bool locate(zip_bytes file, const zip_entry *e, uint64_t *offset) {
    const uint8_t *h = record_at(file, e->header, HEADER, "PK\3\4");
    if (!h)
        return false;
    const uint64_t name = little_endian(h + 26, 2), compressed_size = little_endian(h + 18, 4),
                   size = little_endian(h + 22, 4);
    const bool sizes_follow = little_endian(h + 6, 2) & FLAG_SIZES_FOLLOW;
    *offset = e->header + HEADER + name + little_endian(h + 28, 2);
    if (little_endian(h + 8, 2) != (e->deflated ? METHOD_DEFLATED : METHOD_STORED) || name != e->name_bytes)
        return false;
    return sizes_follow || (little_endian(h + 14, 4) == e->crc &&
                            (compressed_size == four_gib || compressed_size == e->compressed_size) &&
                            (size == four_gib || size == e->size));
}

/* Inflates a whole raw deflate stream into exactly `size` bytes. */
static bool inflate_all(zip_bytes in, uint8_t *out, size_t size) {
    z_stream stream = {
        .next_in = (Bytef *)in.bytes, .avail_in = (uInt)in.size, .next_out = out, .avail_out = (uInt)size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    int status = inflate(&stream, Z_FINISH);
    bool ok = status == Z_STREAM_END && stream.total_out == size && stream.total_in == in.size;
    inflateEnd(&stream);
    return ok;
}

/* Takes memory for an entry's content and a zero byte after it, within what the archive may expand to. */
static uint8_t *take_content(zip_archive *z, const zip_entry *entry) {
    if (z->expanded + entry->size > free_expansion + expansion_ratio * z->file.size)
        diag_fail("%s: entry '%s': the archive of %zu bytes would expand to more than %llu bytes", z->name, entry->name,
                  z->file.size, (unsigned long long)(z->expanded + entry->size - 1));
    z->expanded += entry->size;
    return mem_alloc_aligned((size_t)entry->size + 1, DATA_ALIGN);
}

static zip_bytes read_deflated(zip_archive *z, const zip_entry *entry, zip_bytes raw) {
    if (entry->size > entry->compressed_size * MAX_DEFLATE_RATIO + MAX_DEFLATE_SLACK)
        diag_fail("%s: entry '%s' claims %llu bytes from %llu compressed ones", z->name, entry->name,
                  (unsigned long long)entry->size, (unsigned long long)entry->compressed_size);
    uint8_t *bytes = take_content(z, entry);
    if (!inflate_all(raw, bytes, (size_t)entry->size))
        diag_fail("%s: entry '%s': its compressed data are damaged", z->name, entry->name);
    return (zip_bytes){bytes, (size_t)entry->size};
}

/* Other writers than PyTorch's align nothing: their content is copied where elements could not be read in place. */
static zip_bytes read_stored(zip_archive *z, const zip_entry *entry, zip_bytes raw) {
    if (entry->size != entry->compressed_size)
        diag_fail("%s: entry '%s': its sizes contradict each other", z->name, entry->name);
    if ((uintptr_t)raw.bytes % ELEMENT_ALIGN == 0)
        return raw;
    uint8_t *bytes = take_content(z, entry);
    memcpy(bytes, raw.bytes, raw.size);
    return (zip_bytes){bytes, raw.size};
}

zip_bytes zip_read(zip_archive *z, const zip_entry *entry) {
    zip_entry *e = &z->entries[entry - z->entries];
    if (e->content.bytes)
        return e->content;
    uint64_t offset;
    if (!locate(z->file, e, &offset))
        diag_fail("%s: entry '%s': its header is damaged", z->name, e->name);
    if (offset > z->file.size || e->compressed_size > z->file.size - offset)
        diag_fail("%s: entry '%s' reaches beyond the end of the file", z->name, e->name);
    zip_bytes raw = {z->file.bytes + offset, (size_t)e->compressed_size};
    zip_bytes content = e->deflated ? read_deflated(z, e, raw) : read_stored(z, e, raw);
    if ((uint32_t)crc32_z(0, content.bytes, content.size) != e->crc)
        diag_fail("%s: entry '%s': the checksum does not match, its data are damaged", z->name, e->name);
    e->content = content;
    return content;
}
