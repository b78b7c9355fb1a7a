/* A line of progress, and colours, where standard error is a terminal. */
#include "exporter/base/terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 79, TICKS_BETWEEN_LOOKS = 1024 };

static const char *const bold_red = "\x1b[1;31m", *const red = "\x1b[31m", *const yellow = "\x1b[33m",
                         *const plain = "\x1b[0m", *const erase_line = "\r\x1b[K";

static struct {
    bool is_known, is_terminal, has_colours;
    bool is_drawn, is_over;
    time_t start, drawn;
    const char *what;
    int step, steps;
    unsigned ticks;
} terminal;

static bool is_terminal(void) {
    if (!terminal.is_known) {
        const char *kind = getenv("TERM");
        terminal.is_known = true;
        terminal.is_terminal = isatty(2) && (!kind || strcmp(kind, "dumb"));
        terminal.has_colours = terminal.is_terminal && !getenv("NO_COLOR");
        terminal.start = time(NULL);
    }
    return terminal.is_terminal;
}

/* ---- Progress ---- */

static void draw(time_t now) {
    char line[COLUMNS + 1];
    const int seconds = (int)(now - terminal.start);
    if (terminal.steps)
        snprintf(line, sizeof line, "tsmc: %d s, step %d of %d: %s", seconds, terminal.step, terminal.steps,
                 terminal.what);
    else
        snprintf(line, sizeof line, "tsmc: %d s, %s", seconds, terminal.what);
    fprintf(stderr, "%s%s", erase_line, line);
    fflush(stderr);
    terminal.is_drawn = true;
    terminal.drawn = now;
}

/* Times are whole seconds: two of them apart, more than one has gone by. */
static void look(void) {
    if (terminal.is_over || !terminal.what || !is_terminal())
        return;
    const time_t now = time(NULL);
    if (now - terminal.start >= 2 && now != terminal.drawn)
        draw(now);
}

void terminal_progress(const char *what, int step, int steps) {
    terminal.what = what;
    terminal.step = step;
    terminal.steps = steps;
    look();
}

void terminal_tick(void) {
    if (++terminal.ticks % TICKS_BETWEEN_LOOKS == 0)
        look();
}

void terminal_clear(void) {
    if (!terminal.is_drawn)
        return;
    fputs(erase_line, stderr);
    fflush(stderr);
    terminal.is_drawn = false;
}

void terminal_end_progress(void) {
    terminal_clear();
    terminal.is_over = true;
}

/* ---- Colours ---- */

static void print_line(const char *text, size_t n, const char *colour) {
    if (*colour && n)
        fprintf(stderr, "%s%.*s%s\n", colour, (int)n, text, plain);
    else
        fprintf(stderr, "%.*s\n", (int)n, text);
}

void terminal_print_error(const char *text) {
    terminal_clear();
    if (!is_terminal() || !terminal.has_colours) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    for (bool is_first = true;; text++) {
        const size_t n = strcspn(text, "\n");
        const bool is_mark = memchr(text, '~', n) != NULL;
        print_line(text, n, is_first ? bold_red : is_mark ? red : "");
        is_first = is_first && n == 0; /* archives' errors begin with an empty line */
        text += n;
        if (!*text)
            return;
    }
}

void terminal_print_warning(const char *text) {
    terminal_clear();
    const bool has_colours = is_terminal() && terminal.has_colours;
    fprintf(stderr, "%stsmc: warning:%s %s\n", has_colours ? yellow : "", has_colours ? plain : "", text);
}
