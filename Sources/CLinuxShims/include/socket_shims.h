// Sockets: what Swift's Glibc module leaves out because it is a macro or lives in the kernel's own headers.
#pragma once

#include <stdint.h>
#include <sys/socket.h>

// What TCP_INFO (linux/tcp.h) tells about a connection. glibc's netinet/tcp.h knows an older, shorter struct and can't
// be included together with the kernel's, so the call is made in socket_shims.c.
struct clinux_tcp_metrics {
    uint32_t round_trip_microseconds;
    uint32_t least_round_trip_microseconds; // 0: not measured yet
    uint32_t retransmits;                   // segments sent again since the connection was made
    uint64_t delivery_bytes_per_second;     // 0: not measured yet
};

// accept4(2) for a non-blocking socket that programs started later don't inherit; -1 and errno on failure.
int clinux_accept(int listener, struct sockaddr *address, socklen_t *length);

// 0, or -errno.
int clinux_tcp_metrics_get(int socket, struct clinux_tcp_metrics *metrics);

// SIOCOUTQNSD (tcp(7)): bytes that were written and have not been sent once. -errno on failure.
int clinux_unsent_bytes(int socket);

// SIOCOUTQ (tcp(7)): bytes that were written and have not been acknowledged. -errno on failure.
int clinux_unacknowledged_bytes(int socket);
