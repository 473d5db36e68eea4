// Joins the account with the records, and says in a sentence what it means.

#include "gui/model/profile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <numeric>

#include "gui/app/format.h"

namespace hypatia::gui {

namespace {

std::string line_of(const Origin& origin) {
  if (!origin) return "";
  return fmt::format("{}:{}", std::filesystem::path(origin.file).filename().string(), origin.line);
}

NodeStats make_node(const Profile& profile, const FunctionStats& function, std::uint32_t position) {
  NodeStats node;
  node.id = {function.id, position};
  node.record = &function.record->nodes[position];
  node.account = profile.account.node(node.id);
  node.line = line_of(node.record->origin);
  const auto calls = static_cast<double>(node.calls());
  node.flops = node.account->rate.flops * calls;
  node.bytes = node.account->rate.bytes * calls;
  if (const RecordedStep* step = profile.recording->step(node.account->step))
    node.shapes = step->record->shapes;
  return node;
}

void add_functions(Profile& profile) {
  const Recording& recording = *profile.recording;
  for (std::uint32_t id = 1; id <= recording.functions().size(); ++id) {
    FunctionStats function;
    function.id = id;
    function.record = recording.function(id);
    function.account = profile.account.function(id);
    function.first_node = static_cast<int>(profile.nodes.size());
    function.node_count = static_cast<int>(function.record->nodes.size());
    for (std::uint32_t n = 0; n < function.record->nodes.size(); ++n)
      profile.nodes.push_back(make_node(profile, function, n));
    profile.costs.add(function.account->parts);
    profile.calls += function.account->calls;
    profile.functions.push_back(function);
  }
}

std::string title_of(const Recording& recording) {
  const RecordingHeader& header = recording.header();
  std::string what = header.exercise.empty() ? header.program : header.exercise;
  if (what.empty()) what = "a program";
  const std::string device = recording.functions().empty() ? "" : recording.functions()[0].device;
  std::string title = device.empty() ? what : what + " on " + device;
  if (header.simulated) title += " (simulated)";
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
  if (header.simulated) out.emplace_back("device times are simulated, not measured");
  if (!header.closed) out.emplace_back("the program still runs, or was ended early");
  return out;
}

using Kind = double (Parts::*)() const;

// The nodes that make up most of a kind of time, as many as it takes for four fifths of what nodes
// have of it; 0 if most of it is no node's.
int nodes_behind(const Profile& profile, Kind kind) {
  std::vector<double> times;
  for (const NodeStats& node : profile.nodes)
    times.push_back((node.costs().*kind)());
  std::sort(times.rbegin(), times.rend());
  const double all = std::accumulate(times.begin(), times.end(), 0.0);
  if (all < (profile.costs.*kind)() / 2) return 0;
  double sum = 0;
  int count = 0;
  for (const double time : times) {
    if (sum >= all * 0.8) break;
    sum += time;
    ++count;
  }
  return count;
}

/// What the clock went to inside of calls, compiling left out, since it happens once.
struct Cause {
  const char* what;
  double time;
  Kind of_nodes;  // null: no node causes it
};

std::string verdict_of(const Profile& profile) {
  if (profile.costs.total() <= 0)
    return "Nothing was timed: the recording holds no work of any node.";
  const WallTimes& wall = profile.account.wall;
  const std::array<Cause, 5> causes = {{
      {"work on the GPU", wall[Wall::kernel], &Parts::gpu},
      {"transfer", wall[Wall::transfer], &Parts::transfer},
      {"waiting for the GPU", wall[Wall::sync], nullptr},
      {"launching work on the GPU", wall[Wall::launch], &Parts::cpu},
      {"work on the CPU", wall[Wall::own] + wall[Wall::call], &Parts::cpu},
  }};
  double all = 0;
  for (const Cause& cause : causes)
    all += cause.time;
  const Cause& largest = *std::max_element(
      causes.begin(), causes.end(), [](const auto& x, const auto& y) { return x.time < y.time; });
  const std::string text =
      fmt::format("{} of the time in calls is {}", percent_text(largest.time / all), largest.what);
  if (!largest.of_nodes) return text + ".";
  const int count = nodes_behind(profile, largest.of_nodes);
  return fmt::format(
      "{}; {}.",
      text,
      count == 0   ? "most of it belongs to no single node, as when a captured graph is launched"
      : count == 1 ? "one node causes it"
                   : fmt::format("{} nodes cause most of it", count));
}

}  // namespace

int Profile::find(NodeId id) const {
  if (id.function == 0 || id.function > functions.size()) return -1;
  const FunctionStats& function = functions[id.function - 1];
  return id.node < static_cast<std::uint32_t>(function.node_count)
             ? function.first_node + static_cast<int>(id.node)
             : -1;
}

int Profile::node_of_step(std::uint32_t id) const {
  const RecordedStep* step = recording->step(id);
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
  const Recording& all = *profile->recording;
  auto indexes =
      std::async(all.event_count() > (1 << 18) ? std::launch::async : std::launch::deferred, [&] {
        std::vector<TrackIndex> made;
        for (const Track& track : all.tracks())
          made.emplace_back(track, all.begin(), all.end());
        return made;
      });
  profile->account = account_for(all);
  profile->indexes = indexes.get();
  add_functions(*profile);
  profile->title = title_of(*profile->recording);
  profile->advice = advise(*profile->recording, profile->account);
  profile->warnings = warnings_of(*profile->recording);
  profile->verdict = verdict_of(*profile);
  return profile;
}

}  // namespace hypatia::gui
