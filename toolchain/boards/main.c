/* The keyword-spotting example for boards whose library has printf. */
#include <stdio.h>

#include "spot_keyword.h"

int main(void) {
    int word = spot_keyword();
    printf("word %d\n", word);
    return word == 3 ? 0 : 1;
}
