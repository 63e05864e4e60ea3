#define _GNU_SOURCE // accept4
#include "socket_shims.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <netinet/in.h>

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_tcp_metrics_get(int socket, struct clinux_tcp_metrics *metrics) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    // An older kernel fills in less than we ask for.
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -errno;
    metrics->round_trip_microseconds = info.tcpi_rtt;
    // The kernel starts the minimum at its largest value.
    metrics->least_round_trip_microseconds = info.tcpi_min_rtt == UINT32_MAX ? 0 : info.tcpi_min_rtt;
    metrics->retransmits = info.tcpi_total_retrans;
    metrics->delivery_bytes_per_second = info.tcpi_delivery_rate;
    return 0;
}

static int queued(int socket, unsigned long request) {
    int count = 0;
    return ioctl(socket, request, &count) == 0 ? count : -errno;
}

int clinux_unsent_bytes(int socket) { return queued(socket, SIOCOUTQNSD); }

int clinux_unacknowledged_bytes(int socket) { return queued(socket, SIOCOUTQ); }
