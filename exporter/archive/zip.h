/* Zip archives as PyTorch writes them, read from memory.
 *
 * All members of such an archive lie under one top folder, whose name is that of the file it was first saved to; names
 * here are without that folder. An archive whose first member lies in no folder has none. Members are stored or
 * deflated. Stored members are not copied: they are used where they lie, at the 64-byte alignment that PyTorch's writer
 * gives them.
 *
 * Every function that can fail ends in diag_fail; messages begin with the archive's name. */
#ifndef TSMC_ARCHIVE_ZIP_H
#define TSMC_ARCHIVE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct zip_archive zip_archive;

typedef struct {
    const uint8_t *bytes;
    size_t size;
} zip_bytes;

typedef struct {
    const char *name;         /* below the top folder: "data/0" */
    uint64_t size;            /* of the content */
    uint64_t compressed_size; /* in the archive; equal to size when stored */
    uint32_t crc;             /* of the content */
    bool deflated, encrypted;
    /* Where the directory describes it, as minizip counts. */
    uint64_t directory_position, directory_index;
    uint64_t header;   /* where the local header stands, of an entry that */
    bool is_wide;      /* has fields of zip64 */
    zip_bytes content; /* set by the first zip_read */
} zip_entry;

/* Returns the bytes of a regular file, aligned to 64. Files of 4 GiB and more are mapped, smaller ones read. */
zip_bytes zip_load_file(const char *path);

/* Reads the directory of an archive that lies in memory, which must outlive it. `name` is for messages. Refused:
 * archives without members, a name that occurs twice, and members or offsets of 4 GiB and more. */
zip_archive *zip_open_memory(const char *name, zip_bytes file);

bool zip_has_top_folder(const zip_archive *z);

size_t zip_count(const zip_archive *z);

/* The entry at i < zip_count(z), in the directory's order. */
const zip_entry *zip_at(const zip_archive *z, size_t i);

/* The entry of that name, or NULL. */
const zip_entry *zip_find(const zip_archive *z, const char *name);

/* Returns the content of one of z's entries, its checksum verified, aligned to 16. Deflated content is followed by a
 * zero byte. The second call for an entry returns what the first one did. A member that claims more than deflate can
 * yield, and an archive that expands far beyond its own size, are refused before memory is taken for them. */
zip_bytes zip_read(zip_archive *z, const zip_entry *entry);

#endif
