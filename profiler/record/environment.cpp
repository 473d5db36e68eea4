// Reads /proc, the environment and the clocks.

#include "profiler/record/environment.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <unistd.h>

#include "engine/trace/clock.h"

namespace hypatia {

namespace {

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return text;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

int cores_of_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, length};
}

}  // namespace

ClockAnchor anchor_clocks() {
  ClockAnchor best;
  best.bracket = INT64_MAX;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t before = now();
    const std::int64_t real = nanoseconds(CLOCK_REALTIME);
    const std::int64_t after = now();
    if (after - before < best.bracket) {
      best = {before + (after - before) / 2, real, after - before};
    }
  }
  return best;
}

std::int64_t thread_cpu_time() {
  return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

RecordingHeader describe_environment() {
  RecordingHeader header;
  header.suite_version = "0.1.0";
  std::error_code ignored;
  header.program = std::filesystem::read_symlink("/proc/self/exe", ignored).filename().string();
  header.command_line = command_line();
  header.exercise = environment("HYPATIA_EXERCISE");
  header.role = environment("HYPATIA_ROLE");
  header.flags = environment("HYPATIA_FLAGS");
  char host_name[256]{};
  if (gethostname(host_name, sizeof host_name - 1) == 0) header.machine = host_name;
  header.processor = processor();
  header.cores = cores_of_process();
  header.started = time_now();
  header.process = getpid();
  const ClockAnchor anchor = anchor_clocks();
  header.monotonic_anchor = anchor.monotonic;
  header.realtime_anchor = anchor.realtime;
  return header;
}

}  // namespace hypatia
