#include "engine/run/array_difference.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "engine/run/text_trial.h"

namespace hypatia {

namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

/// True if an element's bytes are those that a trial fills results with.
bool untouched(const Array& a, std::int64_t element) {
  const Array here = a.contiguous_on_host();
  const auto size = static_cast<std::int64_t>(size_of(a.dtype()));
  const auto* first = static_cast<const std::uint8_t*>(here.address()) + element * size;
  return std::all_of(first, first + size, [](std::uint8_t byte) { return byte == trial_pattern; });
}

}  // namespace

std::string difference_text(const Array& got, const Array& expected) {
  const std::vector<double> is = asarray(got).to_vector(), should = asarray(expected).to_vector();
  std::int64_t count = 0, first = 0;
  for (std::size_t i = 0; i < should.size(); ++i) {
    const bool single = expected.dtype() == DType::float32;
    const Array a = Array(is[i]), b = Array(should[i]);
    if (all_close(a, b, 1e-5, single ? 1e-5 : 1e-8)) continue;
    if (count++ == 0) first = static_cast<std::int64_t>(i);
  }
  if (count == 0) return "";
  Dims place = expected.dims();
  std::int64_t rest = first;
  for (int axis = place.rank() - 1; axis >= 0; --axis) {
    place[axis] = rest % expected.dim(axis);
    rest /= expected.dim(axis);
  }
  const auto at = static_cast<std::size_t>(first);
  std::string where = to_text(place);
  where = "[" + where.substr(1, where.size() - 2) + "]";
  return "in " + std::to_string(count) + " of " + std::to_string(should.size()) +
         " elements, first at " + where + ": should be " + number(should[at]) + ", is " +
         number(is[at]) + (untouched(got, first) ? " (never written)" : "");
}

}  // namespace hypatia
