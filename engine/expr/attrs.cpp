#include "engine/expr/attrs.h"

#include <bit>
#include <string_view>

#include "engine/core/contexts.h"
#include "engine/core/dims.h"

namespace hypatia {

std::size_t attribute_hash(std::int64_t value) {
  return static_cast<std::size_t>(value) * 0x9E3779B97F4A7C15U;
}

std::size_t attribute_hash(std::uint64_t value) {
  return attribute_hash(static_cast<std::int64_t>(value));
}

std::size_t attribute_hash(double value) {
  return attribute_hash(std::bit_cast<std::int64_t>(value));
}

std::size_t attribute_hash(const std::string& value) {
  return std::hash<std::string_view>()(value);
}

std::size_t attribute_hash(const Dims& value) {
  std::size_t hash = static_cast<std::size_t>(value.rank());
  for (std::int64_t d : value)
    hash = hash * 1000003U + attribute_hash(d);
  return hash;
}

// Large constants are told apart by their dims and first bytes; equality looks at all of them.
std::size_t attribute_hash(const Array& value) {
  std::size_t hash = attribute_hash(value.dims()) * 31U + attribute_hash(value.dtype());
  const Array flat = value.contiguous_on_host();
  const std::size_t bytes = flat.bytes() < 256 ? flat.bytes() : 256;
  const std::string_view text(static_cast<const char*>(flat.address()), bytes);
  return hash * 1000003U + std::hash<std::string_view>()(text);
}

std::string attribute_text(std::int64_t value) {
  return std::to_string(value);
}

std::string attribute_text(std::uint64_t value) {
  return std::to_string(value);
}

std::string attribute_text(bool value) {
  return value ? "True" : "False";
}

std::string attribute_text(double value) {
  return to_text(Array(value));
}

std::string attribute_text(const std::string& value) {
  return value;
}

std::string attribute_text(const Dims& value) {
  return to_text(value);
}

std::string attribute_text(const Array& value) {
  return to_text(value);
}

std::string attribute_text(Place value) {
  return context_name(value);
}

bool attribute_equal(double a, double b) {
  return std::bit_cast<std::int64_t>(a) == std::bit_cast<std::int64_t>(b);
}

bool attribute_equal(const Array& a, const Array& b) {
  return same_elements(a, b);
}

bool Attrs::operator==(const Attrs& other) const {
  if (value_ == other.value_) return true;
  return value_ && other.value_ && value_->equals(*other.value_);
}

}  // namespace hypatia
