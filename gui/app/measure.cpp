// Frames are timed by this program's processor time, which a busy machine disturbs least; the peak
// of memory is what the kernel says.

#include "gui/app/measure.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gui/app/base.h"
#include "gui/app/headless.h"

namespace hypatia::gui {

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// A line of /proc/self/status in bytes; 0 where there is no such file.
double status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream rest(line.substr(key.size() + 1));
    double kibibytes = 0;
    rest >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

void measure_frames(Measured& measured, AppState& state, Headless& host) {
  state.settings.view = "timeline";
  host.settle();
  const double length = state.profile()->length();
  for (double span = length; span > 500; span /= 4) {
    state.settings.time_begin = (length - span) / 2;
    state.settings.time_end = (length + span) / 2;
    host.frame();
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const double begin = cpu_seconds();
      host.frame();
      best = std::min(best, cpu_seconds() - begin);
    }
    measured.frames.push_back({span, best});
    measured.slowest_frame = std::max(measured.slowest_frame, best);
  }
}

}  // namespace

Measured measure(const std::string& path) {
  Measured measured;
  std::error_code ignored;
  measured.file_bytes = static_cast<double>(std::filesystem::file_size(path, ignored));
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const double before = status_bytes("VmRSS");
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const double cpu = cpu_seconds();
  AppState state;
  state.open(path);
  state.document()->poll(true);
  measured.open_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  measured.open_cpu_seconds = cpu_seconds() - cpu;
  measured.memory_bytes = status_bytes("VmHWM") - before;
  if (!state.profile()) throw Error(Error::Kind::file, state.document()->error());
  Headless host(state, 1920, 1080);
  measure_frames(measured, state, host);
  return measured;
}

}  // namespace hypatia::gui
