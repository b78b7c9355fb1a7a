/* SHA-256: a known file, and the machine's instructions against the words that they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "exporter/base/sha256.c" /* NOLINT(bugprone-suspicious-include): both ways of a block are static */

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fputs(text, out) < 0, 0);
    assert_int_equal(fclose(out), 0);
}

/* The examples of the standard. */
static void test_known_texts(void **state) {
    (void)state;
    char path[] = "/tmp/test_sha256_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    write_file(path, "abc");
    assert_string_equal(sha256_of_file(path), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    write_file(path, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    assert_string_equal(sha256_of_file(path), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    unlink(path);
}

static void test_instructions_give_the_same(void **state) {
    (void)state;
    block_adder *chosen = choose_adder();
    uint32_t words[8], other[8], seed = 1;
    uint8_t block[BLOCK];
    memcpy(words, first, sizeof words);
    memcpy(other, first, sizeof other);
    for (int turn = 0; turn < 100; turn++) {
        for (int i = 0; i < BLOCK; i++)
            block[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
        add_block_by_words(words, block);
        chosen(other, block);
        assert_memory_equal(words, other, sizeof words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_texts),
                                       cmocka_unit_test(test_instructions_give_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
