#pragma once
// From what a step made to a closed body: what does not change from step to step goes out.

#include "engine/loop/scan_op.h"

namespace hypatia {

/// A body, and what its constants stand for outside.
struct Closed {
  Graph graph;
  Vars constants;
};

/// Closes `roots` over `varying` (inputs that each step gives anew) and `arguments`, which stand
/// for `non_sequences`. Whatever else the roots use and no varying input decides becomes a
/// constant of the loop, computed once, outside; `strict` refuses that for what is not among the
/// non_sequences. Arguments that nothing uses are left out.
Closed close_body(
    const Vars& roots,
    const Vars& varying,
    const Vars& arguments,
    const Vars& non_sequences,
    bool strict);

/// The outputs of a loop of one step, without the loop.
Vars inlined_step(const ScanAttrs& attrs, const Vars& inputs);

}  // namespace hypatia
