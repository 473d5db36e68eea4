#pragma once
// PlanBuilder: collects the steps and buffers of a plan, unit by unit.

#include <map>
#include <unordered_map>
#include <vector>

#include "engine/graph/concrete.h"
#include "engine/plan/plan.h"
#include "engine/plan/units.h"

namespace hypatia {

/// Builds one plan. Units are added operands first.
class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, const Concrete& concrete, const PlanOptions& options);

  /// Nodes that run as one loop nest.
  void add_kernel(const Unit& unit);
  /// A view, product, transfer or host node.
  void add_node(int node);
  /// Copies what outputs and updates still need, and closes the plan.
  Plan finish();

 private:
  class KernelBuilder;
  class ScanBuilder;

  const Apply& node(int n) const { return *graph_.order()[static_cast<std::size_t>(n)]; }

  Variable output_of(int n, int output = 0) const;

  /// Where a variable's elements are; leaves and constants get their buffer on first sight.
  const Located& locate(const Variable& v, Place place);
  const Located& locate(const Variable& v);
  Located leaf(const Variable& v);
  Located constant_buffer(const Array& value, Place place);
  /// A new row-major buffer for a variable that a step is about to make.
  Located make(const Variable& v, const Apply* maker);
  int add_buffer(BufferKind kind, int number, const Type& type, const Apply* maker);

  /// Elements in row-major order without gaps: itself, or a copy by a kernel.
  Located contiguous(const Located& from, int node, Place place);
  void add_copy_kernel(const Located& from, const Located& to, int node, Place place);
  void add_view(int n);
  void add_coordinate(int n);
  void add_assembly(int n);
  void add_gather(int n);
  /// The values of a node's size inputs where all are known, null pointers elsewhere; else nothing.
  std::vector<const Array*> size_values(int n) const;
  /// `part` of `base`, moved by what the node's values say: in its layout, or as a window.
  Located shifted(
      int n,
      std::int64_t (*start)(const TypeCall&, const Layout&),
      Located part,
      const Layout& base);
  /// A kernel of one step and no name but `name`.
  void add_nest(const LoopNest& nest, const std::string& name, int n, Place place);
  /// An operand that a library can multiply: itself, or a copy.
  Located matrix_operand(const Variable& v, int n);
  void add_product(int n);
  /// Where a gemm's result goes: over its c, or into a copy of c.
  Located gemm_target(int n);
  /// True if a gemm's result may take the place of its c.
  bool may_overwrite(const Apply& gemm) const;
  /// True of an update whose value was computed in the shared variable's own memory.
  bool written_over(const Update& update);
  void add_product_nest(int n);
  void add_transfer(int n);
  void add_host(int n);
  void add_own_kernel(int n);
  /// A convolution by the GPU's library; false where it is a kernel of its op.
  bool add_convolution(int n);
  /// Where an op that works in place puts its result: over its input, or in a copy of it.
  Located inplace_target(int n, const Located& from);
  /// A loop: as one kernel where its body is elementwise, else as steps that run again and again;
  /// false where it has to run on the host, op by op.
  bool add_scan(int n);
  void add_step(Step step);
  void note_reads(int n);
  /// The nest in its simplest form, with room for chunk results if it folds a whole array.
  KernelWork kernel_work(const LoopNest& nest, Place place);
  Located result_copy(const Variable& v, BufferKind kind, int number, const Type& type);

  const Graph& graph_;
  const Concrete& concrete_;
  PlanOptions options_;
  Plan plan_;
  std::unordered_map<Variable, Located, VariableHash> located_;
  std::map<std::int8_t, std::unordered_map<Variable, Located, VariableHash>> located_there_;
  std::unordered_map<Variable, int, VariableHash> output_number_, update_number_;
  std::unordered_map<Variable, int, VariableHash> input_number_, shared_number_;
  std::unordered_map<Variable, int, VariableHash> reads_;  // by the units added so far
};

/// Row-major layout of dims.
Layout row_major_layout(const Dims& dims);
/// The layout seen over `extents`: stride 0 along axes of size 1 that stretch.
Layout stretched(const Layout& layout, const Dims& extents);

}  // namespace hypatia
