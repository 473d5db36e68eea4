#pragma once
// The arrays and hand-written ways that every group shares with the engine's cases.

#include <memory>
#include <vector>

#include "engine/core/storage.h"

#include "bench/cases/hand.h"
#include "bench/work.h"

namespace hypatia::bench {

/// Elements in host memory as the engine's arrays have it, filled with numbers in (0, 1).
template <class T>
class Numbers {
 public:
  explicit Numbers(std::int64_t count);

  T* data() const { return static_cast<T*>(storage_->data()); }

  std::int64_t size() const { return size_; }

 private:
  std::int64_t size_;
  Ref<Storage> storage_;
};

template <class T>
const char* dtype_name();

/// Copy and hand-written ways of the exp loop over n elements.
template <class T>
std::vector<Work> exp_limits(std::int64_t n);

/// Those of a formula of the elementwise set; two ways by hand, with plain and streaming stores.
template <class T>
std::vector<Work> formula_limits(Formula formula, std::int64_t n);

std::string group_of_exp(const char* dtype, std::int64_t n);
std::string group_of(Formula formula, const char* dtype, std::int64_t n);

/// The logistic regression of the tutorials: 400 rows of 784 columns.
inline constexpr std::int64_t logistic_rows = 400, logistic_columns = 784;

std::vector<Work> logistic_limits();

}  // namespace hypatia::bench
