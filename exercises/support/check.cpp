// Runs a check's tests and tells the runner, over a pipe of their own, what came of each.
#include "support/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace hypatia::check {

namespace {

struct Failure {
  std::string status, tag, message, expected, got;
  double used = 0;
};

int report_end = -1;
std::int64_t chosen_seed = 1;
double share_used = 0;  // the largest share of an allowed error in this test

// The bytes of the UTF-8 character that a text begins with; 0 if it begins with none.
std::size_t character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  // Forms that are longer than needed, and surrogates.
  const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  const bool refused = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return refused ? 0 : length;
}

// A string of JSON. A learner's message may hold any bytes; those that are no text become "?".
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 4000;
  text = text.substr(0, longest);
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = character(text);
    const char c = text[0];
    if (length == 0) {
      out += '?';
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + "\"";
}

void tell(const std::string& line) {
  if (report_end < 0) return;
  const std::string text = line + "\n";
  if (::write(report_end, text.data(), text.size()) < 0) std::_Exit(7);
}

Failure outcome_of(const Test& test) {
  try {
    test.run();
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::exception& error) {
    return {"fail", "error", error.what(), "", "", 0};
  }
  return {"pass", "", "", "", "", share_used};
}

// As JSON takes it: an error that has no bound is a very large one.
double finite(double number) {
  return std::isfinite(number) ? number : 1e300;
}

// Returns true unless the test failed.
bool run_one(const Test& test) {
  tell("{\"begin\": " + quoted(test.name) + "}");
  share_used = 0;
  const double begin = seconds();
  const Failure outcome = outcome_of(test);
  char numbers[80];
  std::snprintf(
      numbers,
      sizeof numbers,
      ", \"used\": %.9g, \"ms\": %.3f}",
      finite(outcome.used),
      (seconds() - begin) * 1e3);
  tell(
      "{\"test\": " + quoted(test.name) + ", \"status\": " + quoted(outcome.status) +
      ", \"tag\": " + quoted(outcome.tag) + ", \"message\": " + quoted(outcome.message) +
      ", \"expected\": " + quoted(outcome.expected) + ", \"got\": " + quoted(outcome.got) +
      numbers);
  if (report_end < 0) {
    std::printf("%-5s %s  %s\n", outcome.status.c_str(), test.name, outcome.message.c_str());
  }
  return outcome.status != "fail";
}

// Representable numbers between two of the same float type; 0 for equal ones and for two NaNs.
template <class T, class Bits>
double steps_between(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : HUGE_VAL;
  const auto ordered = [](T value) {
    const Bits bits = std::bit_cast<Bits>(value);
    const Bits least = std::numeric_limits<Bits>::min();  // -0's bits
    return static_cast<std::int64_t>(bits < 0 ? least - bits : bits);
  };
  return static_cast<double>(std::llabs(ordered(a) - ordered(b)));
}

double steps(DType dtype, double got, long double exact) {
  if (dtype == DType::float32) {
    return steps_between<float, std::int32_t>(static_cast<float>(got), static_cast<float>(exact));
  }
  return steps_between<double, std::int64_t>(got, static_cast<double>(exact));
}

// HYPATIA_FLAGS as the program was started with it: what the program sets later is not seen here.
std::string flags_at_the_start() {
  constexpr std::string_view name = "HYPATIA_FLAGS=";
  std::ifstream environment("/proc/self/environ", std::ios::binary);
  for (std::string each; std::getline(environment, each, '\0');) {
    if (each.rfind(name, 0) == 0) return each.substr(name.size());
  }
  return "";
}

std::string digits(long double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17Lg", value);
  return text;
}

}  // namespace

int run(int count, char** words, std::initializer_list<Test> tests) {
  if (const char* end = std::getenv("HYPATIA_REPORT")) report_end = std::atoi(end);
  ::unsetenv("HYPATIA_REPORT");
  for (int i = 1; i + 1 < count; ++i) {
    if (std::strcmp(words[i], "--seed") == 0) chosen_seed = std::atoll(words[i + 1]);
  }
  int failed = 0, ran = 0;
  for (const Test& test : tests) {
    failed += run_one(test) ? 0 : 1;
    ++ran;
  }
  tell("{\"end\": " + std::to_string(ran) + "}");
  return failed ? 1 : 0;
}

void fail(
    std::string_view tag,
    std::string_view message,
    std::string_view expected,
    std::string_view got) {
  throw Failure{
      "fail", std::string(tag), std::string(message), std::string(expected), std::string(got), 0};
}

void expect(bool holds, std::string_view tag, std::string_view message) {
  if (!holds) fail(tag, message);
}

std::vector<double> elements_of(const Array& got, const Dims& dims, std::string_view what) {
  if (!(got.dims() == dims)) {
    fail(
        "wrong-shape",
        std::string(what) + " has the wrong dims",
        to_text(dims),
        to_text(got.dims()));
  }
  return asarray(got).to_vector();
}

void expect_values(
    const Array& got, const Dims& dims, std::span<const long double> exact, double ulps) {
  expect_values_of("", got, dims, exact, ulps, {});
}

void expect_values_of(
    std::string_view what,
    const Array& got,
    const Dims& dims,
    std::span<const long double> exact,
    double ulps,
    std::initializer_list<Given> inputs) {
  const std::vector<double> values = elements_of(got, dims, what.empty() ? "the result" : what);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = steps(got.dtype(), values[i], exact[i]);
    share_used = std::fmax(share_used, off / ulps);
    if (off <= ulps) continue;
    std::string where;
    for (const Given& input : inputs) {
      char number[40];
      std::snprintf(number, sizeof number, " = %.9g", asarray(input.value).to_vector()[i]);
      where += (where.empty() ? ", where " : " and ") + std::string(input.name) + number;
    }
    const std::string whose = what.empty() ? "" : " of " + std::string(what);
    throw Failure{
        "fail",
        "wrong-value",
        "element " + std::to_string(i) + whose + " is not what it should be" + where,
        digits(exact[i]),
        digits(static_cast<long double>(values[i])),
        off / ulps};
  }
}

void expect_unchanged(const Shared& x, const Array& numbers) {
  const std::vector<long double> before = [&] {
    const std::vector<double> all = numbers.to_vector();
    return std::vector<long double>(all.begin(), all.end());
  }();
  try {
    expect_values(x.get_value(), numbers.dims(), before, 0.5);
  } catch (const Failure& failure) {
    fail(
        "overwritten",
        "the call has changed x itself: it should compute from x and leave x as it is",
        failure.expected,
        failure.got);
  }
}

std::string device() {
  static const std::string flags = flags_at_the_start();
  std::string found = "cpu";
  std::string_view text = flags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (text.substr(0, 7) == "device=") found = text.substr(7, end - 7);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

bool on_gpu() {
  return device() != "cpu";
}

void measured(std::string_view question, double value) {
  char number[40];
  std::snprintf(number, sizeof number, "%.9g", value);
  tell("{\"measured\": " + quoted(question) + ", \"value\": " + number + "}");
  if (report_end < 0) std::printf("%s = %s\n", std::string(question).c_str(), number);
}

std::vector<long double> exact_exp(const Array& x) {
  std::vector<long double> values;
  for (const double value : x.to_vector())
    values.push_back(std::exp(static_cast<long double>(value)));
  return values;
}

double exp_steps() {
  return on_gpu() ? 2 : 1;
}

std::int64_t seed() {
  return chosen_seed;
}

}  // namespace hypatia::check
