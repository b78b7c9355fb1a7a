/* A PyTorch archive: a TorchScript program (.pt, .ptl, written by torch.jit.save) or values (.pt, .pth, written by
 * torch.save).
 *
 * Format: torch/csrc/jit/serialization/export_module.cpp and caffe2/serialize/inline_container.h of PyTorch. Archives
 * of PyTorch 1.4 and later load; records that are not known are left alone. Refused by name: older formats (tar, legacy
 * pickles, model.json), flatbuffer programs (lite/lite.h reads them), and format versions above PT_MAX_VERSION.
 * Elements of big-endian archives are turned round.
 *
 * All functions end in diag_fail when the archive is damaged. */
#ifndef TSMC_ARCHIVE_ARCHIVE_H
#define TSMC_ARCHIVE_ARCHIVE_H

#include "exporter/archive/debug_info.h"
#include "exporter/archive/pickle.h"
#include "exporter/archive/zip.h"

/* The newest format version known, kMaxSupportedFileFormatVersion of PyTorch 1.13 to 2.x, and the version that archives
 * of PyTorch 2.1 and later count as: they say which byte order they have, and some operators changed without a new
 * format version. */
enum { PT_MAX_VERSION = 10, PT_TORCH_2_VERSION };

/* One file of code/. */
typedef struct {
    /* What the names of its classes and functions begin with: "__torch__.torch.nn.modules.linear". */
    const char *qualifier;
    const char *path; /* the record: "code/__torch__/torch/nn/modules/linear.py" */
    const char *text; /* zero-terminated; NULL until pt_archive_code reads it */
    size_t length;
    debug_info *debug; /* NULL until pt_archive_source asks for it */
} pt_code_file;

/* stb_ds hash maps. */
typedef struct {
    const char *key;
    pt_storage *value;
} pt_storage_map;
typedef struct {
    const char *key;
    size_t value;
} pt_file_map;

typedef struct pt_archive {
    zip_archive *zip;
    const char *name;         /* as given when opening, for messages */
    int version;              /* of the operators' meaning: 1 to PT_TORCH_2_VERSION */
    bool is_program;          /* holds code (torch.jit.save); otherwise values only (torch.save) */
    bool is_big_endian;       /* elements of storages have their first byte last */
    bool has_bytecode;        /* a .ptl for the lite interpreter; it mostly holds the code as well */
    pkl_value *root;          /* data.pkl: the module object of a program, or the value saved */
    pkl_value *constants;     /* constants.pkl: a tuple, CONSTANTS.c0 and so on; an empty one when there is none */
    pt_code_file *files;      /* stb_ds array, in the archive's order */
    pt_file_map *file_of;     /* qualifier -> index in files */
    pt_storage_map *storages; /* record -> the one storage made from it */
} pt_archive;

/* Opens an archive and reads its values; code is read when it is asked for. */
pt_archive *pt_archive_open(const char *path);

/* The same for a file in memory, which must outlive the archive; 64-byte alignment saves copies. `name` is for
 * messages. */
pt_archive *pt_archive_open_memory(const char *name, zip_bytes file);

/* The code file of a qualifier ("__torch__", "__torch__.a.b") with its text read, or NULL when there is none. */
pt_code_file *pt_archive_code(pt_archive *a, const char *qualifier);

/* Where the code at a byte offset of a code file came from; NULL when the archive does not say. */
const debug_range *pt_archive_source(pt_archive *a, pt_code_file *file, size_t offset);

/* The inputs with which torch.jit.trace made the program, without their elements, which are zeros here: a dict from
 * names of methods to lists. PyTorch 2 writes them; NULL when there are none. */
pkl_value *pt_archive_traced_inputs(pt_archive *a);

/* The lite interpreter's program, or NULL when has_bytecode is false. */
pkl_value *pt_archive_bytecode(pt_archive *a);

#endif
