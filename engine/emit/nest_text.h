#pragma once
// What host and CUDA emission of a loop nest share: parameter names, index expressions, the body.

#include <string>
#include <vector>

#include "engine/emit/emit.h"

namespace hypatia {

/// Work that is worth a thread of the pool, in nanoseconds of operands from memory; and with
/// operands from the core's own caches, work that is worth calling other threads at all.
inline constexpr double worth_a_thread = 8000, worth_calling = 4000;
inline constexpr std::int64_t threads_per_block = 256;

/// "i", "j", ...: the index along an axis.
std::string axis_name(int axis);
std::vector<std::string> axis_names(int rank);

/// Writes pieces of one nest in one dialect.
class NestText {
 public:
  NestText(const KernelWork& work, Dialect dialect, Helpers* helpers);

  const LoopNest& nest() const { return work_.nest; }

  bool is_reduced(int axis) const;

  /// Axes in order that folds keep, or run over.
  const std::vector<int>& kept() const { return kept_; }

  const std::vector<int>& reduced() const { return reduced_; }

  /// "const float* restrict in0, float* restrict out0"; names may begin with a prefix.
  std::string parameter_list(const std::string& prefix = "") const;
  /// "in0, out0".
  std::string arguments(const std::string& prefix) const;

  /// Each parameter's C type, for the adapter.
  const std::vector<std::string>& parameter_types() const { return types_; }

  const std::vector<std::string>& parameter_names() const { return names_; }

  /// Loads, program and stores of one point, whose index along axis a is `index[a]`.
  std::string body(const std::string& indent, const std::vector<std::string>& index);
  /// The value that fold f takes in at the point of the last body().
  std::string folded_value(std::size_t f) const;

  std::string accumulator_type(std::size_t f) const;
  std::string identity(std::size_t f) const;
  /// "acc = acc + x" of a fold.
  std::string combine(std::size_t f, const std::string& into, const std::string& value) const;
  /// Stores a finished accumulator, if somebody reads it; `index` is by axis of the nest.
  std::string store_fold(
      std::size_t f,
      const std::string& accumulator,
      const std::string& indent,
      const std::vector<std::string>& index) const;
  /// What is made of the finished accumulators "acc0", "acc1", …
  std::string epilogue(const std::string& indent, const std::vector<std::string>& index) const;

  /// Has the module's prelude define a helper function.
  void use(const std::string& helper) { helpers_->insert(helper); }

  std::string scratch_name() const { return "scratch"; }

  /// "in0[3 + i*784 + j]".
  std::string element(
      const Located& at,
      const std::vector<std::string>& index,
      const std::vector<std::string>& moves = {}) const;
  /// The formula of every stored and folded value, for the kernel's comment.
  std::string formulas() const;

  std::string number(std::int64_t n) const;
  /// The narrowest index type that can address every element: int where it is enough.
  std::string index_type() const;

  Dialect dialect() const { return dialect_; }

 private:
  std::string name_of(int buffer) const;
  std::vector<std::string> kept_index(const std::vector<std::string>& index) const;
  /// "v0 * 784": what earlier loads add to a load's place.
  std::vector<std::string> moves_of(std::size_t load) const;

  const KernelWork& work_;
  Dialect dialect_;
  Helpers* helpers_;
  std::vector<int> kept_, reduced_, buffers_;
  std::vector<std::string> names_, types_;
  std::vector<std::string> values_;
};

/// From how many bytes read and written on a result is sent past the host's caches: more than the
/// cores' own ones hold, so that nothing of it would be left there for the next reader, and not
/// fetching what is overwritten saves a third of the traffic.
std::int64_t streamed_from();

/// Work of one point in rough nanoseconds of one core, for the grain of a parallel loop.
double point_cost(const LoopNest& nest);
/// The same with operands from the core's caches: a tenth where vectors only add and multiply.
double cached_point_cost(const LoopNest& nest);

}  // namespace hypatia
