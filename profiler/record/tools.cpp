#include "profiler/record/tools.h"

#include <algorithm>

#include "profiler/record/recording_file.h"
#include "profiler/record/schema.h"

namespace hypatia {

namespace {

bool kept(const Event& event, const TrimOptions& options) {
  if (event.call) {
    if (options.first_call && event.call < options.first_call) return false;
    if (options.last_call && event.call > options.last_call) return false;
  }
  return (!options.begin || event.end > options.begin) &&
         (!options.end || event.begin < options.end);
}

/// Where one recording's ids begin in the merged one.
struct Offsets {
  std::uint32_t functions = 0, steps = 0, lanes = 0, details = 0, calls = 0;
  std::int64_t time = 0;
};

void append_records(RecordingData& all, const RecordingData& more, const Offsets& offsets) {
  all.functions.insert(all.functions.end(), more.functions.begin(), more.functions.end());
  for (PlanRecord plan : more.plans) {
    if (plan.function) plan.function += offsets.functions;
    all.plans.push_back(std::move(plan));
  }
  all.lanes.insert(all.lanes.end(), more.lanes.begin(), more.lanes.end());
  all.details.insert(all.details.end(), more.details.begin(), more.details.end());
  for (PassStory pass : more.passes) {
    pass.function += offsets.functions;
    all.passes.push_back(std::move(pass));
  }
  for (const DeviceInfo& device : more.header.devices) {
    const bool known = std::any_of(
        all.header.devices.begin(), all.header.devices.end(), [&](const DeviceInfo& other) {
          return other.name == device.name;
        });
    if (!known) all.header.devices.push_back(device);
  }
  for (const std::string& message : more.header.messages)
    all.header.messages.push_back(message);
}

void append_events(RecordingData& all, const RecordingData& more, const Offsets& offsets) {
  for (Event event : more.events) {
    event.begin += offsets.time;
    event.end += offsets.time;
    if (event.call) event.call += offsets.calls;
    if (event.step) event.step += offsets.steps;
    const bool call = event.kind == EventKind::call;
    if (event.detail) event.detail += call ? offsets.functions : offsets.details;
    event.lane = static_cast<std::uint16_t>(event.lane + offsets.lanes);
    all.events.push_back(event);
  }
}

void add_counts(RecordingHeader& all, const RecordingHeader& more) {
  all.dropped += more.dropped;
  all.without_time += more.without_time;
  all.unordered += more.unordered;
  all.unattributed += more.unattributed;
  all.disagreements += more.disagreements;
  all.call_count += more.call_count;
  all.writer_seconds += more.writer_seconds;
  all.clock_error = std::max(all.clock_error, more.clock_error);
  all.event_cost = std::max(all.event_cost, more.event_cost);
  all.closed = all.closed && more.closed;
  all.simulated = all.simulated || more.simulated;
}

std::uint32_t step_count(const RecordingData& data) {
  std::size_t count = 0;
  for (const PlanRecord& plan : data.plans)
    count += plan.steps.size();
  return static_cast<std::uint32_t>(count);
}

std::uint32_t last_call(const RecordingData& data) {
  std::uint32_t last = 0;
  for (const Event& event : data.events)
    last = std::max(last, event.call);
  return last;
}

/// Origins point into the recording that they came from; here they get a home that stays.
void own_origins(RecordingData& data) {
  const auto own = [&](Origin& origin) {
    origin.file = data.keep(origin.file);
    origin.function = data.keep(origin.function);
  };
  for (FunctionRecord& function : data.functions) {
    own(function.origin);
    for (NodeRecord& node : function.nodes)
      own(node.origin);
  }
  for (PassStory& pass : data.passes)
    for (RewriteStory& rewrite : pass.rewrites)
      own(rewrite.origin);
}

}  // namespace

RecordingData trim(const Recording& recording, const TrimOptions& options) {
  RecordingData data = recording.data();
  std::erase_if(data.events, [&](const Event& event) { return !kept(event, options); });
  own_origins(data);
  return data;
}

RecordingData merge(std::span<const std::shared_ptr<const Recording>> recordings) {
  RecordingData all;
  Offsets offsets;
  for (const std::shared_ptr<const Recording>& recording : recordings) {
    const RecordingData more = recording->data();
    const RecordingHeader& header = more.header;
    if (all.lanes.empty() && all.functions.empty()) {
      all.header = header;
      all.header.devices.clear();
      all.header.messages.clear();
    } else {
      add_counts(all.header, header);
      offsets.time = (header.realtime_anchor - header.monotonic_anchor) -
                     (all.header.realtime_anchor - all.header.monotonic_anchor);
    }
    append_records(all, more, offsets);
    append_events(all, more, offsets);
    offsets.functions += static_cast<std::uint32_t>(more.functions.size());
    offsets.steps += step_count(more);
    offsets.lanes += static_cast<std::uint32_t>(more.lanes.size());
    offsets.details += static_cast<std::uint32_t>(more.details.size());
    offsets.calls += last_call(more);
  }
  own_origins(all);
  return all;
}

void migrate(const std::string& from, const std::string& to) {
  RecordingData data = Recording::open(from)->data();
  data.header.version = schema_version;
  write_recording(data, to);
}

}  // namespace hypatia
