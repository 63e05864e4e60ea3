#pragma once

#include "event_shims.h"
