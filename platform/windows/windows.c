/* platform.h on Windows: files are mapped, the clock is the performance counter. Standard streams carry bytes as they
 * are, as on other systems. */
#include "platform/common/output.h"
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

__attribute__((constructor)) static void keep_bytes(void) {
    for (int stream = 0; stream <= 2; stream++)
        _setmode(stream, _O_BINARY);
}

static bool fail(char *message, size_t message_bytes, const char *text) {
    snprintf(message, message_bytes, "%s", text);
    return false;
}

/* What the system says of the last error, without the line's end. */
static bool fail_last(char *message, size_t message_bytes) {
    const DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
        return fail(message, message_bytes, "No such file or directory");
    if (!FormatMessageA(flags, NULL, error, 0, message, (DWORD)message_bytes, NULL))
        return fail(message, message_bytes, "the system gives no reason");
    message[strcspn(message, "\r\n")] = 0;
    return false;
}

static void *take(size_t bytes) {
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

/* Reads standard input into memory that grows. */
static bool read_all(platform_file *file) {
    size_t room = 1 << 16, used = 0, n = 1;
    uint8_t *data = take(room);
    while (data && n > 0) {
        n = fread(data + used, 1, room - used, stdin);
        used += n;
        if (used < room)
            continue;
        uint8_t *more = take(2 * room);
        if (more)
            memcpy(more, data, used);
        VirtualFree(data, 0, MEM_RELEASE);
        data = more;
        room *= 2;
    }
    *file = (platform_file){data, used};
    return data && !ferror(stdin);
}

bool platform_file_open(platform_file *file, const char *path, char *message, size_t message_bytes) {
    if (!strcmp(path, "-"))
        return read_all(file) || fail(message, message_bytes, "it could not be read to its end");
    const DWORD attributes = GetFileAttributesA(path);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY)
        return fail(message, message_bytes, "it is a folder");
    const HANDLE opened =
        CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    LARGE_INTEGER bytes;
    if (opened == INVALID_HANDLE_VALUE || !GetFileSizeEx(opened, &bytes))
        return fail_last(message, message_bytes);
    *file = (platform_file){"", (size_t)bytes.QuadPart};
    if (file->bytes > 0) {
        const HANDLE mapping = CreateFileMappingA(opened, NULL, PAGE_READONLY, 0, 0, NULL);
        file->data = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : NULL;
        if (!file->data)
            fail_last(message, message_bytes);
        if (mapping)
            CloseHandle(mapping); /* the view keeps what it needs */
    }
    CloseHandle(opened);
    return file->data;
}

void platform_file_close(platform_file *file) {
    MEMORY_BASIC_INFORMATION info;
    if (VirtualQuery(file->data, &info, sizeof info) && info.AllocationBase == file->data) {
        if (info.Type == MEM_MAPPED)
            UnmapViewOfFile(file->data);
        else if (info.Type == MEM_PRIVATE) /* standard input; the text "" is part of the program's image */
            VirtualFree((void *)(uintptr_t)file->data, 0, MEM_RELEASE);
    }
    *file = (platform_file){"", 0};
}

void *platform_buffer(size_t wanted, size_t *got) {
    const size_t least = wanted ? wanted : (size_t)1 << 20, most = wanted ? wanted : (size_t)1 << 30;
    for (size_t bytes = most; bytes >= least; bytes /= 2) {
        void *data = take(bytes);
        *got = bytes;
        if (data)
            return data;
    }
    return NULL;
}

void platform_buffer_expect(void *buffer, size_t bytes) {
    (void)buffer;
    (void)bytes;
}

/* Callers read errno. */
bool platform_rename(const char *from, const char *to) {
    const bool ok = MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    const DWORD error = ok ? 0 : GetLastError();
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
        errno = ENOENT;
    else if (error == ERROR_DISK_FULL)
        errno = ENOSPC;
    else if (error)
        errno = EACCES; /* it is a folder, is open or mapped, or may not be written */
    return ok;
}

uint64_t platform_nanoseconds(void *context) {
    (void)context;
    LARGE_INTEGER ticks, hz;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&hz);
    const uint64_t all = (uint64_t)ticks.QuadPart, second = (uint64_t)hz.QuadPart;
    return all / second * 1000000000u + all % second * 1000000000u / second;
}

bool platform_has_colours(void) {
    return false;
}

size_t platform_peak_kb(void) {
    PROCESS_MEMORY_COUNTERS counters;
    const bool known = GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
    return known ? counters.PeakWorkingSetSize / 1024 : 0;
}

uint64_t platform_features(void) {
    return 0;
}

void platform_arguments(int *argc, char **argv) {
    (void)argc;
    (void)argv;
}
