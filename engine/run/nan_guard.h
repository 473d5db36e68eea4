#pragma once
// NanGuardMode: the first NaN, infinity or very large number of a call is told, with its node.

#include <string>
#include <string_view>

#include "engine/graph/graph.h"
#include "engine/run/step_guard.h"

namespace hypatia {

/// What counts as wrong, and what happens then: "raise", "warn" or "pdb" (as raise).
struct NumberChecks {
  bool nan = true, inf = true, big = true;
  std::string_view action = "raise";

  /// By the flags of NanGuardMode.
  static NumberChecks of_flags();
};

/// "NaN", "infinity", "a number beyond 1e10", or "" where all is well.
std::string_view wrong_number(const Array& value, const NumberChecks& checks);

/// The expression that makes a value, three levels deep, as a note of an error.
std::string tree_note(const Variable& v);

/// Looks at every input and every output of every node.
class NanGuard final : public StepGuard {
 public:
  NanGuard(const Graph& graph, std::string function, NumberChecks checks)
      : graph_(graph), function_(std::move(function)), checks_(checks) {}

  void begin(std::span<const Array* const> inputs, std::span<const Array* const> shared) override;
  void made(const Apply& node, int output, const Array& value) override;

 private:
  void look(const Variable& v, const Array& value) const;

  const Graph& graph_;
  std::string function_;
  NumberChecks checks_;
};

}  // namespace hypatia
