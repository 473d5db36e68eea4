#pragma once
// Op: everything that is known of one operation, as a constant. A field left out is a fact too:
// no pullback means not differentiable.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/expr/kernel_lowering.h"
#include "engine/expr/variable.h"

namespace hypatia {

/// What a type rule sees: input types (sizes may be unknown) and the inputs' values where known.
struct TypeCall {
  const Op& op;
  const Attrs& attrs;
  std::span<const Type> in;
  std::span<const Array* const> values;  // empty, or a pointer (or null) for each input

  /// The value of input i, or null while it is unknown.
  const Array* value(int i) const {
    return values.empty() ? nullptr : values[static_cast<std::size_t>(i)];
  }
};

/// What a reference evaluation sees: host arrays, and output types with all sizes known.
struct EvalCall {
  const Op& op;
  const Attrs& attrs;
  std::span<const Array> in;
  std::span<const Type> out_types;
};

/// What a pullback sees. A gradient that is no variable means that the output is not used; a
/// pullback answers no variable for a gradient of zero.
struct Adjoint {
  const Apply& node;
  Vars in, out, out_bar;
};

/// What a pushforward sees: tangents of the inputs, no variable where an input does not move.
struct Tangent {
  const Apply& node;
  Vars in, out, in_dot;
};

/// Work of one evaluation.
struct Cost {
  double flops = 0, bytes = 0;
};

/// Input and output types with all sizes known.
struct CostCall {
  const Op& op;
  const Attrs& attrs;
  std::span<const Type> in, out;
};

/// Dtypes of an elementwise op: operands are converted to `operand`, the result is `result`.
struct ScalarTypes {
  DType operand = DType::float64;
  DType result = DType::float64;
  bool first_is_condition = false;  // operand 0 is converted to bool instead
};

/// Reference evaluation over n contiguous elements whose dtypes are those of ScalarTypes.
struct ScalarCall {
  const Attrs& attrs;
  DType operand, result;
  const void* const* in;
  void* out;
  std::int64_t n;
};

/// An input, a constant or a shared variable.
struct LeafLowering {};

/// One result element from the operands' elements at the same place.
struct ScalarLowering {
  std::string_view text = "";  // C of one element: {0}, {1} are operands; math names and numbers
                               // are spelled for the dtype by the emitter
  double flops = 1;
  ScalarTypes (*dtypes)(const Attrs& attrs, std::span<const DType> in) = nullptr;
  void (*loop)(const ScalarCall& call) = nullptr;
  std::string (*text_of)(const Attrs& attrs, DType operand) = nullptr;  // if attributes decide it
  bool infix = false;  // prints as (a + b), not add(a, b)
};

enum class Reduction : std::uint8_t { sum, prod, max, min, any, all };

/// One result from all elements along some axes; attributes are ReduceAttrs.
struct ReduceLowering {
  Reduction kind = Reduction::sum;
};

/// Strides of a view, in elements.
struct Layout {
  Dims dims, strides;
  std::int64_t offset = 0;
};

/// The same bytes, looked at in another way.
struct ViewLowering {
  /// The layout of the output on input 0's bytes; false if it needs a copy first.
  bool (*view)(const CostCall& call, const Layout& in, Layout* out) = nullptr;
  /// How far into input 0 (of that layout) the view begins, in elements, by the values of the size
  /// inputs; null: at its first element. `view` leaves this out.
  std::int64_t (*start)(const TypeCall& call, const Layout& in) = nullptr;
};

/// The coordinate along its axis: 0, 1, … No memory: it becomes part of the kernels that read it.
struct CoordinateLowering {};

/// Where an input goes in an assembled output.
struct Piece {
  int input = 0;
  Layout to;             // on the output's row-major elements
  bool add = false;      // added to what is there, instead of replacing it
  bool shifted = false;  // moved by `start`
};

/// The output is put together from its inputs, piece by piece, in order.
struct AssembleLowering {
  void (*pieces)(const CostCall& call, std::vector<Piece>* out) = nullptr;
  /// As ViewLowering's, on the output.
  std::int64_t (*start)(const TypeCall& call, const Layout& out) = nullptr;
};

/// Elements of input 0 along some axes by whole numbers: attributes are GatherAttrs.
struct GatherLowering {};

/// A matrix product of the device's library: c = alpha·a·b + beta·c.
struct ProductLowering {};

/// A move between places: HostFromGpu, GpuFromHost, GpuToGpu.
struct TransferLowering {};

/// A known value that depends on sizes alone; never runs.
struct ShapeLowering {};

/// Several fused elementwise ops; attributes are CompositeAttrs.
struct CompositeLowering {};

/// Runs through its reference evaluation, on the host.
struct HostLowering {
  std::string_view why = "";  // there is no kernel for a GPU, after "no GPU kernel for Sort: "
};

using Lowering = std::variant<
    LeafLowering,
    ScalarLowering,
    ReduceLowering,
    ViewLowering,
    CoordinateLowering,
    AssembleLowering,
    GatherLowering,
    ProductLowering,
    TransferLowering,
    ShapeLowering,
    CompositeLowering,
    KernelLowering,
    HostLowering>;

/// One operation. Descriptors are constants of static lifetime; every field has a default.
struct Op {
  std::string_view name = "";
  std::string_view doc = "";
  int arity = 1;  // -1: any number
  void (*infer)(const TypeCall& call, Types& out) = nullptr;
  Lowering lowering = LeafLowering{};
  std::vector<Array> (*eval)(const EvalCall& call) = nullptr;
  Vars (*pullback)(const Adjoint& adjoint) = nullptr;
  Vars (*pushforward)(const Tangent& tangent) = nullptr;
  Cost (*cost)(const CostCall& call) = nullptr;            // null: the lowering's own formula
  std::string (*print_name)(const Apply& node) = nullptr;  // null: from name and attributes
  bool foldable = true;           // constants may be evaluated while compiling
  bool commutative = false;       // two operands in any order
  std::uint32_t size_inputs = 0;  // bit i: the value of input i decides sizes, or where a view
                                  // begins; it is known on the host before a call's plan runs

  bool is_scalar() const { return std::holds_alternative<ScalarLowering>(lowering); }

  const ScalarLowering& scalar() const { return std::get<ScalarLowering>(lowering); }

  bool is_reduction() const { return std::holds_alternative<ReduceLowering>(lowering); }

  bool is_view() const { return std::holds_alternative<ViewLowering>(lowering); }

  bool is_coordinate() const { return std::holds_alternative<CoordinateLowering>(lowering); }

  bool is_assembly() const { return std::holds_alternative<AssembleLowering>(lowering); }

  bool is_gather() const { return std::holds_alternative<GatherLowering>(lowering); }

  bool decides_sizes(int input) const { return input < 32 && ((size_inputs >> input) & 1U) != 0; }

  /// True if the values of size inputs are all that the op wants of them.
  bool only_sizes(int input) const {
    return decides_sizes(input) && (is_view() || is_coordinate() || is_assembly());
  }

  bool is_transfer() const { return std::holds_alternative<TransferLowering>(lowering); }

  bool is_kernel() const { return std::holds_alternative<KernelLowering>(lowering); }

  bool is_composite() const { return std::holds_alternative<CompositeLowering>(lowering); }
};

/// "Elemwise{exp,no_inplace}", "Sum{acc_dtype=float64}", with "Gpu" in front on a GPU.
std::string print_name(const Apply& node);
/// The class of an op for the profile's first table: "Elemwise", "GpuElemwise", "Sum", "dot".
std::string class_name(const Apply& node);

}  // namespace hypatia
