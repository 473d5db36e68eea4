// hypatia-gui-bench: a made-up recording of ten million events, opened and drawn as the GUI does,
// beside the limits that the GUI keeps to.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include "gui/app/measure.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/synthetic.h"

namespace {

using namespace hypatia;

// In a process of its own, so that its memory is not measured.
bool make_recording(const std::string& path, std::size_t events) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      write_recording(synthetic_large(events), path);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/// Prints a figure beside its limit; true if it is kept.
bool held(const char* what, double value, double limit, const char* unit) {
  const bool good = value <= limit;
  std::printf("%-34s %9.3f %-3s limit %g %s\n", what, value, unit, limit, good ? "" : "EXCEEDED");
  return good;
}

int run(const std::string& path, std::size_t events) {
  if (!std::filesystem::exists(path) && !make_recording(path, events)) return 2;
  const gui::Measured measured = gui::measure(path);
  std::printf(
      "%s: %.0f MB, %zu events asked for\n", path.c_str(), measured.file_bytes / 1e6, events);
  for (const gui::FrameTime& frame : measured.frames)
    std::printf("  %14.0f ns visible: %.2f ms\n", frame.visible, frame.seconds * 1e3);
  bool good = held("opened, wall clock", measured.open_seconds, 3, "s");
  std::printf("%-34s %9.3f s\n", "opened, processor time", measured.open_cpu_seconds);
  good &= held(
      "memory at most, of the file's size", measured.memory_bytes / measured.file_bytes, 3, "");
  good &= held("slowest frame of any zoom", measured.slowest_frame * 1e3, 5, "ms");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path = (std::filesystem::temp_directory_path() / "hypatia-10m.hyp").string();
  std::size_t events = 10'000'000;
  CLI::App app("Measures the GUI on a large recording.", "hypatia-gui-bench");
  app.add_option("--file", path, "the recording; made if it is not there")->capture_default_str();
  app.add_option("--events", events, "how many to make")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(path, events);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
