/* Compiles damaged archives (.pt, .ptl, .pt2), in processes that compile many of them. Each must be compiled or
 * refused: no crash, no internal fault, nothing that the sanitizers see, and within bounded time.
 *
 *     fuzz_archive COUNT SEED FOLDER ARCHIVE...
 *     fuzz_archive NUMBER+ SEED FOLDER ARCHIVE...      only that copy, without a child
 *     fuzz_archive whole SEED FOLDER ARCHIVE...        the archives as they are
 *
 * Half of the copies have damaged bytes anywhere; in the other half, one member (code, pickle, tensor) is damaged and
 * the archive is well formed, with the right checksum, so that the damage reaches the parsers. (Flatbuffers have no
 * members.) Copies that fail are kept in FOLDER, and so is the one of NUMBER+. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "exporter/base/diag.h"
#include "exporter/codegen/codegen.h"
#include "exporter/passes/pipeline.h"
#include "exporter/program_file.h"
#include "tests/fuzz/batch.h"
#include "tests/fuzz/mutate_source.h"

enum { MAX_MEMBERS = 512, MOST_WARM = 16, BATCH = 200, SECONDS = 30, OPTIMIZED = 2 };

typedef struct {
    const char *name;
    mutate_file content;
    bool is_parsed; /* programs and pickles are what parsers read; tensors are only bytes */
} member;

typedef struct {
    mutate_file file;
    member *members;
    size_t count;       /* of members; 0 for a flatbuffer */
    const char *folder; /* in which the members lie: "archive/", or none */
} seed_archive;

typedef struct {
    uint64_t seed;
    const char *folder;
    seed_archive *archives;
    size_t count;
    bool is_whole;
} campaign;

/* ---- Well-formed archives with one damaged member ---- */

static bool is_parsed(const char *name) {
    const char *end = strrchr(name, '.');
    return !strncmp(name, "code/", 5) || (end && (!strcmp(end, ".pkl") || !strcmp(end, ".json")));
}

static void read_members(seed_archive *a, const char *path) {
    a->file = mutate_read(path);
    if (a->file.bytes < 4 || memcmp(a->file.data, "PK\3\4", 4))
        return;
    zip_archive *z = zip_open_memory(path, (zip_bytes){a->file.data, a->file.bytes});
    if (zip_count(z) > MAX_MEMBERS)
        diag_fail("%s has more than %d members", path, MAX_MEMBERS);
    a->count = zip_count(z);
    a->folder = zip_has_top_folder(z) ? "archive/" : "";
    a->members = mem_alloc(a->count * sizeof *a->members);
    for (size_t i = 0; i < a->count; i++) {
        const zip_entry *e = zip_at(z, i);
        const zip_bytes content = zip_read(z, e);
        a->members[i] = (member){e->name, {(uint8_t *)content.bytes, content.size}, is_parsed(e->name)};
    }
}

static uint8_t *put(uint8_t *to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

static uint8_t *put_bytes(uint8_t *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    return to + bytes;
}

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, NAME_BYTES = 256 };

/* The fields that a member's local header and its entry in the directory share (APPNOTE.TXT of PKWARE, 4.3.7
 * and 4.3.12). */
static uint8_t *put_description(uint8_t *to, const char *name, mutate_file content) {
    to = put(to, 20, 2); /* version needed */
    to = put(to, 0, 8);  /* flags, stored, time and date */
    to = put(to, crc32(0, content.data, (uInt)content.bytes), 4);
    to = put(to, content.bytes, 4);
    to = put(to, content.bytes, 4);
    to = put(to, strlen(name), 2);
    return put(to, 0, 2); /* extra field */
}

/* The archive with `content` in the place of member `changed`'s. */
static mutate_file pack(const seed_archive *a, size_t changed, mutate_file content) {
    char names[MAX_MEMBERS][NAME_BYTES];
    mutate_file contents[MAX_MEMBERS];
    size_t positions[MAX_MEMBERS], bytes = END_BYTES;
    for (size_t i = 0; i < a->count; i++) {
        snprintf(names[i], NAME_BYTES, "%s%s", a->folder, a->members[i].name);
        contents[i] = i == changed ? content : a->members[i].content;
        bytes += LOCAL_BYTES + CENTRAL_BYTES + 2 * strlen(names[i]) + contents[i].bytes;
    }
    mutate_file out = mutate_make(bytes);
    uint8_t *to = out.data;
    for (size_t i = 0; i < a->count; i++) {
        positions[i] = (size_t)(to - out.data);
        to = put_description(put(to, 0x04034b50, 4), names[i], contents[i]);
        to = put_bytes(to, names[i], strlen(names[i]));
        to = put_bytes(to, contents[i].data, contents[i].bytes);
    }
    const size_t directory = (size_t)(to - out.data);
    for (size_t i = 0; i < a->count; i++) {
        to = put_description(put(put(to, 0x02014b50, 4), 20, 2), names[i], contents[i]);
        to = put(to, 0, 8); /* comment, disk, internal attributes, and half of the external ones */
        to = put(put(to, 0, 2), positions[i], 4);
        to = put_bytes(to, names[i], strlen(names[i]));
    }
    to = put(put(to, 0x06054b50, 4), 0, 4);
    const size_t directory_bytes = (size_t)(to - out.data) - 8 - directory;
    to = put(put(to, a->count, 2), a->count, 2);
    put(put(put(to, directory_bytes, 4), directory, 4), 0, 2);
    return out;
}

static bool ends(const char *name, const char *with) {
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, with);
}

static const char *as_text(mutate_file f) {
    return mem_strndup((const char *)f.data, strnlen((const char *)f.data, f.bytes));
}

/* The contents of a member, damaged by its form: Python, JSON, a pickle, or bytes. */
static mutate_file damage_content(mutate_random *r, const member *m, mutate_file piece) {
    const bool is_python = ends(m->name, ".py");
    if (ends(m->name, ".pkl") && mutate_below(r, 4))
        return mutate_pickle(r, m->content);
    if ((!is_python && !ends(m->name, ".json")) || mutate_below(r, 4) == 0)
        return mutate_copy(r, m->content, piece);
    const char *text =
        mutate_source(r, as_text(m->content), is_python ? as_text(piece) : as_text(m->content), is_python);
    mutate_file out = mutate_make(strlen(text));
    memcpy(out.data, text, out.bytes);
    return out;
}

static mutate_file damage_member(mutate_random *r, const seed_archive *a, const seed_archive *other) {
    size_t parsed[MAX_MEMBERS], count = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->members[i].is_parsed)
            parsed[count++] = i;
    const size_t changed = mutate_below(r, 10) ? parsed[mutate_below(r, count)] : mutate_below(r, a->count);
    const mutate_file piece = mutate_below(r, 2) ? a->members[parsed[mutate_below(r, count)]].content : other->file;
    const mutate_file content = damage_content(r, &a->members[changed], piece);
    const mutate_file out = pack(a, changed, content);
    free(content.data);
    return out;
}

static mutate_file damaged_copy(const campaign *c, uint64_t number) {
    mutate_random r = mutate_start(c->seed, number);
    if (c->is_whole) {
        const mutate_file file = c->archives[number].file, copy = mutate_make(file.bytes);
        memcpy(copy.data, file.data, file.bytes);
        return copy;
    }
    const seed_archive *a = &c->archives[mutate_below(&r, c->count)], *other = &c->archives[mutate_below(&r, c->count)];
    return number % 2 && a->count ? damage_member(&r, a, other) : mutate_copy(&r, a->file, other->file);
}

/* ---- Compiling ---- */

/* What tsmc does, without writing the file. */
static void compile(mutate_file file) {
    const program_file f = program_file_open("damaged", (zip_bytes){file.data, file.bytes});
    program *p = program_file_load(&f);
    function **entries = program_entries(p);
    function **functions = pipeline_run(p, entries, (pipeline_options){.level = OPTIMIZED});
    size_t bytes;
    image_write(codegen_run(p, entries, functions, (codegen_options){0}), &bytes);
}

static bool compiles(mutate_file file) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        compile(file);
        diag_end(&h);
        return true;
    }
    if (h.internal) {
        fprintf(stderr, "internal fault: %s\n", h.message);
        _exit(3);
    }
    return false;
}

static bool one(void *context, uint64_t number) {
    mutate_file damaged = damaged_copy(context, number);
    const bool compiled = compiles(damaged);
    free(damaged.data);
    return compiled;
}

static void keep(void *context, uint64_t number) {
    const campaign *c = context;
    char path[4096];
    mutate_file damaged = damaged_copy(c, number);
    snprintf(path, sizeof path, "%s/damaged_%llu_%llu.pt", c->folder, (unsigned long long)c->seed,
             (unsigned long long)number);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(damaged.data, 1, damaged.bytes, f) != damaged.bytes || fclose(f))
        perror(path);
    else
        printf("kept as %s\n", path);
    free(damaged.data);
}

int main(int argc, char **argv) {
    static campaign c;
    if (argc < 5) {
        fputs("usage: fuzz_archive COUNT SEED FOLDER ARCHIVE...\n", stderr);
        return 2;
    }
    c.seed = strtoull(argv[2], NULL, 10);
    c.folder = argv[3];
    c.count = (size_t)argc - 4;
    if (mkdir(c.folder, 0777) && errno != EEXIST) {
        perror(c.folder);
        return 2;
    }
    c.archives = mem_alloc(c.count * sizeof *c.archives);
    c.is_whole = !strcmp(argv[1], "whole");
    for (size_t i = 0; i < c.count && c.is_whole; i++)
        c.archives[i].file = mutate_read(argv[4 + i]);
    for (size_t i = 0; i < c.count && !c.is_whole; i++)
        read_members(&c.archives[i], argv[4 + i]);
    for (size_t i = 0; i < c.count && !c.is_whole; i += 1 + c.count / MOST_WARM)
        if (!compiles(c.archives[i].file))
            fprintf(stderr, "%s cannot be compiled\n", argv[4 + i]);
    char *end;
    const uint64_t count = c.is_whole ? c.count : strtoull(argv[1], &end, 10);
    const batch b = {count, BATCH, SECONDS, one, keep, &c};
    if (!c.is_whole && *end == '+') {
        keep(&c, count);
        return !batch_run_one(&b, count);
    }
    const batch_result result = batch_run(&b);
    printf("%llu archives: %llu compiled, %llu failures\n", (unsigned long long)count,
           (unsigned long long)result.accepted, (unsigned long long)result.failures);
    return result.failures != 0 || (result.accepted == 0 && !c.is_whole);
}
