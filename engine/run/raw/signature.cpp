#include "engine/run/raw/signature.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace hypatia::cuda {

namespace {

struct TypeWord {
  std::string_view word;
  DType dtype;
};

constexpr std::array<TypeWord, 14> fixed{{
    {"bool", DType::boolean},
    {"float", DType::float32},
    {"double", DType::float64},
    {"int8_t", DType::int8},
    {"int16_t", DType::int16},
    {"int32_t", DType::int32},
    {"int64_t", DType::int64},
    {"uint8_t", DType::uint8},
    {"uint16_t", DType::uint16},
    {"uint32_t", DType::uint32},
    {"uint64_t", DType::uint64},
    {"uint", DType::uint32},
    {"size_t", DType::uint64},
    {"ptrdiff_t", DType::int64},
}};

constexpr std::array<std::string_view, 7> integers{
    "unsigned", "signed", "char", "short", "int", "long", "void"};

constexpr std::array<std::string_view, 6> qualifiers{
    "const", "volatile", "restrict", "__restrict__", "__restrict", "__grid_constant__"};

template <class List>
bool is_in(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_type(std::string_view word) {
  return is_in(integers, word) ||
         std::any_of(fixed.begin(), fixed.end(), [&](const TypeWord& t) { return t.word == word; });
}

std::optional<DType> dtype_of_words(const std::vector<std::string>& words) {
  if (words.size() == 1) {
    for (const TypeWord& t : fixed) {
      if (t.word == words[0]) return t.dtype;
    }
  }
  const auto has = [&](std::string_view word) { return is_in(words, word); };
  for (const std::string& word : words) {
    if (!is_in(integers, word) || word == "void") return std::nullopt;
  }
  if (words.empty()) return std::nullopt;
  const bool is_unsigned = has("unsigned");
  if (has("char")) return is_unsigned ? DType::uint8 : DType::int8;
  if (has("short")) return is_unsigned ? DType::uint16 : DType::int16;
  if (has("long")) return is_unsigned ? DType::uint64 : DType::int64;
  return is_unsigned ? DType::uint32 : DType::int32;
}

}  // namespace

Parameter read_parameter(std::string_view declaration) {
  Parameter parameter;
  std::vector<std::string> type;
  int stars = 0;
  std::istringstream words{std::string(declaration)};
  for (std::string word; words >> word;) {
    const bool star = word == "*" || word == "[";
    if (!parameter.text.empty() && word != "*" && word != "[" && word != "]") parameter.text += " ";
    parameter.text += word;
    if (word == "[" || word == "]" || is_in(qualifiers, word)) {
      stars += star ? 1 : 0;
    } else if (star) {
      ++stars;
    } else if (type.empty() || is_type(word)) {
      type.push_back(word);
    } else {
      parameter.name = word;
    }
  }
  parameter.pointer = stars > 0;
  // A pointer to pointers points to nothing that an array holds.
  if (stars <= 1) parameter.dtype = dtype_of_words(type);
  return parameter;
}

std::string to_text(const std::string& kernel, const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& p : parameters)
    text += (text.empty() ? "" : ", ") + p.text;
  return kernel + "(" + text + ")";
}

}  // namespace hypatia::cuda
