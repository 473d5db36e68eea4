// What of this exercise crosses between the learner's program and the check when it is graded.
#include "support/border.h"

using namespace hypatia;

HYPATIA_BORDER1(Function, compile_exp, const Shared&)
