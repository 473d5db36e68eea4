// Looking flags up and judging their values.

#include "engine/core/flags.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace hypatia {

namespace {

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string> near = near_names(word, candidates);
  return near.empty() ? "" : "did you mean " + join(near, " or ") + "?";
}

[[noreturn]] void bad_value(const Flag& flag, std::string_view value, const std::string& help) {
  throw Error(
      Error::Kind::config,
      "the flag " + std::string(flag.name) + " can't be '" + std::string(value) + "'",
      help);
}

[[noreturn]] void bad_value(const Flag& flag, std::string_view value) {
  bad_value(flag, value, "it is " + allowed_text(flag));
}

std::vector<std::string> choices(const Flag& flag) {
  std::vector<std::string> names;
  for (const std::string& name : split(flag.allowed, ','))
    names.emplace_back(trimmed(name));
  return names;
}

template <class T>
bool reads_as(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string checked_choice(const Flag& flag, std::string_view value) {
  const std::vector<std::string> names = choices(flag);
  if (std::find(names.begin(), names.end(), value) != names.end()) return std::string(value);
  const std::string near = did_you_mean(value, names);
  bad_value(flag, value, "it is one of " + allowed_text(flag) + (near.empty() ? "" : "; " + near));
}

bool numbered(std::string_view text, std::string_view name) {
  if (text.substr(0, name.size()) != name) return false;
  const std::string_view rest = text.substr(name.size());
  return std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_device(std::string_view value) {
  return value == "cpu" || numbered(value, "cuda") || numbered(value, "sim") ||
         (value.substr(0, 4) == "sim:" && value.size() > 4);
}

std::string checked_device(const Flag& flag, std::string_view value) {
  if (value.empty() && flag.value.empty()) return "";
  if (is_device(value)) return std::string(value);
  if (numbered(value, "gpu"))
    bad_value(flag, value, "write cuda" + std::string(value.substr(3)) + " for that GPU");
  if (value.substr(0, 6) == "opencl")
    bad_value(flag, value, "there is no OpenCL device; it is " + allowed_text(flag));
  bad_value(flag, value);
}

std::string checked_contexts(const Flag& flag, std::string_view value) {
  if (trimmed(value).empty()) return "";
  for (const std::string& item : split(value, ';')) {
    const std::size_t arrow = item.find("->");
    if (arrow == std::string::npos) bad_value(flag, value);
    const std::string_view name = trimmed(std::string_view(item).substr(0, arrow));
    const std::string_view device = trimmed(std::string_view(item).substr(arrow + 2));
    if (name.empty() || is_device(name) || name.substr(0, 6) == "opencl")
      bad_value(flag, value, "the name of a context can't be empty or that of a device");
    if (!is_device(device) || device == "cpu")
      bad_value(flag, value, "a context names a GPU: cuda0, sim, …");
  }
  return std::string(value);
}

}  // namespace

std::size_t flag_row(std::string_view name) {
  const std::span<const Flag> table = flags();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return i;
  }
  std::vector<std::string> names;
  for (const Flag& flag : table)
    names.emplace_back(flag.name);
  const std::string near = did_you_mean(name, names);
  throw Error(
      Error::Kind::config,
      "there is no flag '" + std::string(name) + "'",
      near.empty() ? "`hypatia config` lists the flags" : near);
}

std::string allowed_text(const Flag& flag) {
  switch (flag.kind) {
    case FlagKind::boolean:
      return "True, False";
    case FlagKind::integer:
      return "an integer" + (flag.allowed.empty() ? "" : ", " + std::string(flag.allowed));
    case FlagKind::real:
      return "a number";
    case FlagKind::choice:
      return std::string(flag.allowed);
    case FlagKind::device:
      return "cpu, cuda, cuda0, …, sim, sim0, … or sim:MODEL";
    case FlagKind::contexts:
      return "name->device, joined by ';'";
    case FlagKind::text:
      break;
  }
  return "any text";
}

std::string checked_value(const Flag& flag, std::string_view value) {
  switch (flag.kind) {
    case FlagKind::boolean:
      if (value == "True" || value == "true" || value == "1") return "True";
      if (value == "False" || value == "false" || value == "0") return "False";
      bad_value(flag, value);
    case FlagKind::integer:
      // Where a flag says what is allowed, it is no negative number.
      if (std::int64_t n = 0; reads_as(value, n) && (flag.allowed.empty() || n >= 0)) {
        return std::to_string(n);
      }
      bad_value(flag, value);
    case FlagKind::real:
      if (double x = 0; reads_as(value, x)) return number_text(x);
      bad_value(flag, value);
    case FlagKind::choice:
      return checked_choice(flag, value);
    case FlagKind::device:
      return checked_device(flag, value);
    case FlagKind::contexts:
      return checked_contexts(flag, value);
    case FlagKind::text:
      break;
  }
  return std::string(value);
}

}  // namespace hypatia
