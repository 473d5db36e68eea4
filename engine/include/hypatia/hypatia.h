#pragma once
// The one header of user programs: expressions, gradients, functions, shared variables, arrays.

#include "engine/core/array.h"
#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/random_state.h"
#include "engine/expr/inputs.h"
#include "engine/grad/grad.h"
#include "engine/ops/compare.h"
#include "engine/ops/gradient_control.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/ops/transfer.h"
#include "engine/run/function.h"
#include "engine/run/shared.h"
#include "engine/trace/clock.h"
