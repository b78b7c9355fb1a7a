/* Whether loops have lanes for narrow elements, too (tensor/lanes.h): on processors with vectors of all element types,
 * and no other, so that programs for small ones do not grow. What is compiled follows from TSM_NARROW_LANES; what a
 * kernel does, and with it how much memory it asks for, from loops_are_narrow (wide.h). */
#ifndef TSM_SIMD_NARROW_H
#define TSM_SIMD_NARROW_H

#if defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__)
#define TSM_NARROW_LANES 1
#define TSM_NARROW(...) __VA_ARGS__
#else
#define TSM_NARROW_LANES 0
#define TSM_NARROW(...) /* rows of tables */
#endif

#endif
