#pragma once
// What the GUI takes from the rest of the suite: recordings with their records, and the error type.

#include "profiler/record/recording.h"
