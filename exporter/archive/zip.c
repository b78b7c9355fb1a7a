/* Zip archives: the directory, and members with their checksums verified. */
#include "exporter/archive/zip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unzip.h>
#include <zlib.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#elif !defined(__wasi__)
#include <sys/mman.h>
#endif

#include "exporter/base/diag.h"
#include "exporter/base/mem.h"

enum {
    FLAG_ENCRYPTED = 1,
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

/* ---- minizip's file functions, over bytes in memory ---- */

typedef struct {
    zip_bytes file;
    uint64_t at;
} memory_stream;

static voidpf ZCALLBACK stream_open(voidpf opaque, const void *name, int mode) {
    (void)name;
    (void)mode;
    return opaque;
}

static uLong ZCALLBACK stream_read(voidpf opaque, voidpf stream, void *buffer, uLong size) {
    (void)opaque;
    memory_stream *s = stream;
    uint64_t left = s->file.size - s->at;
    uLong n = size < left ? size : (uLong)left;
    memcpy(buffer, s->file.bytes + s->at, n);
    s->at += n;
    return n;
}

static uLong ZCALLBACK stream_write(voidpf opaque, voidpf stream, const void *buffer, uLong size) {
    (void)opaque;
    (void)stream;
    (void)buffer;
    (void)size;
    return 0;
}

static ZPOS64_T ZCALLBACK stream_tell(voidpf opaque, voidpf stream) {
    (void)opaque;
    return ((memory_stream *)stream)->at;
}

static long ZCALLBACK stream_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin) {
    (void)opaque;
    memory_stream *s = stream;
    uint64_t base = origin == ZLIB_FILEFUNC_SEEK_CUR ? s->at : origin == ZLIB_FILEFUNC_SEEK_END ? s->file.size : 0;
    if (offset > s->file.size || base > s->file.size - offset)
        return -1;
    s->at = base + offset;
    return 0;
}

static int ZCALLBACK stream_close(voidpf opaque, voidpf stream) {
    (void)opaque;
    (void)stream;
    return 0;
}

static int ZCALLBACK stream_error(voidpf opaque, voidpf stream) {
    (void)opaque;
    (void)stream;
    return 0;
}

/* A minizip handle lives only inside one function that raises no error: whoever holds one must close it. */
static unzFile open_unzip(memory_stream *stream) {
    zlib_filefunc64_def functions = {
        .zopen64_file = stream_open,
        .zread_file = stream_read,
        .zwrite_file = stream_write,
        .ztell64_file = stream_tell,
        .zseek64_file = stream_seek,
        .zclose_file = stream_close,
        .zerror_file = stream_error,
        .opaque = stream,
    };
    return unzOpen2_64("", &functions);
}

/* ---- opening ---- */

/* Large files are mapped: of most a program needs little. NULL when that fails. */
static const uint8_t *map_file(FILE *f, size_t size) {
#ifdef _WIN32
    (void)size;
    const HANDLE mapping = CreateFileMappingA((HANDLE)_get_osfhandle(fileno(f)), NULL, PAGE_READONLY, 0, 0, NULL);
    return mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : NULL;
#elif defined(__wasi__) /* where no file of 4 GiB has room */
    (void)f;
    (void)size;
    return NULL;
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

/* ---- zip64 ----
 * minizip reads the directory of such archives, but the fields of their records that are wider than 32 bits only where
 * `unsigned long` has 32 bits (Windows, WebAssembly): those are read here, from the record itself. */

static uint64_t little_endian(const uint8_t *bytes, size_t count) {
    uint64_t v = 0;
    while (count--)
        v = v << 8 | bytes[count];
    return v;
}

/* The zip64 field among a record's extra fields, which begin at `at`; its length goes to *length. NULL: there is none.
 */
static const uint8_t *find_wide_fields(zip_bytes file, uint64_t at, uint64_t size, uint64_t *length) {
    enum { ZIP64 = 1, HEAD = 4 };
    if (at > file.size || size > file.size - at)
        return NULL;
    for (uint64_t end = at + size; end - at >= HEAD;) {
        *length = little_endian(file.bytes + at + 2, 2);
        if (*length > end - at - HEAD)
            return NULL;
        if (little_endian(file.bytes + at, 2) == ZIP64)
            return file.bytes + at + HEAD;
        at += HEAD + *length;
    }
    return NULL;
}

/* Replaces a number that has all bits set by the next wide one. */
static bool widen(uint64_t *number, const uint8_t **wide, uint64_t *left) {
    if (*number != four_gib)
        return true;
    if (*left < sizeof(uint64_t))
        return false;
    *number = little_endian(*wide, sizeof(uint64_t));
    *wide += sizeof(uint64_t);
    *left -= sizeof(uint64_t);
    return true;
}

/* Reads the sizes of a record of the directory, and where its local header stands, when they are wide. False when the
 * record is damaged. */
static bool read_wide_record(zip_bytes file, zip_entry *e) {
    enum { RECORD = 46, COMPRESSED_SIZE = 20, SIZE = 24, NAME_LENGTH = 28, EXTRA_LENGTH = 30, OFFSET = 42 };
    uint64_t at = e->directory_position, left;
    if (at > file.size || file.size - at < RECORD || memcmp(file.bytes + at, "PK\1\2", 4) != 0)
        return true; /* data stand before the archive: minizip has found the record */
    uint64_t size = little_endian(file.bytes + at + SIZE, 4), offset = little_endian(file.bytes + at + OFFSET, 4);
    uint64_t compressed_size = little_endian(file.bytes + at + COMPRESSED_SIZE, 4);
    if (size != four_gib && compressed_size != four_gib && offset != four_gib)
        return true;
    const uint8_t *wide = find_wide_fields(file, at + RECORD + little_endian(file.bytes + at + NAME_LENGTH, 2),
                                           little_endian(file.bytes + at + EXTRA_LENGTH, 2), &left);
    e->is_wide = true;
    e->size = size;
    e->compressed_size = compressed_size;
    e->header = offset;
    return wide && widen(&e->size, &wide, &left) && widen(&e->compressed_size, &wide, &left) &&
           widen(&e->header, &wide, &left);
}

/* Where the bytes of such an entry begin. */
static bool locate_wide(zip_bytes file, const zip_entry *e, uint64_t *offset) {
    enum { HEADER = 30, NAME_LENGTH = 26, EXTRA_LENGTH = 28 };
    if (e->header > file.size || file.size - e->header < HEADER)
        return false;
    const uint8_t *h = file.bytes + e->header;
    *offset = e->header + HEADER + little_endian(h + NAME_LENGTH, 2) + little_endian(h + EXTRA_LENGTH, 2);
    return !memcmp(h, "PK\3\4", 4);
}

/* ---- the directory ---- */

/* Reads all directory records into *entries (stb_ds array), with their full names. Returns NULL or what is wrong. */
static const char *list_entries(zip_bytes file, zip_entry **entries) {
    memory_stream stream = {file, 0};
    unzFile unzip = open_unzip(&stream);
    if (!unzip)
        return "is not a zip archive, or its end is missing";
    const char *wrong = NULL;
    int status = unzGoToFirstFile(unzip);
    while (status == UNZ_OK) {
        unz_file_info64 info;
        unz64_file_pos position;
        status = unzGetCurrentFileInfo64(unzip, &info, NULL, 0, NULL, 0, NULL, 0);
        if (status != UNZ_OK)
            break;
        char *name = mem_alloc(info.size_filename + 1);
        status = unzGetCurrentFileInfo64(unzip, &info, name, info.size_filename, NULL, 0, NULL, 0);
        if (status == UNZ_OK)
            status = unzGetFilePos64(unzip, &position);
        if (status != UNZ_OK)
            break;
        if (info.compression_method != METHOD_STORED && info.compression_method != METHOD_DEFLATED) {
            wrong = mem_printf("entry '%s' is compressed by method %lu; only 'stored' and 'deflated' are supported",
                               name, info.compression_method);
            break;
        }
        zip_entry entry = {
            .name = name,
            .size = info.uncompressed_size,
            .compressed_size = info.compressed_size,
            .crc = (uint32_t)info.crc,
            .deflated = info.compression_method == METHOD_DEFLATED,
            .encrypted = info.flag & FLAG_ENCRYPTED,
            .directory_position = position.pos_in_zip_directory,
            .directory_index = position.num_of_file,
        };
        if (!read_wide_record(file, &entry)) {
            wrong = mem_printf("the record of entry '%s' is damaged", name);
            break;
        }
        arrput(*entries, entry);
        status = unzGoToNextFile(unzip);
    }
    unzClose(unzip);
    if (!wrong && (status != UNZ_END_OF_LIST_OF_FILE || !arrlen(*entries)))
        wrong = mem_printf("its directory is damaged after %td entries", arrlen(*entries));
    return wrong;
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
static bool locate(const zip_archive *z, const zip_entry *entry, uint64_t *offset) {
    if (entry->is_wide)
        return locate_wide(z->file, entry, offset);
    memory_stream stream = {z->file, 0};
    unzFile unzip = open_unzip(&stream);
    if (!unzip)
        return false;
    unz64_file_pos position = {entry->directory_position, entry->directory_index};
    int method, level;
    bool ok = unzGoToFilePos64(unzip, &position) == UNZ_OK && unzOpenCurrentFile2(unzip, &method, &level, 1) == UNZ_OK;
    if (ok) {
        *offset = unzGetCurrentFileZStreamPos64(unzip);
        unzCloseCurrentFile(unzip);
    }
    unzClose(unzip);
    return ok;
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
    if (!locate(z, e, &offset))
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
