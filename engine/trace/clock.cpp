#include "engine/trace/clock.h"

#include <ctime>

namespace hypatia {

namespace {

constexpr std::int64_t modelled_reading = 50;

thread_local std::int64_t shift = 0;
thread_local bool modelled = false;
thread_local std::int64_t modelled_time = 0;

std::int64_t monotonic() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

std::int64_t now() {
  if (modelled) return modelled_time += modelled_reading;
  return monotonic() + shift;
}

void set_now(std::int64_t time) {
  if (modelled) {
    modelled_time = time;
  } else {
    shift = time - monotonic();
  }
}

void use_modelled_clock(bool on) {
  modelled = on;
  modelled_time = 0;
}

double seconds() {
  static const std::int64_t start = now();
  return static_cast<double>(now() - start) * 1e-9;
}

}  // namespace hypatia
