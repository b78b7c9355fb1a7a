/* platform.h's files to write, on POSIX: a file without a name where the system has such (Linux), which gets one when
 * all of it is written; elsewhere one with the name of a temporary. It is locked while somebody writes it, so that the
 * next one who writes the same file recognizes what a killed program left, and removes it. */
#define _GNU_SOURCE
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ATTEMPTS = 1000, NAME_BYTES = 64 };

struct platform_output {
    platform_output *next; /* of those that are open */
    FILE *stream;
    int lock;     /* a second descriptor of the file, which keeps it locked until it has its name; -1: there is none */
    int folder;   /* what names are relative to: an open folder, or AT_FDCWD */
    char *target; /* NULL: the file is written where it is */
    char *temporary; /* NULL: the file has no name yet, or the one of the target */
};

static platform_output *open_outputs;

static bool fail(char *message, size_t message_bytes, const char *text) {
    snprintf(message, message_bytes, "%s", text);
    return false;
}

static void forget(platform_output *o) {
    for (platform_output **at = &open_outputs; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    if (o->stream)
        fclose(o->stream);
    if (o->temporary)
        unlinkat(o->folder, o->temporary, 0);
    if (o->folder >= 0)
        close(o->folder);
    if (o->lock >= 0)
        close(o->lock);
    free(o->target);
    free(o->temporary);
    free(o);
}

static void forget_all(void) {
    while (open_outputs)
        forget(open_outputs);
}

/* ---- Where the file lies ---- */

/* Whether a file is what the program prints to: it stays open there, so nothing can take its place. */
static bool is_printed_to(const struct stat *file) {
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        struct stat printed;
        if (fstat(descriptor, &printed) == 0 && printed.st_dev == file->st_dev && printed.st_ino == file->st_ino)
            return true;
    }
    return false;
}

/* Finds the file that `path` names, through symbolic links; *old is what stands there, of st_mode 0 when there is
 * nothing. */
static bool find_target(platform_output *o, const char *path, struct stat *old) {
    *old = (struct stat){0};
    o->folder = AT_FDCWD;
    if (stat(path, old) != 0) {
        struct stat link;
        if (errno != ENOENT || lstat(path, &link) == 0)
            return false; /* a link to a file that does not exist is one of the errors */
        o->target = strdup(path);
        return o->target != NULL;
    }
    if (!S_ISREG(old->st_mode) || is_printed_to(old))
        return true;
    o->target = realpath(path, NULL);
    return o->target != NULL;
}

/* What follows `folder` in `path`, without slashes before it; NULL when `path` does not begin so. */
static const char *behind(const char *folder, const char *path) {
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        n--;
    if (strncmp(folder, path, n) != 0 || path[n] != '/')
        return NULL;
    return path + n + strspn(path + n, "/");
}

/* The part of `path` below `below`, in `text`; NULL when it is not below it. */
static const char *part_below(const char *below, const char *path, char text[2 * PATH_MAX]) {
    char real[PATH_MAX];
    if (behind(below, path))
        return behind(below, path);
    if (!realpath(below, real) || strlen(path) >= PATH_MAX)
        return NULL;
    if (path[0] == '/')
        return behind(real, path);
    if (!getcwd(text, PATH_MAX))
        return NULL;
    strcat(strcat(text, "/"), path);
    return behind(real, text);
}

/* Goes from folder to folder, through no symbolic link, so that no name leads out of the first one. */
static bool find_target_below(platform_output *o, const char *below, const char *path, struct stat *old, char *message,
                              size_t message_bytes) {
    char text[2 * PATH_MAX];
    const char *at = part_below(below, path, text);
    if (!at || !*at)
        return fail(message, message_bytes, "it does not lie below the folder");
    o->folder = open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t n; o->folder >= 0; at += n + strspn(at + n, "/")) {
        n = strcspn(at, "/");
        o->target = strndup(at, n);
        if (!o->target || !at[n + strspn(at + n, "/")])
            break;
        if (!strcmp(o->target, ".."))
            return fail(message, message_bytes, "'..' may lead out of the folder");
        const int inner = openat(o->folder, o->target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(o->folder);
        o->folder = inner;
        free(o->target);
        o->target = NULL;
    }
    *old = (struct stat){0};
    if (o->folder < 0 || !o->target)
        return fail(message, message_bytes, strerror(errno));
    if (fstatat(o->folder, o->target, old, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(old->st_mode))
        return fail(message, message_bytes, "what stands there is no regular file");
    return true;
}

/* ---- Writing ---- */

/* The part of the target's path before its own name. */
static size_t folder_bytes(const platform_output *o) {
    const char *slash = strrchr(o->target, '/');
    return slash ? (size_t)(slash + 1 - o->target) : 0;
}

/* Of a name that the target would be too long for (FNV-1a). */
static unsigned hash(const char *text) {
    unsigned h = 2166136261U;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619U;
    return h;
}

/* Locks a file that others can see by now. False when another one, who takes it for left over, was faster. A file
 * system without locks is no error: what is left over stays there. */
static bool claim(int descriptor) {
    struct stat status;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/* Removes a file that nobody writes: its writer, who would hold the lock, was killed. */
static bool remove_left_over(const platform_output *o, const char *name) {
    struct stat opened, named;
    const int descriptor = openat(o->folder, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const bool is_left_over = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &opened) == 0 &&
                              fstatat(o->folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(named.st_mode) &&
                              opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    const bool removed = is_left_over && unlinkat(o->folder, name, 0) == 0;
    close(descriptor);
    return removed;
}

/* Gives the file a name of a temporary: `take` tries one, and fails with EEXIST when somebody has it. */
static bool find_name(platform_output *o, bool (*take)(platform_output *o, const char *name)) {
    const size_t n = folder_bytes(o);
    char *name = malloc(n + NAME_BYTES);
    if (!name)
        return false;
    memcpy(name, o->target, n);
    bool taken = false;
    for (unsigned i = 0; i < MOST_ATTEMPTS && !taken; i++) {
        snprintf(name + n, NAME_BYTES, ".tsm-%08x-%u.tmp", hash(o->target + n), i);
        taken = take(o, name);
        if (!taken && errno != EEXIST)
            break;
        if (!taken && remove_left_over(o, name))
            taken = take(o, name);
    }
    const int reason = errno;
    if (taken)
        o->temporary = name;
    else
        free(name);
    errno = reason;
    return taken;
}

static bool create(platform_output *o, const char *name) {
    o->lock = openat(o->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (o->lock < 0 || claim(o->lock))
        return o->lock >= 0;
    close(o->lock);
    o->lock = -1;
    errno = EEXIST;
    return false;
}

#ifdef O_TMPFILE
enum { LINK_BYTES = 40 };

/* Where the system shows the file that has no name. */
static void write_link(const platform_output *o, char text[LINK_BYTES]) {
    snprintf(text, LINK_BYTES, "/proc/self/fd/%d", o->lock);
}

/* Makes a file that vanishes with the program. False where the file system has no such, or the system does not let one
 * get a name later. */
static bool create_without_name(platform_output *o) {
    const size_t n = folder_bytes(o);
    char *folder = n ? strndup(o->target, n) : strdup(".");
    o->lock = folder ? openat(o->folder, folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(folder);
    if (o->lock < 0)
        return false;
    char link[LINK_BYTES];
    write_link(o, link);
    if (access(link, F_OK) == 0) {
        (void)flock(o->lock, LOCK_EX | LOCK_NB); /* which nobody else can have */
        return true;
    }
    close(o->lock);
    o->lock = -1;
    return false;
}

static bool link_to(platform_output *o, const char *name) {
    char link[LINK_BYTES];
    write_link(o, link);
    return linkat(AT_FDCWD, link, o->folder, name, AT_SYMLINK_FOLLOW) == 0;
}
#else
static bool create_without_name(platform_output *o) {
    (void)o;
    return false;
}

static bool link_to(platform_output *o, const char *name) {
    (void)o;
    (void)name;
    return false;
}
#endif

/* A descriptor of a new file in the folder of the target. */
static int make_temporary(platform_output *o) {
    if (!create_without_name(o) && !find_name(o, create))
        return -1;
    return fcntl(o->lock, F_DUPFD_CLOEXEC, 0);
}

/* Puts the file in the place of what stood under its name. */
static bool appear(platform_output *o) {
    if ((!o->temporary && !find_name(o, link_to)) || renameat(o->folder, o->temporary, o->folder, o->target) != 0)
        return false;
    free(o->temporary);
    o->temporary = NULL;
    return true;
}

/* Gives the new file the owner and the permissions of the old one, as far as the system permits it. */
static void take_over(int descriptor, const struct stat *old) {
    if (old->st_mode == 0)
        return;
    if (fchown(descriptor, old->st_uid, old->st_gid) != 0) {
        /* not permitted: the file belongs to the user who runs the program */
    }
    (void)fchmod(descriptor, old->st_mode & 0777);
}

platform_output *platform_output_open(const char *path, const char *below, char *message, size_t message_bytes) {
    static bool is_registered;
    struct stat old;
    platform_output *o = calloc(1, sizeof *o);
    if (!o || (!is_registered && atexit(forget_all) != 0)) {
        fail(message, message_bytes, "there is no memory");
        free(o);
        return NULL;
    }
    is_registered = true;
    o->folder = o->lock = -1;
    o->next = open_outputs;
    open_outputs = o;
    message[0] = 0;
    const bool is_standard_output = !below && !strcmp(path, "-");
    const bool found = is_standard_output ? fflush(stdout) == 0
                       : below            ? find_target_below(o, below, path, &old, message, message_bytes)
                                          : find_target(o, path, &old);
    int descriptor = -1;
    if (found) {
        descriptor = is_standard_output ? dup(STDOUT_FILENO)
                     : o->target        ? make_temporary(o)
                                        : open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        o->stream = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    }
    if (o->stream) {
        if (o->target)
            take_over(descriptor, &old);
        return o;
    }
    if (!message[0])
        fail(message, message_bytes, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    forget(o);
    return NULL;
}

FILE *platform_output_stream(const platform_output *o) {
    return o->stream;
}

/* Makes the contents reach the disk before the name does. A file system that cannot synchronize is no error. */
static bool synchronize(const platform_output *o) {
    return fsync(fileno(o->stream)) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

bool platform_output_close(platform_output *o, char *message, size_t message_bytes) {
    if (!errno)
        errno = EIO; /* of an earlier write, which nobody kept */
    bool ok = !ferror(o->stream) && fflush(o->stream) == 0 && (!o->target || synchronize(o));
    int reason = errno;
    if (fclose(o->stream) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    o->stream = NULL;
    if (ok && o->target) {
        ok = appear(o);
        reason = errno;
    }
    forget(o);
    return ok || fail(message, message_bytes, strerror(reason));
}

void platform_output_discard(platform_output *o) {
    forget(o);
}
