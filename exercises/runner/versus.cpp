#include "exercises/runner/versus.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/difference.h"
#include "exercises/runner/program.h"
#include "exercises/runner/text.h"
#include "profiler/analyze/account.h"
#include "profiler/record/recording.h"

namespace hypatia::runner {

namespace {

constexpr int fewest_pairs = 3;          // below, a range says little
constexpr std::int64_t least_calls = 3;  // the first of a run is not like the others
constexpr double chance = 0.02;          // equal programs differ by as much

std::string run_once(const VersusRequest& request, const Contender& contender, int pair) {
  if (request.told)
    request.told(fmt::format("pair {} of {}: running {}", pair, request.pairs, contender.name));
  ProgramRequest asked;
  asked.exercise = request.exercise;
  asked.program = contender.program;
  asked.solution = contender.solution;
  asked.device = request.device;
  asked.flags = request.flags;
  asked.recording = contender.recording;
  asked.limit_seconds = request.limit_seconds;
  asked.capture = true;
  const Outcome outcome = run_program(asked);
  if (!outcome.good()) {
    throw Stop{
        exit_code_of(outcome),
        contender.name +
            " did not run to its end: " + diagnose(outcome, request.limit_seconds).message,
        "./hypatia check " + request.exercise->number};
  }
  return outcome.output;
}

// A call of a GPU returns before its work is done: then the work is what takes the time.
double time_of(const FunctionAccount& function) {
  const double calls = static_cast<double>(std::max<std::int64_t>(function.calls, 1));
  return std::max(function.median, (function.parts.gpu() + function.parts.transfer()) / calls);
}

Duel& duel_of(Versus& versus, const std::string& function) {
  for (Duel& duel : versus.duels) {
    if (duel.function == function) return duel;
  }
  return versus.duels.emplace_back(Duel{function, {}, {}, 0, 0, 0, 0});
}

void add_times(Versus& versus, const std::string& file, std::vector<double> Duel::*side) {
  const auto recording = Recording::open(file);
  versus.simulated = recording->header().simulated;
  for (const FunctionAccount& function : account_for(*recording).functions) {
    const FunctionRecord* record = recording->function(function.id);
    if (!record || function.calls == 0) continue;
    Duel& duel = duel_of(versus, record->name);
    (duel.*side).push_back(time_of(function));
    duel.calls = duel.calls == 0 ? function.calls : std::min(duel.calls, function.calls);
  }
}

}  // namespace

void judge(Duel& duel) {
  const std::size_t pairs = std::min(duel.mine.size(), duel.other.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (duel.other[i] > 0) ratios.push_back(duel.mine[i] / duel.other[i]);
  }
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  duel.least = ratios.front();
  duel.most = ratios.back();
  duel.ratio = (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]) / 2;
}

Versus face(const VersusRequest& request) {
  Versus versus;
  std::vector<std::string> mine, other;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  while (versus.pairs < request.pairs) {
    if (versus.pairs >= fewest_pairs && spent() > request.enough_seconds) break;
    const bool mine_first = versus.pairs % 2 == 0;
    const int pair = versus.pairs + 1;
    if (mine_first) mine.push_back(run_once(request, request.mine, pair));
    other.push_back(run_once(request, request.other, pair));
    if (!mine_first) mine.push_back(run_once(request, request.mine, pair));
    add_times(versus, request.mine.recording, &Duel::mine);
    add_times(versus, request.other.recording, &Duel::other);
    ++versus.pairs;
  }
  for (Duel& duel : versus.duels)
    judge(duel);
  versus.mine_output = steady(mine);
  versus.other_output = steady(other);
  return versus;
}

std::string to_text(const Versus& versus, const std::string& other) {
  std::vector<std::vector<std::string>> rows{{"function", "yours / " + other, "least", "most", ""}};
  for (const Duel& duel : versus.duels) {
    if (duel.ratio <= 0) {
      rows.push_back(
          {duel.function, "-", "", "", duel.mine.empty() ? "not in yours" : "only yours"});
      continue;
    }
    const char* const word = duel.calls < least_calls      ? "too few calls to tell"
                             : versus.pairs < fewest_pairs ? "too few pairs to tell"
                             : duel.least > 1 + chance     ? "slower"
                             : duel.most < 1 - chance      ? "faster"
                                                           : "as fast";
    rows.push_back(
        {duel.function,
         fmt::format("{:.2f}", duel.ratio),
         fmt::format("{:.2f}", duel.least),
         fmt::format("{:.2f}", duel.most),
         word});
  }
  return table(rows) +
         fmt::format(
             "time of a call, as a ratio: {}{}\n",
             versus.pairs == 1
                 ? "of one pair of runs, which has no range"
                 : fmt::format(
                       "the median of {} pairs of runs in turns, and their range", versus.pairs),
             versus.simulated ? " (simulated)" : "");
}

std::string svg_of(const Versus& versus, const std::string& title, const std::string& other) {
  constexpr double left = 220, width = 480, row = 34, top = 56;
  double most = 1.25;
  for (const Duel& duel : versus.duels)
    most = std::max(most, duel.most);
  const auto x = [&](double ratio) { return left + width * ratio / most; };
  const double height = top + row * static_cast<double>(versus.duels.size()) + 30;
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text)
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
  };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n"
      "<text x=\"16\" y=\"24\" font-size=\"16\">{2}</text>\n"
      "<text x=\"16\" y=\"44\" fill=\"#555\">time of a call, yours / {3}; {4} of runs{5}"
      "</text>\n",
      left + width + 60,
      height,
      escaped(title),
      escaped(other),
      versus.pairs == 1 ? "1 pair" : fmt::format("{} pairs", versus.pairs),
      versus.simulated ? ", simulated" : "");
  double y = top;
  for (const Duel& duel : versus.duels) {
    svg += fmt::format(
        "<text x=\"16\" y=\"{:.1f}\">{}</text>\n", y + 18, escaped(duel.function.substr(0, 28)));
    if (duel.ratio > 0) {
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\" fill=\"#4c78a8\"/>\n"
          "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"black\"/>\n"
          "<text x=\"{:.1f}\" y=\"{:.1f}\">{:.2f}</text>\n",
          left,
          y + 4,
          x(duel.ratio) - left,
          x(duel.least),
          y + 13,
          x(duel.most),
          x(duel.most) + 6,
          y + 18,
          duel.ratio);
    }
    y += row;
  }
  svg += fmt::format(
      "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#c33\" stroke-dasharray=\"4 3\"/>\n"
      "<text x=\"{0:.1f}\" y=\"{3:.1f}\" fill=\"#c33\" text-anchor=\"middle\">equal</text>\n"
      "</svg>\n",
      x(1),
      top,
      y,
      y + 16);
  return svg;
}

}  // namespace hypatia::runner
