/* The example of the boards' packages: finds the word in a second of features with the network that is compiled in. */
#ifndef SPOT_KEYWORD_H
#define SPOT_KEYWORD_H

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the word in the features of this example (3), or a negative number: -1, the network's memory was not
 * laid out; -2, it failed; -3, its scores are not PyTorch's. */
int spot_keyword(void);

#ifdef __cplusplus
}
#endif
#endif
