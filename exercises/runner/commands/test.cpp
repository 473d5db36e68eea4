// `hypatia test`: every test program, the exercises' own proofs, and with --all the sanitizers, the
// linter and the mutants. One summary; the last line counts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <thread>

#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/suite.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr double program_seconds = 1500;
constexpr const char* parts[] = {"architecture", "engine", "profiler", "gui", "runner", "bench"};

// Programs, ops, gradients and loops: what functions compute, wherever they run.
constexpr const char* any_device =
    "Function*:NumPy*:DebugMode*:RandomStreams*:*Grad*:*Ops*:Conv*:Pool*:Linalg*:Nnet*:Sort*:"
    "ArgMax*:Running*:SearchSorted*:Reshape*:Special*:*Subtensor*:Gather*:Split*:*Jacobian*:"
    "*Scan*:*Logistic*:VerifyGrad*:ArrayC*:DataSizes*:RandomPrograms*-*DeathTest*:LogisticGraph*";

int cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// A program's tests in as many processes as there are cores: they start in a few milliseconds.
void add_program(
    std::vector<Job>& jobs,
    const std::string& part,
    const std::string& path,
    const Arguments& arguments,
    const std::vector<std::pair<std::string, std::string>>& more) {
  const int shards = part == "gui" ? 1 : cores();
  for (int shard = 0; shard < shards; ++shard) {
    Job job;
    job.part = part;
    job.task.words = {path};
    if (arguments.has("--filter")) {
      job.task.words.push_back("--gtest_filter=" + arguments.value("--filter"));
    }
    job.task.environment = more;
    job.task.environment.emplace_back("GTEST_TOTAL_SHARDS", std::to_string(shards));
    job.task.environment.emplace_back("GTEST_SHARD_INDEX", std::to_string(shard));
    job.task.environment.emplace_back("HYPATIA_ROOT", root());
    job.task.limit_seconds = program_seconds;
    job.task.most_output = std::size_t{64} << 20;
    jobs.push_back(job);
  }
}

// The exercises' own proofs, and the book's pages; with `all` also wrong answers of every kind.
void add_course(std::vector<Job>& jobs, bool all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> verbs{
      {"exercises", {"check"}}, {"book", {"book", "--check"}}};
  if (all) {
    verbs[0].second.emplace_back("--mutants");
    verbs.push_back({"mutants", {"mutate", "--sample", "6"}});
  }
  for (const auto& [part, words] : verbs) {
    Job job;
    job.part = part;
    job.task.words = {"/proc/self/exe", "dev"};
    job.task.words.insert(job.task.words.end(), words.begin(), words.end());
    job.task.limit_seconds = program_seconds;
    job.google_test = false;
    jobs.push_back(job);
  }
}

std::vector<Job> plain_jobs(const Arguments& arguments) {
  std::vector<Job> jobs;
  const std::string device = arguments.value("--device");
  std::vector<std::pair<std::string, std::string>> more{{"HYPATIA_BUILD", build_folder()}};
  if (!device.empty()) more.emplace_back("HYPATIA_TEST_DEVICE", device);
  for (const char* part : parts) {
    const std::string path = program(std::string(part) + "_tests");
    if (!path.empty()) add_program(jobs, part, path, arguments, more);
  }
  // The engine's tests that no device owns hold on the simulated GPU, too, and on the device asked
  // for.
  const std::string engine = program("engine_tests");
  std::set<std::string> gpus{"sim"};
  if (!device.empty() && device != "cpu") gpus.insert(device);
  if (engine.empty() || arguments.has("--filter")) gpus.clear();
  for (const std::string& gpu : gpus) {
    auto flags = more;
    flags.emplace_back("HYPATIA_FLAGS", "device=" + gpu + ",print_active_device=False");
    flags.emplace_back("GTEST_FILTER", any_device);
    add_program(jobs, "engine on " + gpu, engine, arguments, flags);
  }
  if (jobs.empty()) {
    throw Stop{
        exit_environment,
        "no test program was built in " + build_folder(),
        "libgtest-dev is missing, or the build was configured with HYPATIA_TESTS=OFF"};
  }
  if (!arguments.has("--filter") && !no_setup()) add_course(jobs, arguments.has("--all"));
  return jobs;
}

// A sanitizer, and the parts whose tests run under it: threads are the engine's and the profiler's.
struct Sanitized {
  std::string preset;
  std::vector<std::string> parts;
};

// Only parts whose tests were built here: the GUI's need its packages.
std::vector<Sanitized> sanitized_builds() {
  std::vector<Sanitized> builds{
      {"asan", {"engine", "profiler", "gui", "runner"}}, {"tsan", {"engine", "profiler"}}};
  for (Sanitized& sanitized : builds)
    std::erase_if(
        sanitized.parts, [](const std::string& part) { return program(part + "_tests").empty(); });
  return builds;
}

// Configures a preset and builds what its tests need, with ninja's progress passing through.
bool build_preset(const Sanitized& sanitized) {
  const std::string& preset = sanitized.preset;
  Task configure;
  configure.words = {"cmake", "--preset", preset};
  configure.folder = root();
  const Outcome configured = run(configure);
  if (!configured.good()) {
    std::printf("%s", configured.output.c_str());
    return false;
  }
  Task make;
  make.words = {"ninja", "-C", root() + "/build/" + preset};
  for (const std::string& part : sanitized.parts)
    make.words.push_back(part + "_tests");
  make.environment = {{"NINJA_STATUS", preset + " [%f/%t, %es] "}};
  make.capture = false;
  return run(make).good();
}

void add_sanitized(
    std::vector<Job>& jobs, const Sanitized& sanitized, Sums& broken, const Arguments& arguments) {
  const std::string& preset = sanitized.preset;
  if (!build_preset(sanitized)) {
    broken.failed.push_back({preset + ": build", "the build failed, see above\n"});
    return;
  }
  for (const std::string& part : sanitized.parts) {
    const std::string path = root() + "/build/" + preset + "/bin/" + part + "_tests";
    std::vector<Job> some;
    // The leak checker falls over the thread-local data of libraries that are loaded at run time.
    const std::string leaks =
        "print_suppressions=0:use_tls=0:suppressions=" + root() + "/tests/leaks.txt";
    add_program(
        some,
        part,
        path,
        arguments,
        {{"HYPATIA_BUILD", root() + "/build/" + preset}, {"LSAN_OPTIONS", leaks}});
    for (Job& job : some) {
      job.part = preset + " " + part;
      jobs.push_back(job);
    }
  }
}

// clang-tidy's front end can't read the compiler's precompiled headers: commands without them go
// to a folder of their own.
nlohmann::json commands_without_precompiled(const std::string& folder) {
  static const std::regex precompiled(" -Winvalid-pch| -include [^ ]*cmake_pch[^ ]*");
  nlohmann::json commands =
      nlohmann::json::parse(read_file(build_folder() + "/compile_commands.json"));
  for (nlohmann::json& entry : commands) {
    entry["command"] = std::regex_replace(entry.at("command").get<std::string>(), precompiled, "");
  }
  write_file(folder + "/compile_commands.json", commands.dump());
  return commands;
}

// The name of what a command compiles: a source file of ours, or a bundle of them; else empty.
// Tests are not linted.
std::string tidy_name(const std::string& file) {
  static const std::regex bundle(".*_tests\\.dir/.*|.*/Unity/unity_(.*)_cxx\\.cxx");
  std::smatch match;
  if (std::regex_match(file, match, bundle))
    return match[1].matched ? "bundle " + match[1].str() : "";
  const std::string path = fs::path(file).lexically_relative(root()).string();
  for (const char* folder :
       {"engine/", "profiler/", "gui/", "exercises/runner/", "exercises/support/", "solutions/"})
    if (path.rfind(folder, 0) == 0) return path;
  return "";
}

// One test a source file or bundle: clang-tidy with the repository's list. What a header says is
// read once for a whole bundle.
void add_tidy(std::vector<Job>& jobs) {
  const std::string folder = build_folder() + "/tidy";
  const nlohmann::json commands = commands_without_precompiled(folder);
  std::map<std::string, bool> seen;
  for (const nlohmann::json& entry : commands) {
    const std::string file = entry.at("file");
    const std::string name = tidy_name(file);
    if (name.empty() || seen[file]) continue;
    seen[file] = true;
    Job job;
    job.part = "tidy " + name;
    job.task.words = {
        "clang-tidy-16",
        "--quiet",
        "-p",
        folder,
        "--extra-arg=-Wno-unknown-warning-option",
        file,
    };
    job.task.limit_seconds = 300;
    job.google_test = false;
    jobs.push_back(job);
  }
}

void print_summary(
    const std::vector<Job>& jobs,
    const std::vector<Sums>& results,
    const Sums& all,
    double seconds) {
  std::map<std::string, Sums> by_part;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    by_part[jobs[i].part.rfind("tidy", 0) == 0 ? "tidy" : jobs[i].part].add(results[i]);
  std::vector<std::vector<std::string>> rows{{"part", "passed", "failed", "skipped", "cpu time"}};
  for (const auto& [part, sums] : by_part) {
    rows.push_back(
        {part,
         std::to_string(sums.passed),
         std::to_string(sums.failed.size()),
         std::to_string(sums.skipped.size()),
         duration(sums.seconds)});
  }
  std::map<std::string, int> reasons;
  for (const Remark& skip : all.skipped) {
    const std::vector<std::string> lines = lines_of(skip.text);
    ++reasons[lines.empty() ? "no reason given" : lines.back()];
  }
  std::printf("\n%s", table(rows).c_str());
  for (const auto& [reason, count] : reasons)
    std::printf("%d skipped: %s\n", count, reason.c_str());
  for (const Remark& failure : all.failed)
    std::printf("%s %s\n", paint(Colour::bad, "failed:").c_str(), failure.test.c_str());
  std::printf("in %s on %d cores\n", duration(seconds).c_str(), cores());
  std::printf("%d passed, %zu failed\n", all.passed, all.failed.size());
}

int report(
    const Arguments& arguments,
    const std::vector<Job>& jobs,
    const std::vector<Sums>& results,
    const Sums& all,
    double seconds) {
  const int code = all.failed.empty() ? exit_pass : exit_not_yet;
  if (!arguments.json()) {
    print_summary(jobs, results, all, seconds);
    return code;
  }
  nlohmann::json failed = nlohmann::json::array(), skipped = nlohmann::json::array();
  for (const Remark& remark : all.failed)
    failed.push_back({{"test", remark.test}, {"text", remark.text}});
  for (const Remark& remark : all.skipped)
    skipped.push_back({{"test", remark.test}, {"reason", remark.text}});
  const nlohmann::json document{
      {"schema", 1},
      {"passed", all.passed},
      {"failed", failed},
      {"skipped", skipped},
      {"seconds", seconds},
  };
  std::printf(
      "%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return code;
}

int run_test(const Arguments& arguments) {
  require_device(arguments.value("--device"));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Job> jobs = plain_jobs(arguments);
  Sums all;
  if (arguments.has("--all")) {
    if (no_setup()) throw Stop{exit_usage, "--all builds, so it can't run with --no-setup", ""};
    for (const Sanitized& sanitized : sanitized_builds())
      add_sanitized(jobs, sanitized, all, arguments);
    add_tidy(jobs);
  }
  const std::vector<Sums> results = run_jobs(jobs, cores());
  for (const Sums& sums : results)
    all.add(sums);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report(arguments, jobs, results, all, seconds);
}

}  // namespace

extern const Command test_command{
    .name = "test",
    .summary = "the suite's own tests",
    .positional = {},
    .options =
        {
            {"--all", "", "also sanitizers, the linter and the exercises' mutants"},
            {"--device", "D", "also the tests that need that device"},
            {"--filter", "PATTERN", "only tests whose Suite.Name matches"},
        },
    .run = run_test,
};

}  // namespace hypatia::runner
