/* The keyword-spotting example for ESP-IDF. */
#include <stdio.h>

#include "spot_keyword.h"

void app_main(void) {
    printf("word %d\n", spot_keyword());
}
