#pragma once
// The best programs that we can write by hand for the jobs of the benchmarks, over a range each.

#include <cstdint>

namespace hypatia::bench {

template <class T>
void hand_exp(const T* x, T* y, std::int64_t first, std::int64_t last);

/// The elementwise set of the 2011 talk: a + 1, 2a + 3b, a² + b² + 2ab, 2a + b¹⁰.
enum class Formula { a_plus_1, linear, square, tenth_power };

/// `streaming` writes past the caches: for results that won't stay there.
template <class T>
void hand_formula(
    Formula formula,
    const T* a,
    const T* b,
    T* y,
    bool streaming,
    std::int64_t first,
    std::int64_t last);

/// Rows [first, last) of one step of logistic regression, the matrix read once: prediction,
/// cross-entropy and what they add to the gradients. `gradient` (columns long) and the returned
/// gradient of the bias are added to.
float hand_logistic_rows(
    const float* x,
    const float* y,
    const float* w,
    float bias,
    std::int64_t columns,
    std::int64_t first,
    std::int64_t last,
    float* prediction,
    float* cross_entropy,
    float* gradient);

/// w = shrink · w - sum of the gradients' rows.
void hand_update(
    float* w, const float* gradients, int rows, std::int64_t columns, float shrink, float scale);

}  // namespace hypatia::bench
