/* A library for LD_PRELOAD that lets one call of a program fail, or ends the program there: what a full disk, missing
 * memory or a kill does, at every place where it can happen.
 *
 *     FAULT_CALLS   "memory" (not in builds with sanitizers, which bring their own) or "files"
 *     FAULT_AT      which of these calls, from 1; 0: none
 *     FAULT_KIND    "fail"; "kill": SIGKILL instead of the call; "half": SIGKILL behind it, in the middle of a write
 *     FAULT_NAMED   set: there are no files without names (O_TMPFILE), as on some file systems
 *     FAULT_COUNT   a file that gets the number of such calls when the program ends */
#define _GNU_SOURCE
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's names begin with underscores */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long calls;
static bool is_over;

static bool is_set(const char *variable, const char *value) {
    const char *text = getenv(variable);
    return text && !strcmp(text, value);
}

/* Whether this call of a group is the one that fails. */
static bool fails(const char *group) {
    const char *at = getenv("FAULT_AT");
    if (is_over || !is_set("FAULT_CALLS", group) || ++calls != (at ? atol(at) : 0))
        return false;
    if (is_set("FAULT_KIND", "kill"))
        raise(SIGKILL);
    return true;
}

static void die_half_way(void) {
    if (is_set("FAULT_KIND", "half"))
        raise(SIGKILL);
}

static int fail(int reason) {
    errno = reason;
    return -1;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("FAULT_COUNT");
    is_over = true;
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out) {
        fprintf(out, "%ld", calls);
        fclose(out);
    }
}

/* ---- Files ---- */

int open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return fails("files") ? fail(EMFILE) : REAL(open)(path, flags, mode);
}

/* O_TMPFILE shares a bit with O_DIRECTORY. */
static bool is_refused(int flags) {
    return (flags & O_TMPFILE) == O_TMPFILE && getenv("FAULT_NAMED");
}

int openat(int folder, const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    if (is_refused(flags))
        return fail(EOPNOTSUPP);
    return fails("files") ? fail(EACCES) : REAL(openat)(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    if (!fails("files"))
        return REAL(fopen)(path, mode);
    fail(EMFILE);
    return NULL;
}

FILE *fdopen(int descriptor, const char *mode) {
    if (!fails("files"))
        return REAL(fdopen)(descriptor, mode);
    fail(ENOMEM);
    return NULL;
}

int fstat(int descriptor, struct stat *status) {
    return fails("files") ? fail(EIO) : REAL(fstat)(descriptor, status);
}

/* Sets the error indicator of a stream, as a failed read or write does. */
static void spoil(FILE *f) {
    f->_flags |= 0x20; /* glibc's _IO_ERR_SEEN */
}

size_t fread(void *data, size_t size, size_t n, FILE *f) {
    if (!fails("files"))
        return REAL(fread)(data, size, n, f);
    spoil(f);
    fail(EIO);
    return 0;
}

size_t fwrite(const void *data, size_t size, size_t n, FILE *f) {
    if (f == stderr || !fails("files"))
        return REAL(fwrite)(data, size, n, f);
    const size_t half = REAL(fwrite)(data, size, n / 2, f);
    REAL(fflush)(f);
    die_half_way();
    spoil(f);
    fail(ENOSPC);
    return half;
}

int fflush(FILE *f) {
    const int result = REAL(fflush)(f);
    if (f == stderr || !fails("files"))
        return result;
    die_half_way();
    return fail(ENOSPC);
}

int fclose(FILE *f) {
    const int result = REAL(fclose)(f);
    if (!fails("files"))
        return result;
    die_half_way();
    return fail(EIO);
}

int fsync(int descriptor) {
    if (!fails("files"))
        return REAL(fsync)(descriptor);
    die_half_way();
    return fail(ENOSPC);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    if (!fails("files"))
        return REAL(linkat)(from_folder, from, to_folder, to, flags);
    if (is_set("FAULT_KIND", "half"))
        REAL(linkat)(from_folder, from, to_folder, to, flags);
    die_half_way();
    return fail(ENOSPC);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    if (!fails("files"))
        return REAL(renameat)(from_folder, from, to_folder, to);
    if (is_set("FAULT_KIND", "half"))
        REAL(renameat)(from_folder, from, to_folder, to);
    die_half_way();
    return fail(ENOSPC);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
    const bool failing = descriptor >= 0 ? fails("files") : fails("memory");
    if (!failing)
        return REAL(mmap)(address, bytes, protection, flags, descriptor, offset);
    fail(ENOMEM);
    return MAP_FAILED;
}

/* ---- Memory ---- */

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static void *none(void) {
    fail(ENOMEM);
    return NULL;
}

void *malloc(size_t bytes) {
    return fails("memory") ? none() : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
    return fails("memory") ? none() : __libc_calloc(n, bytes);
}

void *realloc(void *block, size_t bytes) {
    return fails("memory") ? none() : __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails("memory") ? none() : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    *block = fails("memory") ? NULL : __libc_memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}
#endif
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
