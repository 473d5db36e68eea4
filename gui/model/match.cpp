// A node's key is its function, its op, and how many of that op came before.

#include "gui/model/match.h"

#include <map>
#include <tuple>

namespace hypatia::gui {

namespace {

using Key = std::tuple<std::string, std::string, int>;

std::vector<Key> keys_of(const Profile& profile) {
  std::map<std::pair<std::string, std::string>, int> seen;
  std::vector<Key> keys;
  for (const NodeStats& node : profile.nodes) {
    const std::string& function = profile.functions[node.id.function - 1].record->name;
    keys.emplace_back(function, node.record->op, seen[{function, node.record->op}]++);
  }
  return keys;
}

}  // namespace

std::vector<NodePair> match_nodes(const Profile& left, const Profile& right) {
  std::map<Key, int> rest;
  const std::vector<Key> right_keys = keys_of(right);
  for (std::size_t i = 0; i < right_keys.size(); ++i)
    rest.emplace(right_keys[i], static_cast<int>(i));
  std::vector<NodePair> pairs;
  const std::vector<Key> left_keys = keys_of(left);
  for (std::size_t i = 0; i < left_keys.size(); ++i) {
    const auto found = rest.find(left_keys[i]);
    pairs.push_back({static_cast<int>(i), found == rest.end() ? -1 : found->second});
    if (found != rest.end()) rest.erase(found);
  }
  for (std::size_t i = 0; i < right_keys.size(); ++i)
    if (rest.contains(right_keys[i])) pairs.push_back({-1, static_cast<int>(i)});
  return pairs;
}

}  // namespace hypatia::gui
