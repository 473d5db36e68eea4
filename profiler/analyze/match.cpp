// Matches nodes by a hash of their expression, in which a GPU op equals its CPU namesake and copies
// between host and device are looked through, so that a node that moved is found again.

#include "profiler/analyze/match.h"

#include <functional>
#include <map>
#include <string>

#include "profiler/analyze/node_kind.h"

namespace hypatia {

namespace {

std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

std::size_t text_hash(const std::string& text) {
  return std::hash<std::string>()(text);
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

class Matching {
 public:
  Matching(const FunctionRecord& before, const FunctionRecord& after)
      : before_(before),
        after_(after),
        taken_(after.nodes.size()),
        partner_(before.nodes.size(), -1) {}

  std::vector<PositionPair> run() {
    const auto hash_before = structure_of(before_), hash_after = structure_of(after_);
    // Copies share their input's hash, so that the side is part of this first key.
    match(
        [&](std::size_t i) { return mix(hash_before[i], before_.nodes[i].side == Side::transfer); },
        [&](std::size_t i) { return mix(hash_after[i], after_.nodes[i].side == Side::transfer); });
    match(
        [&](std::size_t i) { return loose_key(before_.nodes[i]); },
        [&](std::size_t i) { return loose_key(after_.nodes[i]); });
    std::vector<PositionPair> pairs;
    for (std::size_t i = 0; i < partner_.size(); ++i) {
      pairs.push_back({static_cast<std::int32_t>(i), partner_[i]});
    }
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) pairs.push_back({-1, static_cast<std::int32_t>(i)});
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

/// All of one function's nodes, without partners.
std::vector<PositionPair> alone(const FunctionRecord& function, bool is_before) {
  std::vector<PositionPair> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(function.nodes.size()); ++i)
    pairs.push_back(is_before ? PositionPair{i, -1} : PositionPair{-1, i});
  return pairs;
}

}  // namespace

std::vector<FunctionPair> match_functions(const Recording& before, const Recording& after) {
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

  std::vector<FunctionPair> pairs;
  for (std::uint32_t b = 1; b <= count_before; ++b) {
    const FunctionRecord& old = before.functions()[b - 1];
    const std::uint32_t a = partner[b - 1];
    pairs.push_back({b, a, a ? Matching(old, after.functions()[a - 1]).run() : alone(old, true)});
  }
  for (std::uint32_t a = 1; a <= count_after; ++a) {
    if (!taken[a - 1]) pairs.push_back({0, a, alone(after.functions()[a - 1], false)});
  }
  return pairs;
}

}  // namespace hypatia
