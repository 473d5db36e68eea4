// Writes the trace by hand, event by event: a JSON library would hold all of it at once.

#include "profiler/report/chrome_trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiler/analyze/steps.h"
#include "profiler/report/format.h"

namespace hypatia {

namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
 public:
  explicit TraceWriter(const Recording& recording) : recording_(recording) {
    for (const Track& track : recording.tracks()) {
      const std::uint64_t key = std::uint64_t{track.lane()} << 32 | unsigned(track.depth());
      threads_.emplace(key, static_cast<int>(threads_.size()) + 1);
    }
  }

  std::string write() {
    text_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":" +
            json_text(recording_.header().program) +
            ",\"dropped\":" + std::to_string(recording_.header().dropped) +
            ",\"simulated\":" + (recording_.header().simulated ? "true" : "false") +
            "},\"traceEvents\":[";
    write_names();
    for (const Track& track : recording_.tracks()) {
      for (const Event& event : track.events())
        write_slice(track, event);
    }
    write_arrows();
    write_counters();
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  int process_of(std::uint16_t lane) {
    const LaneRecord& record = *recording_.lane(lane);
    const bool host = record.device.empty() || record.kind == LaneRecord::Kind::api;
    return processes_.emplace(host ? "" : record.device, static_cast<int>(processes_.size()) + 1)
        .first->second;
  }

  int thread_of(const Track& track) const {
    return threads_.at(std::uint64_t{track.lane()} << 32 | unsigned(track.depth()));
  }

  void next() { text_ += std::exchange(first_, false) ? "\n" : ",\n"; }

  void write_name(const char* what, int process, int thread, const std::string& name) {
    next();
    fmt::format_to(
        std::back_inserter(text_),
        R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})",
        what,
        process,
        thread,
        json_text(name));
  }

  void write_names() {
    for (const Track& track : recording_.tracks()) {
      const int process = process_of(track.lane());
      const std::string& lane = recording_.lane(track.lane())->name;
      write_name(
          "thread_name",
          process,
          thread_of(track),
          track.depth() ? lane + ", inside " + std::to_string(track.depth()) : lane);
    }
    for (const auto& [device, process] : processes_) {
      write_name("process_name", process, 0, device.empty() ? "host" : titled(device));
    }
  }

  std::string titled(const std::string& device) const {
    const auto& all = recording_.header().devices;
    const bool simulated = std::any_of(all.begin(), all.end(), [&](const DeviceInfo& info) {
      return info.name == device && info.simulated;
    });
    return simulated ? device + " (simulated: times are modelled)" : device;
  }

  /// Microseconds since the recording's begin, exact to the nanosecond.
  static std::string stamp(std::int64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
  }

  /// What a name is in JSON, kept, since the same few names make up millions of slices.
  const std::string& name_of(const Event& event) {
    const std::uint64_t key = std::uint64_t{static_cast<unsigned>(event.kind)} << 56 |
                              std::uint64_t{event.step & 0xfffffff} << 28 |
                              (event.detail & 0xfffffff);
    std::string& name = names_[key];
    if (name.empty()) name = json_text(recording_.name_of(event));
    return name;
  }

  void write_slice(const Track& track, const Event& event) {
    next();
    fmt::format_to(
        std::back_inserter(text_),
        R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"call":{})",
        name_of(event),
        name(event.kind),
        process_of(track.lane()),
        thread_of(track),
        stamp(event.begin - recording_.begin()),
        stamp(event.end - event.begin),
        event.call);
    if (const RecordedStep* step = recording_.step(event.step)) write_node(*step);
    const DetailRecord* detail =
        event.kind == EventKind::call ? nullptr : recording_.detail(event.detail);
    if (detail && detail->bytes) {
      fmt::format_to(std::back_inserter(text_), R"(,"bytes":{})", detail->bytes);
    }
    if (detail && detail->block[0]) {
      fmt::format_to(
          std::back_inserter(text_),
          R"(,"grid":"{} {} {}","block":"{} {} {}","registers":{})",
          detail->grid[0],
          detail->grid[1],
          detail->grid[2],
          detail->block[0],
          detail->block[1],
          detail->block[2],
          detail->registers);
    }
    text_ += "}}";
  }

  void write_node(const RecordedStep& step) {
    std::string& text = nodes_[step.id];
    if (text.empty()) {
      const FunctionRecord* function = recording_.function(step.function);
      std::string names;
      for (const StepShare& share : step.record->nodes) {
        if (function) names += (names.empty() ? "" : ", ") + function->nodes[share.node].name;
      }
      text = ",\"nodes\":" + json_text(names) + ",\"shapes\":" + json_text(step.record->shapes);
    }
    text_ += text;
  }

  /// Where events lie: arrows name a track's thread and a time inside of a slice.
  const Track* track_with(const Event& event) const {
    for (const Track& track : recording_.tracks_of(event.lane)) {
      for (const Event& candidate : track.window(event.begin, event.begin + 1)) {
        if (candidate.begin == event.begin && candidate.kind == event.kind) return &track;
      }
    }
    return nullptr;
  }

  void write_arrows() {
    std::uint64_t id = 0;
    for (const Submission& pair : submissions(recording_)) {
      const Track* from = track_with(pair.launch);
      const Track* to = track_with(pair.work);
      if (!from || !to || pair.work.begin < pair.launch.begin) continue;
      ++id;
      write_arrow("s", "", id, *from, pair.launch.begin);
      write_arrow("f", R"("bp":"e",)", id, *to, pair.work.begin);
    }
  }

  /// By device, how much work was submitted and not done.
  void write_counters() {
    std::map<int, std::map<std::int64_t, int>> changes;  // by process and time
    for (const Submission& pair : submissions(recording_)) {
      std::map<std::int64_t, int>& of_device = changes[process_of(pair.work.lane)];
      ++of_device[std::min(pair.launch.begin, pair.work.begin)];
      --of_device[pair.work.end];
    }
    for (const auto& [process, of_device] : changes) {
      int waiting = 0;
      for (const auto& [time, change] : of_device) {
        if (change == 0) continue;
        waiting += change;
        next();
        fmt::format_to(
            std::back_inserter(text_),
            R"({{"ph":"C","name":"submitted, not done","pid":{},"tid":0,"ts":{},)"
            R"("args":{{"pieces of work":{}}}}})",
            process,
            stamp(time - recording_.begin()),
            waiting);
      }
    }
  }

  void write_arrow(
      const char* phase,
      const char* extra,
      std::uint64_t id,
      const Track& track,
      std::int64_t time) {
    next();
    fmt::format_to(
        std::back_inserter(text_),
        R"({{"ph":"{}",{}"name":"launch","cat":"launch","id":{},"pid":{},"tid":{},"ts":{}}})",
        phase,
        extra,
        id,
        process_of(track.lane()),
        thread_of(track),
        stamp(time - recording_.begin()));
  }

  const Recording& recording_;
  std::string text_;
  bool first_ = true;
  std::map<std::string, int> processes_;
  std::map<std::uint64_t, int> threads_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint32_t, std::string> nodes_;
};

}  // namespace

std::string chrome_trace(const Recording& recording) {
  return TraceWriter(recording).write();
}

}  // namespace hypatia
