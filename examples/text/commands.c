/* commands [SENTENCE...]: what sentences ask for. Without one, reads them from standard input, a line each.
 *
 * The program hands over text and gets text: the tokenizer is a part of commands.pt. */
#include "commands.h" /* made of commands.pt by tsmobile_add_model */
#include <stdio.h>
#include <string.h>

/* All the memory that the model has. */
static _Alignas(64) unsigned char buffer[256 * 1024];

static void print_text(tsm_value text) {
    size_t bytes;
    const char *begin = tsm_str_get(text, &bytes);
    fwrite(begin, 1, bytes, stdout);
}

/* Prints the tuple (intent, how sure, {slot: words}) of understand(). */
static void print_answer(tsm_value answer) {
    const tsm_value slots = tsm_sequence_get(answer, 2);
    print_text(tsm_sequence_get(answer, 0));
    printf(" (%.0f %%)", 100 * tsm_sequence_get(answer, 1).as.f);
    for (size_t i = 0; i < tsm_dict_size(slots); i++) {
        tsm_value slot, words;
        tsm_dict_get(slots, i, &slot, &words);
        fputs(i ? ", " : ": ", stdout);
        print_text(slot);
        putchar(' ');
        print_text(words);
    }
    putchar('\n');
}

static tsm_status understand(commands *model, const char *sentence, size_t bytes) {
    tsm_value text, answer;
    tsm_status status = tsm_str_new(model->inst, &text, sentence, bytes);
    if (status != TSM_OK)
        return status;
    status = tsm_call(model->inst, tsm_method(&model->program, "understand"), &text, 1, &answer);
    if (status == TSM_OK)
        print_answer(answer);
    tsm_release(model->inst, answer);
    tsm_release(model->inst, text);
    return status;
}

static int answer(commands *model, const char *sentence) {
    if (understand(model, sentence, strcspn(sentence, "\n")) == TSM_OK)
        return 0;
    fprintf(stderr, "commands: %s\n", tsm_error(model->inst));
    return 1;
}

int main(int argc, char **argv) {
    commands model;
    int status = 0;
    if (commands_open(&model, NULL, buffer, sizeof buffer) != TSM_OK) {
        fputs("commands: the model does not fit into its buffer\n", stderr);
        return 3;
    }
    for (int i = 1; i < argc; i++)
        status |= answer(&model, argv[i]);
    char line[1024];
    while (argc == 1 && fgets(line, sizeof line, stdin))
        status |= answer(&model, line);
    return status;
}
