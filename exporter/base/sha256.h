/* SHA-256 (FIPS 180-4), by which a file names its source. */
#ifndef TSMC_BASE_SHA256_H
#define TSMC_BASE_SHA256_H

/* The digest of a file in 64 hexadecimal digits; NULL when it is no regular file, which could not be read twice. One
 * that cannot be read is an error. */
char *sha256_of_file(const char *path);

#endif
