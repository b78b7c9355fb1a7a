/* What only a bare-metal program has: the size of its own parts, as the linker laid them out. */
#ifndef PLATFORM_BAREMETAL_H
#define PLATFORM_BAREMETAL_H

#include <stddef.h>

/* Code, constants and the initial contents of variables. */
size_t baremetal_flash_bytes(void);
/* Variables, without heap and stack. */
size_t baremetal_static_ram_bytes(void);

/* Fills the unused part of the stack with a pattern; baremetal_stack_bytes then says how deep the stack was since. */
void baremetal_stack_paint(void);
size_t baremetal_stack_bytes(void);

/* Memory that stands for a sector of flash, where a program keeps what shall outlive a reset. */
void *baremetal_sector(size_t *bytes);

#endif
