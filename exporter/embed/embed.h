/* .tsm files as C: their bytes, calls with C types, and the operators that they need (tsmc --emit-c). */
#ifndef TSMC_EMBED_H
#define TSMC_EMBED_H

#include <stddef.h>
#include <stdint.h>

#include "exporter/embed/methods.h"
#include "exporter/embed/variants.h"
#include "runtime/include/tsmobile.h"

/* An opened file. */
typedef struct {
    const char *file_name; /* of its two files, without their endings */
    const char *name;      /* its type, and what its functions and macros begin with */
    tsm_program program;
    embed_method *methods; /* stb_ds arrays */
    embed_variant *variants;
} embed_program;

/* Both names are NAME of the path "folder/NAME.tsm", with what cannot stand in a name of C made `_`; the second has one
 * more behind it where C or C++ need the word. */
embed_program embed_new(const char *path, tsm_program program);

/* NAME.h: sizes of the file, of buffers and of arguments, and prototypes. */
const char *embed_header(const embed_program *p);

/* NAME.c: the bytes of the file, aligned, and the functions. */
const char *embed_source(const embed_program *p);

/* An operator table with the operators of these programs (stb_ds array) and no others. A program of C that contains it
 * links no other kernels. */
const char *embed_operators(const embed_program *programs);

#endif
