/* Files that hold a compiled program: archives of torch.jit.save, archives and flatbuffers of the lite interpreter, and
 * files of torch.export.save. */
#ifndef TSMC_PROGRAM_FILE_H
#define TSMC_PROGRAM_FILE_H

#include "exporter/archive/archive.h"
#include "exporter/export/export_file.h"
#include "exporter/program/program.h"

typedef struct {
    const char *name; /* for messages */
    zip_bytes bytes;
    export_file **exported; /* stb_ds array; NULL: no file of torch.export.save */
    pt_archive *archive;    /* NULL: a flatbuffer, or exported */
    bool is_bytecode; /* holds no code: bytecode is read only where there is no code, from which it was made and which
                         says more */
} program_file;

/* Opens a file in memory, which must outlive the program. */
program_file program_file_open(const char *name, zip_bytes bytes);

program *program_file_load(const program_file *f);

#endif
