#pragma once

// Not in Swift's Glibc module.
#include <sys/eventfd.h>
