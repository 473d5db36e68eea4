#include "exercises/runner/figures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "exercises/runner/command.h"

namespace hypatia::runner {

namespace {

const std::set<std::string> units{
    "s",           "ms",           "us",           "ns",
    "min",         "seconds",      "microseconds", "%",
    "bytes",       "KB",           "MB",           "GB",
    "nanoseconds", "milliseconds", "times",        "nodes",
    "copies",      "transfers",    "kernels",      "launches",
    "microsecond", "GB/s",         "MB/s",         "images a second",
    "teraflops",   "operations",   "weights",
};

const std::map<std::string, double> counts{
    {"two", 2},
    {"three", 3},
    {"four", 4},
    {"five", 5},
    {"six", 6},
    {"seven", 7},
    {"eight", 8},
    {"nine", 9},
    {"ten", 10},
    {"eleven", 11},
    {"twelve", 12},
    {"twenty", 20},
    {"thirty", 30},
    {"forty", 40},
    {"fifty", 50},
    {"sixty", 60},
    {"hundred", 100},
    {"thousand", 1000},
};

const std::map<std::string, double> shares{
    {"half", 2},
    {"third", 3},
    {"quarter", 4},
    {"fifth", 5},
    {"sixth", 6},
    {"eighth", 8},
    {"tenth", 10},
    {"twelfth", 12},
    {"twentieth", 20},
};

// A word without the punctuation around it, and as it is written inside a sentence.
std::string bare(const std::string& word) {
  const char* const around = "().,;:*~\"?!";
  const std::size_t begin = word.find_first_not_of(around);
  if (begin == word.npos) return "";
  std::string inner = word.substr(begin, word.find_last_not_of(around) + 1 - begin);
  const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(inner[i]); };
  const bool first_of_sentence =
      inner.size() > 1 && std::isupper(letter(0)) && std::islower(letter(1));
  if (first_of_sentence) inner[0] = static_cast<char>(std::tolower(letter(0)));
  return inner;
}

std::vector<std::string> bare_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;)
    words.push_back(bare(word));
  return words;
}

bool is_number(const std::string& word) {
  static const std::regex number(R"([-+]?(0|[1-9][0-9,]*)(\.[0-9]+)?(e[-+]?[0-9]+)?)");
  return std::regex_match(word, number);
}

bool carries_unit(const std::string& word) {
  static const std::regex number(R"([-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?(s|ms|us|ns|%)(\(.*)?)");
  return std::regex_match(word, number);
}

bool is_one(const std::string& word) {
  return word == "a" || word == "an" || word == "one" || word == "by";
}

struct Words {
  std::vector<std::string> all;

  const std::string& at(std::size_t i) const {
    static const std::string none;
    return i < all.size() ? all[i] : none;
  }
};

// The words from `i` on that are one figure; 0: none begins here.
std::size_t length_of_figure(const Words& words, std::size_t i) {
  const std::string& word = words.at(i);
  if (carries_unit(word)) return 1;
  if (is_one(word) && shares.count(words.at(i + 1))) return 2;
  if (word == "half" && words.at(i + 1) == "of") return 1;
  const bool digits = is_number(word);
  if (!digits && !counts.count(word)) return 0;
  if (digits && words.at(i + 1) == "of" && is_number(words.at(i + 2))) return 3;
  const bool large = words.at(i + 1) == "million" || words.at(i + 1) == "billion";
  const std::size_t next = i + (large ? 2 : 1);
  if (units.count(words.at(next))) return next + 1 - i;
  if (words.at(next) == "images" && words.at(next + 1) == "a") return next + 3 - i;
  return large ? 2 : 0;
}

double number_in(const std::string& text) {
  std::string digits;
  std::copy_if(
      text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != ','; });
  return std::strtod(digits.c_str(), nullptr);
}

// Half of the last place that is not a padding zero: 0.005 of "1.25", 50 of "13,100".
double half_of_last_place(const std::string& digits) {
  const std::size_t point = digits.find('.');
  if (point != digits.npos) {
    return 0.5 * std::pow(10.0, -static_cast<double>(digits.size() - point - 1));
  }
  double place = 0.5;
  for (std::size_t i = digits.size(); i-- > 1 && (digits[i] == '0' || digits[i] == ',');)
    place *= digits[i] == '0' ? 10 : 1;
  return place;
}

class Reader {
 public:
  Reader(const std::string& text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  double read() {
    const double value = sum();
    if (next() != '\0') fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw Stop{exit_authoring, "'" + text_ + "' is no expression", "as in 4 * (2 + x) / 1e6"};
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  double sum() {
    double value = product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      value += sign == '+' ? product() : -product();
    }
    return value;
  }

  double product() {
    double value = atom();
    for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
      ++at_;
      value = sign == '*' ? value * atom() : value / atom();
    }
    return value;
  }

  double atom() {
    const char first = next();
    if (first == '(') {
      ++at_;
      const double value = sum();
      if (next() != ')') fail();
      ++at_;
      return value;
    }
    const char* const begin = text_.c_str() + at_;
    if (std::isdigit(static_cast<unsigned char>(first))) {
      char* end = nullptr;
      const double value = std::strtod(begin, &end);
      at_ += static_cast<std::size_t>(end - begin);
      return value;
    }
    return lookup_(name());
  }

  std::string name() {
    const std::size_t begin = at_;
    if (next() == '{') {
      at_ = std::min(text_.find('}', at_), text_.size());
      if (at_ == text_.size()) fail();
      return text_.substr(begin + 1, at_++ - begin - 1);
    }
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    if (at_ == begin) fail();
    return text_.substr(begin, at_ - begin);
  }

  const std::string& text_;
  const Lookup& lookup_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> figures_in(const std::string& text) {
  const Words words{bare_words(text)};
  std::vector<std::string> figures;
  for (std::size_t i = 0; i < words.all.size();) {
    const std::size_t length = length_of_figure(words, i);
    std::string figure;
    for (std::size_t k = 0; k < length; ++k)
      figure += (k ? " " : "") + words.at(i + k);
    if (length) figures.push_back(figure);
    i += std::max<std::size_t>(length, 1);
  }
  return figures;
}

std::string without_punctuation(const std::string& text) {
  std::string all;
  for (const std::string& word : bare_words(text))
    all += (all.empty() ? "" : " ") + word;
  return all;
}

bool says(const std::string& figure, double value) {
  std::istringstream stream(figure);
  std::string word;
  stream >> word;
  if (is_one(word)) stream >> word;
  if (const auto share = shares.find(word); share != shares.end()) {
    return std::fabs(value * share->second - 1) <= 0.1;
  }
  if (const auto count = counts.find(word); count != counts.end()) {
    return std::fabs(value - count->second) <= 0.05 * count->second;
  }
  const std::string digits = word.substr(0, word.find_first_not_of("-+0123456789.,"));
  std::string after;
  stream >> after;
  const double scale = after == "million" ? 1e6 : after == "billion" ? 1e9 : 1;
  const double most = scale * half_of_last_place(digits) * (1 + 1e-9);
  return std::fabs(value - scale * number_in(digits)) <= most;
}

std::string without_measured(const std::string& line) {
  static const std::regex attached(
      R"([-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?(ns|us|ms|s|min|%)(?![A-Za-z0-9]))");
  static const std::regex apart(
      R"([-+]?[0-9][0-9.,]*(?= +(%|ms|us|s|min|times|seconds|microseconds|images a second))"
      R"((?![a-z])))");
  return std::regex_replace(std::regex_replace(line, attached, "…"), apart, "…");
}

double value_of(const std::string& expression, const Lookup& lookup) {
  return Reader(expression, lookup).read();
}

}  // namespace hypatia::runner
