/* A user's program with its model compiled in (tsmc --emit-c): recognizes the digit in the 64 floats of image.h and
 * prints its ten scores. */
#include <stdio.h>

#include "digits.h"

static _Alignas(64) unsigned char buffer[DIGITS_FORWARD_BUFFER_BYTES];
static float image[DIGITS_FORWARD_IMAGE_ELEMENTS] = {
#include "image.h"
};

int main(void) {
    float scores[DIGITS_FORWARD_RESULT_ELEMENTS];
    digits d;
    if (digits_open(&d, NULL, buffer, sizeof buffer) != TSM_OK || digits_forward(&d, image, scores) != TSM_OK)
        return 3;
    for (int i = 0; i < DIGITS_FORWARD_RESULT_ELEMENTS; i++)
        printf("%.9g\n", (double)scores[i]);
    return tsm_version() == TSM_VERSION_NUMBER ? 0 : 4;
}
