/* The .debug_pkl record beside a code file: which original source each part of the serialized text came from. */
#ifndef TSMC_ARCHIVE_DEBUG_INFO_H
#define TSMC_ARCHIVE_DEBUG_INFO_H

#include "exporter/archive/pickle.h"

/* A piece of an original file: mostly one function. */
typedef struct {
    const char *file_name; /* NULL when unknown */
    int64_t first_line;    /* the number of the text's first line, counted as PyTorch does */
    const char *text;
    size_t length;
} debug_source;

/* The range [start, end) of a source's text. */
typedef struct {
    const debug_source *source;
    size_t start, end;
} debug_range;

typedef struct debug_info debug_info;

/* Reads a .debug_pkl; `name` is for messages. Both the form with a table of strings and the older one with a whole text
 * for each source are known. */
debug_info *debug_info_load(const char *name, const uint8_t *bytes, size_t size);

/* The range of the serialized text at a byte offset: that of the last record at or before it; NULL when there is none
 * or when it says that the code has no source. */
const debug_range *debug_info_find(const debug_info *info, size_t offset);

#endif
