#pragma once
// Composite: several elementwise ops as one, a small straight-line program over scalars.

#include <string>
#include <vector>

#include "engine/expr/op.h"

namespace hypatia {

/// One operation of a scalar program.
struct ScalarStep {
  const Op* op = nullptr;
  Attrs attrs;
  std::vector<int> in;  // value numbers: inputs first, then steps in order
  ScalarTypes types;

  bool operator==(const ScalarStep& other) const;
};

/// Values 0 … inputs-1 are the inputs, then one value a step.
struct ScalarProgram {
  std::vector<DType> inputs;
  std::vector<ScalarStep> steps;
  std::vector<int> outputs;

  int value_of_step(int step) const { return static_cast<int>(inputs.size()) + step; }

  DType dtype(int value) const;
  bool operator==(const ScalarProgram& other) const = default;
};

struct CompositeAttrs {
  ScalarProgram program;

  auto fields() const { return std::tie(program); }
};

std::size_t attribute_hash(const ScalarProgram& program);
/// "{(i0 + sqr(i1))}", each output's expression.
std::string attribute_text(const ScalarProgram& program);

extern const Op composite_op;

/// The program of an elementwise or composite application.
ScalarProgram program_of(const Apply& node);
/// The expression of one value with inputs named by `input_name`, fully parenthesised.
std::string expression_text(
    const ScalarProgram& program, int value, const std::vector<std::string>& input_names);
/// Evaluates over n contiguous elements; `in` has the dtypes of the program's inputs.
void run_program(
    const ScalarProgram& program, const void* const* in, void* const* out, std::int64_t n);
double flops_per_element(const ScalarProgram& program);

}  // namespace hypatia
