/* platform.h's files to write, on POSIX: a temporary in the folder of the file, renamed when all of it is written. */
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ATTEMPTS = 1000, NAME_BYTES = 64 };

struct platform_output {
    platform_output *next; /* of those that are open */
    FILE *stream;
    int folder;      /* what names are relative to: an open folder, or AT_FDCWD */
    char *target;    /* NULL: the file is written where it is */
    char *temporary; /* NULL: there is none, or no longer */
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

/* Makes a file beside the target that nobody else has. */
static int make_temporary(platform_output *o) {
    const char *slash = strrchr(o->target, '/');
    const size_t n = slash ? (size_t)(slash + 1 - o->target) : 0;
    char *name = malloc(n + NAME_BYTES);
    if (!name)
        return -1;
    memcpy(name, o->target, n);
    for (unsigned i = 0; i < MOST_ATTEMPTS; i++) {
        snprintf(name + n, NAME_BYTES, ".tsm-%ld-%u.tmp", (long)getpid(), i);
        const int descriptor = openat(o->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            o->temporary = name;
            return descriptor;
        }
        if (errno != EEXIST)
            break;
    }
    const int reason = errno;
    free(name);
    errno = reason;
    return -1;
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
    o->folder = -1;
    o->next = open_outputs;
    open_outputs = o;
    message[0] = 0;
    const bool found =
        below ? find_target_below(o, below, path, &old, message, message_bytes) : find_target(o, path, &old);
    int descriptor = -1;
    if (found) {
        descriptor = o->target ? make_temporary(o) : open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
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
        ok = renameat(o->folder, o->temporary, o->folder, o->target) == 0;
        reason = errno;
        if (ok) {
            free(o->temporary);
            o->temporary = NULL;
        }
    }
    forget(o);
    return ok || fail(message, message_bytes, strerror(reason));
}

void platform_output_discard(platform_output *o) {
    forget(o);
}
