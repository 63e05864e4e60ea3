#pragma once

// Of <linux/usb/functionfs.h>: macros that Swift does not import.

#include <linux/usb/functionfs.h>

static const unsigned long shim_FUNCTIONFS_ENDPOINT_DESC = FUNCTIONFS_ENDPOINT_DESC;
