// fuse: an elementwise node takes in the elementwise nodes that only it reads, over the same
// shape; the result is one Composite. Kernels merge further in the planner.
#include <unordered_map>

#include "engine/expr/leaves.h"
#include "engine/ops/composite.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

namespace {

// Longer programs compile superlinearly in the C compiler.
constexpr std::size_t longest_program = 200;

bool elementwise(const Apply& node) {
  return node.op().is_scalar() || node.op().is_composite();
}

bool same_space(const Type& a, const Type& b) {
  return a.rank() == b.rank() && a.broadcastable() == b.broadcastable() && a.place() == b.place();
}

/// Collects the operands and steps of a fused program.
class Builder {
 public:
  /// The value number of an operand that stays outside.
  int operand(const Variable& v) {
    const auto [found, is_new] = numbers_.emplace(v, static_cast<int>(operands_.size()));
    if (is_new) operands_.push_back(v);
    return found->second;
  }

  /// Appends a program whose inputs are values of this one; returns its output's value. Numbers
  /// of steps are negative until finish(), because operands still come.
  int append(const ScalarProgram& program, const std::vector<int>& inputs) {
    std::vector<int> values = inputs;
    for (const ScalarStep& step : program.steps) {
      ScalarStep copy = step;
      for (int& v : copy.in)
        v = values[static_cast<std::size_t>(v)];
      steps_.push_back(std::move(copy));
      values.push_back(-static_cast<int>(steps_.size()));
    }
    return values[static_cast<std::size_t>(program.outputs[0])];
  }

  std::size_t size() const { return steps_.size(); }

  const Vars& operands() const { return operands_; }

  ScalarProgram finish(int output) {
    ScalarProgram program;
    for (const Variable& v : operands_)
      program.inputs.push_back(v.dtype());
    const int offset = static_cast<int>(operands_.size()) - 1;
    const auto number = [&](int v) { return v < 0 ? offset - v : v; };
    for (ScalarStep& step : steps_) {
      for (int& v : step.in)
        v = number(v);
    }
    program.steps = std::move(steps_);
    program.outputs = {number(output)};
    return program;
  }

 private:
  Vars operands_;
  std::unordered_map<Variable, int, VariableHash> numbers_;
  std::vector<ScalarStep> steps_;
};

class Fuser {
 public:
  explicit Fuser(const Graph& graph) : graph_(graph) {}

  Graph run() {
    return graph_.rebuild([&](const Apply& node, const Apply& old) { return visit(node, old); });
  }

 private:
  Replacement visit(const Apply& node, const Apply& old) {
    if (!elementwise(node) || node.outputs() != 1) return {};
    Builder builder;
    std::vector<int> inputs;
    bool fused = false;
    absorbed_.clear();
    std::size_t budget = longest_program - program_of(node).steps.size();
    for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
      const Variable& v = node.input(i);
      if (absorbs(node, v, old.input(i), budget)) {
        budget -= program_of(v.node()).steps.size();
        inputs.push_back(absorb(&builder, v.node()));
        fused = true;
      } else {
        inputs.push_back(builder.operand(v));
      }
    }
    if (!fused) return {};
    const int output = builder.append(program_of(node), inputs);
    const Vars operands = builder.operands();
    return {apply(composite_op, operands, CompositeAttrs{builder.finish(output)}, node.origin())};
  }

  bool absorbs(const Apply& node, const Variable& v, const Variable& old, std::size_t budget) {
    const Apply& producer = v.node();
    return elementwise(producer) && producer.outputs() == 1 && graph_.uses(old) == reads(node, v) &&
           same_space(v.type(), node.type(0)) && program_of(producer).steps.size() <= budget;
  }

  static int reads(const Apply& node, const Variable& v) {
    int count = 0;
    for (const Variable& operand : node.inputs())
      count += operand == v ? 1 : 0;
    return count;
  }

  int absorb(Builder* builder, const Apply& producer) {
    const auto done = absorbed_.find(&producer);
    if (done != absorbed_.end()) return done->second;
    std::vector<int> inputs;
    for (const Variable& v : producer.inputs())
      inputs.push_back(builder->operand(v));
    const int value = builder->append(program_of(producer), inputs);
    absorbed_[&producer] = value;
    return value;
  }

  const Graph& graph_;
  std::unordered_map<const Apply*, int> absorbed_;  // by the node at hand: value numbers
};

}  // namespace

// What two nodes read, and only they, has one reader once they have become one node.
Graph fuse(const Graph& graph, const PassContext&) {
  Graph current = graph;
  for (std::size_t before = 0; before != current.order().size();) {
    before = current.order().size();
    current = Fuser(current).run();
  }
  return current;
}

}  // namespace hypatia
