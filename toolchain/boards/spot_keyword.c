/* Finds the word in a second of features, and compares the network's scores with PyTorch's. */
#include "spot_keyword.h"

#include "keyword_features.h"
#include "keyword_spotting.h"

static _Alignas(64) unsigned char buffer[KEYWORD_SPOTTING_FORWARD_BUFFER_BYTES];
static float features[KEYWORD_SPOTTING_FORWARD_FEATURES_ELEMENTS], scores[KEYWORD_SPOTTING_FORWARD_RESULT_ELEMENTS];

int spot_keyword(void) {
    keyword_spotting network;
    int word = 0;
    for (int i = 0; i < KEYWORD_SPOTTING_FORWARD_FEATURES_ELEMENTS; i++)
        features[i] = keyword_features[i];
    if (keyword_spotting_open(&network, NULL, buffer, sizeof buffer) != TSM_OK)
        return -1;
    if (keyword_spotting_forward(&network, features, scores) != TSM_OK)
        return -2;
    for (int i = 0; i < KEYWORD_SPOTTING_FORWARD_RESULT_ELEMENTS; i++) {
        float difference = scores[i] - keyword_scores[i];
        if (difference > 1e-4f || difference < -1e-4f)
            return -3;
        if (scores[i] > scores[word])
            word = i;
    }
    return word;
}
