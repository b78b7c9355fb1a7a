/* Sound (WAV) as tensors. */
#ifndef RUNNER_AUDIO_H
#define RUNNER_AUDIO_H

#include "platform/runner/settings.h"

/* Reads a WAV file into a tensor of float32 from -1 to 1: of one dimension where that is declared (channels are
 * averaged), else of channels and samples. `rate`: samples per second that are wanted, or NULL, where the metadata's
 * "audio.rate" says it; other rates are converted as torchaudio does. */
tsm_value audio_value(const input_place *place, const char *path, const char *rate);

#endif
