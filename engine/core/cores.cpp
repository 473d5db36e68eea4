// Asks the processor and the system what there is to compute with.
#include "engine/core/cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "engine/core/config.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

/// The value of the first line "key : value" in /proc/cpuinfo, or "".
std::string cpuinfo(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (line.compare(0, key.size(), key) != 0 || colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

/// Cores' worth of time that the control group grants, or a large number.
double quota() {
  std::ifstream in("/sys/fs/cgroup/cpu.max");
  std::string most;
  double period = 0;
  if (!(in >> most >> period) || most == "max" || period <= 0) return 1e9;
  return std::atof(most.c_str()) / period;
}

std::int64_t configured(int name) {
  const long value = sysconf(name);
  return value > 0 ? value : 0;
}

}  // namespace

int usable_cores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) cores = CPU_COUNT(&mask);
  const double granted = std::ceil(quota());
  return std::max(1, granted < cores ? static_cast<int>(granted) : cores);
}

int working_threads() {
  const int wanted = config().threads();
  if (wanted < 0 || wanted > 1024) {
    throw Error(
        Error::Kind::config,
        "threads must be 0 (one a core) to 1024, not " + std::to_string(wanted));
  }
  return wanted ? wanted : usable_cores();
}

std::string cpu_model() {
  const std::string model = cpuinfo("model name");
  return model.empty() ? "unknown processor" : model;
}

std::string cpu_identity() {
#if defined(__x86_64__)
  // Asking the processor takes a microsecond; reading /proc/cpuinfo takes one a line and core.
  std::string text = "x86-64";
  for (const unsigned leaf : {0x0U, 0x1U, 0x7U, 0x80000001U, 0x80000002U, 0x80000003U}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, 0, &a, &b, &c, &d);
    if (leaf == 1) b = 0;  // it holds the number of the core that we happen to run on
    for (const unsigned word : {a, b, c, d})
      text += ' ' + std::to_string(word);
  }
  return text;
#else
  return cpu_model() + ' ' + cpuinfo("Features") + ' ' + cpuinfo("CPU part");
#endif
}

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

std::int64_t last_cache_bytes() {
  return std::max(configured(_SC_LEVEL3_CACHE_SIZE), configured(_SC_LEVEL2_CACHE_SIZE));
}

std::int64_t core_cache_bytes() {
  return configured(_SC_LEVEL2_CACHE_SIZE);
}

std::int64_t memory_bytes() {
  return configured(_SC_PHYS_PAGES) * configured(_SC_PAGESIZE);
}

std::int64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace hypatia
