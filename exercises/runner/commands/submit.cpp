// `hypatia submit`: a bundle of the learner's edited files, to hand in; nothing is sent anywhere.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/submission.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string own_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry ? entry->pw_name : "learner";
}

// It names a file and a line of the teacher's table.
void require_name(const std::string& who) {
  constexpr std::size_t longest = 60;
  const bool good = !who.empty() && who.size() <= longest && who.front() != '.' &&
                    who.front() != '-' && who.find_first_of("/\\\n\r\t") == std::string::npos;
  if (good) return;
  throw Stop{
      exit_usage,
      "'" + who + "' can't be a name in the class",
      "a name has 1 to 60 characters, no slash, and begins with neither a dot nor a dash"};
}

// What is there may be someone else's, or no bundle at all.
void require_own(const std::string& path, const std::string& who) {
  if (!std::filesystem::exists(path)) return;
  const std::string owner = owner_of_bundle(path);
  if (owner == who) return;
  throw Stop{
      exit_usage,
      shown(path) + " is there already and is " +
          (owner.empty() ? "no bundle of submit's" : owner + "'s bundle"),
      "name another file with --out, or remove it"};
}

std::string listed(const std::vector<Bundled>& all, bool also_passed) {
  std::string text;
  for (const Bundled& each : all) {
    if (also_passed || !each.passed) text += (text.empty() ? "" : ", ") + each.exercise;
  }
  return text;
}

void print(const std::vector<Bundled>& all, const std::string& who, const std::string& path) {
  const auto line = [](const std::string& text) {
    std::printf("%s\n", wrap(text, 100, "  ").c_str());
  };
  const std::string open = listed(all, false);
  line(
      shown(path) + ": " + std::to_string(all.size()) + " edited " +
      (all.size() == 1 ? "exercise" : "exercises") + " of " + who +
      ", with hashes and your journal. Hand it in as your teacher says.");
  line("in it: " + listed(all, true));
  if (open.empty()) {
    line("passed, as they are: all of them");
  } else {
    line("not passed, as they are: " + open);
  }
}

int run_submit(const Arguments& arguments) {
  const std::string wanted = arguments.value("--who", own_name());
  require_name(wanted);
  const std::string who = name_in_class(wanted);
  const std::string path = arguments.value("--out", who + ".zip");
  if (std::filesystem::path(path).extension() != ".zip") {
    throw Stop{exit_usage, "a bundle's name ends in .zip, not as " + path + " does", ""};
  }
  require_own(path, who);
  const std::vector<Bundled> all = write_bundle(who, path);
  if (who != wanted) {
    std::fprintf(
        stderr,
        "'%s' goes under the name '%s': a name has letters, digits, blanks and . - _ @\n",
        wanted.c_str(),
        who.c_str());
  }
  if (!arguments.json()) {
    print(all, who, path);
    return exit_pass;
  }
  nlohmann::json exercises = nlohmann::json::array();
  for (const Bundled& each : all)
    exercises.push_back({{"id", each.exercise}, {"passed", each.passed}});
  const nlohmann::json document{
      {"schema", 1},
      {"who", who},
      {"bundle", path},
      {"files", all.size()},
      {"exercises", exercises}};
  std::printf("%s\n", document.dump(2).c_str());
  return exit_pass;
}

}  // namespace

extern const Command submit_command{
    .name = "submit",
    .summary = "put your edited files into a bundle to hand in",
    .positional = {},
    .options =
        {
            {"--who", "ID", "your name or number in the class (default: your user name)"},
            {"--out", "FILE.zip", "where to write it (default: ID.zip)", true},
        },
    .run = run_submit,
};

}  // namespace hypatia::runner
