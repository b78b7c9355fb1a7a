/* platform.h on POSIX: files are mapped, the clock is the monotonic one, /proc and the kernel tell the features. */
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

/* Reads what cannot be mapped (a pipe, a terminal) into memory that grows. */
static bool read_all(platform_file *file, int descriptor) {
    size_t room = 1 << 16, used = 0;
    uint8_t *data = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (ssize_t n = 1; data != MAP_FAILED && n != 0;) {
        n = read(descriptor, data + used, room - used);
        if (n < 0 && errno != EINTR)
            return false;
        used += n > 0 ? (size_t)n : 0;
        if (used < room)
            continue;
        uint8_t *more = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more != MAP_FAILED)
            memcpy(more, data, used);
        munmap(data, room);
        data = more;
        room *= 2;
    }
    if (data == MAP_FAILED)
        return false;
    /* What platform_file_close will find: whole pages, and no memory without bytes. */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), kept = (used + page - 1) & ~(page - 1);
    munmap(data + kept, room - kept);
    *file = (platform_file){used ? (const void *)data : "", used};
    return true;
}

bool platform_file_open(platform_file *file, const char *path, char *message, size_t message_bytes) {
    int descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        snprintf(message, message_bytes, "%s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    file->bytes = (size_t)status.st_size;
    file->data = "";
    bool ok = true;
    if (S_ISDIR(status.st_mode)) {
        snprintf(message, message_bytes, "it is a folder");
        ok = false;
    } else if (!S_ISREG(status.st_mode)) {
        ok = read_all(file, descriptor);
        if (!ok)
            snprintf(message, message_bytes, "%s", strerror(errno));
    } else if (file->bytes > 0) {
        void *data = mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
        ok = data != MAP_FAILED;
        if (ok)
            file->data = data;
        else
            snprintf(message, message_bytes, "%s", strerror(errno));
    }
    close(descriptor);
    return ok;
}

void platform_file_close(platform_file *file) {
    if (file->bytes > 0)
        munmap((void *)(uintptr_t)file->data, file->bytes);
    *file = (platform_file){"", 0};
}

bool platform_is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

#ifdef __SANITIZE_ADDRESS__
enum { MOST_SHIFT = 26 }; /* every byte of the buffer is marked by the sanitizer, used or not, in each run */
#else
enum { MOST_SHIFT = sizeof(void *) > 4 ? 32 : 29 };
#endif

#define HUGE_PAGE ((size_t)1 << 21)

void *platform_buffer(size_t wanted, size_t *got) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const size_t most = (size_t)1 << MOST_SHIFT;
    const size_t least = wanted ? wanted : (size_t)1 << 20;
    for (size_t bytes = wanted ? wanted : most; bytes >= least; bytes /= 2) {
        void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (data != MAP_FAILED) {
            const size_t skip = wanted ? 0 : (size_t)(-(uintptr_t)data & (HUGE_PAGE - 1));
            *got = bytes - skip;
            return (uint8_t *)data + skip;
        }
    }
    return NULL;
}

/* Page by page, the first touch of a large buffer costs as much as a third of a network's run; whole huge pages cost a
 * quarter of that. A rest of less than half a huge page stays in small ones, so that little is claimed that is not
 * used. */
void platform_buffer_expect(void *buffer, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const size_t whole = (bytes + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE;
    if (whole > 0)
        (void)madvise(buffer, whole, MADV_HUGEPAGE); /* only a hint: a failure costs speed and nothing else */
#else
    (void)buffer;
    (void)bytes;
#endif
}

uint64_t platform_nanoseconds(void *context) {
    (void)context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool platform_has_colours(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0 && !getenv("NO_COLOR");
}

size_t platform_peak_kb(void) {
    /* ru_maxrss would include what the parent had resident before exec; VmHWM is this program's own. */
    size_t kb = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && kb == 0 && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %zu kB", &kb);
    if (status)
        fclose(status);
    struct rusage usage;
    if (kb == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kb = (size_t)usage.ru_maxrss;
    return kb;
}

uint64_t platform_features(void) {
#if defined(__aarch64__) && defined(__linux__)
    const unsigned long dot_product = 1ul << 20; /* HWCAP_ASIMDDP of Linux */
    return getauxval(AT_HWCAP) & dot_product ? TSM_FEATURE_DOT_PRODUCT : 0;
#else
    return 0;
#endif
}

void platform_arguments(int *argc, char **argv) {
    (void)argc;
    (void)argv;
}
