// Scripts: one line, one thing that a person does.

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>

#include "gui/app/base.h"
#include "gui/app/course.h"
#include "gui/app/headless.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

using ScriptWords = std::istringstream;

template <class Value>
Value read(ScriptWords& words, const char* what) {
  Value value{};
  if (!(words >> value))
    throw Error(Error::Kind::value, std::string("a ") + what + " is missing or wrong");
  return value;
}

std::string rest(ScriptWords& words) {
  std::string text;
  std::getline(words >> std::ws, text);
  return text;
}

// "X Y", or the name of something drawn.
ImVec2 target(Headless& host, ScriptWords& words) {
  const std::string text = rest(words);
  std::istringstream numbers(text);
  ImVec2 at;
  if (numbers >> at.x >> at.y) return at;
  return host.place(text);
}

void drag(Headless& host, ScriptWords& words) {
  std::array<float, 4> at{};
  for (float& value : at)
    value = read<float>(words, "coordinate");
  host.drag({at[0], at[1]}, {at[2], at[3]});
}

void show_view(Headless& host, const std::string& name) {
  if (!find_view(name.c_str()))
    throw Error(
        Error::Kind::value, "there is no view '" + name + "'", "`--list-views` prints their names");
  host.state().settings.view = name;
  host.settle();
}

// Frames until the course's commands have ended and everything is read.
void finish(Headless& host, int seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (host.state().course->busy() || host.state().course->running()) {
    if (std::chrono::steady_clock::now() > end)
      throw Error(
          Error::Kind::value,
          "`hypatia " + host.state().course->title() + "` still runs after " +
              std::to_string(seconds) + " s");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    host.frame();
  }
  host.settle();
}

// A position, or "most" for the most expensive node.
void select(AppState& state, const std::string& word) {
  const Profile* profile = state.profile();
  int node = 0;
  if (word != "most") {
    std::istringstream number(word);
    node = read<int>(number, "node");
  }
  for (int i = 0; word == "most" && profile && i < static_cast<int>(profile->nodes.size()); ++i)
    if (profile->node(i).costs().total() > profile->node(node).costs().total()) node = i;
  state.select_node(node);
}

// The call of median length; null if there is none.
const Call* typical_call(const Recording& recording, std::vector<Call>& calls) {
  calls.assign(recording.calls().begin(), recording.calls().end());
  if (calls.empty()) return nullptr;
  const auto middle = calls.begin() + static_cast<std::ptrdiff_t>(calls.size() / 2);
  std::nth_element(calls.begin(), middle, calls.end(), [](const Call& a, const Call& b) {
    return a.end - a.begin < b.end - b.begin;
  });
  return &*middle;
}

// "all", or "call" with a number (without one: the call of median length) and a little of its
// neighbours.
void show(Headless& host, ScriptWords& words) {
  AppState& state = host.state();
  const auto what = read<std::string>(words, "what to show");
  if (what != "all" && what != "call")
    throw Error(Error::Kind::value, "show takes 'all' or 'call', came '" + what + "'");
  state.settings.time_begin = state.settings.time_end = 0;
  if (const Profile* profile = state.profile(); profile && what == "call") {
    const Recording& recording = *profile->recording;
    std::vector<Call> calls;
    std::uint32_t number = 0;
    const Call* call = words >> number ? recording.call(number) : typical_call(recording, calls);
    if (call) {
      const auto span = static_cast<double>(call->end - call->begin);
      const auto begin = static_cast<double>(call->begin - recording.begin());
      state.settings.time_begin = std::max(0.0, begin - span * 0.1);
      state.settings.time_end = begin + span * 1.1;
    }
  }
  host.settle();
}

using Action = void (*)(Headless&, ScriptWords&);

const std::map<std::string, Action>& actions() {
  static const std::map<std::string, Action> all = {
      {"key", [](Headless& h, ScriptWords& w) { h.press(read<std::string>(w, "key")); }},
      {"type", [](Headless& h, ScriptWords& w) { h.type(rest(w)); }},
      {"click", [](Headless& h, ScriptWords& w) { h.click(target(h, w)); }},
      {"double", [](Headless& h, ScriptWords& w) { h.double_click(target(h, w)); }},
      {"move",
       [](Headless& h, ScriptWords& w) {
         h.move(target(h, w));
         h.frame();
       }},
      {"drag", drag},
      {"wheel",
       [](Headless& h, ScriptWords& w) {
         const auto x = read<float>(w, "coordinate"), y = read<float>(w, "coordinate");
         h.wheel({x, y}, read<float>(w, "number of notches"));
       }},
      {"wait",
       [](Headless& h, ScriptWords& w) {
         for (int left = read<int>(w, "number of frames"); left > 0; --left)
           h.frame();
       }},
      {"view", [](Headless& h, ScriptWords& w) { show_view(h, rest(w)); }},
      {"select",
       [](Headless& h, ScriptWords& w) {
         select(h.state(), rest(w));
         h.settle();
       }},
      {"show", show},
      {"open",
       [](Headless& h, ScriptWords& w) {
         h.state().open(rest(w));
         h.settle();
       }},
      {"shot", [](Headless& h, ScriptWords& w) { write_png(h.picture(), rest(w)); }},
      {"finish", [](Headless& h, ScriptWords& w) { finish(h, read<int>(w, "number of seconds")); }},
      {"expect", [](Headless& h, ScriptWords& w) { static_cast<void>(h.place(rest(w))); }},
  };
  return all;
}

}  // namespace

void run_script(Headless& host, std::string_view script) {
  std::istringstream lines{std::string(script)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string verb;
    if (!(words >> verb) || verb[0] == '#') continue;
    const auto found = actions().find(verb);
    try {
      if (found == actions().end())
        throw Error(Error::Kind::value, "there is no script command '" + verb + "'");
      found->second(host, words);
    } catch (const Error& error) {
      throw Error(
          error.kind(),
          "script line " + std::to_string(number) + ": " + error.summary(),
          error.help());
    }
  }
}

}  // namespace hypatia::gui
