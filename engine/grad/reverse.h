#pragma once
// The reverse sweep below grad, Lop and subgraph_grad: adjoints flow from roots to variables.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/expr/op.h"

namespace hypatia {

/// What a sweep found for a variable.
struct Bar {
  /// none: disconnected; zero: connected, but only through integers; undefined: an op has no
  /// derivative.
  enum class State : std::uint8_t { none, zero, value, undefined };

  State state = State::none;
  Variable value;                  // for State::value
  const Apply* culprit = nullptr;  // for State::undefined
};

/// One pass over the applications between `seeds` and `wrt`, operands last. Linear in their
/// number, without recursion.
class ReverseSweep {
 public:
  using Seeds = std::vector<std::pair<Variable, Variable>>;

  /// `seeds` are variables with their adjoints; nothing flows through `constants`.
  ReverseSweep(const Seeds& seeds, const Vars& wrt, const Vars& constants);

  /// The adjoint of a variable of `wrt`, in its own type.
  Bar bar(const Variable& v) const;

 private:
  struct Node {
    const Apply* apply = nullptr;
    std::size_t first = 0;  // of its outputs' entries in bars_
  };

  std::size_t slot(const Variable& v);
  void order_nodes(const Seeds& seeds, const Vars& wrt);
  void mark_dependents(const Vars& wrt, const Vars& constants);
  void sweep(const Node& node);
  void pull(const Node& node);
  void receive(const Variable& v, const Apply& from, const Variable& contribution);
  void spread(const Node& node, Bar::State state, const Apply* culprit);

  std::unordered_map<const Apply*, std::size_t> first_slot_;
  std::vector<Node> nodes_;
  std::vector<Bar> bars_;
  std::vector<bool> depends_, fixed_;
};

/// A contribution in the type of the variable it is for: summed over the axes along which that
/// one was stretched, stretched where it was not, and cast to its dtype.
Variable fit_gradient(const Variable& contribution, const Variable& model);

}  // namespace hypatia
