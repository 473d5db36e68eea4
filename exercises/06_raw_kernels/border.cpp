// What of this exercise crosses between the learner's program and the check when it is graded.
#include "support/border.h"

#include "probe.h"

using namespace hypatia;

namespace probe {

HYPATIA_BORDER0(Provoked, provoked)
HYPATIA_BORDER3(Multiplied, multiplied, int, const Array&, const Array&)

}  // namespace probe
