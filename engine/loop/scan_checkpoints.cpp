// scan_checkpoints: a loop of loops. The outer one keeps its states, the inner ones are run again
// when the gradient passes them.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/loop/scan.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

void check(const ScanOptions& options, int save_every) {
  const auto refuse = [](const std::string& what) {
    throw Error(
        Error::Kind::value,
        "scan_checkpoints " + what,
        "use scan: it keeps every state for the gradient");
  };
  if (save_every < 1) refuse("saves every n-th step, n being 1 or more");
  if (options.outputs_info.empty()) refuse("needs outputs that start somewhere");
  for (const Tapped& info : options.outputs_info) {
    const bool plain = info.taps.empty() || info.taps == std::vector<int>{-1};
    if (!info.variable || !plain) refuse("takes outputs that come back after one step");
  }
  for (const Tapped& sequence : options.sequences) {
    const bool plain = sequence.taps.empty() || sequence.taps == std::vector<int>{0};
    if (!plain) refuse("takes sequences without taps");
  }
  double steps = 0;
  const Variable& n = options.n_steps.variable;
  if (n && constant_number(n, &steps) && static_cast<std::int64_t>(steps) % save_every != 0) {
    refuse(
        "can't run " + std::to_string(static_cast<std::int64_t>(steps)) + " steps and save every " +
        std::to_string(save_every) + "th");
  }
}

/// The rows of a sequence in blocks of `size`, a block a row.
Variable in_blocks(const Variable& rows, int size) {
  Operands dims{int_div(shape_i(rows, 0), size), size};
  for (int axis = 1; axis < rows.ndim(); ++axis)
    dims.emplace_back(shape_i(rows, axis));
  return reshape(rows, dims);
}

}  // namespace

ScanResult scan_checkpoints(
    ScanFunction step, const ScanOptions& options, int save_every, Origin at) {
  check(options, save_every);
  const OriginScope scope(at);
  ScanOptions outer = options;
  if (outer.name.empty()) outer.name = "checkpoints";
  const Variable& n = options.n_steps.variable;
  for (Tapped& sequence : outer.sequences) {
    const Variable rows = n ? sequence.variable[slice(0, n)] : sequence.variable;
    sequence.variable = in_blocks(rows, save_every);
    if (options.go_backwards)
      sequence.variable = in_blocks(rows[slice(none, none, -1)], save_every);
  }
  outer.go_backwards = false;
  if (n) outer.n_steps = Bound(int_div(n, save_every));
  const auto block = [&](const Vars& arguments) {
    ScanOptions inner;
    const std::size_t sequences = options.sequences.size(), states = options.outputs_info.size();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i < sequences) {
        inner.sequences.emplace_back(arguments[i]);
      } else if (i < sequences + states) {
        inner.outputs_info.emplace_back(arguments[i]);
      } else {
        inner.non_sequences.push_back(arguments[i]);
      }
    }
    inner.n_steps = save_every;
    inner.strict = options.strict;
    inner.name = "between";
    const ScanResult made = scan(step, inner, at);
    if (!made.updates.empty()) {
      throw Error(
          Error::Kind::graph,
          "a step of scan_checkpoints updates a shared variable, and would do so twice",
          "use scan: it keeps every state for the gradient");
    }
    Vars last;
    for (const Variable& rows : made.outputs)
      last.push_back(rows[-1]);
    return last;
  };
  return scan(block, outer, at);
}

}  // namespace hypatia
