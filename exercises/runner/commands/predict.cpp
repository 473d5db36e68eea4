// `hypatia predict NN`: the questions that an exercise's check measures, answered beforehand.
#include <cstdio>
#include <fmt/core.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// Asks for what is not answered yet and records each answer as it comes; an empty line leaves a
// question for later, and what is no answer is asked again.
void ask(const Exercise& exercise, const std::map<std::string, double>& said) {
  for (const Question& question : exercise.questions) {
    if (said.count(question.name)) continue;
    std::printf("\n%s\n", wrap(question.text).c_str());
    for (bool answered = false; !answered;) {
      std::printf("  %s = ", question.name.c_str());
      std::fflush(stdout);
      std::string line;
      if (!std::getline(std::cin, line)) {
        std::cin.clear();
        return;
      }
      try {
        if (!line.empty()) record_answers(exercise, {question.name + "=" + line});
        answered = true;
      } catch (const Stop& stop) {
        std::printf("  %s, %s\n", stop.message.c_str(), stop.help.c_str());
      }
    }
  }
}

void print_questions(const Exercise& exercise, const std::map<std::string, double>& said) {
  std::string open;
  for (const Question& question : exercise.questions) {
    const auto answer = said.find(question.name);
    const bool answered = answer != said.end();
    const std::string mine = answered ? fmt::format("{:.10g}", answer->second) : "not answered";
    if (!answered) open += (open.empty() ? "" : ",") + question.name + "=NUMBER";
    std::printf(
        "%s: %s\n  %s\n",
        question.name.c_str(),
        mine.c_str(),
        wrap(question.text, 98, "  ").c_str());
  }
  const char* number = exercise.number.c_str();
  if (open.empty()) {
    std::printf("  next      ./hypatia check %s shows what is measured\n", number);
  } else {
    std::printf("  next      ./hypatia predict %s --answer %s\n", number, open.c_str());
  }
}

int run_predict(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  if (exercise.questions.empty()) {
    throw Stop{exit_authoring, exercise.id + " has no questions to predict", ""};
  }
  std::map<std::string, double> said = first_answers(exercise);
  const std::vector<std::string> answers = parts_of(arguments.value("--answer"), ',');
  const bool asks = !arguments.has("--answer") && !arguments.json() && ::isatty(0) == 1;
  if (asks) ask(exercise, said);
  if (!answers.empty()) record_answers(exercise, answers);
  said = first_answers(exercise);
  if (arguments.json()) {
    nlohmann::json questions = nlohmann::json::array();
    for (const Question& question : exercise.questions) {
      const auto mine = said.find(question.name);
      questions.push_back(
          {{"name", question.name},
           {"question", question.text},
           {"predicted", mine == said.end() ? nlohmann::json() : nlohmann::json(mine->second)}});
    }
    const nlohmann::json document{
        {"schema", 1}, {"exercise", {{"id", exercise.id}}}, {"predictions", questions}};
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  if (!asks && answers.empty()) {
    print_questions(exercise, said);
    return exit_pass;
  }
  std::printf(
      "%zu of %zu questions answered\n  next      ./hypatia check %s shows what is measured\n",
      said.size(),
      exercise.questions.size(),
      exercise.number.c_str());
  return exit_pass;
}

}  // namespace

extern const Command predict_command{
    .name = "predict",
    .summary = "what do you expect? asked before the check measures it",
    .positional = {"NN", "the exercise", 1, 1},
    .options = {{"--answer", "K=V,…", "record these answers instead of asking"}},
    .run = run_predict,
};

}  // namespace hypatia::runner
