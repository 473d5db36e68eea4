#include "engine/emit/scalar.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "engine/emit/host_math.h"

namespace hypatia {

namespace {

constexpr std::array<std::string_view, dtype_count> host_types{
    "_Bool",
    "signed char",
    "short",
    "int",
    "long",
    "unsigned char",
    "unsigned short",
    "unsigned",
    "unsigned long",
    "float",
    "double",
};

constexpr std::array<std::string_view, dtype_count> cuda_types{
    "bool",
    "signed char",
    "short",
    "int",
    "long long",
    "unsigned char",
    "unsigned short",
    "unsigned int",
    "unsigned long long",
    "float",
    "double",
};

// Whole powers: repeated squaring that wraps; a negative exponent rounds 1/x^n toward 0.
constexpr std::string_view int_pow_head =
    " long long int_pow(long long x, long long n) {\n"
    "  if (n < 0) return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;\n";
constexpr std::string_view uint_pow_head =
    " unsigned long long uint_pow(unsigned long long x, unsigned long long n) {\n";
constexpr std::string_view pow_body =
    "  unsigned long long power = 1, base = x;\n"
    "  for (; n; n >>= 1) {\n"
    "    if (n & 1) power *= base;\n"
    "    base *= base;\n"
    "  }\n"
    "  return power;\n"
    "}\n";

// Philox4x32-10: ten rounds of products over four words of place and call, under a key.
constexpr std::string_view random_bits_body =
    "{\n"
    "  unsigned a = (unsigned)place, b = (unsigned)(place >> 32);\n"
    "  unsigned c = (unsigned)call, d = (unsigned)(call >> 32);\n"
    "  unsigned k = (unsigned)key, l = (unsigned)(key >> 32);\n"
    "  for (int round = 0; round < 10; ++round) {\n"
    "    const unsigned long long p = 0xD2511F53ULL * a, q = 0xCD9E8D57ULL * c;\n"
    "    a = (unsigned)(q >> 32) ^ b ^ k;\n"
    "    b = (unsigned)q;\n"
    "    c = (unsigned)(p >> 32) ^ d ^ l;\n"
    "    d = (unsigned)p;\n"
    "    k += 0x9E3779B9U;\n"
    "    l += 0xBB67AE85U;\n"
    "  }\n"
    "  return (unsigned long long)b << 32 | a;\n"
    "}\n";

// CUDA C has no digamma: reflected to the right half, stepped up to 10, then the series.
constexpr std::string_view cuda_digamma =
    "static __device__ double digamma(double x) {\n"
    "  if (x <= 0 && x == floor(x)) return x * (1.0 / 0.0 - 1.0 / 0.0);\n"
    "  double shift = 0;\n"
    "  if (x < 0) {\n"
    "    shift = -3.141592653589793 / tan(3.141592653589793 * x);\n"
    "    x = 1 - x;\n"
    "  }\n"
    "  for (; x < 10; x += 1) shift -= 1 / x;\n"
    "  const double w = 1 / (x * x);\n"
    "  const double series = w * (1.0 / 12 - w * (1.0 / 120 - w * (1.0 / 252 - w * (1.0 / 240 - w "
    "/ 132))));\n"
    "  return shift + log(x) - 0.5 / x - series;\n"
    "}\n\n";

std::string float_literal(double value, bool narrow) {
  const std::string suffix = narrow ? "f" : "";
  if (std::isnan(value)) return "(0.0" + suffix + " / 0.0" + suffix + ")";
  if (std::isinf(value)) {
    return (value < 0 ? "(-1.0" : "(1.0") + suffix + " / 0.0" + suffix + ")";
  }
  std::array<char, 40> text{};
  const int digits = narrow ? 9 : 17;
  // The shortest form that reads back to the same value.
  for (int precision = 1; precision <= digits; ++precision) {
    std::snprintf(text.data(), text.size(), "%.*g", precision, value);
    const double back = std::strtod(text.data(), nullptr);
    if (narrow ? static_cast<float>(back) == static_cast<float>(value) : back == value) break;
  }
  std::string result(text.data());
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  result += suffix;
  return std::signbit(value) ? "(" + result + ")" : result;
}

std::string integer_literal(const Array& value, Dialect dialect) {
  const bool cuda = dialect == Dialect::cuda_c;
  if (value.dtype() == DType::uint64) {
    return std::to_string(*value.data<std::uint64_t>()) + (cuda ? "ULL" : "UL");
  }
  const Array wide = value.astype(DType::int64);
  const std::int64_t number = *wide.data<std::int64_t>();
  const bool is_wide = value.dtype() == DType::int64;
  const std::string suffix = !is_wide ? "" : cuda ? "LL" : "L";
  // The lowest value has no literal of its own.
  if (number == INT64_MIN) return "(-" + std::to_string(INT64_MAX) + suffix + " - 1)";
  const std::string text = std::to_string(number) + suffix;
  return number < 0 ? "(" + text + ")" : text;
}

std::string math_name(std::string_view name, DType dtype, Dialect dialect, Helpers* helpers) {
  if (name == "int_pow" || name == "uint_pow" || name == "random_bits") {
    helpers->emplace(name);
    return std::string(name);
  }
  if (dialect == Dialect::host_c) {
    std::string spelling(host_spelling(name, dtype));
    helpers->insert(spelling);
    return spelling;
  }
  if (name == "digamma") {
    helpers->emplace(name);
    return std::string(name);
  }
  return std::string(name) + (dtype == DType::float32 ? "f" : "");
}

/// A float as the integer of which an unsigned keeps the low bits: vector and scalar code, CPUs and
/// GPUs give the same for what the unsigned can't hold, that of core/convert.h.
std::string wrapped(const std::string& value, DType from, DType to, Dialect dialect) {
  const auto as = [&](DType dtype) { return "(" + std::string(type_name(dtype, dialect)) + ")"; };
  const auto within = [&](double low, double high) {
    const bool narrow = from == DType::float32;
    return "(" + value + " >= " + float_literal(low, narrow) + " && " + value + " < " +
           float_literal(high, narrow) + " ? ";
  };
  const std::string lowest = integer_literal(Array(INT64_MIN), dialect);
  const std::string whole =
      within(-0x1p63, 0x1p63) + as(DType::int64) + value + " : " + lowest + ")";
  if (to == DType::uint32) return whole;
  return within(0, 0x1p64) + as(to) + value + " : " + as(to) + whole + ")";
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The end of a number that starts at `begin`: digits, a point, an exponent.
std::size_t number_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size()) {
    const char c = text[end];
    const bool sign = (c == '+' || c == '-') && (text[end - 1] == 'e');
    if (!is_word(c) && c != '.' && !(end > begin && sign)) break;
    ++end;
  }
  return end;
}

}  // namespace

std::string_view type_name(DType dtype, Dialect dialect) {
  return (dialect == Dialect::host_c ? host_types : cuda_types)[static_cast<std::size_t>(dtype)];
}

std::string literal_text(const Array& value, Dialect dialect) {
  if (is_float(value.dtype())) return float_literal(value.item(), value.dtype() == DType::float32);
  return integer_literal(value, dialect);
}

std::string converted(const std::string& value, DType from, DType to, Dialect dialect) {
  if (from == to) return value;
  if (to == DType::boolean) return "(" + value + " != 0)";
  const std::string cast_to = "(" + std::string(type_name(to, dialect)) + ")";
  if (is_float(from) && (to == DType::uint32 || to == DType::uint64)) {
    return cast_to + wrapped(value, from, to, dialect);
  }
  return cast_to + value;
}

std::string spelled(
    std::string_view text,
    const std::vector<std::string>& operands,
    DType dtype,
    Dialect dialect,
    Helpers* helpers) {
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '{') {
      const std::size_t close = text.find('}', i);
      out += operands[static_cast<std::size_t>(std::atoi(text.data() + i + 1))];
      i = close + 1;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      const std::size_t end = number_end(text, i);
      const std::string number(text.substr(i, end - i));
      const bool decimal = number.find_first_of(".e") != std::string::npos;
      out += number + (decimal && dtype == DType::float32 ? "f" : "");
      i = end;
    } else if (is_word(c)) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end]))
        ++end;
      const std::string_view word = text.substr(i, end - i);
      const bool called = end < text.size() && text[end] == '(';
      out += called ? math_name(word, dtype, dialect, helpers) : std::string(word);
      i = end;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

std::string next_line(
    const ScalarProgram& program,
    std::string_view indent,
    Dialect dialect,
    std::vector<std::string>* values,
    Helpers* helpers) {
  const ScalarStep& step = program.steps[values->size() - program.inputs.size()];
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const int v = step.in[i];
    const bool condition = step.types.first_is_condition && i == 0;
    const DType wanted = condition ? DType::boolean : step.types.operand;
    operands.push_back(
        converted((*values)[static_cast<std::size_t>(v)], program.dtype(v), wanted, dialect));
  }
  const ScalarLowering& lowering = step.op->scalar();
  const std::string text = lowering.text_of ? lowering.text_of(step.attrs, step.types.operand)
                                            : std::string(lowering.text);
  std::string value = spelled(text, operands, step.types.operand, dialect, helpers);
  if (is_float(step.types.operand) && is_unsigned(step.types.result)) {
    value = converted(value, step.types.operand, step.types.result, dialect);
  }
  values->push_back("v" + std::to_string(values->size()));
  return std::string(indent) + std::string(type_name(step.types.result, dialect)) + " " +
         values->back() + " = " + value + ";\n";
}

std::string program_lines(
    const ScalarProgram& program,
    const std::vector<std::string>& inputs,
    std::string_view indent,
    Dialect dialect,
    std::vector<std::string>* values,
    Helpers* helpers) {
  *values = inputs;
  std::string lines;
  for (std::size_t s = 0; s < program.steps.size(); ++s)
    lines += next_line(program, indent, dialect, values, helpers);
  return lines;
}

std::string prelude(const Helpers& helpers, Dialect dialect) {
  std::string text;
  std::vector<std::string_view> host_names;
  for (const std::string& name : helpers) {
    if (name == "int_pow" || name == "uint_pow") {
      text += dialect == Dialect::host_c ? "static inline" : "static __device__";
      text += name == "int_pow" ? int_pow_head : uint_pow_head;
      text += std::string(pow_body) + "\n";
    } else if (name == "random_bits") {
      text += dialect == Dialect::host_c ? "static inline" : "static __device__";
      text +=
          " unsigned long long random_bits(unsigned long long place, unsigned long long call, "
          "unsigned long long key) ";
      text += std::string(random_bits_body) + "\n";
    } else if (name == "digamma" && dialect == Dialect::cuda_c) {
      text += cuda_digamma;
    } else {
      host_names.push_back(name);
    }
  }
  if (dialect == Dialect::host_c && !host_names.empty()) text += host_prelude(host_names);
  return text;
}

}  // namespace hypatia
