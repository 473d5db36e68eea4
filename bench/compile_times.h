#pragma once

// How long a function takes to be made, by its number of nodes, and until its first answers.

namespace hypatia::bench {

/// Prints the time from expression to compiled function for graphs of up to `most` nodes, and how
/// it is spent; then the first answers of the logistic regression. Returns 0.
int compile_times(int most);

}  // namespace hypatia::bench
