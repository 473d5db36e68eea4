#pragma once
// The family of elementwise ops: what an entry says, and the type rule that all share.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// An elementwise op's entry; the rest of its Op follows from the family.
struct Elementwise {
  std::string_view name = "";
  std::string_view doc = "";
  int arity = 1;
  ScalarTypes (*dtypes)(const Attrs& attrs, std::span<const DType> in) = nullptr;
  std::string_view text = "";
  double flops = 1;
  void (*loop)(const ScalarCall& call) = nullptr;
  Vars (*pullback)(const Adjoint& adjoint) = nullptr;
  Vars (*pushforward)(const Tangent& tangent) = nullptr;
  bool infix = false;
  bool commutative = false;
  std::string (*text_of)(const Attrs& attrs, DType operand) = nullptr;
};

void infer_elementwise(const TypeCall& call, Types& out);
std::vector<Array> eval_elementwise(const EvalCall& call);
std::string print_elementwise(const Apply& node);

constexpr Op elementwise(const Elementwise& entry) {
  return Op{
      .name = entry.name,
      .doc = entry.doc,
      .arity = entry.arity,
      .infer = infer_elementwise,
      .lowering =
          ScalarLowering{
              .text = entry.text,
              .flops = entry.flops,
              .dtypes = entry.dtypes,
              .loop = entry.loop,
              .text_of = entry.text_of,
              .infix = entry.infix,
          },
      .eval = eval_elementwise,
      .pullback = entry.pullback,
      .pushforward = entry.pushforward,
      .print_name = print_elementwise,
      .commutative = entry.commutative,
  };
}

// Dtype rules.
/// Operands promoted to one dtype, which is the result's.
ScalarTypes promoted(const Attrs& attrs, std::span<const DType> in);
/// The same, and float32 or float64 for integers.
ScalarTypes promoted_float(const Attrs& attrs, std::span<const DType> in);
/// Operands promoted, a bool result.
ScalarTypes compared(const Attrs& attrs, std::span<const DType> in);
/// Operand 0 is a condition, the others are promoted.
ScalarTypes chosen(const Attrs& attrs, std::span<const DType> in);
/// Only integers and bool.
ScalarTypes bitwise(const Attrs& attrs, std::span<const DType> in);
/// Operands converted to bool, a bool result.
ScalarTypes logical(const Attrs& attrs, std::span<const DType> in);

/// Dtypes of an elementwise application.
ScalarTypes scalar_types(const Op& op, const Attrs& attrs, std::span<const DType> in);
ScalarTypes scalar_types(const Apply& node);

/// The type of elementwise work on these inputs of equal rank; throws Error where sizes differ.
Type broadcast(std::span<const Type> in, DType dtype);
/// Applies an elementwise op, after padding lower ranks with broadcastable axes on the left.
Variable apply_elementwise(const Op& op, const Operands& operands, Attrs attrs = {});

}  // namespace hypatia
