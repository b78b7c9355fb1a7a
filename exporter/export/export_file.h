/* Files of torch.export.save (.pt2): what a reader takes out of them, before anything is made of it.
 *
 * The file is a zip archive that holds the program as JSON and its tensors as what torch.save writes (see
 * export_file.c). Nothing in it is executed. Wrong input ends in diag_fail. */
#ifndef TSMC_EXPORT_EXPORT_FILE_H
#define TSMC_EXPORT_EXPORT_FILE_H

#include "exporter/archive/archive.h"
#include "exporter/base/json.h"

/* Versions of the schema of the JSON text (torch/_export/serde/schema.py) that are read. */
enum { EXPORT_MIN_SCHEMA = 5, EXPORT_MAX_SCHEMA = 8 };

/* stb_ds hash map. */
typedef struct {
    const char *key; /* "encoder.layers.0.weight" */
    pkl_value *value;
} export_value_map;

typedef struct {
    const char *name; /* of the file, for messages */
    zip_archive *zip;
    const char *model;           /* the program's name in the container of PyTorch 2.8; NULL: the older one */
    json program;                /* the ExportedProgram */
    int operator_version;        /* of the operators' meaning, as archives of torch.jit.save state it */
    export_value_map *weights;   /* the state dict */
    export_value_map *constants; /* tensors that the code holds, buffers that are not saved with the state dict */
    const char *method;          /* what the program becomes: "forward" */
    const char *prefix; /* of the names of its tensors in the module: "", or of several programs "encode_program." */
    bool has_static_shapes;   /* set by loading the program: its arguments have one shape each */
    int64_t ***largest_sizes; /* set by loading it: sizes of the tensors among its arguments, in order: the largest, and
                                 those of smaller calls. stb_ds arrays; NULL: some size has no bound */
    size_t corners;           /* the first of these (base/size_samples.h) */
} export_file;

/* Whether a file in memory is one of torch.export.save. */
bool export_is_file(const char *name, zip_bytes bytes);

/* Opens the programs of such a file, which must outlive them; an stb_ds array, not empty. Of several each becomes a
 * method of its name. */
export_file **export_file_open(const char *name, zip_bytes bytes);

/* The one program of a file, which becomes the method, or that of several which has its name. */
export_file *export_file_choose(export_file *const *programs, const char *method);

/* What torch.save wrote into a record; NULL when there is no such record. */
pkl_value *export_read_saved(export_file *f, const char *record);

/* The arguments with which the program was exported: a tuple of a tuple and of a dict of those by name. NULL when the
 * file has none. */
pkl_value *export_file_examples(export_file *f);

#endif
