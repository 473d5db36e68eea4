// Which option writes which form, and where.
#include "exercises/runner/commands/grade_exports.h"

#include <filesystem>

#include "exercises/runner/places.h"

namespace hypatia::runner {

namespace {

// One learner: a file. Several: a folder with a file each.
void write_each(
    const Gradebook& book,
    const std::string& path,
    std::string (*form)(const Gradebook&, const std::string&)) {
  if (path.empty()) return;
  if (book.learners.size() == 1) {
    write_file(path, form(book, book.learners[0].who));
    return;
  }
  std::filesystem::create_directories(path);
  for (const Learner& learner : book.learners)
    write_file(path + "/" + learner.who + ".json", form(book, learner.who));
}

}  // namespace

void write_exports(const Gradebook& book, const Arguments& arguments) {
  const auto write = [&](const char* option, std::string (*form)(const Gradebook&)) {
    if (arguments.has(option)) write_file(arguments.value(option), form(book));
  };
  write("--csv", to_csv);
  write("--junit", to_junit);
  write_each(book, arguments.value("--gradescope"), to_gradescope);
  write_each(book, arguments.value("--exercism"), to_exercism);
}

}  // namespace hypatia::runner
