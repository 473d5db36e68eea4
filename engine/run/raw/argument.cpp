#include "engine/run/raw/argument.h"

namespace hypatia::cuda {

Sizes::Sizes(std::initializer_list<std::int64_t> sizes, Origin origin) : at(origin) {
  for (const std::int64_t size : sizes) {
    if (count < 3) along[static_cast<std::size_t>(count)] = size;
    ++count;
  }
}

Sizes::Sizes(std::int64_t x, Origin origin) : along{x, 1, 1}, count(1), at(origin) {}

// An array that is on the device already needs no copy, whatever it was announced as.
Argument::Argument(Kind kind, const Array& array)
    : kind_(array.on_host() ? kind : Kind::device_array), array_(array) {}

}  // namespace hypatia::cuda
