#pragma once
// Loops over elements: what is read, computed, folded and stored.

#include <optional>
#include <vector>

#include "engine/ops/composite.h"

namespace hypatia {

/// The elements of a variable: a layout (in elements) on a buffer. Without a buffer each element is
/// its own place in the layout: a coordinate.
struct Located {
  int buffer = -1;
  DType dtype = DType::float64;
  Layout layout;
};

/// A loop over `extents`: operands loaded, a scalar program run, results stored or folded.
struct LoopNest {
  struct Fold {
    Reduction kind = Reduction::sum;
    int value = 0;  // of the program
    DType accumulator = DType::float64;
    Located to;  // over the kept axes; without a buffer only the epilogue reads it
  };

  struct Store {
    int value = 0;
    Located to;
  };

  /// Load `load` moves by the value of load `by`, an integer, times `stride` elements.
  struct Gather {
    int load = 0, by = 0;
    std::int64_t stride = 1;
  };

  /// What is made of the folds, once for each point of the kept axes (GPU kernels only).
  struct Epilogue {
    std::vector<Located> loads;   // over the kept axes
    std::vector<Array> literals;  // single values
    ScalarProgram program;        // its inputs: the folds in their own dtypes, loads, literals
    std::vector<Store> stores;
  };

  /// Runs the program again and again for each element of the extents, which are independent of
  /// each other; what one step makes for the next stays in registers. Accesses whose strides are
  /// all 0 are of a single value beside the elements.
  struct Recurrence {
    struct Chain {
      int value = 0;           // of the program: what the next step sees one step back
      std::vector<int> loads;  // loads[b]: the load whose value is that of b + 1 steps back
    };

    std::int64_t steps = 0;
    std::vector<Chain> chains;
    std::vector<std::int64_t> load_strides, store_strides;  // elements from step to step
    std::vector<std::int64_t> store_from;                   // the first step that is stored
    int until = -1;  // of the program: a bool, the same for all elements; the step that makes it
                     // true is the last
    std::optional<Located> taken;  // where the number of steps goes
  };

  Dims extents;
  std::vector<int> reduced;     // axes that folds run over, sorted; empty: no folds
  std::vector<Located> loads;   // the program's first inputs, strides over all axes
  std::vector<Array> literals;  // its other inputs: single values
  std::vector<Gather> gathers;  // loads whose place other loads decide
  ScalarProgram program;
  std::vector<Store> stores;
  std::vector<Fold> folds;
  Epilogue epilogue;
  std::optional<Recurrence> recurrence;
};

/// Elementwise work and bytes of a nest, once through.
Cost cost_of(const LoopNest& nest);

/// The nest with axes of size 1 dropped and axes that are contiguous in every access joined.
LoopNest collapsed(const LoopNest& nest);

}  // namespace hypatia
