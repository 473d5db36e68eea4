// The `hypatia` program: turns the command line into a verb and its arguments, and runs it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/terminal.h"
#include "exercises/runner/text.h"

namespace {

using namespace hypatia::runner;

// What CLI11 fills in for one verb.
struct Slot {
  const Command* command = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::string> values;
  std::map<std::string, bool> switches;
  std::vector<std::string> words;
};

void declare(CLI::App& app, Slot& slot) {
  const Command& command = *slot.command;
  slot.app = app.add_subcommand(command.name, command.summary);
  std::vector<Option> options = command.options;
  options.push_back({"--json", "", "print one JSON document instead of text"});
  for (const Option& option : options) {
    if (option.value.empty()) {
      slot.app->add_flag(option.name, slot.switches[option.name], option.help);
    } else {
      slot.app->add_option(option.name, slot.values[option.name], option.help)
          ->type_name(option.value);
    }
  }
  const Positional& words = command.positional;
  if (!words.name.empty()) {
    slot.app->add_option(words.name, slot.words, words.help)
        ->expected(words.least, words.most)
        ->required(words.least > 0)
        ->type_name("");
  }
}

Arguments collect(const Slot& slot, const std::vector<std::string>& rest) {
  Arguments arguments;
  for (const auto& [name, value] : slot.values) {
    if (slot.app->get_option(name)->count() > 0) arguments.options[name] = value;
  }
  for (const auto& [name, on] : slot.switches) {
    if (on) arguments.options[name] = "";
  }
  arguments.words = slot.words;
  arguments.rest = rest;
  return arguments;
}

int complain(const Stop& stop, bool json) {
  if (json) {
    const nlohmann::json document{
        {"schema", 1},
        {"status", "error"},
        {"exit", stop.code},
        {"message", stop.message},
        {"help", stop.help},
    };
    std::printf("%s\n", document.dump(2).c_str());
    return stop.code;
  }
  std::fprintf(stderr, "hypatia: %s\n", stop.message.c_str());
  if (!stop.help.empty()) std::fprintf(stderr, "  %s\n", stop.help.c_str());
  return stop.code;
}

int run_verb(const Slot& slot, const std::vector<std::string>& rest) {
  const Arguments arguments = collect(slot, rest);
  try {
    require_outputs(*slot.command, arguments);
    return slot.command->run(arguments);
  } catch (const Stop& stop) {
    return complain(stop, arguments.json());
  } catch (const hypatia::Error& error) {
    const bool configured = error.kind() == hypatia::Error::Kind::config;
    const int code = configured ? exit_usage : exit_environment;
    return complain({code, error.what(), ""}, arguments.json());
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    const std::string refused = missing_right(path);
    return complain(
        {exit_environment,
         refused.empty() ? shown(path) + ": " + error.code().message() : refused,
         refused.empty() ? "" : "its owner gives it with chmod"},
        arguments.json());
  } catch (const std::exception& error) {
    return complain(
        {exit_environment, std::string("unexpected failure: ") + error.what(), ""},
        arguments.json());
  }
}

std::string near_verbs(const std::string& word) {
  std::vector<std::string> names;
  for (const Command* command : commands())
    names.push_back(command->name);
  return near_names(word, names);
}

// What was wrong with a verb's words, and what to type.
Stop stop_of(
    const Slot& slot, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const Command& command = *slot.command;
  std::vector<std::string> options{"--json", "--help"};
  for (const Option& option : command.options)
    options.push_back(option.name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() < 2 || name[0] != '-') continue;
    if (const std::string near = near_names(name, options); !near.empty() && name != "-h")
      return {exit_usage, command.name + " has no option " + name, near};
  }
  const std::string example = "./hypatia " + command.name + " " +
                              (command.positional.name == "NN" ? "03" : command.positional.name);
  if (words.size() < 1 + static_cast<std::size_t>(command.positional.least)) {
    return {
        exit_usage,
        command.name + " wants " + command.positional.name + ": " + command.positional.help,
        "as in: " + example +
            (command.positional.name == "NN" ? "; ./hypatia list names them" : "")};
  }
  const std::string help = "./hypatia " + command.name + " --help";
  const std::string& asked = command.positional.name;
  const std::string said = error.what();
  std::vector<std::string> given;
  std::copy_if(words.begin() + 1, words.end(), std::back_inserter(given), [](const auto& word) {
    return !word.empty() && word[0] != '-';
  });
  if (asked.empty() && dynamic_cast<const CLI::ExtrasError*>(&error) && !given.empty())
    return {exit_usage, command.name + " takes no words, and got '" + given[0] + "'", help};
  if (command.positional.most == 1 && said.rfind(asked + ": At Most", 0) == 0) {
    return {
        exit_usage,
        command.name + " takes one " + asked + " (" + command.positional.help + "), not " +
            std::to_string(given.size()),
        "one after the other: ./hypatia " + command.name + " " + given[0]};
  }
  return {exit_usage, command.name + ": " + said, help};
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> before, rest;
  bool passing = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (!passing && word == "--") {
      passing = true;
    } else {
      (passing ? rest : before).push_back(word);
    }
  }
  CLI::App app{"Hypatia: a symbolic graph engine, its exercises and its profiler", "hypatia"};
  app.require_subcommand(0, 1);
  app.failure_message(CLI::FailureMessage::simple);
  std::vector<std::unique_ptr<Slot>> slots;
  for (const Command* command : commands()) {
    slots.push_back(std::make_unique<Slot>());
    slots.back()->command = command;
    declare(app, *slots.back());
  }
  if (!before.empty() && before[0] == "help") {  // "help check" is "check --help"
    before.erase(before.begin());
    before.emplace_back("--help");
  }
  if (!before.empty() && before[0][0] != '-' && !near_verbs(before[0]).empty()) {
    return complain(
        {exit_usage, "there is no verb '" + before[0] + "'", near_verbs(before[0])}, false);
  }
  if (before.empty()) before.emplace_back(at_a_terminal() ? "watch" : "status");
  try {
    std::reverse(before.begin(), before.end());
    app.parse(before);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    for (const auto& slot : slots) {
      if (slot->app->parsed())
        return complain(stop_of(*slot, error, {words + 1, words + count}), false);
    }
    const int code = app.exit(error);
    return code == 0 ? exit_pass : exit_usage;
  }
  for (const auto& slot : slots) {
    if (slot->app->parsed()) return run_verb(*slot, rest);
  }
  return exit_pass;
}
