#include "exercises/runner/measured.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <regex>

#include "engine/core/cores.h"

#include "exercises/runner/command.h"
#include "exercises/runner/figures.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double repeats_within = 0.02;
constexpr std::size_t runs = 3;

// The number at "{}" of the line, in what was printed.
double number_at(const std::string& pattern, const std::string& output) {
  static const std::regex special(R"([.^$|(){}\[\]*+?\\])");
  const std::size_t hole = pattern.find("{}");
  if (hole == pattern.npos) throw Stop{exit_authoring, "'" + pattern + "' has no {}", ""};
  const auto literal = [](const std::string& text) {
    return std::regex_replace(std::regex_replace(text, special, R"(\$&)"), std::regex(" +"), " +");
  };
  const std::regex line(
      literal(pattern.substr(0, hole)) + R"(([-+]?[0-9][0-9.]*(?:e[-+]?[0-9]+)?))" +
      literal(pattern.substr(hole + 2)));
  for (const std::string& printed : lines_of(output)) {
    std::smatch match;
    if (std::regex_search(printed, match, line))
      return std::strtod(match[1].str().c_str(), nullptr);
  }
  throw Stop{exit_authoring, "no line '" + pattern + "' was printed", ""};
}

bool matches(const Json& object, const std::vector<std::string>& parts) {
  if (!object.contains(parts.back()) || !object[parts.back()].is_number()) return false;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string key = parts[i].substr(0, equals);
    if (equals == parts[i].npos || !object.contains(key)) return false;
    const Json& value = object[key];
    if ((value.is_string() ? value.get<std::string>() : value.dump()) !=
        parts[i].substr(equals + 1))
      return false;
  }
  return true;
}

const Json* found_in(const Json& document, const std::vector<std::string>& parts) {
  if (document.is_object() && matches(document, parts)) return &document[parts.back()];
  if (!document.is_structured()) return nullptr;
  for (const Json& inner : document) {
    if (const Json* at = found_in(inner, parts)) return at;
  }
  return nullptr;
}

// Three digits, and a comma between thousands.
std::string three_digits(double value) {
  const int whole = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  const double place = std::pow(10.0, whole - 3);
  const double rounded = std::round(value / place) * place;
  std::string text = fmt::format("{:.{}f}", rounded, std::max(0, 3 - whole));
  for (std::size_t at = std::min(text.find('.'), text.size()); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells)
    row += " " + cell + " |";
  return row + "\n";
}

Json measured_document(const std::string& path) {
  return fs::exists(path) ? Json::parse(read_file(path)) : Json::object();
}

}  // namespace

double bench_result(const std::string& name) {
  const std::vector<std::string> parts = parts_of(name, ';');
  const Json document = Json::parse(read_file(root() + "/bench/results/" + parts[0]));
  const Json* const at = parts.size() > 1 ? found_in(document, parts) : nullptr;
  if (!at) throw Stop{exit_authoring, "bench/results has no '" + name + "'", ""};
  return at->get<double>();
}

Measured::Measured(const Exercise& exercise)
    : exercise_(&exercise), path_(root() + "/solutions/" + exercise.id + "/measured.json") {}

bool Measured::empty() const {
  return !fs::exists(path_);
}

double Measured::measure_one(const Json& row, Trials& trials) const {
  const std::string& output = trials.printed_by(row.at("run"));
  const double factor =
      row.contains("times") ? value_of(row["times"], [](const std::string&) { return NAN; }) : 1;
  return factor * number_at(row.at("line"), output);
}

// Once where the clock is simulated, else the median of three runs.
double Measured::measure_anew(const Json& row) const {
  std::vector<double> all(row.value("repeats", false) ? 1 : runs);
  for (double& one : all) {
    Trials trials;
    one = measure_one(row, trials);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

void Measured::measure() {
  if (empty()) return;
  nlohmann::ordered_json document = nlohmann::ordered_json::parse(read_file(path_));
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const auto& row : document.at("measures"))
    values[row.at("name").get<std::string>()] = measure_anew(Json(row));
  document["values"] = values;
  const std::time_t now = std::time(nullptr);
  document["made"] = {
      {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(now))},
      {"processor", cpu_model()},
      {"cores", usable_cores()}};
  write_file(path_, document.dump(2) + "\n");
}

std::vector<std::string> Measured::faults(Trials& trials) const {
  std::vector<std::string> all;
  const Json document = measured_document(path_);
  for (const Json& row : document.value("measures", Json::array())) {
    const std::string name = row.at("name");
    const double before = value(name);
    if (!row.value("repeats", false)) continue;
    const double now = measure_one(row, trials);
    if (std::fabs(now - before) <= repeats_within * std::fabs(before)) continue;
    all.push_back(fmt::format(
        "{}: {} was measured as {:.6g} and is {:.6g} now; ./hypatia dev book {} --measure",
        exercise_->id,
        name,
        before,
        now,
        exercise_->number));
  }
  return all;
}

double Measured::value(const std::string& name) const {
  if (name.find(';') != name.npos) return bench_result(name);
  if (name.rfind("asked.", 0) == 0) {
    for (const Question& question : exercise_->questions) {
      if (question.name == name.substr(6)) return question.answer;
    }
  }
  const Json document = measured_document(path_);
  if (document.contains("values") && document["values"].contains(name)) {
    return document["values"][name].get<double>();
  }
  throw Stop{
      exit_authoring,
      "'" + name + "' is no value of " + shown(path_),
      "./hypatia dev book " + exercise_->number + " --measure"};
}

std::string Measured::table(const std::string& name) const {
  const Json document = measured_document(path_);
  if (!document.contains("tables") || !document["tables"].contains(name)) {
    throw Stop{exit_authoring, shown(path_) + " has no table '" + name + "'", ""};
  }
  const Json& form = document["tables"][name];
  const std::vector<std::string> head = form.at("head");
  std::string text = row_of(head) + "|" + [&] {
    std::string rule;
    for (std::size_t i = 0; i < head.size(); ++i)
      rule += i == 0 ? "---|" : "---:|";
    return rule + "\n";
  }();
  for (std::vector<std::string> row : form.at("rows")) {
    for (std::size_t i = 1; i < row.size(); ++i)
      row[i] = three_digits(value(row[i]));
    text += row_of(row);
  }
  const Json& made = document.at("made");
  return text + fmt::format(
                    "\n*Made by `./hypatia dev book {} --measure` on {}, {}, cores: {}.*\n",
                    exercise_->number,
                    made.at("date").get<std::string>(),
                    made.at("processor").get<std::string>(),
                    made.at("cores").get<int>());
}

std::string Measured::with_tables(const std::string& page) const {
  std::string text;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    static const std::string begin = "<!-- table: ", end = "<!-- end of table -->";
    if (line == end) inside = false;
    if (!inside) text += line + "\n";
    if (line.rfind(begin, 0) != 0) continue;
    inside = true;
    text += table(line.substr(begin.size(), line.find(" -->") - begin.size()));
  }
  return text;
}

}  // namespace hypatia::runner
