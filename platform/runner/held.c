/* Text that waits. Windows has no streams in memory, WASI no files without a name, and bare metal neither. */
#include "platform/runner/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/runner/die.h"

#if defined(_WIN32) || defined(__unix__) || defined(__APPLE__) || defined(__wasi__)
static _Noreturn void fail(void) {
    die(EXIT_BAD_INPUT, "cannot write -: %s", strerror(errno));
}
#endif

#ifdef _WIN32

void held_open(held_text *h) {
    h->stream = tmpfile();
    if (!h->stream)
        fail();
}

void held_write(held_text *h, FILE *to) {
    char part[4096];
    size_t n;
    rewind(h->stream);
    while ((n = fread(part, 1, sizeof part, h->stream)) > 0)
        fwrite(part, 1, n, to);
    if (ferror(h->stream))
        fail();
    fclose(h->stream);
}

#elif defined(__unix__) || defined(__APPLE__) || defined(__wasi__)

void held_open(held_text *h) {
    h->stream = open_memstream(&h->text, &h->length);
    if (!h->stream)
        fail();
}

void held_write(held_text *h, FILE *to) {
    if (fclose(h->stream) != 0)
        fail();
    fwrite(h->text, 1, h->length, to);
    free(h->text);
}

#else

void held_open(held_text *h) {
    (void)h;
    die(EXIT_BAD_INPUT, "cannot write -: nothing here keeps text until other text is out; name a file");
}

void held_write(held_text *h, FILE *to) {
    (void)h;
    (void)to;
}

#endif
