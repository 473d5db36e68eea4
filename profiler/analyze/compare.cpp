// Matches nodes by a hash of their expression, in which a GPU op equals its CPU namesake and copies
// between host and device are looked through, so that a node that moved is found again.

#include "profiler/analyze/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

namespace hypatia {

namespace {

std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

std::size_t text_hash(const std::string& text) {
  return std::hash<std::string>()(text);
}

/// The op without what says where or how it runs: "Gpu", "C", "{inplace}".
std::string kind_of(const NodeRecord& node) {
  return node.op.empty() ? node.op_class : node.op;
}

/// Axes of "vector", "row", "tensor3", "(False, True)".
std::size_t rank_of(std::string_view shape) {
  if (shape.starts_with("scalar")) return 0;
  if (shape.starts_with("vector")) return 1;
  for (const std::string_view word : {"row", "col", "matrix"})
    if (shape.starts_with(word)) return 2;
  std::size_t axes = 0;
  for (const char letter : shape) {
    if (letter >= '0' && letter <= '9') return static_cast<std::size_t>(letter - '0');
    axes += letter == 'T' || letter == 'F';  // True, False
  }
  return axes;
}

/// "TensorType(float32, vector)" and "GpuArrayType<None>(float32, (False,))" hold the same values.
std::string values_of(const std::string& type) {
  const std::size_t begin = std::min(type.find('('), type.size());
  const std::size_t comma = type.find(", ", begin);
  if (comma == std::string::npos) return type.substr(begin);
  return type.substr(begin, comma - begin) + " " +
         std::to_string(rank_of(std::string_view(type).substr(comma + 2)));
}

/// What may be chance: the spread from call to call, or a fiftieth. Calls that others disturb
/// spread widely, but chance never halves their times.
bool is_chance(double before, double after, double spread) {
  const double longer = std::max(before, after);
  return std::abs(after - before) <= std::max(std::min(spread, longer / 2), 0.02 * longer);
}

/// By position. Nodes come in execution order, so what a node reads was hashed before; a damaged
/// order only makes nodes unmatched.
std::vector<std::size_t> structure_of(const FunctionRecord& function) {
  std::vector<std::size_t> hashes(function.nodes.size());
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    const NodeRecord& node = function.nodes[i];
    const bool copy = node.side == Side::transfer && node.inputs.size() == 1;
    std::size_t hash = text_hash(kind_of(node));
    for (const InputRecord& input : node.inputs) {
      const std::size_t source = input.node >= 0 ? mix(hashes[static_cast<std::size_t>(input.node)],
                                                       static_cast<std::size_t>(input.output))
                                                 : text_hash(input.name + values_of(input.type));
      hash = copy ? source : mix(hash, source);
    }
    hashes[i] = hash;
  }
  return hashes;
}

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;  // -1: no partner

class Matching {
 public:
  Matching(const FunctionRecord& before, const FunctionRecord& after)
      : before_(before),
        after_(after),
        taken_(after.nodes.size()),
        partner_(before.nodes.size(), -1) {}

  Pairs run() {
    const auto hash_before = structure_of(before_), hash_after = structure_of(after_);
    // Copies share their input's hash, so that the side is part of this first key.
    match(
        [&](std::size_t i) { return mix(hash_before[i], before_.nodes[i].side == Side::transfer); },
        [&](std::size_t i) { return mix(hash_after[i], after_.nodes[i].side == Side::transfer); });
    match(
        [&](std::size_t i) { return loose_key(before_.nodes[i]); },
        [&](std::size_t i) { return loose_key(after_.nodes[i]); });
    Pairs pairs;
    for (std::size_t i = 0; i < partner_.size(); ++i) {
      pairs.emplace_back(static_cast<std::int32_t>(i), partner_[i]);
    }
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) pairs.emplace_back(-1, static_cast<std::int32_t>(i));
    }
    return pairs;
  }

 private:
  static std::size_t loose_key(const NodeRecord& node) {
    const std::string type = node.output_types.empty() ? "" : values_of(node.output_types[0]);
    return mix(text_hash(kind_of(node) + type), node.side == Side::transfer);
  }

  template <typename KeyBefore, typename KeyAfter>
  void match(KeyBefore key_before, KeyAfter key_after) {
    std::map<std::size_t, std::vector<std::size_t>> free;
    for (std::size_t i = taken_.size(); i-- > 0;) {
      if (!taken_[i]) free[key_after(i)].push_back(i);
    }
    for (std::size_t i = 0; i < partner_.size(); ++i) {
      if (partner_[i] >= 0) continue;
      const auto found = free.find(key_before(i));
      if (found == free.end() || found->second.empty()) continue;
      partner_[i] = static_cast<std::int32_t>(found->second.back());
      taken_[found->second.back()] = true;
      found->second.pop_back();
    }
  }

  const FunctionRecord& before_;
  const FunctionRecord& after_;
  std::vector<bool> taken_;
  std::vector<std::int32_t> partner_;
};

struct Half {
  const Recording& recording;
  const Account& account;
  std::uint32_t function;

  const FunctionRecord& record() const { return recording.functions()[function - 1]; }

  const FunctionAccount& spent() const { return account.functions[function - 1]; }

  const NodeAccount& node(std::int32_t position) const {
    return spent().nodes[static_cast<std::size_t>(position)];
  }

  double per_call(std::int32_t position) const {
    const auto calls = static_cast<double>(std::max<std::int64_t>(1, spent().calls));
    return node(position).parts.total() / calls;
  }

  double spread(std::int32_t position) const {
    return std::max(0.0, node(position).p90 - node(position).median);
  }
};

Change change_of(
    const Half& before, std::int32_t b, const Half& after, std::int32_t a, const NodeChange& node) {
  const NodeRecord& old = before.record().nodes[static_cast<std::size_t>(b)];
  const NodeRecord& now = after.record().nodes[static_cast<std::size_t>(a)];
  if (old.side != now.side) return Change::moved;
  if (!before.node(b).approximate && after.node(a).approximate) return Change::fused;
  if (before.node(b).approximate && !after.node(a).approximate) return Change::split;
  if (is_chance(node.time_before, node.time_after, node.spread)) return Change::same;
  return node.difference() < 0 ? Change::faster : Change::slower;
}

NodeChange compare_node(const Half& before, std::int32_t b, const Half& after, std::int32_t a) {
  NodeChange node;
  if (b >= 0) {
    node.before = before.node(b).id;
    node.name = before.record().nodes[static_cast<std::size_t>(b)].name;
    node.time_before = before.per_call(b);
    node.spread = before.spread(b);
    node.change = Change::removed;
  }
  if (a >= 0) {
    node.after = after.node(a).id;
    if (b < 0) node.name = after.record().nodes[static_cast<std::size_t>(a)].name;
    node.time_after = after.per_call(a);
    node.spread = std::max(node.spread, after.spread(a));
    node.change = Change::added;
  }
  if (a >= 0 && b >= 0) node.change = change_of(before, b, after, a, node);
  return node;
}

/// A node is neither faster nor slower where the calls can't tell.
void settle(const FunctionChange& function, NodeChange* node) {
  if (node->change != Change::faster && node->change != Change::slower) return;
  const bool within = !function.differs() && std::abs(node->difference()) <= function.spread;
  if (within || !function.enough_calls()) node->change = Change::same;
}

FunctionChange compare_function(const Half& before, const Half& after) {
  FunctionChange change;
  change.name = before.record().name;
  change.before = before.function;
  change.after = after.function;
  change.median_before = before.spent().median;
  change.median_after = after.spent().median;
  change.spread = std::max(
      before.spent().p90 - before.spent().median, after.spent().p90 - after.spent().median);
  change.calls = std::min(before.spent().calls, after.spent().calls);
  for (const auto& [b, a] : Matching(before.record(), after.record()).run()) {
    change.nodes.push_back(compare_node(before, b, after, a));
    settle(change, &change.nodes.back());
  }
  std::stable_sort(
      change.nodes.begin(), change.nodes.end(), [](const NodeChange& x, const NodeChange& y) {
        return std::abs(x.difference()) > std::abs(y.difference());
      });
  return change;
}

/// A function that is in one recording only.
FunctionChange lone_function(const Half& side, bool is_before) {
  FunctionChange change;
  change.name = side.record().name;
  (is_before ? change.before : change.after) = side.function;
  (is_before ? change.median_before : change.median_after) = side.spent().median;
  return change;
}

}  // namespace

const char* name(Change change) {
  static constexpr const char* names[] = {
      "same", "faster", "slower", "moved", "fused", "split", "added", "removed"};
  return names[static_cast<std::size_t>(change)];
}

bool FunctionChange::differs() const {
  return !is_chance(median_before, median_after, spread);
}

Comparison compare(const Recording& before, const Recording& after) {
  const Account account_before = account_for(before), account_after = account_for(after);
  const auto count_before = before.functions().size(), count_after = after.functions().size();
  std::vector<std::uint32_t> partner(count_before);
  std::vector<bool> taken(count_after);
  const auto pair_up = [&](bool by_name) {
    for (std::size_t b = 0; b < count_before; ++b) {
      for (std::size_t a = 0; a < count_after && !partner[b]; ++a) {
        const bool fits = !by_name || before.functions()[b].name == after.functions()[a].name;
        if (taken[a] || !fits) continue;
        partner[b] = static_cast<std::uint32_t>(a + 1);
        taken[a] = true;
      }
    }
  };
  pair_up(true);
  // A lone function on each side is the same one under another name.
  if (count_before == 1 && count_after == 1) pair_up(false);

  Comparison comparison;
  for (std::uint32_t b = 1; b <= count_before; ++b) {
    const Half old{before, account_before, b};
    comparison.functions.push_back(
        partner[b - 1] ? compare_function(old, {after, account_after, partner[b - 1]})
                       : lone_function(old, true));
  }
  for (std::uint32_t a = 1; a <= count_after; ++a) {
    if (!taken[a - 1]) {
      comparison.functions.push_back(lone_function({after, account_after, a}, false));
    }
  }
  return comparison;
}

}  // namespace hypatia
