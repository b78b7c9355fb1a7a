/* What tsmc does on a terminal and not elsewhere: a line that tells what is being done when that takes longer than a
 * second, and colours (unless NO_COLOR is set). All of it on standard error. */
#ifndef TSMC_BASE_TERMINAL_H
#define TSMC_BASE_TERMINAL_H

/* Says what is being done, step number `step` of `steps` (0: they are not counted). The text is kept by the caller. */
void terminal_progress(const char *what, int step, int steps);

/* Draws the line again, at most once a second. Called from where work cannot help coming by. */
void terminal_tick(void);

/* Takes the line away, before something else is printed. */
void terminal_clear(void);

/* Takes it away for good: what is left to do prints. */
void terminal_end_progress(void);

/* Prints an error's text and a line's end: its first line and marked places in colour. */
void terminal_print_error(const char *text);

/* Prints a warning in one colour, its line's end behind it. */
void terminal_print_warning(const char *text);

#endif
