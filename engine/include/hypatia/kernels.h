#pragma once
// The header for hand-written kernels: CUDA C modules, launches, streams, device arrays. Where a
// program includes hypatia.h as well, In is a function's input and cuda::In a launch's.

#include "engine/core/array.h"
#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/random_state.h"
#include "engine/run/raw/argument.h"
#include "engine/run/raw/bounds_watch.h"
#include "engine/run/raw/device_array.h"
#include "engine/run/raw/launch_watch.h"
#include "engine/run/raw/module.h"
#include "engine/run/raw/stream.h"
#include "engine/trace/clock.h"
