/* What a file says of itself: tensors of a method's example, the author's words, where the program came from. */
#ifndef TSMC_EXECUTE_DESCRIBE_H
#define TSMC_EXECUTE_DESCRIBE_H

#include "exporter/codegen/image.h"
#include "exporter/passes/specialize/guard_entry.h"

/* Fills the inputs of the methods that were specialized to examples (an stb_ds array), and the outputs where they
 * decide their sizes. Of several examples of a method what they have in common is said. */
void describe_examples(image *m, const example *examples);

/* The authors' words about the entries, in the order of the image's methods. */
void describe_entries(image *m, function *const *entries);

/* Names a regular file that the program was read from, "source", and its SHA-256. */
void describe_source(image *m, const char *key, const char *path);

/* KEY=VALUE. */
void describe_entry(image *m, const char *text);

#endif
