#pragma once
// DebugMode: every node's result is compared with its op's reference evaluation, and what the
// rewrites made with what the user wrote.

#include <string>

#include "engine/graph/graph.h"
#include "engine/run/reference.h"
#include "engine/run/step_guard.h"

namespace hypatia {

/// Throws an internal Error that names the node where a compiled result differs.
class DebugGuard final : public StepGuard {
 public:
  DebugGuard(const Graph& graph, const Graph& source, std::string function);

  void begin(std::span<const Array* const> inputs, std::span<const Array* const> shared) override;
  void made(const Apply& node, int output, const Array& value) override;

 private:
  void compare_programs(const Values& leaves) const;

  const Graph& graph_;
  Graph source_;
  std::string function_;
  bool finite_ = true;
  Values expected_;
};

/// True if values are equal up to the rounding of another order of operations.
bool nearly_equal(const Array& a, const Array& b);

}  // namespace hypatia
