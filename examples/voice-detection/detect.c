/* Hears where somebody speaks: a program for a microcontroller, without an operating system.
 *
 * Sound comes in pieces of 256 samples, as an interrupt of a microphone would bring them (here: from a recording in the
 * flash). The model keeps what it has heard in its own memory. Prints each probability and, at the end, the parts with
 * a voice; on a board, printf goes to the serial line. */
#include "voice.h" /* made of voice.pt by tsmobile_add_model */
#include <stdio.h>

enum { RATE = 8000, CHUNK = VOICE_FORWARD_CHUNK_ELEMENTS, WAV_HEAD_BYTES = 44 };

extern const unsigned char recording[], recording_end[];

/* All the memory that the model needs; tsmc knows how much that is. */
static _Alignas(64) unsigned char buffer[VOICE_FORWARD_BUFFER_BYTES];
static voice model;

/* The next piece of sound, as numbers from -1 to 1; 0 when there is none. */
static int next_chunk(float *chunk) {
    static const unsigned char *at = recording + WAV_HEAD_BYTES;
    if (at + 2 * CHUNK > recording_end)
        return 0;
    for (int i = 0; i < CHUNK; i++, at += 2)
        chunk[i] = (float)(int16_t)(at[0] | at[1] << 8) / 32768.0f;
    return 1;
}

/* Called with the probability of each piece: somebody begins to speak above 0.6, and ends below 0.3. */
static void tell(int number, float probability) {
    static int since = -1;
    if (since < 0 && probability > 0.6f)
        since = number;
    if (since >= 0 && (probability < 0.3f || number < 0)) {
        const int until = number < 0 ? -number : number;
        printf("voice from %d ms to %d ms\n", since * CHUNK * 1000 / RATE, until * CHUNK * 1000 / RATE);
        since = -1;
    }
}

int main(void) {
    static float chunk[CHUNK];
    float probability[VOICE_FORWARD_RESULT_ELEMENTS];
    int number = 0;
    if (voice_open(&model, NULL, buffer, sizeof buffer) != TSM_OK) {
        puts("the model does not start");
        return 2;
    }
    for (; next_chunk(chunk); number++) {
        if (voice_forward(&model, chunk, probability) != TSM_OK) {
            puts(tsm_error(model.inst));
            return 1;
        }
        printf("%d %.7f\n", number, (double)probability[0]);
        tell(number, probability[0]);
    }
    tell(-number, 0);
    printf("buffer: %u bytes\n", (unsigned)sizeof buffer);
    return 0;
}
