/* Sizes of what lies in the buffer, as they are where addresses have 64 bits. The library in a tsmc that has 32 bits
 * itself is compiled with TSM_WIDE: its instances then ask for exactly as much memory as those of machines with 64
 * bits, for which it plans and measures. The additional bytes are not used. Without TSM_WIDE nothing here changes
 * anything. */
#ifndef TSM_VALUE_WIDE_H
#define TSM_VALUE_WIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef TSM_WIDE
/* Bytes that an address takes, or a number that counts bytes, elements or items. */
#define TSM_WORD_BYTES ((size_t)8)
/* The last member of a struct: by how much fewer or smaller its addresses make it. */
#define TSM_WIDER(bytes) uint8_t wider[bytes];
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#else
#define TSM_WORD_BYTES sizeof(void *)
#define TSM_WIDER(bytes)
#endif

/* How large a struct is with 64-bit addresses; so the compilers of both kinds of machines compare. */
#if defined(TSM_WIDE) || UINTPTR_MAX > UINT32_MAX
#define TSM_WIDE_SIZE(type, bytes)                                                                                     \
    _Static_assert(sizeof(type) == (bytes), #type " has another size with 64-bit addresses")
#else
#define TSM_WIDE_SIZE(type, bytes)                                                                                     \
    _Static_assert(sizeof(type) <= (bytes), #type " is larger than with 64-bit addresses")
#endif

#endif
