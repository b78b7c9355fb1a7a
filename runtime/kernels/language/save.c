/* torch.save: a pickle and the memory of its tensors, stored without compression in a zip archive that the platform
 * writes piece by piece.
 *
 * The zip format is that of PKWARE's APPNOTE 6.3, without extensions for more than 4 GB or 65,535 members. As in
 * PyTorch's files the contents of members begin at multiples of 64 bytes, so that readers may map them. */
#include "runtime/kernels/language/pickle.h"
#include "runtime/value/chars.h"

enum {
    LOCAL_BYTES = 30,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    NAME_BYTES = 40,
    CONTENT_ALIGNMENT = 64,
    EXTRA_HEADER = 4,
    NAMES_ARE_UTF8 = 0x800,
    MOST_MEMBERS = UINT16_MAX,
};

typedef struct {
    tsm_exec *x;
    const char *path; /* terminated */
    uint64_t at;      /* how much has been written */
    tsm_text directory;
    unsigned members;
} zip_writer;

/* ---- Bytes ---- */

static tsm_status write_bytes(zip_writer *z, const void *data, size_t n) {
    TSM_TRY(tsm_charge(z->x, n));
    if (!z->x->platform.write(z->x->platform.context, z->path, z->at, data, n))
        return TSM_RAISE(z->x, "torch.save() cannot write %s", z->path);
    z->at += n;
    return TSM_OK;
}

/* The polynomial of zip and Ethernet, four bits at a time. */
static uint32_t crc_of(const uint8_t *data, size_t n) {
    static const uint32_t steps[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ steps[crc & 15];
        crc = crc >> 4 ^ steps[crc & 15];
    }
    return ~crc;
}

/* Appends a number of `bytes` bytes, any number of them, at *to. */
static void save_put(uint8_t **to, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++, v >>= 8)
        *(*to)++ = (uint8_t)v;
}

/* ---- Members ---- */

/* What the headers of a member share: flags to lengths of name and extra field. */
static void put_description(uint8_t **to, uint32_t crc, size_t bytes, size_t name_bytes, size_t extra_bytes) {
    save_put(to, NAMES_ARE_UTF8, 2);
    save_put(to, 0, 2); /* stored */
    save_put(to, 0, 4); /* no time */
    save_put(to, crc, 4);
    save_put(to, bytes, 4);
    save_put(to, bytes, 4);
    save_put(to, name_bytes, 2);
    save_put(to, extra_bytes, 2);
}

static tsm_status add_to_directory(zip_writer *z, const char *name, size_t name_bytes, size_t bytes, uint32_t crc) {
    uint8_t entry[CENTRAL_BYTES], *to = entry;
    save_put(&to, 0x02014b50, 4);
    save_put(&to, 0, 2); /* made by */
    save_put(&to, 0, 2); /* needs */
    put_description(&to, crc, bytes, name_bytes, 0);
    save_put(&to, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes */
    save_put(&to, z->at, 4);
    TSM_TRY(tsm_text_add(z->x, &z->directory, (const char *)entry, sizeof entry));
    return tsm_text_add(z->x, &z->directory, name, name_bytes);
}

static tsm_status write_member(zip_writer *z, const char *name, const void *data, size_t bytes) {
    const size_t name_bytes = tsm_chars_length(name);
    const uint32_t crc = crc_of(data, bytes);
    const size_t before = LOCAL_BYTES + name_bytes + EXTRA_HEADER;
    const size_t padding = (size_t)(-(z->at + before) % CONTENT_ALIGNMENT);
    uint8_t header[LOCAL_BYTES + NAME_BYTES + EXTRA_HEADER + CONTENT_ALIGNMENT], *to = header;
    if (z->members == MOST_MEMBERS || bytes > UINT32_MAX || z->at + before + padding + bytes > UINT32_MAX)
        return TSM_RAISE(z->x, "torch.save() cannot write more than 4 GB or %d tensors to %s", MOST_MEMBERS, z->path);
    TSM_TRY(add_to_directory(z, name, name_bytes, bytes, crc));
    save_put(&to, 0x04034b50, 4);
    save_put(&to, 0, 2); /* needs */
    put_description(&to, crc, bytes, name_bytes, EXTRA_HEADER + padding);
    memcpy(to, name, name_bytes);
    to += name_bytes;
    save_put(&to, 'F' | 'B' << 8, 2); /* the kind of extra field that PyTorch pads with */
    save_put(&to, padding, 2);
    memset(to, 'Z', padding);
    TSM_TRY(write_bytes(z, header, before + padding));
    z->members++;
    return bytes ? write_bytes(z, data, bytes) : TSM_OK;
}

static tsm_status write_end(zip_writer *z) {
    uint8_t end[END_BYTES], *to = end;
    save_put(&to, 0x06054b50, 4);
    save_put(&to, 0, 4); /* disks */
    save_put(&to, z->members, 2);
    save_put(&to, z->members, 2);
    save_put(&to, z->directory.length, 4);
    save_put(&to, z->at, 4);
    save_put(&to, 0, 2); /* comment */
    TSM_TRY(write_bytes(z, z->directory.text, z->directory.length));
    TSM_TRY(write_bytes(z, end, sizeof end));
    return write_bytes(z, NULL, 0);
}

/* ---- The operator ---- */

static tsm_status write_archive(zip_writer *z, const pickle_writer *p) {
    for (size_t i = 0; i < p->storages.length / sizeof(pickle_storage); i++) {
        char name[NAME_BYTES];
        pickle_storage storage;
        memcpy(&storage, p->storages.text + i * sizeof storage, sizeof storage);
        tsm_format(name, sizeof name, "archive/data/%zu", i);
        TSM_TRY(write_member(z, name, storage.data, storage.bytes));
    }
    TSM_TRY(write_member(z, "archive/data.pkl", p->text.text, p->text.length));
    TSM_TRY(write_member(z, "archive/version", "3\n", 2));
    return write_end(z);
}

/* A terminated copy of the file's name. */
static tsm_status add_path(tsm_exec *x, tsm_text *path, const tsm_str *name) {
    TSM_TRY(tsm_text_add(x, path, name->text, name->length));
    return tsm_text_add(x, path, "", 1);
}

TSM_KERNEL(aten_save) {
    TSM_UNUSED_IO();
    if (!x->platform.write)
        return TSM_RAISE(x, "torch.save() needs a platform that writes files");
    pickle_writer p = {.x = x};
    zip_writer z = {.x = x};
    tsm_text path = {0};
    tsm_status status = add_path(x, &path, arg_str(in, 1));
    z.path = path.text;
    if (status == TSM_OK)
        status = tsm_pickle_write(&p, *in[0]);
    if (status == TSM_OK)
        status = write_archive(&z, &p);
    tsm_text_free(x, &p.text);
    tsm_text_free(x, &p.storages);
    tsm_text_free(x, &z.directory);
    tsm_text_free(x, &path);
    return status;
}
