/* Runs one program many times, each run in a child that is forked after the program was loaded: what a sanitizer needs
 * at every start is spent once. Linked with the objects of tsmc or tsmrun, whose main is renamed program_main.
 *
 * A request on the standard input is, each ended by a byte 0: the seconds that the run may take, the number of
 * arguments, the arguments. The reply on the standard output is a line "STATUS OUT ERR", then OUT bytes that the
 * run wrote to its standard output and ERR bytes of its standard error. STATUS is the exit status, or minus the
 * number of the signal that ended the run. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int program_main(int argc, char **argv);
#ifdef TSM_COVERAGE
void __gcov_dump(void);
#endif

enum { MAX_ARGUMENTS = 64 };

static void stop(const char *what) {
    perror(what);
    exit(3);
}

/* The next text that ends with a byte 0, or NULL at the end of the input. The caller frees it. */
static char *read_text(void) {
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, 0, stdin) >= 0)
        return text;
    free(text);
    return NULL;
}

static char *must_read(void) {
    char *text = read_text();
    if (!text)
        stop("the request ends too early");
    return text;
}

static int read_number(void) {
    char *text = must_read();
    const int n = atoi(text);
    free(text);
    return n;
}

/* Ends a child before the exit handlers of the sanitizers, which take longer than most runs (they look for leaks). */
static void leave(int status, void *nothing) {
    (void)nothing;
    fflush(NULL);
#ifdef TSM_COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}

static void run_child(int argc, char **argv, int seconds, int out, int err) {
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 || !freopen("/dev/null", "r", stdin))
        stop("redirecting");
    on_exit(leave, NULL);
    alarm((unsigned)seconds);
    exit(program_main(argc, argv));
}

static int run(int argc, char **argv, int seconds, int out, int err) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        run_child(argc, argv, seconds, out, err);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        stop("fork");
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static off_t size_of(int file) {
    return lseek(file, 0, SEEK_END);
}

static void copy_out(int file, off_t size) {
    char piece[65536];
    for (off_t at = 0; at < size;) {
        const ssize_t n = pread(file, piece, sizeof piece, at);
        if (n <= 0 || fwrite(piece, 1, (size_t)n, stdout) != (size_t)n)
            stop("copying what the run wrote");
        at += n;
    }
}

static void answer(int argc, char **argv, int seconds) {
    const int out = memfd_create("out", 0), err = memfd_create("err", 0);
    if (out < 0 || err < 0)
        stop("memfd_create");
    const int status = run(argc, argv, seconds, out, err);
    printf("%d %lld %lld\n", status, (long long)size_of(out), (long long)size_of(err));
    copy_out(out, size_of(out));
    copy_out(err, size_of(err));
    fflush(stdout);
    close(out);
    close(err);
}

int main(void) {
    for (char *seconds; (seconds = read_text()); free(seconds)) {
        char *argv[MAX_ARGUMENTS + 1] = {0};
        const int argc = read_number();
        if (argc < 1 || argc > MAX_ARGUMENTS)
            stop("number of arguments");
        for (int i = 0; i < argc; i++)
            argv[i] = must_read();
        answer(argc, argv, atoi(seconds));
        for (int i = 0; i < argc; i++)
            free(argv[i]);
    }
    return 0;
}
