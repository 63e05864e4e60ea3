// Preloaded (ld.so(8), LD_PRELOAD): counts what a program allocates, and says so at its end. What libusb allocates is counted
// apart: an URB of usbfs for each transfer.

#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What stands behind glibc's own.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static uintptr_t libusb_begin, libusb_end;
static atomic_long allocations, of_libusb;

static int look(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size, (void)context;
    if (!strstr(library->dlpi_name, "libusb-1.0")) return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        libusb_begin = library->dlpi_addr + part->p_vaddr;
        libusb_end = libusb_begin + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void) { dl_iterate_phdr(look, NULL); }

__attribute__((destructor)) static void end(void) {
    fprintf(stderr, "allocations %ld of libusb %ld\n", allocations, of_libusb);
}

static void count(void *caller) {
    uintptr_t address = (uintptr_t)caller;
    atomic_fetch_add_explicit(
        address >= libusb_begin && address < libusb_end ? &of_libusb : &allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    count(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(__builtin_return_address(0));
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(__builtin_return_address(0));
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
