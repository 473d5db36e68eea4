// Registers the profiler with the engine, and closes recordings at the program's end. A program
// that asks for a profile by a flag has no other place that could say what went wrong, so this is
// the one file of the profiler that writes to standard error.

#include "profiler/record/profiled_functions.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "engine/core/config.h"
#include "engine/core/error.h"

#include "profiler/record/environment.h"

namespace hypatia {

namespace {

struct Recorders {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Recorder>> by_path;  // null: could not be written
  FinishedRecording action = nullptr;
  bool exit_registered = false;
};

// Never destroyed: functions of static lifetime may report after main.
Recorders& recorders() {
  static Recorders& instance = *new Recorders;
  return instance;
}

/// HYPATIA_PROFILE_FILE, the flag profiling.destination where it names a recording, or a name made
/// of the program's.
std::string default_path() {
  const std::string destination = config().get("profiling.destination");
  if (destination.ends_with(".hyp")) return destination;
  if (const char* file = std::getenv("HYPATIA_PROFILE_FILE"); file && *file) return file;
  return describe_environment().program + ".hyp";
}

std::shared_ptr<Recorder> make_recorder(const std::string& path) {
  try {
    RecorderOptions options;
    options.split = config().profile_split();
    options.ignore_first_calls = config().boolean("profiling.ignore_first_call");
    return std::make_shared<Recorder>(path, options);
  } catch (const Error& error) {
    std::fprintf(stderr, "No profile is written: %s\n", error.what());
    return nullptr;
  }
}

std::shared_ptr<Observer> observer_for(const ProfileRequest& request) {
  return recorder_for(request.destination);
}

struct Registration {
  Registration() { set_observer_factory(observer_for); }
};

const Registration registration;

}  // namespace

std::shared_ptr<Recorder> recorder_for(const std::string& destination) {
  const std::string path = destination.empty() ? default_path() : destination;
  Recorders& all = recorders();
  const std::scoped_lock lock(all.mutex);
  if (!all.exit_registered) {
    std::atexit(finish_recordings);
    all.exit_registered = true;
  }
  if (const auto found = all.by_path.find(path); found != all.by_path.end()) return found->second;
  return all.by_path[path] = make_recorder(path);
}

std::shared_ptr<Recorder> open_recorder(const std::string& destination) {
  const std::string path = destination.empty() ? default_path() : destination;
  const std::scoped_lock lock(recorders().mutex);
  const auto found = recorders().by_path.find(path);
  return found == recorders().by_path.end() ? nullptr : found->second;
}

void when_finished(FinishedRecording action) {
  const std::scoped_lock lock(recorders().mutex);
  recorders().action = action;
}

void finish_recordings() {
  Recorders& all = recorders();
  std::map<std::string, std::shared_ptr<Recorder>> open;
  FinishedRecording action = nullptr;
  {
    const std::scoped_lock lock(all.mutex);
    open.swap(all.by_path);
    action = all.action;
  }
  for (const auto& [path, recorder] : open) {
    if (!recorder) continue;
    recorder->finish();
    for (const std::string& message : recorder->messages()) {
      std::fprintf(stderr, "profile %s: %s\n", path.c_str(), message.c_str());
    }
    if (action) action(path);
  }
}

}  // namespace hypatia
