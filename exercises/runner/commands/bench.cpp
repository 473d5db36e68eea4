// `hypatia bench`: becomes the program of the benchmarks; with --calibrate, records every
// exercise's solution on the GPU and on the simulated card and compares the two.
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/calibration.h"
#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/program.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr double bench_seconds = 300;
constexpr double most_error = 0.25;

/// The solution's recording on a device; null, and why in `missing`, if there is none.
std::shared_ptr<const Recording> record(
    const Exercise& exercise,
    const std::string& device,
    const std::string& name,
    std::vector<std::string>& missing) {
  const std::string folder = state_folder() + "/calibration";
  std::filesystem::create_directories(folder);
  ProgramRequest request;
  request.exercise = &exercise;
  request.solution = true;
  request.device = device;
  request.flags = "dnn.enabled=False";  // the simulated card has no cuDNN to compare with
  request.recording = folder + "/" + exercise.id + "." + name + ".hyp";
  request.limit_seconds = bench_seconds;
  request.capture = true;
  std::filesystem::remove(request.recording);
  const Outcome outcome = run_program(request);
  const bool there = std::filesystem::exists(request.recording);
  if (outcome.good() && there) return Recording::open(request.recording);
  missing.push_back(
      exercise.id + " on " + device + ": " +
      (outcome.good() ? "nothing was recorded" : diagnose(outcome, bench_seconds).message));
  return nullptr;
}

struct Comparison {
  std::string gpu, card;
  std::vector<CalibratedWork> works;
  std::vector<std::string> alone, wrong;
};

void print(const Comparison& all) {
  std::vector<std::vector<std::string>> rows{
      {"exercise", "function", "step", "calls", "modelled us", "measured us", "error %"}};
  for (const CalibratedWork& work : all.works) {
    rows.push_back(
        {work.exercise.substr(0, 2),
         work.function.substr(0, 18),
         fmt::format("{:.22} ({})", work.step, work.kind),
         std::to_string(work.calls),
         fmt::format("{:.2f}", work.modelled * 1e6),
         fmt::format("{:.2f}", work.measured * 1e6),
         fmt::format("{:.0f}", 100 * work.error())});
  }
  std::printf("%s modelled by the sheet %s\n\n", all.gpu.c_str(), all.card.c_str());
  std::printf("%s\n", table(rows).c_str());
  for (const std::string& text : all.alone)
    std::printf("not paired: %s\n", text.c_str());
  std::printf(
      "median error %.0f %% of %zu kernels and copies (at most %.0f)\n",
      100 * median_error(all.works),
      all.works.size(),
      100 * most_error);
  for (const std::string& text : all.wrong)
    std::printf("ranked the other way: %s\n", text.c_str());
  if (all.wrong.empty()) std::printf("every exercise's functions are ranked as measured\n");
}

void print_json(const Comparison& all) {
  nlohmann::json works = nlohmann::json::array();
  for (const CalibratedWork& work : all.works) {
    works.push_back({
        {"exercise", work.exercise},
        {"function", work.function},
        {"step", work.step},
        {"shapes", work.shapes},
        {"kind", work.kind},
        {"calls", work.calls},
        {"modelled_us", work.modelled * 1e6},
        {"measured_us", work.measured * 1e6},
        {"error", work.error()},
    });
  }
  const nlohmann::json document{
      {"schema", 1},
      {"gpu", all.gpu},
      {"card", all.card},
      {"median_error", median_error(all.works)},
      {"works", works},
      {"not_paired", all.alone},
      {"ranked_the_other_way", all.wrong},
  };
  std::printf("%s\n", document.dump(2).c_str());
}

int run_calibration(const Arguments& arguments) {
  const std::string device = arguments.value("--device", "cuda");
  const std::string card = arguments.value("--card", "h100-sxm");
  const DeviceFinding gpu = look_at_device(device);
  if (!gpu.usable || gpu.simulated || device == "cpu") {
    const std::string why = gpu.usable ? device + " is no GPU" : gpu.reason;
    throw Stop{
        exit_unsupported,
        "a calibration compares the simulated card with a real GPU: " + why,
        "run it on a machine with an NVIDIA GPU: ./hypatia bench --calibrate --device cuda"};
  }
  require_device("sim:" + card);
  Comparison all{gpu.model, card, {}, {}, {}};
  for (const Exercise& exercise : course()) {
    if (!exercise.runs_on("cuda") || !exercise.runs_on("sim")) continue;
    const auto modelled = record(exercise, "sim:" + card, "sim", all.alone);
    const auto measured = record(exercise, device, "cuda", all.alone);
    if (!modelled || !measured) continue;
    for (const CalibratedWork& work : calibrate(exercise.id, *modelled, *measured, all.alone))
      all.works.push_back(work);
  }
  all.wrong = wrong_rankings(all.works);
  arguments.json() ? print_json(all) : print(all);
  const bool good =
      !all.works.empty() && median_error(all.works) <= most_error && all.wrong.empty();
  return good ? exit_pass : exit_not_yet;
}

int run_bench(const Arguments& arguments) {
  if (arguments.has("--calibrate")) return run_calibration(arguments);
  const bool gui = arguments.has("--gui");
  const std::string path = program(gui ? "hypatia-gui-bench" : "hypatia-bench");
  if (path.empty() && gui)
    throw Stop{exit_unsupported, "the GUI was not built", "./hypatia doctor names what it needs"};
  if (path.empty()) {
    throw Stop{
        exit_unsupported,
        "the benchmarks were not built: libbenchmark-dev is missing",
        "as root: apt-get install libbenchmark-dev; then start ./hypatia again"};
  }
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  if (arguments.has("--rounds")) words.push_back("--rounds=" + arguments.value("--rounds", ""));
  if (arguments.json()) words.emplace_back("--json");
  words.insert(words.end(), arguments.rest.begin(), arguments.rest.end());
  become(words);
  throw Stop{exit_environment, "can't start " + path, ""};
}

}  // namespace

extern const Command bench_command{
    .name = "bench",
    .summary = "benchmarks beside their hand-written limits; what follows -- goes to them",
    .positional = {"PART", "only jobs whose names have this part, such as exp/", 0, 1},
    .options =
        {
            {"--rounds", "N", "interleaved rounds of each job (9)"},
            {"--gui", "", "the GUI on a recording of ten million events"},
            {"--calibrate", "", "compare the simulated card with a GPU, kernel by kernel"},
            {"--device", "D", "the GPU to calibrate with (cuda)"},
            {"--card", "NAME", "the simulated card (h100-sxm)"},
        },
    .run = run_bench,
};

}  // namespace hypatia::runner
