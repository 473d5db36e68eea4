#pragma once
// The same jobs as compiled functions.

#include "bench/cases/hand.h"
#include "bench/work.h"

namespace hypatia::bench {

/// exp of a shared vector, as in the exp test.
template <class T>
Work exp_by_engine(std::int64_t n);

/// A formula of the elementwise set on two inputs.
template <class T>
Work formula_by_engine(Formula formula, std::int64_t n);

/// One training step of the logistic regression.
Work logistic_by_engine();

/// Calls of a function with `nodes` additions on a vector of one element.
Work call_by_engine(int nodes);

}  // namespace hypatia::bench
