#pragma once
// Plan: what will run, in which order, on which buffers, for one set of sizes.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/device/kernel.h"
#include "engine/graph/graph.h"
#include "engine/ops/composite.h"
#include "engine/trace/records.h"

namespace hypatia {

/// Where a buffer's memory comes from.
enum class BufferKind : std::uint8_t {
  input,      // the caller's array
  shared,     // a shared variable's value
  constant,   // lives with the plan
  temporary,  // made and used within the call
  output,     // handed to the caller
  update,     // becomes a shared variable's new value
  window,     // a part of another buffer; the call's values say where it begins
};

/// One piece of memory of a call.
struct Buffer {
  BufferKind kind = BufferKind::temporary;
  int number = -1;  // which input, shared variable, constant, output, update or shift
  int base = -1;    // of a window
  std::int64_t bytes = 0;
  Place place;
  const Apply* maker = nullptr;  // null for leaves
  int first_step = -1, last_step = -1;
  std::int64_t arena_offset = -1;  // temporaries: place in the call's arena
};

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
    Located to;  // over the kept axes
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

  Dims extents;
  std::vector<int> reduced;     // axes that folds run over, sorted; empty: no folds
  std::vector<Located> loads;   // the program's first inputs, strides over all axes
  std::vector<Array> literals;  // its other inputs: single values
  std::vector<Gather> gathers;  // loads whose place other loads decide
  ScalarProgram program;
  std::vector<Store> stores;
  std::vector<Fold> folds;
};

/// Points that one chunk of a whole fold covers.
inline constexpr std::int64_t fold_chunk = 16384;

/// A nest as one kernel, or as two where a whole array is folded: chunks first, then their results.
struct KernelWork {
  LoopNest nest;
  int scratch = -1;                 // the buffer of chunk results, one accumulator a fold and chunk
  std::int64_t chunks = 0;          // 0: one kernel
  std::int64_t chunk = fold_chunk;  // points of each
};

/// c = alpha · a·b + beta · c, all as matrices.
struct ProductWork {
  Located a, b, c;
  double alpha = 1, beta = 0;
};

/// A matrix-vector product on the host and what follows it row by row, in one pass over the matrix:
/// a block of rows is multiplied, goes through the loop that reads the products, and, where there
/// is one, through the transposed product that reads the loop's results.
struct RowsWork {
  ProductWork product;
  KernelWork loop;  // folds go by chunks of a block
  std::optional<ProductWork> back;
  int partials = -1;       // the buffer of back's sums over each part of the rows
  std::int64_t parts = 1;  // of the rows, which threads share; by sizes alone, so that sums repeat
  static constexpr std::int64_t block = 16;
};

/// The same elements in another layout or on another place.
struct CopyWork {
  Located from, to;
};

/// The op's reference evaluation on the host.
struct HostWork {
  const Apply* node = nullptr;
  std::vector<Located> in, out;
};

/// One thing to do.
struct Step {
  std::variant<KernelWork, ProductWork, CopyWork, HostWork, RowsWork> work;
  std::string name;
  Place place;  // whose queue runs it
  Side side = Side::cpu;
  std::vector<StepShare> shares;  // nodes by their position in the graph's order
  double flops = 0, bytes = 0;
};

/// The loop nest of a step that has one, else null.
inline const KernelWork* kernel_of(const Step& step) {
  if (const auto* rows = std::get_if<RowsWork>(&step.work)) return &rows->loop;
  return std::get_if<KernelWork>(&step.work);
}

/// Where a window begins on its base: found before each call by the node's lowering.
struct Shift {
  const Apply* node = nullptr;
  Layout layout;  // of the base
};

/// The output of a node that took no memory of its own: a view of an operand, or written over it.
struct Alias {
  const Apply* node = nullptr;
  std::int64_t bytes = 0;
  bool in_place = false;
};

/// Everything a call needs but addresses.
struct Plan {
  std::vector<Step> steps;
  std::vector<Buffer> buffers;
  std::vector<Alias> aliases;
  std::vector<Located> outputs;  // of the graph, in order
  std::vector<Located> updates;
  std::vector<Type> output_types, update_types;
  std::vector<Array> constants;
  std::vector<Shift> shifts;                      // by the number of a window
  std::int64_t host_arena = 0, device_arena = 0;  // bytes of temporaries
};

struct PlanOptions {
  bool merge_kernels = true;  // false: one kernel a node (profile.split)
};

class Concrete;

/// Plans a graph for known sizes.
Plan make_plan(const Graph& graph, const Concrete& concrete, const PlanOptions& options = {});

/// Kernels by node: the group of each node of graph.order(), -1 for nodes that make no loop.
/// Groups are numbered in the order in which they run.
struct Groups {
  std::vector<int> group_of;
  std::vector<int> level_of;
};

Groups group_nodes(const Graph& graph, const Concrete& concrete, const PlanOptions& options);

/// Joins matrix-vector products with the loops, and those with the transposed products, that follow
/// them row by row.
void join_rows(Plan* plan);

/// Places temporaries in an arena by lifetime; returns its size.
void place_temporaries(Plan* plan);

/// Elementwise work and bytes of a nest, once through.
Cost cost_of(const LoopNest& nest);

/// The nest with axes of size 1 dropped and axes that are contiguous in every access joined.
LoopNest collapsed(const LoopNest& nest);

}  // namespace hypatia
