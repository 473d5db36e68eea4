// Calls ninja for single targets and picks the compiler's messages out of its output.
#include "exercises/runner/build.h"

#include <fcntl.h>
#include <filesystem>
#include <regex>
#include <sys/file.h>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The launcher holds the same lock while it builds, so two ninjas never share a folder.
class BuildLock {
 public:
  BuildLock()
      : file_(::open((build_folder() + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ >= 0) ::flock(file_, LOCK_EX);
  }

  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

  ~BuildLock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  int file_;
};

Built only_look(const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    if (program(target).empty()) {
      throw Stop{
          exit_unsupported,
          "the program " + target + " is not in " + build_folder() + "/bin",
          "it was not built before the folder was carried here; without --no-setup it is built "
          "now"};
    }
  }
  Built built;
  built.ok = true;
  return built;
}

}  // namespace

std::string to_text(const Complaint& complaint) {
  if (complaint.line <= 0) return complaint.text;
  return complaint.file + ":" + std::to_string(complaint.line) + " " + complaint.text;
}

std::vector<Complaint> complaints_of(const std::string& log) {
  static const std::regex message(
      R"(^(/?[^:\s][^:]*):(\d+):(?:\d+:)? (fatal error|error|warning): (.*)$)");
  static const std::regex unresolved(R"(undefined (?:reference to|symbol:) (.*)$)");
  std::vector<Complaint> errors, warnings;
  for (const std::string& line : lines_of(log)) {
    std::smatch part;
    if (line.size() > 2000) continue;  // generated noise; the matcher recurses per character
    if (std::regex_match(line, part, message)) {
      const bool error = part[3] != "warning";
      std::string file = part[1];
      if (file[0] != '/') file = build_folder() + "/" + file;
      file = shown(std::filesystem::path(file).lexically_normal().string());
      (error ? errors : warnings).push_back({file, std::stoi(part[2]), part[4], error});
    } else if (std::regex_search(line, part, unresolved)) {
      errors.push_back(
          {"",
           0,
           "the linker did not find " + part[1].str() +
               ": is it in your file, with that name and those types?",
           true});
    }
  }
  errors.insert(errors.end(), warnings.begin(), warnings.end());
  return errors;
}

Built build(const std::vector<std::string>& targets, double limit_seconds) {
  if (no_setup()) return only_look(targets);
  if (!std::filesystem::exists(build_folder() + "/build.ninja")) {
    throw Stop{
        exit_environment,
        "there is no build in " + build_folder(),
        "start the launcher ./hypatia at the root of the checkout: it configures and builds"};
  }
  if (::access(build_folder().c_str(), W_OK) != 0) {
    throw Stop{
        exit_environment,
        "you may not write to the build folder " + build_folder() +
            ", and what is run is built there",
        "work in a checkout of your own, or name a folder of yours in HYPATIA_BUILD"};
  }
  const BuildLock lock;
  Task task;
  task.words = {"ninja", "-C", build_folder()};
  task.words.insert(task.words.end(), targets.begin(), targets.end());
  task.limit_seconds = limit_seconds;
  const Outcome outcome = run(task);
  if (!outcome.started) throw Stop{exit_environment, "ninja is missing", "start ./hypatia again"};
  Built built;
  built.ok = outcome.good();
  built.timed_out = outcome.timed_out;
  built.seconds = outcome.seconds;
  built.log = outcome.output;
  if (!built.ok || outcome.output.find("warning:") != std::string::npos) {
    built.complaints = complaints_of(outcome.output);
  }
  return built;
}

}  // namespace hypatia::runner
