/* Names in files of C. */
#include "exporter/embed/names.h"

#include <ctype.h>
#include <string.h>

/* Words of C11 and C++20, and what their headers that programs include most declare in lower case without an
 * underscore: a model may be called exp.tsm. Sorted by kind, between spaces. */
static const char reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class"
    " co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default"
    " delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long"
    " mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register"
    " reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch"
    " template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile"
    " wchar_t while xor xor_eq linux unix main errno std"
    /* stddef.h, stdint.h, stdbool.h */
    " size_t ptrdiff_t offsetof int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t"
    /* string.h, strings.h */
    " memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncat"
    " strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm bcmp bcopy bzero index rindex ffs strsep basename"
    /* math.h, complex.h */
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma "
    "fmax"
    " fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2 logb lrint lround modf nan nearbyint"
    " pow remainder remquo rint round scalb scalbn sin sinh sqrt tan tanh tgamma trunc y0 y1 yn cabs carg cimag conj"
    " cpow cproj creal complex imaginary"
    /* stdio.h, stdlib.h, ctype.h, time.h, signal.h, unistd.h */
    " clearerr fclose feof ferror fflush fgetc fgets fopen fprintf fputc fputs fread freopen fscanf fseek ftell fwrite"
    " getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf snprintf sprintf sscanf "
    "stderr"
    " stdin stdout tmpfile tmpnam ungetc vprintf abort abs atexit atof atoi atol bsearch calloc div exit free getenv "
    "labs"
    " ldiv malloc mblen qsort rand random realloc srand srandom strtod strtol strtoul system isalnum isalpha isdigit"
    " islower isprint isspace isupper tolower toupper asctime clock ctime difftime gmtime localtime mktime strftime "
    "time"
    " timezone daylight raise signal kill access alarm chdir close dup execl fork getopt link lseek nice open pause "
    "pipe"
    " read select sleep swab sync truncate unlink write assert setjmp longjmp ";

const char *embed_c_name(const char *text) {
    char *name = mem_strdup(text);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return isdigit((unsigned char)*name) ? mem_printf("_%s", name) : name;
}

const char *embed_upper(const char *text) {
    char *upper = mem_strdup(text);
    for (char *c = upper; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return upper;
}

const char *embed_name(embed_scope *scope, const char *wanted) {
    const char *name = *wanted ? wanted : "_";
    while (shgeti(*scope, name) >= 0 || strstr(reserved, mem_printf(" %s ", name)))
        name = mem_printf("%s_", name);
    shput(*scope, name, true);
    return name;
}

const char *embed_comment(const char *text) {
    strbuf b = {0};
    for (const char *c = text; *c; c++) {
        if (c > text && ((c[-1] == '*' && *c == '/') || (c[-1] == '/' && *c == '*')))
            strbuf_add(&b, " ");
        strbuf_printf(&b, "%c", iscntrl((unsigned char)*c) ? ' ' : *c);
    }
    return strbuf_text(&b);
}
