// `hypatia tour`: every exercise's solution on the CPU and on the best GPU there is, with what it
// prints, its times and a recording.
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/program.h"
#include "exercises/runner/split.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr double stop_seconds = 300;
// Of what a program prints; all of it is in a file.
constexpr std::size_t first_lines = 14, last_lines = 6;
constexpr std::size_t most_rows = 5;  // of the table of nodes

// One solution on one device.
struct Stage {
  const Exercise* exercise = nullptr;
  std::string device, recording;
  std::string printed;  // the file with what the program printed
  Outcome outcome;
  Split split;
};

Stage play(const Exercise& exercise, const std::string& device, bool told) {
  const StatusLine status(told, "running the solution of " + exercise.id + " on " + device);
  Stage stage;
  stage.exercise = &exercise;
  stage.device = device;
  stage.recording = state_folder() + "/tour/" + exercise.id + "." + device + ".hyp";
  std::filesystem::create_directories(state_folder() + "/tour");
  ProgramRequest request;
  request.exercise = &exercise;
  request.solution = true;
  request.device = device;
  request.recording = stage.recording;
  request.limit_seconds = stop_seconds;
  request.capture = true;
  stage.outcome = run_program(request);
  stage.printed = state_folder() + "/tour/" + exercise.id + "." + device + ".txt";
  write_file(stage.printed, stage.outcome.output);
  if (stage.outcome.good()) stage.split = split_of(stage.recording);
  return stage;
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text))
    out += "    " + line + "\n";
  return out;
}

/// The beginning and the end of what a program printed; lines in full.
std::string shortened(const Stage& stage) {
  const std::vector<std::string> lines = lines_of(stage.outcome.output);
  if (lines.size() <= first_lines + last_lines + 1) return stage.outcome.output;
  std::string text;
  for (std::size_t i = 0; i < first_lines; ++i)
    text += lines[i] + "\n";
  text += fmt::format(
      "… {} more lines, in {}\n", lines.size() - first_lines - last_lines, shown(stage.printed));
  return text + tail(stage.outcome.output, last_lines);
}

void print(const Stage& stage) {
  std::printf("  on %s\n%s", stage.device.c_str(), indented(shortened(stage)).c_str());
  if (!stage.outcome.good()) {
    std::printf(
        "    %s %s\n",
        paint(Colour::bad, "stopped:").c_str(),
        diagnose(stage.outcome, stop_seconds).message.c_str());
    return;
  }
  std::printf(
      "%s    recorded in %s\n\n",
      indented(to_text(stage.split, most_rows)).c_str(),
      shown(stage.recording).c_str());
}

nlohmann::json to_json(const Stage& stage) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SplitRow& row : stage.split.rows) {
    rows.push_back(
        {{"node", row.name},
         {"cpu_ms", row.cpu},
         {"gpu_ms", row.gpu},
         {"transfer_ms", row.transfer},
         {"calls", row.calls},
         {"approximate", row.approximate}});
  }
  return {
      {"exercise", stage.exercise->id},
      {"device", stage.device},
      {"exit", exit_code_of(stage.outcome)},
      {"output", stage.outcome.output},
      {"printed", stage.printed},
      {"seconds", stage.outcome.seconds},
      {"recording", stage.recording},
      {"simulated", stage.split.simulated},
      {"nodes", rows}};
}

void print_summary(const std::vector<Stage>& stages) {
  std::vector<std::vector<std::string>> rows{
      {"exercise", "device", "inside calls", "cpu", "gpu", "transfer"}};
  for (const Stage& stage : stages) {
    const SplitRow sum = sum_of(stage.split);
    const std::string mark = stage.split.simulated ? " (simulated)" : "";
    rows.push_back(
        {stage.exercise->id,
         stage.device + mark,
         duration(stage.split.wall * 1e-3),
         duration(sum.cpu * 1e-3),
         duration(sum.gpu * 1e-3),
         duration(sum.transfer * 1e-3)});
  }
  std::printf("%s", table(rows).c_str());
  std::printf(
      "inside calls: from a call of a compiled function to its return, waiting and compiling for "
      "the sizes\n"
      "at hand included. cpu, gpu, transfer: what its nodes took; work of a GPU goes on beside the "
      "host.\n\n");
  if (stages.empty()) return;
  std::printf("  ./hypatia gui %s      draws it\n", shown(stages.back().recording).c_str());
  std::printf("  ./hypatia profile %s --text\n", shown(stages.back().recording).c_str());
  std::printf("  ./hypatia next      starts the course\n");
}

int run_tour(const Arguments& arguments) {
  const std::string gpu = arguments.has("--device") ? arguments.value("--device") : best_gpu();
  require_device(gpu);
  std::vector<Stage> stages;
  nlohmann::json all = nlohmann::json::array();
  int code = exit_pass;
  for (const Exercise& exercise : course()) {
    if (!arguments.json()) {
      std::printf("%s   %s\n", paint(Colour::strong, exercise.id).c_str(), exercise.title.c_str());
    }
    for (const std::string& device : {std::string("cpu"), gpu}) {
      if (!exercise.runs_on(device)) continue;
      stages.push_back(play(exercise, device, !arguments.json()));
      if (code == exit_pass) code = exit_code_of(stages.back().outcome);
      if (!arguments.json()) print(stages.back());
      std::fflush(stdout);
      all.push_back(to_json(stages.back()));
    }
  }
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"stages", all}}.dump(2).c_str());
  } else {
    print_summary(stages);
  }
  return code;
}

}  // namespace

extern const Command tour_command{
    .name = "tour",
    .summary = "every exercise's solution on the CPU and a GPU, timed and recorded",
    .positional = {},
    .options = {{"--device", "D", "the second device; by default cuda, else sim"}},
    .run = run_tour,
};

}  // namespace hypatia::runner
