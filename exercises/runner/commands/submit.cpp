// `hypatia submit`: a bundle of the learner's edited files, to hand in; nothing is sent anywhere.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/submission.h"

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

int run_submit(const Arguments& arguments) {
  const std::string who = arguments.value("--who", own_name());
  require_name(who);
  const std::string path = arguments.value("--out", who + ".zip");
  if (std::filesystem::path(path).extension() != ".zip") {
    throw Stop{exit_usage, "a bundle's name ends in .zip, not as " + path + " does", ""};
  }
  const int files = write_bundle(who, path);
  if (arguments.json()) {
    const nlohmann::json document{{"schema", 1}, {"who", who}, {"bundle", path}, {"files", files}};
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    std::printf(
        "%s: %d edited %s of %s, with hashes and your journal. Hand it in as your teacher says.\n",
        shown(path).c_str(),
        files,
        files == 1 ? "exercise" : "exercises",
        who.c_str());
  }
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
            {"--out", "FILE.zip", "where to write it (default: ID.zip)", true, "PK"},
        },
    .run = run_submit,
};

}  // namespace hypatia::runner
