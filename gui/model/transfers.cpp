// One pass over the copies.

#include "gui/model/transfers.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace hypatia::gui {

namespace {

void collect(const Profile& profile, Transfers& transfers) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, EventKind>, CopyGroup> groups;
  const Recording& recording = *profile.recording;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> submitting;  // by step and detail
  for (const Track& track : recording.tracks()) {
    for (const Event& event : track.events()) {
      if (event.kind == EventKind::launch && event.detail)
        submitting[{event.step, event.detail}] += static_cast<double>(event.end - event.begin);
      const bool copy = event.kind == EventKind::copy_in || event.kind == EventKind::copy_out ||
                        event.kind == EventKind::copy_on;
      if (!copy) continue;
      CopyGroup& group = groups[{event.step, event.detail, event.kind}];
      ++group.count;
      group.time += static_cast<double>(event.end - event.begin);
    }
  }
  for (auto& [key, group] : groups) {
    const auto& [step, detail, kind] = key;
    group.node = profile.node_of_step(step);
    group.kind = kind;
    if (const auto host = submitting.find({step, detail}); host != submitting.end())
      group.host = host->second;
    if (const DetailRecord* known = recording.detail(detail)) {
      group.bytes = known->bytes;
      group.source_memory = known->source_memory;
      group.target_memory = known->target_memory;
    }
    transfers.groups.push_back(group);
  }
  std::sort(transfers.groups.begin(), transfers.groups.end(), [](const auto& a, const auto& b) {
    return a.time > b.time;
  });
}

void find_ping_pongs(const Profile& profile, Transfers& transfers) {
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    const NodeStats& node = profile.node(i);
    if (node.record->side != Side::transfer) continue;
    for (const InputRecord& input : node.record->inputs) {
      if (input.node < 0) continue;
      const int from = profile.find({node.id.function, static_cast<std::uint32_t>(input.node)});
      if (from >= 0 && profile.node(from).record->side == Side::transfer &&
          profile.node(from).record->op != node.record->op)
        transfers.ping_pongs.push_back({from, i});
    }
  }
}

}  // namespace

const char* memory_word(std::uint8_t memory) {
  switch (memory) {
    case 1:
      return "pageable";
    case 2:
      return "pinned";
    case 3:
      return "device";
    default:
      return "unknown";
  }
}

double CopyGroup::rate() const {
  return whole() > 0 ? static_cast<double>(bytes * count) / whole() * 1e9 : 0;
}

double roof_of(const CopyGroup& group, const Limits& limits) {
  if (group.kind == EventKind::copy_on) return 0;
  if (group.pageable()) return limits.pageable_bandwidth;
  return group.kind == EventKind::copy_in ? limits.copy_in_bandwidth : limits.copy_out_bandwidth;
}

Transfers find_transfers(const Profile& profile) {
  Transfers transfers;
  collect(profile, transfers);
  find_ping_pongs(profile, transfers);
  return transfers;
}

}  // namespace hypatia::gui
