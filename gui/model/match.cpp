#include "gui/model/match.h"

#include <algorithm>

#include "profiler/analyze/match.h"

namespace hypatia::gui {

namespace {

int place(const Profile& profile, std::uint32_t function, std::int32_t position) {
  return position < 0 ? -1 : profile.functions[function - 1].first_node + position;
}

}  // namespace

std::vector<NodePair> match_nodes(const Profile& left, const Profile& right) {
  std::vector<NodePair> pairs;
  for (const FunctionPair& function : match_functions(*left.recording, *right.recording)) {
    for (const PositionPair& node : function.nodes)
      pairs.push_back(
          {place(left, function.before, node.before), place(right, function.after, node.after)});
  }
  std::stable_partition(
      pairs.begin(), pairs.end(), [](const NodePair& pair) { return pair.left >= 0; });
  return pairs;
}

}  // namespace hypatia::gui
