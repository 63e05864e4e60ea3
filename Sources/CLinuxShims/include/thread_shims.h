#pragma once

// Thread names: pthread_setname_np needs _GNU_SOURCE, prctl is variadic.

#include <sys/prctl.h>

/// Names the calling thread; the kernel keeps 15 bytes.
static inline void shim_set_thread_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
