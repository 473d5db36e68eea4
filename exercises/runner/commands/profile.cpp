// `hypatia profile FILE|NN`: a recording as a report; for an exercise, its run is recorded first.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/exports.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/program.h"
#include "exercises/runner/split.h"
#include "exercises/runner/status_line.h"
#include "profiler/record/recording.h"
#include "profiler/report/text.h"

namespace hypatia::runner {

namespace {

// A word that is no file names an exercise: its program is run and recorded.
std::string recording_for(const Arguments& arguments) {
  const std::string& word = arguments.words.at(0);
  if (std::filesystem::exists(word)) return word;
  const bool number =
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number)
    throw Stop{
        exit_usage, "there is no file " + word, "record one: hypatia run 01 --profile " + word};
  const Exercise& exercise = find_exercise(word);
  const std::string device = arguments.value("--device");
  require_device(device);
  ProgramRequest request;
  request.exercise = &exercise;
  request.solution = arguments.has("--solution");
  request.device = device;
  request.recording = state_folder() + "/" + exercise.id + ".hyp";
  request.capture = true;
  const Outcome outcome = [&] {
    const StatusLine status(!arguments.json(), "running " + exercise.id);
    return run_program(request);
  }();
  if (!outcome.good())
    throw Stop{exit_code_of(outcome), exercise.id + " did not run to its end", outcome.output};
  return request.recording;
}

nlohmann::json json_of(const std::string& file) {
  const Split split = split_of(file);
  nlohmann::json rows = nlohmann::json::array();
  for (const SplitRow& row : split.rows) {
    rows.push_back(
        {{"node", row.name},
         {"cpu_ms", row.cpu},
         {"gpu_ms", row.gpu},
         {"transfer_ms", row.transfer},
         {"calls", row.calls},
         {"approximate", row.approximate}});
  }
  return {
      {"schema", 1},
      {"recording", file},
      {"device", split.device},
      {"simulated", split.simulated},
      {"calls_ms", split.wall},
      {"nodes", rows},
      {"messages", split.messages}};
}

int run_profile(const Arguments& arguments) {
  const std::string file = recording_for(arguments);
  if (run_exports(arguments, file)) return exit_pass;
  if (arguments.json()) {
    std::printf("%s\n", json_of(file).dump(2).c_str());
    return exit_pass;
  }
  std::printf("%s", text_report(*Recording::open(file)).c_str());
  return exit_pass;
}

}  // namespace

extern const Command profile_command{
    .name = "profile",
    .summary = "a recording as a report (or of an exercise, recorded now)",
    .positional = {"FILE|NN", "a .hyp file, or an exercise", 1, 1},
    .options =
        {
            {"--text", "", "Theano's sections and columns (the default)"},
            {"--csv", "F", "a line a node", true},
            {"--report", "F", "all that was found out, as JSON", true},
            {"--trace", "F", "a trace for ui.perfetto.dev or chrome://tracing", true},
            {"--svg", "F", "the graph of the longest function, coloured by time", true},
            {"--dot", "F", "the same for Graphviz", true},
            {"--html", "F", "a page for any browser", true},
            {"--compare", "FILE", "what changed from this recording to that one"},
            {"--merge", "FILE", "both recordings as one, in --out"},
            {"--trim", "A-B", "the calls A to B, in --out"},
            {"--migrate", "", "the newest format, in --out"},
            {"--out", "F", "the recording that --merge, --trim or --migrate makes", true},
            {"--device", "D", "for an exercise: where to run it"},
            {"--solution", "", "for an exercise: the provided solution"},
        },
    .run = run_profile,
};

}  // namespace hypatia::runner
