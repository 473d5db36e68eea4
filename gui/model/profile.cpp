// One pass over the events sums by step; steps then share their sums out to their nodes.

#include "gui/model/profile.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>

#include "gui/app/format.h"
#include "gui/model/wall.h"

namespace hypatia::gui {

namespace {

struct StepSums {
  KindTimes times{};
  double queue = 0;
  std::int64_t runs = 0, moved = 0;
  std::int64_t launched = 0;  // end of the last launch, to measure the queue
};

void add_event(StepSums& sums, const Event& event, const Recording& recording) {
  sums.times[static_cast<std::size_t>(event.kind)] += event.end - event.begin;
  if (event.kind == EventKind::step) ++sums.runs;
  if (event.kind == EventKind::copy_in || event.kind == EventKind::copy_out)
    if (const DetailRecord* detail = recording.detail(event.detail)) sums.moved += detail->bytes;
}

std::vector<StepSums> sum_steps(const Recording& recording) {
  std::vector<StepSums> sums(recording.steps().size() + 1);
  for (const Track& track : recording.tracks())
    for (const Event& event : track.events())
      if (event.step < sums.size()) add_event(sums[event.step], event, recording);
  return sums;
}

Costs costs_of(const StepSums& sums) {
  const auto time = [&](EventKind kind) {
    return static_cast<double>(sums.times[static_cast<std::size_t>(kind)]);
  };
  Costs costs;
  costs.launch = time(EventKind::launch);
  costs.compile = time(EventKind::compile);
  costs.sync = time(EventKind::sync);
  costs.host = std::max(
      0.0,
      time(EventKind::step) - costs.launch - costs.compile - costs.sync -
          time(EventKind::overhead));
  costs.kernel = time(EventKind::kernel) + time(EventKind::copy_on) + time(EventKind::fill);
  costs.copy_in = time(EventKind::copy_in);
  costs.copy_out = time(EventKind::copy_out);
  return costs;
}

std::string line_of(const Origin& origin) {
  if (!origin) return "";
  return fmt::format("{}:{}", std::filesystem::path(origin.file).filename().string(), origin.line);
}

void add_nodes(Profile& profile) {
  const Recording& recording = *profile.recording;
  for (std::uint32_t f = 0; f < recording.functions().size(); ++f) {
    const FunctionRecord& function = recording.functions()[f];
    FunctionStats stats;
    stats.id = f + 1;
    stats.record = &function;
    stats.first_node = static_cast<int>(profile.nodes.size());
    stats.node_count = static_cast<int>(function.nodes.size());
    profile.functions.push_back(stats);
    for (std::uint32_t n = 0; n < function.nodes.size(); ++n) {
      NodeStats node;
      node.id = {f + 1, n};
      node.record = &function.nodes[n];
      node.line = line_of(node.record->origin);
      profile.nodes.push_back(std::move(node));
    }
  }
  for (const Call& call : recording.calls()) {
    if (call.function == 0 || call.function > profile.functions.size()) continue;
    FunctionStats& function = profile.functions[call.function - 1];
    ++function.calls;
    function.wall += static_cast<double>(call.end - call.begin);
  }
}

void share_out(Profile& profile, const Step& step, const StepSums& sums) {
  const Costs costs = costs_of(sums);
  const auto runs = static_cast<double>(sums.runs);
  for (const StepShare& share : step.record->nodes) {
    const int position = profile.find({step.function, share.node});
    if (position < 0) continue;
    NodeStats& node = profile.nodes[static_cast<std::size_t>(position)];
    node.costs += costs.scaled(share.share);
    node.flops += step.record->flops * runs * share.share;
    node.bytes += step.record->bytes * runs * share.share;
    node.moved_bytes +=
        static_cast<std::int64_t>(static_cast<double>(sums.moved) * share.share + 0.5);
    node.calls += sums.runs;
    node.estimated = node.estimated || step.record->nodes.size() > 1;
    if (node.shapes.empty()) node.shapes = step.record->shapes;
    node.steps.push_back(step.id);
  }
}

std::string title_of(const Recording& recording) {
  const RecordingHeader& header = recording.header();
  std::string what = header.exercise.empty() ? header.program : header.exercise;
  if (what.empty()) what = "a program";
  std::string device = recording.functions().empty() ? "" : recording.functions()[0].device;
  std::string title = device.empty() ? what : what + " on " + device;
  return header.role.empty() ? title : title + ", " + header.role;
}

std::vector<std::string> warnings_of(const Recording& recording) {
  const RecordingHeader& header = recording.header();
  std::vector<std::string> out = header.messages;
  const auto count = [&](std::int64_t number, const char* what) {
    if (number > 0) out.push_back(count_text(number) + " " + what);
  };
  count(header.dropped, "records were lost: less is shown than ran");
  count(header.without_time, "records came without times");
  count(header.unordered, "pieces of device work seem to begin before they were submitted");
  count(header.unattributed, "pieces of device work belong to no known node");
  count(header.disagreements, "pieces of device work are attributed differently by two methods");
  if (header.slowdown > 1.05)
    out.push_back("recording slowed the program by " + percent_text(header.slowdown - 1));
  if (header.simulated) out.push_back("device times are simulated, not measured");
  if (!header.closed) out.push_back("the program still runs, or was ended early");
  return out;
}

// The nodes that make up most of a kind of time, as many as it takes for four fifths.
int nodes_behind(const Profile& profile, double (Costs::*kind)() const) {
  std::vector<double> times;
  for (const NodeStats& node : profile.nodes)
    times.push_back((node.costs.*kind)());
  std::sort(times.rbegin(), times.rend());
  const double all = std::accumulate(times.begin(), times.end(), 0.0);
  double sum = 0;
  int count = 0;
  for (const double time : times) {
    if (sum >= all * 0.8) break;
    sum += time;
    ++count;
  }
  return count;
}

std::string verdict_of(const Profile& profile) {
  const double total = profile.costs.total();
  if (total <= 0) return "Nothing was timed: the recording holds no work of any node.";

  struct Kind {
    const char* what;
    double (Costs::*time)() const;
  };

  constexpr std::array<Kind, 3> kinds = {
      {{"work on the CPU", &Costs::cpu},
       {"work on the GPU", &Costs::gpu},
       {"transfer", &Costs::transfer}}};
  const Kind* largest = &kinds[0];
  for (const Kind& kind : kinds)
    if ((profile.costs.*kind.time)() > (profile.costs.*largest->time)()) largest = &kind;
  const int count = nodes_behind(profile, largest->time);
  const double share = (profile.costs.*largest->time)() / total;
  return fmt::format(
      "{} of the time is {}; {} it.",
      percent_text(share),
      largest->what,
      count == 1 ? "one node causes" : fmt::format("{} nodes cause most of", count));
}

}  // namespace

Costs& Costs::operator+=(const Costs& other) {
  host += other.host;
  launch += other.launch;
  compile += other.compile;
  kernel += other.kernel;
  copy_in += other.copy_in;
  copy_out += other.copy_out;
  sync += other.sync;
  queue += other.queue;
  return *this;
}

Costs Costs::scaled(double factor) const {
  return {
      host * factor,
      launch * factor,
      compile * factor,
      kernel * factor,
      copy_in * factor,
      copy_out * factor,
      sync * factor,
      queue * factor,
  };
}

double Wall::whole() const {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

const char* name(Wall::Part part) {
  constexpr std::array<const char*, Wall::count> names = {
      "GPU", "transfer", "waiting", "launch", "compile", "CPU", "idle"};
  return names[part];
}

int Profile::find(NodeId id) const {
  if (id.function == 0 || id.function > functions.size()) return -1;
  const FunctionStats& function = functions[id.function - 1];
  return id.node < static_cast<std::uint32_t>(function.node_count)
             ? function.first_node + static_cast<int>(id.node)
             : -1;
}

int Profile::node_of_step(std::uint32_t id) const {
  const Step* step = recording->step(id);
  if (!step || step->record->nodes.empty()) return -1;
  const auto& shares = step->record->nodes;
  const auto largest =
      std::max_element(shares.begin(), shares.end(), [](const StepShare& a, const StepShare& b) {
        return a.share < b.share;
      });
  return find({step->function, largest->node});
}

double Profile::length() const {
  return static_cast<double>(recording->end() - recording->begin());
}

std::shared_ptr<const Profile> make_profile(std::shared_ptr<const Recording> recording) {
  auto profile = std::make_shared<Profile>();
  profile->recording = std::move(recording);
  add_nodes(*profile);
  const std::vector<StepSums> sums = sum_steps(*profile->recording);
  for (const Step& step : profile->recording->steps())
    share_out(*profile, step, sums[step.id]);
  for (FunctionStats& function : profile->functions)
    for (int n = 0; n < function.node_count; ++n)
      function.costs += profile->nodes[static_cast<std::size_t>(function.first_node + n)].costs;
  for (const FunctionStats& function : profile->functions)
    profile->costs += function.costs;
  profile->wall = attribute_wall(*profile->recording);
  profile->title = title_of(*profile->recording);
  profile->warnings = warnings_of(*profile->recording);
  profile->verdict = verdict_of(*profile);
  return profile;
}

}  // namespace hypatia::gui
