// `hypatia why FILE|NN`: which nodes of a recording's or an exercise's functions stay on the CPU,
// and which values are copied, each with its reason.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/program.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"
#include "profiler/record/recording.h"

namespace hypatia::runner {

namespace {

const char* word_of(Side side) {
  return side == Side::cpu ? "cpu" : side == Side::gpu ? "gpu" : "transfer";
}

std::string recorded(const Arguments& arguments) {
  if (const std::string& word = arguments.words.at(0); word.ends_with(".hyp")) return word;
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  ProgramRequest request;
  request.exercise = &exercise;
  request.solution = arguments.has("--solution");
  request.device = arguments.value("--device", "sim");
  request.flags = arguments.value("--flags");
  require_device(request.device);
  request.recording = state_folder() + "/" + exercise.id + ".why.hyp";
  request.capture = true;
  const Outcome outcome = [&] {
    const StatusLine status(!arguments.json(), "running " + exercise.id);
    return run_program(request);
  }();
  if (!outcome.good())
    throw Stop{exit_code_of(outcome), exercise.id + " did not run to its end", outcome.output};
  return request.recording;
}

nlohmann::json json_of(const Recording& recording) {
  nlohmann::json functions = nlohmann::json::array();
  for (const FunctionRecord& function : recording.functions()) {
    nlohmann::json nodes = nlohmann::json::array();
    for (const NodeRecord& node : function.nodes) {
      nodes.push_back({{"node", node.name}, {"side", word_of(node.side)}, {"reason", node.reason}});
    }
    functions.push_back({{"name", function.name}, {"device", function.device}, {"nodes", nodes}});
  }
  return {{"schema", 1}, {"functions", functions}};
}

/// Long names of fused nodes are cut, so that the reasons fit a terminal of 100 columns.
std::string short_name(const NodeRecord& node) {
  constexpr std::size_t most = 36;
  return node.name.size() <= most ? node.name : node.name.substr(0, most - 3) + "...";
}

void print(const FunctionRecord& function) {
  if (function.nodes.empty()) return;  // it hands its inputs on
  std::printf("%s on %s\n", function.name.c_str(), function.device.c_str());
  std::vector<std::vector<std::string>> rows{{"node", "runs", "why"}};
  int on_gpu = 0;
  for (const NodeRecord& node : function.nodes) {
    if (node.side == Side::gpu) {
      ++on_gpu;
    } else {
      rows.push_back(
          {short_name(node), word_of(node.side), node.reason.empty() ? "-" : node.reason});
    }
  }
  std::printf("%d of %zu nodes run on the GPU\n", on_gpu, function.nodes.size());
  if (rows.size() > 1) std::printf("%s", table(rows).c_str());
  std::printf("\n");
}

int run_why(const Arguments& arguments) {
  const std::string file = recorded(arguments);
  const auto recording = Recording::open(file);
  if (arguments.json()) {
    std::printf("%s\n", json_of(*recording).dump(2).c_str());
    return exit_pass;
  }
  for (const FunctionRecord& function : recording->functions())
    print(function);
  return exit_pass;
}

}  // namespace

extern const Command why_command{
    .name = "why",
    .summary = "which nodes stay on the CPU, which values are copied, and why",
    .positional = {"NN", "the exercise: 01, or exp_test; or a recording (.hyp)", 1, 1},
    .options =
        {
            {"--solution", "", "the provided solution instead of your file"},
            {"--device", "D", "the GPU to ask about; by default sim"},
            {"--flags", "K=V,…", "more HYPATIA_FLAGS, e.g. floatX=float32"},
        },
    .run = run_why,
};

}  // namespace hypatia::runner
