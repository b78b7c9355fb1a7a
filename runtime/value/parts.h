/* Functions that a program may be linked without; parts.def lists them. */
#ifndef TSM_VALUE_PARTS_H
#define TSM_VALUE_PARTS_H

/* At the definition of such a function, not at its declaration: a reference that is weak takes nothing from a library.
 * Windows' linkers know weak functions only in part: there programs have all of the library's. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TSM_PART __attribute__((weak))
#else
#define TSM_PART
#endif

#endif
