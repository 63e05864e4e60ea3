// device DIRECTORY take|send|ack BYTES [copy]: the device's end of a bare FunctionFS loop, to measure the USB link by. Eight
// requests of 16 KiB in flight by Linux AIO, nothing else: no chunks, no order, no link, no other thread.
//
//   take   reads BYTES, then writes 8
//   send   writes BYTES after the host's first 8, and ends when the host has said 8 again
//   ack    for each BYTES read, writes 8; for ever
//
// With `copy` each byte is copied once, from or to memory of the program's own: what a program does that uses them.

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/usb/functionfs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 8, SIZE = 16384 };

#define ENDPOINT(address, packet)                                                                                      \
    7, 5, address, 2, (packet) & 255, (packet) >> 8, 0
#define INTERFACE 9, 4, 0, 0, 2, 0xFF, 0x43, 0x02, 1
#define LITTLE(value) (value) & 255, ((value) >> 8) & 255, 0, 0

static const uint8_t descriptors[] = {
    LITTLE(3), LITTLE(20 + 2 * 23), LITTLE(3), LITTLE(3), LITTLE(3),
    INTERFACE, ENDPOINT(0x81, 64), ENDPOINT(0x02, 64),
    INTERFACE, ENDPOINT(0x81, 512), ENDPOINT(0x02, 512),
};
static const uint8_t strings[] = {LITTLE(2), LITTLE(16 + 2 + 5), LITTLE(1), LITTLE(1), 0x09, 0x04, 'l', 'o', 'o', 'p', 0};

static int in, out;
static aio_context_t context;
static struct iocb requests[2 * DEPTH];
static uint8_t *buffers;
static uint8_t own[SIZE];
static int copies;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Slots 0 … DEPTH-1 read, the others write.
static void begin(int slot, size_t count) {
    struct iocb *request = &requests[slot];
    if (copies && slot >= DEPTH) memcpy(buffers + (size_t)slot * SIZE, own, count);
    memset(request, 0, sizeof *request);
    request->aio_lio_opcode = slot < DEPTH ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
    request->aio_fildes = (uint32_t)(slot < DEPTH ? out : in);
    request->aio_buf = (uint64_t)(uintptr_t)(buffers + (size_t)slot * SIZE);
    request->aio_nbytes = count;
    request->aio_data = (uint64_t)slot;
    if (syscall(SYS_io_submit, context, 1, &request) != 1) fail("io_submit");
}

static size_t begin_rest(int slot, size_t rest) {
    size_t count = rest < SIZE ? rest : SIZE;
    begin(slot, count);
    return count;
}

static struct io_event wait_for_one(void) {
    struct io_event event;
    while (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1)
        if (errno != EINTR) fail("io_getevents");
    if (event.res < 0) {
        fprintf(stderr, "device: %s\n", strerror((int)-event.res));
        exit(0);
    }
    if (copies && event.data < DEPTH) memcpy(own, buffers + event.data * SIZE, (size_t)event.res);
    return event;
}

int main(int count, char **words) {
    if (count < 4) return 64;
    copies = count > 4;
    char path[256];
    snprintf(path, sizeof path, "%s/ep0", words[1]);
    int ep0 = open(path, O_RDWR);
    if (ep0 < 0 || write(ep0, descriptors, sizeof descriptors) < 0 || write(ep0, strings, sizeof strings) < 0) fail(path);
    snprintf(path, sizeof path, "%s/ep1", words[1]);
    if ((in = open(path, O_RDWR)) < 0) fail(path);
    snprintf(path, sizeof path, "%s/ep2", words[1]);
    if ((out = open(path, O_RDWR)) < 0) fail(path);
    buffers = aligned_alloc(4096, 2 * DEPTH * SIZE);
    if (!buffers || syscall(SYS_io_setup, 2 * DEPTH, &context) != 0) fail("io_setup");
    puts("ready");
    fflush(stdout);
    // Until the host has configured the device.
    struct usb_functionfs_event event;
    do {
        if (read(ep0, &event, sizeof event) < 0) fail("events");
    } while (event.type != FUNCTIONFS_ENABLE);

    size_t bytes = strtoull(words[3], NULL, 10), done = 0, begun = 0;
    for (int slot = 0; slot < DEPTH; slot++) begin(slot, SIZE);
    if (words[2][0] == 's') {
        while (wait_for_one().res != 8) {}
        for (int slot = DEPTH; slot < 2 * DEPTH && begun < bytes; slot++) begun += begin_rest(slot, bytes - begun);
        while (done < bytes) {
            struct io_event ended = wait_for_one();
            if (ended.data < DEPTH) continue;
            done += (size_t)ended.res;
            if (begun < bytes) begun += begin_rest((int)ended.data, bytes - begun);
        }
        while (wait_for_one().res != 8) {}
        return 0;
    }
    for (;;) {
        struct io_event ended = wait_for_one();
        if (ended.data >= DEPTH) continue;
        done += (size_t)ended.res;
        begin((int)ended.data, SIZE);
        if (done < bytes) continue;
        done = 0;
        begin(DEPTH, 8);
    }
}
