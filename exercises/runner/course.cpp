// Reads exercise.json files and finds exercises by name.
#include "exercises/runner/course.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

Exercise read_exercise(const fs::path& folder) {
  const std::string sheet = (folder / "exercise.json").string();
  try {
    const nlohmann::json json = nlohmann::json::parse(read_file(sheet));
    Exercise exercise;
    exercise.id = folder.filename().string();
    exercise.number = exercise.id.substr(0, 2);
    exercise.folder = folder.string();
    json.at("title").get_to(exercise.title);
    json.at("teaches").get_to(exercise.teaches);
    json.at("needs").get_to(exercise.needs);
    json.at("devices").get_to(exercise.devices);
    exercise.checked_on = json.value("checked_on", "");
    json.at("minutes").get_to(exercise.minutes);
    json.at("tests").get_to(exercise.tests);
    const nlohmann::json& starter = json.at("starter");
    starter.at("sha256").get_to(exercise.starter_sha256);
    starter.at("fails").get_to(exercise.starter_fails);
    starter.at("tag").get_to(exercise.starter_tag);
    if (json.contains("timeout")) {
      exercise.build_seconds = json["timeout"].value("build", exercise.build_seconds);
      exercise.test_seconds = json["timeout"].value("test", exercise.test_seconds);
    }
    for (const nlohmann::json& hint : json.at("hints")) {
      exercise.hints.push_back(
          {hint.at("level"),
           hint.at("file"),
           hint.value("tags", std::vector<std::string>{}),
           hint.value("task", 0)});
    }
    for (const nlohmann::json& question : json.value("predictions", nlohmann::json::array())) {
      exercise.questions.push_back(
          {question.at("name"),
           question.at("question"),
           question.value("on", ""),
           question.at("answer"),
           question.value("within", 0.0)});
    }
    return exercise;
  } catch (const nlohmann::json::exception& error) {
    throw Stop{exit_authoring, shown(sheet) + ": " + error.what(), ""};
  }
}

std::vector<Exercise> read_course() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(root() + "/exercises")) {
    if (fs::exists(entry.path() / "exercise.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<Exercise> exercises;
  for (const fs::path& folder : folders)
    exercises.push_back(read_exercise(folder));
  return exercises;
}

}  // namespace

std::string Exercise::solution() const {
  return root() + "/solutions/" + id + "/solution.cpp";
}

bool Exercise::runs_on(std::string_view spec) const {
  // "cuda1" and "sim:gtx1060" are kinds with a number or a card.
  return std::any_of(devices.begin(), devices.end(), [&](const std::string& kind) {
    return spec.substr(0, kind.size()) == kind;
  });
}

const std::vector<Exercise>& course() {
  static const std::vector<Exercise> all = read_course();
  return all;
}

const Exercise& find_exercise(std::string_view name) {
  const std::string padded = name.size() == 1 ? "0" + std::string(name) : std::string(name);
  std::vector<std::string> names, short_names;
  for (const Exercise& exercise : course()) {
    if (exercise.id == padded || exercise.number == padded || exercise.id.substr(3) == padded) {
      return exercise;
    }
    names.push_back(exercise.id);
    short_names.push_back(exercise.id.substr(3));
  }
  const std::string near = near_names(padded, short_names);
  throw Stop{
      exit_usage,
      "there is no exercise '" + std::string(name) + "'",
      near.rfind("Did", 0) == 0 ? near : near_names(padded, names)};
}

void require_source(const Exercise& exercise) {
  if (std::filesystem::exists(exercise.source())) return;
  throw Stop{
      exit_no_build,
      shown(exercise.source()) + " is not there",
      "./hypatia undo " + exercise.number + " brings back what was checked last, ./hypatia reset " +
          exercise.number + " the start"};
}

const std::string& pristine(const Exercise& exercise) {
  for (const Starter& starter : starters()) {
    if (starter.id == exercise.id) return starter.text;
  }
  throw Stop{
      exit_environment,
      "the pristine starter of " + exercise.id + " is not known",
      "it was edited before the first build and is not in git's history; get a fresh copy"};
}

}  // namespace hypatia::runner
