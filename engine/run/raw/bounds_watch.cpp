#include "engine/run/raw/bounds_watch.h"

#include <algorithm>

namespace hypatia::cuda {

namespace {

thread_local BoundsWatch* innermost = nullptr;

bool changed(const std::uint8_t* from, std::int64_t size) {
  return std::any_of(
      from, from + size, [](std::uint8_t byte) { return byte != BoundsWatch::pattern; });
}

}  // namespace

BoundsWatch::BoundsWatch() : outer_(innermost) {
  innermost = this;
}

BoundsWatch::~BoundsWatch() {
  innermost = outer_;
}

BoundsWatch* BoundsWatch::current() {
  return innermost;
}

void BoundsWatch::look(
    WrittenBeside where, DType dtype, const std::uint8_t* before, const std::uint8_t* after) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  const std::int64_t places = static_cast<std::int64_t>(margin) / size;
  const auto note = [&](std::int64_t index) {
    if (where.count++ == 0) where.first = index;
  };
  // The margin is a multiple of every dtype's size, so that its last element ends at the array.
  for (std::int64_t i = 0; i < places; ++i) {
    if (changed(before + i * size, size)) note(i - places);
  }
  for (std::int64_t i = 0; i < places; ++i) {
    if (changed(after + i * size, size)) note(where.elements + i);
  }
  if (where.count > 0) found_.push_back(std::move(where));
}

}  // namespace hypatia::cuda
