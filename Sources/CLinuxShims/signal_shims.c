#include "signal_shims.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int signals_seen;
static int pipe_descriptor = -1;
static int second_exit_status = 130;

static void signal_arrived(int number) {
    if (atomic_fetch_add(&signals_seen, 1) > 0) _exit(second_exit_status);
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    if (write(pipe_descriptor, &byte, 1) != 1) _exit(second_exit_status);
    errno = saved;
}

void linux_catch_ending_signals(int descriptor, int exit_status) {
    pipe_descriptor = descriptor;
    second_exit_status = exit_status;
    struct sigaction action = {.sa_handler = signal_arrived, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    // SIGINT is caught even where it is ignored: shells ignore it for what a script starts with `&`, and a recording
    // is to end well there, too. An ignored SIGHUP is nohup(1)'s, and is meant.
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction old;
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

static int user_descriptor = -1;

static void user_signal_arrived(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    while (write(user_descriptor, &byte, 1) < 0 && errno == EINTR) {}
    errno = saved;
}

void linux_catch_user_signals(int descriptor) {
    user_descriptor = descriptor;
    struct sigaction action = {.sa_handler = user_signal_arrived, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
}
