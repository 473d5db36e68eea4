#pragma once
// Expressions as text: a tree of applications, or one line of mathematics.

#include <span>
#include <string>

#include "engine/expr/variable.h"

namespace hypatia {

/// What debugprint shows.
struct PrintOptions {
  int depth = -1;           // levels below each root; -1: all
  bool print_type = false;  // "<TensorType(float64, vector)>" after each line
  /// How nodes met twice are named: "CHAR" (A, B, …), "int" (0, 1, …), "id" (the address) or ""
  /// (not at all).
  std::string ids = "CHAR";
  bool stop_on_name = false;  // what has a name is not opened, but for the roots
};

/// The tree of an expression, an application a line:
///   Elemwise{add,no_inplace} [id A] ''
///    |x [id B]
///    |TensorConstant{1} [id C]
/// What was shown before is shown by its own line only.
std::string debugprint(std::span<const Variable> roots, const PrintOptions& options = {});
std::string debugprint(const Variable& root, const PrintOptions& options = {});

/// The same of a closed program: each application's place in `order` ends its line.
std::string debugprint(
    std::span<const Variable> roots,
    std::span<const Apply* const> order,
    const PrintOptions& options);

/// One line, every operation in parentheses: ((x \dot w) + TensorConstant{1}).
std::string pprint(const Variable& root);

/// A leaf or an output as an operand: its name, "TensorConstant{1}", "<type>", "Op.0".
std::string operand_text(const Variable& v);

}  // namespace hypatia
