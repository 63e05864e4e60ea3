#pragma once

#include "aio_shims.h"
#include "event_shims.h"
#include "functionfs_shims.h"
#include "signal_shims.h"
#include "socket_shims.h"
#include "thread_shims.h"
#include "v4l2_codec_shims.h"
#include "v4l2_control_shims.h"
#include "v4l2_shims.h"
