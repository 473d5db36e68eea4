// Which nodes share a kernel: elementwise nodes over the same sizes that are connected, with the
// reductions that read them. Levels keep the result free of cycles: along an edge that can't be
// fused the level rises, so a path that leaves a group never comes back to it.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/graph/concrete.h"
#include "engine/ops/reduce.h"
#include "engine/plan/units.h"

namespace hypatia {

namespace {

class Grouper {
 public:
  Grouper(const Graph& graph, const Concrete& concrete, const PlanOptions& options)
      : graph_(graph),
        concrete_(concrete),
        options_(options),
        parent_(graph.order().size()),
        steps_(graph.order().size()),
        level_(graph.order().size()),
        folds_(graph.order().size(), nullptr) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  Groups run() {
    for (int n = 0; n < graph_.size(); ++n)
      add(n);
    return numbered();
  }

 private:
  const Apply& node(int n) const { return *graph_.order()[static_cast<std::size_t>(n)]; }

  const Type& space(int n) const {
    const Apply& at = node(n);
    const Variable v = at.op().is_reduction() ? at.input(0) : Variable(Ref<const Apply>(&at), 0);
    return concrete_.type(v);
  }

  bool loops(int n) const { return elementwise(node(n)) || node(n).op().is_reduction(); }

  int root(int n) {
    while (parent_[static_cast<std::size_t>(n)] != n) {
      int& up = parent_[static_cast<std::size_t>(n)];
      up = parent_[static_cast<std::size_t>(up)];
      n = up;
    }
    return n;
  }

  int& level(int n) { return level_[static_cast<std::size_t>(n)]; }

  /// True if the value of `producer` can flow into `user` inside one kernel.
  bool fusable(int producer, int user) {
    if (!options_.merge_kernels || !elementwise(node(producer)) || !loops(user)) return false;
    const Type &from = space(producer), &to = space(user);
    if (!(from.dims() == to.dims()) || !(from.place() == to.place())) return false;
    const auto group = static_cast<std::size_t>(root(producer));
    if (std::cmp_greater(steps_[group] + size_of_program(user), most_program_steps)) return false;
    if (!node(user).op().is_reduction()) return true;
    // All folds of a kernel run over the same axes.
    const ReduceAttrs* axes = folds_[group];
    return !axes || axes->axes == node(user).attrs().as<ReduceAttrs>().axes;
  }

  int size_of_program(int n) const {
    return elementwise(node(n)) ? static_cast<int>(program_of(node(n)).steps.size()) : 1;
  }

  void add(int n) {
    const Apply& at = node(n);
    steps_[static_cast<std::size_t>(n)] = size_of_program(n);
    if (at.op().is_reduction()) {
      folds_[static_cast<std::size_t>(n)] = &at.attrs().as<ReduceAttrs>();
    }
    for (const Variable& v : at.inputs()) {
      const int producer = graph_.position(&v.node());
      if (producer < 0 || concrete_.value(v)) continue;
      const bool stays = loops(n) && fusable(producer, n);
      level(n) = std::max(level(n), level(producer) + (stays ? 0 : 1));
    }
    if (!loops(n)) return;
    for (const Variable& v : at.inputs()) {
      const int producer = graph_.position(&v.node());
      if (producer < 0 || concrete_.value(v) || level(producer) != level(n)) continue;
      if (!fusable(producer, n)) {
        // Another operand's union took the room: this value comes through memory instead.
        ++level(n);
        parent_[static_cast<std::size_t>(n)] = n;
        return;
      }
      unite(producer, n);
    }
  }

  void unite(int a, int b) {
    const int into = root(a), from = root(b);
    if (into == from) return;
    parent_[static_cast<std::size_t>(from)] = into;
    steps_[static_cast<std::size_t>(into)] += steps_[static_cast<std::size_t>(from)];
    const ReduceAttrs*& folds = folds_[static_cast<std::size_t>(into)];
    if (!folds) folds = folds_[static_cast<std::size_t>(from)];
  }

  Groups numbered() {
    Groups groups;
    groups.level_of = level_;
    groups.group_of.assign(level_.size(), -1);
    std::unordered_map<int, int> numbers;
    for (int n = 0; n < graph_.size(); ++n) {
      if (!loops(n) || concrete_.known(node(n))) continue;
      const int next = static_cast<int>(numbers.size());
      groups.group_of[static_cast<std::size_t>(n)] = numbers.emplace(root(n), next).first->second;
    }
    return groups;
  }

  const Graph& graph_;
  const Concrete& concrete_;
  const PlanOptions& options_;
  std::vector<int> parent_, steps_, level_;
  std::vector<const ReduceAttrs*> folds_;
};

}  // namespace

Groups group_nodes(const Graph& graph, const Concrete& concrete, const PlanOptions& options) {
  return Grouper(graph, concrete, options).run();
}

}  // namespace hypatia
