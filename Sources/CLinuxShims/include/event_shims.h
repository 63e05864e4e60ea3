#pragma once

// Not in Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
