#include "profiler/analyze/parts.h"

namespace hypatia {

const char* name(Part part) {
  static constexpr std::array<const char*, part_count> names{
      "host", "launch", "copy in", "copy out", "copy on", "kernel", "queue", "sync", "compile"};
  return names[static_cast<std::size_t>(part)];
}

const char* name(Wall wall) {
  static constexpr std::array<const char*, wall_count> names{
      "kernel", "transfer", "sync", "launch", "compile", "host", "call", "outside"};
  return names[static_cast<std::size_t>(wall)];
}

void Parts::add(const Parts& other, double share) {
  for (std::size_t i = 0; i < part_count; ++i)
    nanoseconds[i] += other.nanoseconds[i] * share;
}

double Parts::side(Side side) const {
  switch (side) {
    case Side::cpu:
      return cpu();
    case Side::gpu:
      return gpu();
    case Side::transfer:
      return transfer();
  }
  return 0;
}

void WallTimes::add(const WallTimes& other, double share) {
  for (std::size_t i = 0; i < wall_count; ++i)
    nanoseconds[i] += other.nanoseconds[i] * share;
}

double WallTimes::total() const {
  double sum = 0;
  for (const double time : nanoseconds)
    sum += time;
  return sum;
}

Wall wall_of(EventKind kind) {
  switch (kind) {
    case EventKind::kernel:
    case EventKind::copy_on:
    case EventKind::fill:
      return Wall::kernel;
    case EventKind::copy_in:
    case EventKind::copy_out:
      return Wall::transfer;
    case EventKind::sync:
      return Wall::sync;
    case EventKind::launch:
      return Wall::launch;
    case EventKind::compile:
    case EventKind::pass:
      return Wall::compile;
    case EventKind::step:
    case EventKind::allocate:
    case EventKind::release:
      return Wall::own;
    case EventKind::call:
      return Wall::call;
    case EventKind::overhead:
    case EventKind::user:
      break;
  }
  return Wall::outside;
}

}  // namespace hypatia
