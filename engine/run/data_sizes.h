#pragma once
// Sizes that data decides: found on the host before each call, so that plans are chosen by sizes.

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/run/function.h"

namespace hypatia {

/// The nodes of one graph whose sizes, or where they begin, depend on values; and what it takes to
/// know them: types of some nodes, values of others, by reference evaluation. Loops that stop by
/// themselves are compiled for it.
class DataSizes {
 public:
  using TypeMap = std::unordered_map<Variable, Type, VariableHash>;
  using ValueMap = std::unordered_map<Variable, Array, VariableHash>;

  explicit DataSizes(const Graph& graph);

  /// True for most functions: sizes follow from the inputs' sizes.
  bool none() const { return sized_.empty(); }

  /// Finds the sizes of a call. Throws Error with the user's line where an index is out of bounds.
  void find(std::span<const Array* const> inputs, std::span<const Array* const> shared);

  /// Sizes of every sized node's outputs, as a part of the key of plans.
  void add_to(std::vector<std::int64_t>* key) const;
  TypeMap types() const;
  /// Values that plans are made for: how many steps loops run.
  ValueMap values() const;
  /// An input of a node that decided a size of this call; null for others. Compiled code may round
  /// otherwise.
  const Array* decided(const Apply& node, int input) const;
  /// Where the windows of a plan begin.
  void shifts(const Plan& plan, std::vector<std::int64_t>* out) const;

 private:
  struct Task {
    const Apply* node = nullptr;
    std::vector<int> in;  // slots
    int first = 0;        // slot of the first output
    bool wants_value = false;
    bool counts_only = false;       // of a loop: of its values only the number of steps is read
    std::optional<Function> count;  // that number, compiled when it is first wanted
  };

  struct Slot {
    Type type;
    Array value;
    bool has_value = false;
    const Array* given = nullptr;  // of a leaf, during a call
  };

  int slot_of(const Variable& v) const { return slots_of_.at(v); }

  /// What the sizes of a call are found from, as bytes; false where that is too much to compare.
  bool describe(std::span<const Array* const> inputs, std::span<const Array* const> shared);

  /// How many steps a loop runs; null for other nodes.
  const Array* steps_of(const Apply& node) const;
  void mark(const Graph& graph);
  void run(Task* task);
  void infer(const Task& task);
  void evaluate(Task* task);
  /// Values of these slots and of all that they are computed from, as far as the task before which
  /// they are wanted.
  void find_values(std::span<const int> slots, const Task* before);
  /// The sizes of a branch that is not as large as the other one.
  void find_branch(Task* task);
  /// How many steps a loop with `until` takes, without what they make.
  std::vector<Array> count_steps(Task* task, const std::vector<Array>& in) const;
  std::vector<const Array*> values_of(const Task& task) const;

  Graph graph_;
  std::vector<const Apply*> sized_;
  std::vector<Task> tasks_;
  std::vector<char> call_, last_call_;  // by describe(); empty: nothing is found from it
  bool any_branch_ = false;             // whose sizes may depend on any value
  std::vector<std::pair<int, std::size_t>> inputs_, shared_;  // slot, number
  std::vector<bool> leaf_values_;                             // by slot: its elements are read
  std::vector<Slot> slots_;
  std::unordered_map<Variable, int, VariableHash> slots_of_;
  std::unordered_map<const Apply*, std::size_t> task_of_;
};

}  // namespace hypatia
