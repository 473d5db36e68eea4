// `hypatia compare NN`: the learner's program beside the solution, the starter, an earlier version
// or any file: text, output, times as ratios, accesses, graphs.
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/accesses.h"
#include "exercises/runner/command.h"
#include "exercises/runner/difference.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/process.h"
#include "exercises/runner/program.h"
#include "exercises/runner/proof.h"
#include "exercises/runner/regions.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/state.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"
#include "exercises/runner/versus.h"
#include "profiler/report/comparison.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr double same_numbers = 1e-5;  // what another order of float32 sums may do
constexpr std::size_t most_lines = 8;

struct Other {
  std::string name;  // "the solution's"
  std::string text;
  bool solution = false;
};

Other other_of(const Exercise& exercise, const std::string& word) {
  if (word == "solution") return {"the solution's", read_file(exercise.solution()), true};
  if (word == "starter") return {"the starter's", pristine(exercise), false};
  if (fs::exists(word)) return {fs::path(word).filename().string(), read_file(word), false};
  return {"version " + word, snapshot(exercise, word), false};
}

// The diff and the numbers of the solution give it away.
void require_shown(const Exercise& exercise, const Other& other, const Arguments& arguments) {
  if (!other.solution || progress(exercise).passed) return;
  if (arguments.has("--peek")) {
    Entry entry;
    entry.exercise = exercise.id;
    entry.event = "solution";
    record(entry);
    return;
  }
  throw Stop{
      exit_not_yet,
      exercise.id + " is not passed yet, and the diff would show the solution",
      "./hypatia compare " + exercise.number + " --table gives times alone; --peek shows all"};
}

Contender other_contender(const Exercise& exercise, const Other& other) {
  Contender contender{other.name, "", "", "", other.solution};
  if (other.solution) {
    contender.program = built_program(exercise, true);
  } else {
    const std::string name = "compare-" + sha256(other.text).substr(0, 12);
    contender.program = build_variant(exercise, name, other.text, "solution");
    if (contender.program.empty()) {
      throw Stop{exit_no_build, other.name + " does not compile", ""};
    }
  }
  return contender;
}

VersusRequest request_for(
    const Exercise& exercise, const Other& other, const Arguments& arguments) {
  VersusRequest request;
  request.exercise = &exercise;
  request.device = arguments.has("--device") ? arguments.value("--device") : usual_device(exercise);
  require_device(request.device);
  request.flags = arguments.value("--flags");
  require_flags(request.flags);
  request.pairs = arguments.count("--pairs", request.pairs);
  const StatusLine status(!arguments.json(), exercise.id + ": compiling both programs");
  request.mine = {"yours", exercise.source(), built_program(exercise, false), "", false};
  request.other = other_contender(exercise, other);
  const std::string folder = state_folder() + "/compare";
  fs::create_directories(folder);
  request.mine.recording = folder + "/" + exercise.id + ".yours.hyp";
  request.other.recording = folder + "/" + exercise.id + ".other.hyp";
  return request;
}

std::vector<std::string> other_lines(const Versus& versus) {
  return lines_of(line_difference(
      versus.mine_output, versus.other_output, 0, [](std::string_view a, std::string_view b) {
        return same_line(a, b, same_numbers);
      }));
}

void print_output(const Versus& versus, const std::string& other) {
  const std::vector<std::string> lines = other_lines(versus);
  if (lines.empty()) {
    std::printf("\noutput: the same\n");
    return;
  }
  std::printf(
      "\noutput: - yours, + %s (%s)\n",
      other.c_str(),
      versus.pairs > 1 ? "… varies from run to run"
                       : "one run of each: what varies from run to run is shown as well");
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    std::printf("  %s\n", lines[i].substr(0, 96).c_str());
  if (lines.size() > most_lines) std::printf("  and %zu more\n", lines.size() - most_lines);
}

// Each kernel of a program's own, with every access counted, by the simulated GPU.
std::vector<KernelAccesses> counted(const Exercise& exercise, const std::string& path) {
  const std::string report = build_folder() + "/checked/" + exercise.id + ".compare.jsonl";
  fs::create_directories(build_folder() + "/checked");
  fs::remove(report);
  ProgramRequest request;
  request.exercise = &exercise;
  request.program = path;
  request.device = "sim";
  request.flags = "sim.checked=True";
  request.environment = {{"HYPATIA_SIM_REPORT", report}};
  request.limit_seconds = 60;
  request.capture = true;
  run_program(request);
  return read_accesses(report);
}

void print_counters(const VersusRequest& request) {
  std::vector<std::vector<std::string>> rows{
      {"kernel", "whose", "loads", "stores", "sectors/request", "bank conflicts", "barriers"}};
  for (const Contender* contender : {&request.mine, &request.other}) {
    const StatusLine status(true, "counting the accesses of " + contender->name);
    for (const KernelAccesses& kernel : counted(*request.exercise, contender->program)) {
      LineCounts sum;
      for (const LineCounts& line : kernel.lines) {
        sum.loads += line.loads;
        sum.stores += line.stores;
        sum.requests += line.requests;
        sum.sectors += line.sectors;
        sum.bank_conflicts += line.bank_conflicts;
        sum.barriers += line.barriers;
      }
      const double requests = static_cast<double>(std::max<std::int64_t>(sum.requests, 1));
      rows.push_back(
          {kernel.kernel,
           contender->name,
           std::to_string(sum.loads),
           std::to_string(sum.stores),
           fmt::format("{:.1f}", static_cast<double>(sum.sectors) / requests),
           std::to_string(sum.bank_conflicts),
           std::to_string(sum.barriers)});
    }
  }
  if (rows.size() > 1) std::printf("\n%s", table(rows).c_str());
}

void print_predictions(const Exercise& exercise) {
  Verdict verdict;
  verdict.exercise = &exercise;
  verdict.status = progress(exercise).passed ? "pass" : "fail";
  verdict.measured = last_measured(exercise);
  verdict.predicted = first_answers(exercise);
  for (const std::string& line : prediction_lines(verdict))
    std::printf("predict  %s\n", line.c_str());
}

int print_json(const Exercise& exercise, const Versus& versus, const std::string& difference) {
  nlohmann::json functions = nlohmann::json::array();
  for (const Duel& duel : versus.duels) {
    functions.push_back(
        {{"function", duel.function},
         {"ratio", duel.ratio},
         {"least", duel.least},
         {"most", duel.most},
         {"in_both", duel.ratio > 0}});
  }
  const nlohmann::json document{
      {"schema", 1},
      {"exercise", {{"id", exercise.id}}},
      {"pairs", versus.pairs},
      {"simulated", versus.simulated},
      {"functions", functions},
      {"diff", difference},
      {"output", other_lines(versus)}};
  std::printf(
      "%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return exit_pass;
}

void print_all(
    const VersusRequest& request, const Versus& versus, const Other& other, bool shown_too) {
  if (shown_too) print_output(versus, other.name);
  std::printf("\n%s", to_text(versus, other.name).c_str());
  const std::vector<std::string>& teaches = request.exercise->teaches;
  if (std::find(teaches.begin(), teaches.end(), "kernel") != teaches.end()) print_counters(request);
  if (shown_too) {
    const auto mine = Recording::open(request.mine.recording);
    const auto theirs = Recording::open(request.other.recording);
    std::printf("\ngraphs, before: yours, after: %s\n", other.name.c_str());
    std::printf("%s", comparison_report(*mine, *theirs).c_str());
  }
  print_predictions(*request.exercise);
}

int run_compare(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  const Other other = other_of(exercise, arguments.value("--with", "solution"));
  const bool only_times = arguments.has("--table") || arguments.has("--plot");
  if (!only_times) require_shown(exercise, other, arguments);
  const std::string difference =
      only_times
          ? ""
          : line_difference(without_marks(read_file(exercise.source())), without_marks(other.text));
  if (!arguments.json() && !only_times) {
    std::printf(
        "%s: - yours, + %s\n%s",
        shown(exercise.source()).c_str(),
        other.name.c_str(),
        difference.empty() ? "the same text\n" : difference.c_str());
    if (arguments.has("--diff")) return exit_pass;
  }
  VersusRequest request = request_for(exercise, other, arguments);
  if (!arguments.json()) {
    std::printf(
        "\nmeasuring %d pairs of runs on %s, yours and %s in turn …\n",
        request.pairs,
        request.device.c_str(),
        other.name.c_str());
    std::fflush(stdout);
  }
  const Versus versus = [&] {
    StatusLine status(!arguments.json(), exercise.id);
    request.told = status.told();
    return face(request);
  }();
  if (arguments.has("--plot")) {
    write_file(arguments.value("--plot"), svg_of(versus, exercise.id, other.name));
  }
  if (arguments.json()) return print_json(exercise, versus, difference);
  print_all(request, versus, other, !only_times);
  if (arguments.has("--plot")) std::printf("wrote %s\n", arguments.value("--plot").c_str());
  if (!arguments.has("--gui")) return exit_pass;
  std::fflush(stdout);
  become({"/proc/self/exe", "gui", request.mine.recording, request.other.recording});
  throw Stop{exit_environment, "can't start the GUI", ""};
}

}  // namespace

extern const Command compare_command{
    .name = "compare",
    .summary = "your program beside the solution: text, output, times as ratios, accesses, graphs",
    .positional = {"NN", "the exercise", 1, 1},
    .options =
        {
            {"--with", "W", "solution (the default), starter, a file, or a version of undo --list"},
            {"--diff", "", "the texts alone"},
            {"--table", "", "times and accesses alone; they don't show the solution"},
            {"--plot", "F", "the times as a picture (SVG)", true},
            {"--gui", "", "open both recordings"},
            {"--peek", "", "before you passed; it is noted in your journal"},
            {"--device", "D", "cpu, cuda, sim, … (default as in check)"},
            {"--flags", "K=V,…", "more HYPATIA_FLAGS, e.g. floatX=float32"},
            {"--pairs", "N", "pairs of runs (default 5; fewer than 3 give no verdict)"},
        },
    .run = run_compare,
};

}  // namespace hypatia::runner
