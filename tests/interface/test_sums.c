/* Checksums of a file, with programs of make_states.py: what tsm_program_check_sums finds when a byte has changed, when
 * the checksums fit their own sum but nothing else, and when the file says something else about its length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/interpreter/check_sums.h"
#include "tests/memory/read_file.h"
#include "tsmobile.h"

enum { MESSAGE = 4096, BUFFER = 1 << 16 };

static const char *folder;
static char message[MESSAGE];

typedef struct {
    uint8_t *file;
    size_t bytes, segment, segment_bytes;
    uint64_t sums;
    tsm_program program;
} summed;

/* A file of make_states.py; its checksums are written when it has room for them. */
static summed open_file(const char *name) {
    summed s = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.tsm", folder, name);
    s.file = read_file(path, &s.bytes);
    if (!s.file || tsm_program_open(&s.program, s.file, s.bytes, message, sizeof message) != TSM_OK)
        fail_msg("%s: %s", path, message);
    s.segment = (size_t)(s.program.segment - s.program.file);
    s.segment_bytes = (size_t)s.program.segment_bytes;
    s.sums = s.segment - (size_t)tsm_sums_bytes(s.segment_bytes);
    return s;
}

static summed with_sums(const char *name) {
    summed s = open_file(name);
    tsm_sums_write(s.file, s.sums, s.segment, s.segment_bytes);
    return s;
}

static tsm_status check(const summed *s) {
    message[0] = 0;
    return tsm_program_check_sums(&s->program, message, sizeof message);
}

static void assert_damaged(const summed *s, const char *text) {
    assert_int_equal(check(s), TSM_BAD_FILE);
    if (strcmp(message, text) != 0)
        fail_msg("%s\nand not %s", message, text);
}

static const char sums_are[] = "the file is damaged: its checksums are";
static const char other_length[] = "the file is damaged: it has another length than it says";
static const char *const files[] = {"sums", "sums_of_two_pieces", "sums_of_nothing"};

static void test_whole_files(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const summed s = with_sums(files[i]);
        if (check(&s) != TSM_OK)
            fail_msg("%s: %s", files[i], message);
        assert_int_equal(tsm_sums_bytes(s.segment_bytes), 4 * (1 + (s.segment_bytes + 65535) / 65536) + 16);
        free(s.file);
    }
}

/* Every byte: when the file can be opened at all, it is refused, with the place. */
static void test_every_byte(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        summed s = with_sums(files[i]);
        size_t opened = 0;
        for (size_t at = 0; at < s.bytes; at += at < s.segment ? 1 : 997) {
            s.file[at] ^= (uint8_t)(1 + at % 255);
            if (tsm_program_open(&s.program, s.file, s.bytes, message, sizeof message) == TSM_OK) {
                opened++;
                assert_int_equal(check(&s), TSM_BAD_FILE);
                char piece[100];
                const size_t first = at < s.segment ? 0 : s.segment + (at - s.segment) / 65536 * 65536;
                const size_t last = first + 65535 < s.bytes ? first + 65535 : s.bytes - 1;
                snprintf(piece, sizeof piece, "in its weights, bytes %zu to %zu", first, last);
                if (at >= s.segment && !strstr(message, piece))
                    fail_msg("byte %zu: %s", at, message);
            }
            s.file[at] ^= (uint8_t)(1 + at % 255);
        }
        assert_true(opened > 100);
        free(s.file);
    }
}

/* Numbers at the end of the checksums that are wrong although their sum fits. */
static void test_forged_ends(void **state) {
    (void)state;
    for (size_t number = 0; number < 4; number++) {
        summed s = with_sums("sums");
        uint32_t end[4];
        uint8_t *at = s.file + s.segment - sizeof end;
        memcpy(end, at, sizeof end);
        end[number]++;
        memcpy(at, end, sizeof end);
        if (number < 2) {
            end[2] = tsm_sum_of(s.file + s.sums, s.segment - (size_t)s.sums - 8);
            memcpy(at, end, sizeof end);
        }
        assert_damaged(&s, sums_are);
        free(s.file);
    }
}

/* The program part says that checksums begin elsewhere, or that there are none. */
static void test_other_places(void **state) {
    (void)state;
    static const char *const wrong[] = {"sums_behind", "sums_early", "sums_hidden"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        summed s = with_sums(wrong[i]);
        assert_damaged(&s, sums_are);
        free(s.file);
    }
}

static void test_other_lengths(void **state) {
    (void)state;
    summed s = with_sums("sums");
    s.bytes--; /* one byte less is less than its segment: it is not opened */
    assert_int_equal(tsm_program_open(&s.program, s.file, s.bytes, message, sizeof message), TSM_BAD_FILE);
    free(s.file);
    s = with_sums("sums");
    uint8_t *longer = aligned_alloc(64, (s.bytes + 64) / 64 * 64);
    assert_non_null(longer);
    memcpy(longer, s.file, s.bytes);
    longer[s.bytes] = 0;
    free(s.file);
    s.file = longer;
    assert_int_equal(tsm_program_open(&s.program, s.file, s.bytes + 1, message, sizeof message), TSM_OK);
    assert_damaged(&s, other_length);
    free(s.file);
}

/* No segment, and a place of checksums that cannot be: the number of the program, which states carry, is that of all
 * its bytes. */
static void test_no_room_for_sums(void **state) {
    (void)state;
    static _Alignas(64) uint8_t buffer[BUFFER];
    static uint8_t saved[1024];
    summed s = open_file("sums_without_segment");
    assert_damaged(&s, other_length);
    assert_int_equal(tsm_sum_of_program(&s.program), tsm_sum_of(s.file, s.segment));
    tsm_options options = {.message = message, .message_bytes = sizeof message};
    tsm_instance *inst;
    size_t bytes;
    assert_int_equal(tsm_instance_init(&inst, &s.program, &options, buffer, sizeof buffer), TSM_OK);
    assert_int_equal(tsm_instance_save(inst, saved, sizeof saved, &bytes), TSM_OK);
    assert_int_equal(tsm_instance_load(inst, saved, bytes), TSM_OK);
    free(s.file);
}

int main(int argc, char **argv) {
    assert_int_equal(argc, 2);
    folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_files),   cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_forged_ends),   cmocka_unit_test(test_other_places),
        cmocka_unit_test(test_other_lengths), cmocka_unit_test(test_no_room_for_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
