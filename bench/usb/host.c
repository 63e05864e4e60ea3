// host send|take|ping BYTES [COUNT] [copy]: the host's end of a bare libusb loop, to measure the USB link by. Eight reads of
// 16 KiB in flight always, as the link has them, and eight writes while there is something to write; see device.c.
//
//   send   writes BYTES, waits for 8, says the speed
//   take   reads BYTES, says the speed
//   ping   COUNT times: writes BYTES, waits for 8; says the median of the time in microseconds

#include <libusb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 8, SIZE = 16384 };

static libusb_device_handle *device;
static uint8_t in, out;
static size_t begun, total, received;
static int under_way;
static uint8_t own[SIZE];
static int copies;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what, int result) {
    fprintf(stderr, "host: %s: %s\n", what, libusb_strerror(result));
    exit(1);
}

static void submit(struct libusb_transfer *transfer) {
    int result = libusb_submit_transfer(transfer);
    if (result) fail("submit", result);
}

static void LIBUSB_CALL was_read(struct libusb_transfer *transfer) {
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) fail("read", LIBUSB_ERROR_IO);
    received += (size_t)transfer->actual_length;
    if (copies) memcpy(own, transfer->buffer, (size_t)transfer->actual_length);
    submit(transfer);
}

static void write_on(struct libusb_transfer *transfer) {
    if (begun >= total) return;
    transfer->length = (int)(total - begun < SIZE ? total - begun : SIZE);
    begun += (size_t)transfer->length;
    if (copies) memcpy(transfer->buffer, own, (size_t)transfer->length);
    under_way++;
    submit(transfer);
}

static void LIBUSB_CALL was_written(struct libusb_transfer *transfer) {
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) fail("write", LIBUSB_ERROR_IO);
    under_way--;
    write_on(transfer);
}

static struct libusb_transfer *writers[DEPTH];

static struct libusb_transfer *prepared(uint8_t endpoint, libusb_transfer_cb_fn ended) {
    struct libusb_transfer *transfer = libusb_alloc_transfer(0);
    libusb_fill_bulk_transfer(transfer, device, endpoint, calloc(1, SIZE), SIZE, ended, NULL, 0);
    return transfer;
}

static void write_all(size_t bytes) {
    begun = 0;
    total = bytes;
    for (int i = 0; i < DEPTH; i++) write_on(writers[i]);
    while (under_way > 0) libusb_handle_events(NULL);
}

static void read_all(size_t bytes) {
    while (received < bytes) libusb_handle_events(NULL);
    received -= bytes;
}

static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static void find(void) {
    libusb_device **list;
    ssize_t count = libusb_get_device_list(NULL, &list);
    for (ssize_t i = 0; i < count; i++) {
        struct libusb_config_descriptor *configuration;
        if (libusb_get_active_config_descriptor(list[i], &configuration)) continue;
        const struct libusb_interface_descriptor *interface = configuration->interface[0].altsetting;
        if (interface->bInterfaceClass == 0xFF && interface->bInterfaceSubClass == 0x43) {
            for (int e = 0; e < interface->bNumEndpoints; e++) {
                uint8_t address = interface->endpoint[e].bEndpointAddress;
                if (address & 0x80) in = address;
                else out = address;
            }
            int result = libusb_open(list[i], &device);
            if (!result) result = libusb_claim_interface(device, interface->bInterfaceNumber);
            if (result) fail("open", result);
        }
        libusb_free_config_descriptor(configuration);
    }
    libusb_free_device_list(list, 1);
}

int main(int count, char **words) {
    if (count < 3) return 64;
    copies = strcmp(words[count - 1], "copy") == 0;
    libusb_init(NULL);
    for (int tries = 0; tries < 100 && !device; tries++) {
        find();
        if (!device) nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    if (!device) return 69;
    for (int i = 0; i < DEPTH; i++) {
        writers[i] = prepared(out, was_written);
        submit(prepared(in, was_read));
    }
    size_t bytes = strtoull(words[2], NULL, 10);
    double before = now();
    if (words[1][0] == 's') {
        write_all(bytes);
        read_all(8);
        printf("sent %zu megabytesPerSecond %.2f\n", bytes, (double)bytes / 1e6 / (now() - before));
    } else if (words[1][0] == 't') {
        write_all(8);
        read_all(bytes);
        printf("took %zu megabytesPerSecond %.2f\n", bytes, (double)bytes / 1e6 / (now() - before));
        write_all(8);
    } else {
        int rounds = count > 3 ? atoi(words[3]) : 100;
        double *times = calloc((size_t)rounds, sizeof *times);
        for (int i = 0; i < rounds; i++) {
            before = now();
            write_all(bytes);
            read_all(8);
            times[i] = (now() - before) * 1e6;
        }
        qsort(times, (size_t)rounds, sizeof *times, by_value);
        printf("pinged %d medianMicroseconds %.0f\n", rounds, times[rounds / 2]);
    }
    // The kernel gives up what is in flight.
    return 0;
}
