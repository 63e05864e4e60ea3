#pragma once

// Linux AIO (io_submit(2)): glibc has no functions for these calls.

#include <linux/aio_abi.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int shim_io_setup(unsigned count, aio_context_t *context) {
    return (int)syscall(SYS_io_setup, count, context);
}

static inline int shim_io_destroy(aio_context_t context) { return (int)syscall(SYS_io_destroy, context); }

/// Fills in a read or a write of `length` bytes. `number` comes back in the event.
static inline void shim_io_prepare(struct iocb *request, int is_write, int file, void *buffer, size_t length,
    uint64_t number) {
    memset(request, 0, sizeof *request);
    request->aio_lio_opcode = is_write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
    request->aio_fildes = (uint32_t)file;
    request->aio_buf = (uint64_t)(uintptr_t)buffer;
    request->aio_nbytes = length;
    request->aio_data = number;
}

/// Fills in a request that ends when `file` is readable (Linux 4.18).
static inline void shim_io_prepare_poll(struct iocb *request, int file, uint64_t number) {
    memset(request, 0, sizeof *request);
    request->aio_lio_opcode = IOCB_CMD_POLL;
    request->aio_fildes = (uint32_t)file;
    request->aio_buf = POLLIN;
    request->aio_data = number;
}

/// 1, or -1 and errno.
static inline int shim_io_submit(aio_context_t context, struct iocb *request) {
    return (int)syscall(SYS_io_submit, context, 1, &request);
}

/// The event of a request that was given up comes as all others do.
static inline int shim_io_cancel(aio_context_t context, struct iocb *request) {
    struct io_event ignored;
    return (int)syscall(SYS_io_cancel, context, request, &ignored);
}

/// Waits until something has ended: how many have, or -1 and errno.
static inline int shim_io_events(aio_context_t context, struct io_event *events, long count) {
    return (int)syscall(SYS_io_getevents, context, 1, count, events, NULL);
}
