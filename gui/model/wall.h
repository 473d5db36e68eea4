#pragma once
// Who the wall clock belongs to when several things run at once: a sweep by priority, so that the
// parts sum to the whole.

#include "gui/model/profile.h"

namespace hypatia::gui {

/// Each moment goes to the first of kernel, copy, wait, launch, compile, host that is under way.
Wall attribute_wall(const Recording& recording);

}  // namespace hypatia::gui
