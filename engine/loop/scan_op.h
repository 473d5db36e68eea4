#pragma once
// The Scan op: a closed graph of one step, and how its inputs and outputs hang together.

#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace hypatia {

/// One step. Inputs: a row of each sequence, each carry's taps, the constants. Outputs: the
/// carries' new rows, the rows of outputs that do not come back, and the condition to stop.
struct ScanBody : Counted {
  explicit ScanBody(Graph g) : graph(std::move(g)) {}

  Graph graph;
};

inline void retain(const ScanBody* body) {
  body->add_owner();
}

void release(const ScanBody* body);
std::size_t attribute_hash(const Ref<const ScanBody>& body);
std::string attribute_text(const Ref<const ScanBody>& body);

/// Inputs of the node: n_steps, the sequences (at least n_steps rows), each carry's first rows (the
/// oldest first), the constants. Outputs: each carry's first rows followed by a row a step, the
/// others' rows, and with `until` the number of steps taken.
struct ScanAttrs {
  Ref<const ScanBody> body;
  int sequences = 0;
  std::vector<std::vector<int>> taps;  // of each carry, all negative
  int states = 0;                      // the last carries: values of shared variables
  int maps = 0;                        // outputs that do not come back
  bool until = false;
  std::vector<std::int64_t> kept;  // how many last rows of each output are wanted; -1: all
  int truncate_gradient = -1;
  std::string name;

  auto fields() const {
    return std::tie(body, sequences, taps, states, maps, until, kept, truncate_gradient, name);
  }

  int carries() const { return static_cast<int>(taps.size()); }

  /// Outputs that have rows.
  int rows() const { return carries() + maps; }

  /// How many steps back carry c is looked at.
  int depth(int c) const;

  /// Rows of output i before the first step's.
  int rows_before(int i) const { return i < carries() ? depth(i) : 0; }

  // Where the node's inputs begin.
  int first_start() const { return 1 + sequences; }

  int first_constant() const { return 1 + sequences + carries(); }

  /// Where the body's inputs begin: the first tap of carry c, and the first constant.
  int first_tap(int c) const;

  int body_constant() const { return first_tap(carries()); }
};

extern const Op scan_op;

/// The leaves that `roots` need, but for shared variables that only start loops which change them:
/// those advance by the loops' updates alone.
Vars leaves_beside_states(std::span<const Variable> roots);

/// True if sizes and places in the body follow from sizes outside: it can run without looking at
/// values between its steps.
bool sizes_stay(const ScanBody& body);

/// A row of a value with a first axis, on the host.
Type row_type(const Type& type);

}  // namespace hypatia
