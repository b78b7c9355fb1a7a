/* The code of stb_image. */
#define STB_IMAGE_IMPLEMENTATION
#include "platform/runner/stb.h"
