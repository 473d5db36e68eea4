// Reads exercise.json by one table of its keys.
#include "exercises/runner/sheet.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <span>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

using nlohmann::json;

enum class Holds { text, number, texts, object, objects };

struct Key {
  const char* name;
  Holds holds;
  bool needed = false;
  std::span<const Key> inner = {};  // the keys of the object, or of each object
};

constexpr Key starter_keys[] = {
    {"sha256", Holds::text, true},
    {"build", Holds::text},
    {"fails", Holds::text, true},
    {"tag", Holds::text, true},
    {"why", Holds::text},
};
constexpr Key timeout_keys[] = {{"build", Holds::number}, {"test", Holds::number}};
constexpr Key prediction_keys[] = {
    {"name", Holds::text, true},
    {"question", Holds::text, true},
    {"on", Holds::text},
    {"answer", Holds::number, true},
    {"within", Holds::number},
};
constexpr Key hint_keys[] = {
    {"level", Holds::number, true},
    {"file", Holds::text, true},
    {"tags", Holds::texts},
    {"task", Holds::number},
};
constexpr Key sheet_keys[] = {
    {"title", Holds::text, true},
    {"kind", Holds::text},
    {"teaches", Holds::texts, true},
    {"needs", Holds::texts, true},
    {"minutes", Holds::number, true},
    {"level", Holds::number},
    {"devices", Holds::texts, true},
    {"checked_on", Holds::text},
    {"starter", Holds::object, true, starter_keys},
    {"tests", Holds::texts, true},
    {"timeout", Holds::object, false, timeout_keys},
    {"predictions", Holds::objects, false, prediction_keys},
    {"hints", Holds::objects, true, hint_keys},
};

// What a value should be, in words and as an example.
struct Form {
  const char* words;
  const char* example;
};

Form form_of(Holds holds) {
  switch (holds) {
    case Holds::text:
      return {"a text", "\"…\""};
    case Holds::number:
      return {"a number", "10"};
    case Holds::texts:
      return {"a list of texts", "[\"…\"]"};
    case Holds::object:
      return {"an object", "{…}"};
    case Holds::objects:
      return {"a list of objects", "[{…}]"};
  }
  return {};
}

bool is_list(const json& value, bool (json::*is)() const noexcept) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [&](const json& each) { return (each.*is)(); });
}

bool fits(const json& value, Holds holds) {
  switch (holds) {
    case Holds::text:
      return value.is_string();
    case Holds::number:
      return value.is_number();
    case Holds::texts:
      return is_list(value, &json::is_string);
    case Holds::object:
      return value.is_object();
    case Holds::objects:
      return is_list(value, &json::is_object);
  }
  return false;
}

std::string fault_of(const json& object, std::span<const Key> keys, const std::string& within);

// The same of the objects that the key holds.
std::string fault_inside(const json& value, const Key& key, const std::string& name) {
  if (key.holds == Holds::object) return fault_of(value, key.inner, name + ".");
  if (key.holds != Holds::objects) return "";
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string fault = fault_of(value[i], key.inner, fmt::format("{}[{}].", name, i));
    if (!fault.empty()) return fault;
  }
  return "";
}

// A key that is missing, or that holds something else than it should; "" if there is none.
std::string fault_of(const json& object, std::span<const Key> keys, const std::string& within) {
  for (const Key& key : keys) {
    const std::string name = within + key.name;
    const Form form = form_of(key.holds);
    if (!object.contains(key.name)) {
      if (!key.needed) continue;
      return fmt::format(
          "the key '{}' is missing, which holds {}: \"{}\": {}",
          name,
          form.words,
          key.name,
          form.example);
    }
    const json& value = object[key.name];
    if (!fits(value, key.holds)) {
      return fmt::format("'{}' should be {}, not {}", name, form.words, value.dump());
    }
    if (const std::string fault = fault_inside(value, key, name); !fault.empty()) return fault;
  }
  return "";
}

std::string unknown_in(const json& object, std::span<const Key> keys, const std::string& within) {
  std::vector<std::string> names;
  for (const Key& key : keys)
    names.emplace_back(key.name);
  for (const auto& [name, value] : object.items()) {
    const auto key = std::find_if(
        keys.begin(), keys.end(), [&, &known = name](const Key& k) { return known == k.name; });
    if (key == keys.end()) {
      return "'" + within + name + "' is no key of a sheet. " + near_names(name, names);
    }
    if (key->holds == Holds::object) {
      const std::string found = unknown_in(value, key->inner, within + name + ".");
      if (!found.empty()) return found;
    }
    if (key->holds != Holds::objects) continue;
    for (const json& each : value) {
      const std::string found = unknown_in(each, key->inner, within + name + "[].");
      if (!found.empty()) return found;
    }
  }
  return "";
}

Exercise exercise_of(const json& sheet, const std::string& folder) {
  Exercise exercise;
  exercise.id = std::filesystem::path(folder).filename().string();
  exercise.number = exercise.id.substr(0, 2);
  exercise.folder = folder;
  sheet.at("title").get_to(exercise.title);
  sheet.at("teaches").get_to(exercise.teaches);
  sheet.at("needs").get_to(exercise.needs);
  sheet.at("devices").get_to(exercise.devices);
  exercise.checked_on = sheet.value("checked_on", "");
  sheet.at("minutes").get_to(exercise.minutes);
  sheet.at("tests").get_to(exercise.tests);
  const json& starter = sheet.at("starter");
  starter.at("sha256").get_to(exercise.starter_sha256);
  starter.at("fails").get_to(exercise.starter_fails);
  starter.at("tag").get_to(exercise.starter_tag);
  if (sheet.contains("timeout")) {
    exercise.build_seconds = sheet["timeout"].value("build", exercise.build_seconds);
    exercise.test_seconds = sheet["timeout"].value("test", exercise.test_seconds);
  }
  for (const json& hint : sheet.at("hints")) {
    exercise.hints.push_back(
        {hint.at("level"),
         hint.at("file"),
         hint.value("tags", std::vector<std::string>{}),
         hint.value("task", 0)});
  }
  for (const json& question : sheet.value("predictions", json::array())) {
    exercise.questions.push_back(
        {question.at("name"),
         question.at("question"),
         question.value("on", ""),
         question.at("answer"),
         question.value("within", 0.0)});
  }
  return exercise;
}

}  // namespace

json read_json(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const std::size_t at = std::min(error.byte, text.size());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(at > 0 ? at - 1 : 0);
    const auto line = 1 + std::count(text.begin(), end, '\n');
    throw Stop{
        exit_authoring,
        fmt::format("{}, line {}: this is no JSON", shown(path), line),
        "a comma, a quote or a bracket is missing or too many there, or at the end of the line "
        "before"};
  }
}

Exercise read_exercise(const std::string& folder) {
  const std::string path = folder + "/exercise.json";
  const json sheet = read_json(path);
  const std::string fault =
      sheet.is_object() ? fault_of(sheet, sheet_keys, "") : "a sheet is an object, {…}";
  if (fault.empty()) return exercise_of(sheet, folder);
  throw Stop{exit_authoring, shown(path) + ": " + fault, "docs/course/README.md tells of the keys"};
}

std::string unknown_key(const Exercise& exercise) {
  return unknown_in(read_json(exercise.folder + "/exercise.json"), sheet_keys, "");
}

}  // namespace hypatia::runner
