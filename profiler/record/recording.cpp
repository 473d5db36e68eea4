// From plain data to an indexed recording: ids are checked, calls listed, lanes split into tracks.

#include "profiler/record/recording.h"

#include <algorithm>
#include <tuple>

#include "profiler/record/text_pool.h"

namespace hypatia {

namespace {

/// An operation reads inputs and operations before it; a body that doesn't is dropped.
void check_body(NodeRecord& node) {
  const auto inputs = static_cast<std::int32_t>(node.inputs.size());
  for (std::size_t i = 0; i < node.body.size(); ++i) {
    const std::int32_t made = inputs + static_cast<std::int32_t>(i);
    const BodyOpRecord& op = node.body[i];
    const auto known = [&](std::int32_t value) { return value >= 0 && value < made; };
    if (std::all_of(op.inputs.begin(), op.inputs.end(), known) && op.flops >= 0) continue;
    node.body.clear();
    return;
  }
}

}  // namespace

const char* RecordingData::keep(std::string_view text) {
  if (!pool_) pool_ = std::make_shared<TextPool>();
  return pool_->keep(text);
}

Recording::Recording(RecordingData data) : data_(std::move(data)) {
  check_records();
  check_events();
  index_calls();
  build_tracks();
}

/// Lists the steps and mends what points outside: shares, inputs, buffers, sources.
void Recording::check_records() {
  for (FunctionRecord& function : data_.functions) {
    const auto count = static_cast<std::int32_t>(function.nodes.size());
    for (NodeRecord& node : function.nodes) {
      if (node.parent >= count || node.parent < -1) node.parent = -1;
      for (InputRecord& input : node.inputs) {
        if (input.node >= count || input.node < -1) input.node = -1;
      }
      check_body(node);
    }
  }
  std::uint32_t id = 0;
  for (std::size_t p = 0; p < data_.plans.size(); ++p) {
    PlanRecord& plan = data_.plans[p];
    const FunctionRecord* owner = function(plan.function);
    if (!owner) plan.function = 0;
    const std::size_t nodes = owner ? owner->nodes.size() : 0;
    for (StepRecord& step : plan.steps) {
      std::erase_if(step.nodes, [&](const StepShare& share) { return share.node >= nodes; });
      if (step.source >= static_cast<std::int32_t>(plan.sources.size())) step.source = -1;
      steps_.push_back({++id, static_cast<std::uint32_t>(p + 1), plan.function, &step});
    }
    std::erase_if(plan.buffers, [&](const BufferRecord& buffer) { return buffer.node >= nodes; });
  }
}

/// Drops events of unknown lanes and kinds, and clears ids that lead nowhere.
void Recording::check_events() {
  const std::size_t before = data_.events.size();
  std::erase_if(data_.events, [&](const Event& event) {
    return event.lane == 0 || event.lane > data_.lanes.size() ||
           static_cast<int>(event.kind) >= event_kind_count;
  });
  data_.header.dropped += static_cast<std::int64_t>(before - data_.events.size());
  // Times beyond 70 years of nanoseconds can only be damage; sums of them would overflow.
  constexpr std::int64_t limit = std::int64_t{1} << 61;
  for (Event& event : data_.events) {
    event.begin = std::clamp<std::int64_t>(event.begin, 0, limit);
    event.end = std::clamp(event.end, event.begin, limit);
    if (event.step > steps_.size()) event.step = 0;
    const std::size_t known =
        event.kind == EventKind::call ? data_.functions.size() : data_.details.size();
    if (event.detail > known) event.detail = 0;
  }
  event_count_ = data_.events.size();
}

void Recording::index_calls() {
  for (const Event& event : data_.events) {
    if (event.kind == EventKind::call) {
      calls_.push_back({event.begin, event.end, event.call, event.detail, event.lane});
    }
  }
  std::sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
    return std::tie(a.begin, a.number) < std::tie(b.begin, b.number);
  });
  calls_by_number_.resize(calls_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    calls_by_number_[i] = static_cast<std::uint32_t>(i);
  }
  std::sort(
      calls_by_number_.begin(), calls_by_number_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return calls_[a].number < calls_[b].number;
      });
}

std::span<const Track> Recording::tracks_of(std::uint16_t lane) const {
  if (lane == 0 || lane > data_.lanes.size()) return {};
  const std::size_t first = lane_tracks_[lane - 1u];
  return std::span(tracks_).subspan(first, lane_tracks_[lane] - first);
}

namespace {

template <typename T>
const T* at(const std::vector<T>& items, std::uint32_t id) {
  return id == 0 || id > items.size() ? nullptr : &items[id - 1];
}

}  // namespace

const FunctionRecord* Recording::function(std::uint32_t id) const {
  return at(data_.functions, id);
}

const PlanRecord* Recording::plan(std::uint32_t id) const {
  return at(data_.plans, id);
}

const RecordedStep* Recording::step(std::uint32_t id) const {
  return at(steps_, id);
}

const LaneRecord* Recording::lane(std::uint32_t id) const {
  return at(data_.lanes, id);
}

const DetailRecord* Recording::detail(std::uint32_t id) const {
  return at(data_.details, id);
}

const NodeRecord* Recording::node(NodeId id) const {
  const FunctionRecord* owner = function(id.function);
  return owner && id.node < owner->nodes.size() ? &owner->nodes[id.node] : nullptr;
}

const Call* Recording::call(std::uint32_t number) const {
  const auto found = std::lower_bound(
      calls_by_number_.begin(),
      calls_by_number_.end(),
      number,
      [&](std::uint32_t i, std::uint32_t wanted) { return calls_[i].number < wanted; });
  if (found == calls_by_number_.end() || calls_[*found].number != number) return nullptr;
  return &calls_[*found];
}

std::uint32_t Recording::function_of(const Event& event) const {
  if (event.kind == EventKind::call) return event.detail;
  if (const RecordedStep* owner = step(event.step)) return owner->function;
  const Call* in = event.call ? call(event.call) : nullptr;
  return in ? in->function : 0;
}

std::string Recording::name_of(const Event& event) const {
  if (event.kind == EventKind::call) {
    const FunctionRecord* called = function(event.detail);
    return called ? called->name : "call";
  }
  if (const DetailRecord* known = detail(event.detail); known && !known->name.empty()) {
    return known->name;
  }
  const RecordedStep* of = step(event.step);
  if (of && event.kind == EventKind::step) return of->record->name;
  return hypatia::name(event.kind);
}

RecordingData Recording::data() const {
  RecordingData copy = data_;
  copy.events.reserve(event_count_);
  for (const Track& track : tracks_) {
    copy.events.insert(copy.events.end(), track.events().begin(), track.events().end());
  }
  return copy;
}

}  // namespace hypatia
