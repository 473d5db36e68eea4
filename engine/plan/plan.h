#pragma once
// Plan: what will run, in which order, on which buffers, for one set of sizes.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/device/kernel.h"
#include "engine/device/library.h"
#include "engine/graph/graph.h"
#include "engine/loop/body_nodes.h"
#include "engine/ops/composite.h"
#include "engine/plan/nest.h"
#include "engine/plan/windows.h"
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
  moving,     // a row of another buffer; the trip of a loop says which
};

/// One piece of memory of a call.
struct Buffer {
  BufferKind kind = BufferKind::temporary;
  int number = -1;  // which input, shared variable, constant, output, update, shift or move
  int base = -1;    // of a window or a moving row
  std::int64_t bytes = 0;
  Place place;
  const Apply* maker = nullptr;  // null for leaves
  int first_step = -1, last_step = -1;
  std::int64_t arena_offset = -1;  // temporaries: place in the call's arena
};

/// An op's own text instead of the nest's program: loads are the inputs, stores the outputs.
struct OwnText {
  const Apply* node = nullptr;
  Types in, out;
  std::vector<int> loaded;  // the input of each load: those that decide sizes may have none
  Cost cost;
};

/// Points that one chunk of a whole fold covers.
inline constexpr std::int64_t fold_chunk = 16384;

/// A nest as one kernel, or as two where a whole array is folded: chunks first, then their results.
struct KernelWork {
  LoopNest nest;
  int scratch = -1;                 // the buffer of chunk results, one accumulator a fold and chunk
  std::int64_t chunks = 0;          // 0: one kernel
  std::int64_t chunk = fold_chunk;  // points of each, or that go together in a RowsWork
  /// Nests that need nothing of each other or of `nest`, run by further blocks of its launch.
  std::vector<LoopNest> beside = {};
  std::optional<OwnText> own = std::nullopt;
};

/// c = alpha · a·b + beta · c, all as matrices.
struct ProductWork {
  Located a, b, c;
  double alpha = 1, beta = 0;
};

/// conv2d or one of its transposes, by the device's library.
struct ConvolutionWork {
  const Apply* node = nullptr;
  Ref<const LibraryConvolution> how;
  Located first, second, made;  // row-major without gaps; in the order of ConvolutionMemory
  int workspace = -1;           // the buffer that the library works in, where it wants one
};

/// A matrix-vector product on the host and what follows it row by row, in one pass over the matrix:
/// a block of rows is multiplied, goes through the loop that reads the products, and, where there
/// is one, through the transposed product that reads the loop's results.
struct RowsWork {
  ProductWork product;
  KernelWork loop;  // folds go by chunks of a block
  std::optional<ProductWork> back;
  int partials = -1;        // the buffer of back's sums over each part of the rows
  std::int64_t parts = 1;   // of the rows, by sizes and the number of threads, so that sums repeat
  std::int64_t block = 16;  // rows that go through all of it together
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

/// The steps after it, again and again. `until` is a bool that the trip sets if it is the last;
/// `taken` gets how many there were.
struct LoopWork {
  const Apply* node = nullptr;
  std::int64_t trips = 0;
  int steps = 0;
  std::vector<int> moving;  // buffers whose place each trip decides
  std::vector<int> held;    // buffers that live through all trips
  int until = -1, taken = -1;
};

/// One thing to do.
struct Step {
  std::variant<KernelWork, ProductWork, ConvolutionWork, CopyWork, HostWork, RowsWork, LoopWork>
      work;
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
  std::vector<Graph> bodies;                      // of loops, whose nodes steps speak of
  std::vector<Shift> shifts;                      // by the number of a window
  std::vector<Move> moves;                        // by the number of a moving row
  std::int64_t host_arena = 0, device_arena = 0;  // bytes of temporaries
};

struct PlanOptions {
  bool merge_kernels = true;  // false: one kernel a node (profile.split)
  /// The most multiplications of a GPU's matrix-vector product that is a loop nest, which takes in
  /// what is made of it; larger ones go to the library.
  double largest_nest_product = 1e12;
  /// Asks a GPU's library for a convolution; null: all are kernels of their ops.
  FoundConvolution (*convolution)(const Convolution& wanted, Place place) = nullptr;
  /// Whether the library is asked for it at all; null: always.
  bool (*worth_a_library)(const Convolution& wanted, double multiplications) = nullptr;
  bool library_required = false;  // what the library refuses is an error
  bool in_body = false;           // of a loop: the time of loops inside it is theirs as a whole
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

/// Joins loops over time that are one kernel each, have the same steps over the same elements and
/// need nothing of each other: their waits overlap, and sequences are read once.
void join_loops(Plan* plan);

/// Puts short kernels into the launch of the kernel before, where neither needs the other.
void run_beside(Plan* plan);

}  // namespace hypatia
