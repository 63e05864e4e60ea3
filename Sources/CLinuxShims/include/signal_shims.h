#pragma once

/// Catches SIGINT and SIGTERM, and SIGHUP unless it is ignored. The first of them writes its number as one byte to
/// `descriptor`, which must stay open; the next ends the process at once with `exit_status`. Call it once.
///
/// In C, because a signal handler may do little (signal-safety(7)), and not by a Dispatch signal source, because that
/// loses what arrives before the source is registered, on a thread of Dispatch's own.
void linux_catch_ending_signals(int descriptor, int exit_status);

/// Catches SIGUSR1 and SIGUSR2: each writes its number as one byte to `descriptor`, which must stay open; none is lost while
/// the pipe has room. Call it once.
void linux_catch_user_signals(int descriptor);
