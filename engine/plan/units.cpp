// units_of: groups and single nodes in the order of their levels; then kernels on a GPU take in
// the elementwise work on their folds' results.
#include "engine/plan/units.h"

#include <algorithm>
#include <unordered_map>

#include "engine/expr/leaves.h"
#include "engine/ops/product.h"

namespace hypatia {

bool elementwise(const Apply& node) {
  return node.op().is_scalar() || node.op().is_composite();
}

namespace {

/// A copy of what the call brings, which can go before everything else.
bool brings_in(const Apply& node) {
  return node.op().is_transfer() && is_leaf(node.input(0).node());
}

/// Nodes whose elements something reads: outputs, updates, and their operands, sizes apart.
std::vector<bool> needed_nodes(const Graph& graph, const Concrete& concrete) {
  std::vector<bool> needed(graph.order().size(), false);
  const auto need = [&](const Variable& v) {
    const int n = graph.position(&v.node());
    if (n >= 0 && !concrete.value(v)) needed[static_cast<std::size_t>(n)] = true;
  };
  for (const Variable& v : graph.outputs())
    need(v);
  for (const Update& u : graph.updates())
    need(u.value);
  for (std::size_t n = needed.size(); n-- > 0;) {
    if (!needed[n]) continue;
    const Apply& at = *graph.order()[n];
    for (int i = 0; i < static_cast<int>(at.inputs().size()); ++i) {
      if (!at.op().only_sizes(i)) need(at.input(i));
    }
  }
  return needed;
}

/// Gives kernels with folds their tails.
class Tails {
 public:
  Tails(
      const Graph& graph,
      const Concrete& concrete,
      const PlanOptions& options,
      std::vector<Unit>* units)
      : graph_(graph),
        concrete_(concrete),
        options_(options),
        units_(*units),
        unit_of_(graph.order().size(), -1) {
    for (std::size_t u = 0; u < units_.size(); ++u) {
      for (int n : units_[u].nodes)
        unit_of_[static_cast<std::size_t>(n)] = static_cast<int>(u);
    }
    for (int n = 0; n < graph.size(); ++n) {
      for (const Variable& v : node(n).inputs()) {
        const int producer = graph.position(&v.node());
        if (producer >= 0 && folds(producer)) readers_[producer].push_back(n);
      }
    }
  }

  void run() {
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (!on_gpu(units_[u])) continue;
      const int tail = tail_of(static_cast<int>(u));
      if (tail >= 0) take_in(static_cast<int>(u), units_[static_cast<std::size_t>(tail)]);
    }
    const auto empty = [](const Unit& unit) { return unit.nodes.empty(); };
    units_.erase(std::remove_if(units_.begin(), units_.end(), empty), units_.end());
  }

 private:
  const Apply& node(int n) const { return *graph_.order()[static_cast<std::size_t>(n)]; }

  bool on_gpu(const Unit& unit) const {
    return !unit.nodes.empty() && !node(unit.nodes.front()).type(0).place().on_host();
  }

  bool folds(int n) const {
    return node(n).op().is_reduction() || is_nest_product(node(n), concrete_, options_);
  }

  const Type& type_of(int n) const {
    return concrete_.type(Variable(Ref<const Apply>(&node(n)), 0));
  }

  /// The unit whose elementwise nodes can run on the folds' results of unit `u`, or -1.
  int tail_of(int u) const {
    for (int n : units_[static_cast<std::size_t>(u)].nodes) {
      const auto readers = readers_.find(n);
      if (!folds(n) || readers == readers_.end()) continue;
      for (int reader : readers->second) {
        const int tail = unit_of_[static_cast<std::size_t>(reader)];
        if (tail > u && fits(u, tail, type_of(n))) return tail;
      }
    }
    return -1;
  }

  bool fits(int u, int tail, const Type& kept) const {
    const Unit& unit = units_[static_cast<std::size_t>(tail)];
    bool any = false;
    for (int n : unit.nodes) {
      if (!elementwise(node(n))) continue;
      any = true;
      const Type& space = type_of(n);
      if (!(space.dims() == kept.dims()) || !(space.place() == kept.place())) return false;
      for (const Variable& v : node(n).inputs()) {
        // What it reads besides must be there by then.
        const int producer = graph_.position(&v.node());
        if (producer < 0 || concrete_.value(v)) continue;
        const int made_by = unit_of_[static_cast<std::size_t>(producer)];
        if (made_by > u && made_by != tail) return false;
        if (made_by == u && !folds(producer)) return false;
      }
    }
    return any;
  }

  /// Moves elementwise nodes over; folds of them stay a unit of their own.
  void take_in(int u, Unit& from) {
    Unit& into = units_[static_cast<std::size_t>(u)];
    std::vector<int> rest;
    for (int n : from.nodes) {
      if (!elementwise(node(n))) {
        rest.push_back(n);
        continue;
      }
      into.tail.push_back(n);
      unit_of_[static_cast<std::size_t>(n)] = u;
    }
    from.nodes = std::move(rest);
  }

  const Graph& graph_;
  const Concrete& concrete_;
  const PlanOptions& options_;
  std::vector<Unit>& units_;
  std::vector<int> unit_of_;
  std::unordered_map<int, std::vector<int>> readers_;  // of nodes that fold
};

}  // namespace

bool is_nest_product(const Apply& node, const Concrete& concrete, const PlanOptions& options) {
  if (!std::holds_alternative<ProductLowering>(node.op().lowering) || !options.merge_kernels)
    return false;
  const Type& type = node.type(0);
  const std::size_t first = node.inputs().size() - 2;
  const Variable &a = node.inputs()[first], &b = node.inputs()[first + 1];
  if (type.place().on_host() || type.rank() > 1 || !is_float(type.dtype())) return false;
  if (a.dtype() != type.dtype() || b.dtype() != type.dtype()) return false;
  const ProductSizes s = product_sizes(concrete.type(a), concrete.type(b));
  const std::int64_t items = s.m * s.n;
  const double points = static_cast<double>(items) * static_cast<double>(s.k);
  // Few long folds, one block each, leave most of the card idle; a single one goes by chunks.
  constexpr std::int64_t longest_fold = 16384;
  return points <= options.largest_nest_product && (s.k <= longest_fold || items == 1);
}

std::vector<Unit> units_of(
    const Graph& graph,
    const Concrete& concrete,
    const Groups& groups,
    const PlanOptions& options) {
  std::vector<Unit> units;
  std::unordered_map<int, std::size_t> unit_of_group;
  const std::vector<bool> needed = needed_nodes(graph, concrete);
  for (int n = 0; n < graph.size(); ++n) {
    const Apply& at = *graph.order()[static_cast<std::size_t>(n)];
    if (!needed[static_cast<std::size_t>(n)] || concrete.known(at)) continue;
    const int group = groups.group_of[static_cast<std::size_t>(n)];
    const int level = groups.level_of[static_cast<std::size_t>(n)];
    if (group >= 0) {
      const auto [found, is_new] = unit_of_group.emplace(group, units.size());
      if (!is_new) {
        units[found->second].nodes.push_back(n);
        continue;
      }
    }
    const bool is_kernel = group >= 0 || is_nest_product(at, concrete, options);
    units.push_back({brings_in(at) ? -1 : level, {n}, {}, is_kernel});
  }
  // Views of what a level starts from come before its work, which they then can be part of.
  const auto rank = [&](const Unit& unit) {
    const Op& op = graph.order()[static_cast<std::size_t>(unit.nodes.front())]->op();
    return 2 * unit.level + (op.is_view() || op.is_coordinate() ? 0 : 1);
  };
  std::stable_sort(
      units.begin(), units.end(), [&](const Unit& a, const Unit& b) { return rank(a) < rank(b); });
  if (options.merge_kernels) Tails(graph, concrete, options, &units).run();
  return units;
}

}  // namespace hypatia
