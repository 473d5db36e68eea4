// `hypatia watch`: checks the learner's file each time it is saved, and answers single keys.
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <future>

#include "engine/core/error.h"

#include "exercises/runner/attempt.h"
#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/state.h"
#include "exercises/runner/terminal.h"
#include "exercises/runner/text.h"
#include "exercises/runner/watched_file.h"

namespace hypatia::runner {

namespace {

constexpr int look_milliseconds = 300, busy_milliseconds = 30;

// A key that stands for another verb.
struct Key {
  char key;
  const char* verb;
  const char* option;  // with its value, or ""
  const char* value;
  const char* help;
};

constexpr Key keys[] = {
    {'r', "run", "--timeout", "60", "run"},
    {'h', "hint", "", "", "hint"},
    {'d', "compare", "--diff", "", "diff to the solution"},
    {'p', "predict", "", "", "predict"},
    {'c', "counters", "", "", "counters"},
    {'l', "list", "", "", "list"},
    {'x', "reset", "", "", "reset"},
    {'u', "undo", "", "", "undo"},
};

const Command& verb(std::string_view name) {
  for (const Command* command : commands()) {
    if (command->name == name) return *command;
  }
  throw Stop{exit_environment, "there is no verb " + std::string(name), ""};
}

class Watch {
 public:
  Watch(const Exercise& first, const Arguments& arguments) : exercise_(&first) {
    asked_device_ = arguments.value("--device");
    plain_ = arguments.has("--plain");
  }

  void run() {
    while (exercise_) {
      WatchedFile file(exercise_->source());
      const Exercise* const here = exercise_;
      while (exercise_ == here) {
        if (check_once(file)) wait_for_work(file);
      }
    }
  }

 private:
  // Checks the file as it is; false if it was saved meanwhile, so that the verdict is of no use.
  bool check_once(WatchedFile& file) {
    file.take();
    show_line("checking " + shown(exercise_->source()));
    CheckRequest request;
    request.exercise = exercise_;
    request.device = asked_device_.empty() ? usual_device(*exercise_) : asked_device_;
    std::future<Verdict> done = std::async(std::launch::async, [&] { return check(request); });
    bool stale = false;
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      const char key = keys_.next(busy_milliseconds, file.descriptor());
      if (key == 'q') exercise_ = nullptr;
      saved_ = saved_ || file.changed();
      stale = stale || !exercise_ || file.changed();
      if (stale) stop_running();
    }
    try {
      Verdict verdict = done.get();
      if (stale || file.changed()) return false;
      or_warn("this check", [&] { remember(verdict, read_file(exercise_->source())); });
      passed_ = verdict.passed();
      show(verdict, file);
    } catch (const Stop& stop) {
      if (!exercise_) return false;
      passed_ = false;
      show_line(stop.message + "\n  " + stop.help + "\n");
      show_prompt();
    }
    return true;
  }

  void show(const Verdict& verdict, const WatchedFile& file) {
    if (!plain_) clear_screen();
    std::printf("%s", to_text(verdict).c_str());
    const double after = file.seconds_since_save();
    const std::string when =
        saved_ && after < 60 ? fmt::format("{:.1f} s after the save", after) : "";
    std::printf("\n%s\n", paint(Colour::dim, when).c_str());
    show_prompt();
  }

  void show_prompt() const {
    const char* const next = passed_ ? "n next exercise   " : "";
    show_line(fmt::format("{}h hint   d diff   s statement   ? all keys   q quit", next));
  }

  static void show_line(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  // Until the file is saved, or a key asks for another check.
  void wait_for_work(WatchedFile& file) {
    while (exercise_) {
      const char key = keys_.next(look_milliseconds, file.descriptor());
      if (file.changed()) {
        saved_ = true;
        return;
      }
      if (key != 0 && answer(key)) return;
    }
  }

  // True if the file is to be checked again, or another exercise is.
  bool answer(char key) {
    switch (key) {
      case 'q':
        exercise_ = nullptr;
        return true;
      case 'n':
        return go_on();
      case 's':
        std::printf("\n%s\n", without_holds(read_file(exercise_->folder + "/README.md")).c_str());
        show_prompt();
        return false;
      case '\n':
      case '\r':
      case ' ':
        return true;
      default:
        break;
    }
    const auto* const found =
        std::find_if(std::begin(keys), std::end(keys), [&](const Key& k) { return k.key == key; });
    if (found == std::end(keys)) {
      show_help();
    } else {
      if (key != 'x' || sure()) {
        keys_.pause();
        perform(*found);
        keys_.resume();
      }
      show_prompt();
    }
    return false;
  }

  // A single key, as every other answer.
  bool sure() {
    std::printf("\nback to the start of %s? [y/N] ", exercise_->id.c_str());
    std::fflush(stdout);
    char key = 0;
    while (key == 0)
      key = keys_.next(look_milliseconds);
    const bool yes = key == 'y' || key == 'Y';
    show_line(yes ? "yes" : "no");
    return yes;
  }

  // True if there is another exercise to go on with.
  bool go_on() {
    const Exercise* const next = next_exercise();
    if (next == exercise_) {
      show_line("All exercises are passed.");
      show_prompt();
      return false;
    }
    exercise_ = next;
    saved_ = false;
    return true;
  }

  void perform(const Key& key) const {
    Arguments arguments;
    if (std::string_view(key.verb) != "list") arguments.words = {exercise_->id};
    if (*key.option) arguments.options[key.option] = key.value;
    std::printf("\n");
    try {
      verb(key.verb).run(arguments);
    } catch (const Stop& stop) {
      std::printf("%s\n  %s\n", stop.message.c_str(), stop.help.c_str());
    } catch (const Error& error) {
      std::printf("%s\n", error.what());
    }
    std::printf("\n");
  }

  static void show_help() {
    std::printf("\n");
    for (const Key& key : keys)
      std::printf("  %c   %s\n", key.key, key.help);
    std::printf("  s   statement\n  n   next exercise\n  Enter   check again\n  q   quit\n");
    std::fflush(stdout);
  }

  // The next one that is not passed, from here on and round again; this one if there is no other.
  const Exercise* next_exercise() const {
    const std::vector<Exercise>& all = course();
    const auto here = static_cast<std::size_t>(exercise_ - all.data());
    for (std::size_t i = 1; i < all.size(); ++i) {
      const Exercise& other = all[(here + i) % all.size()];
      if (!progress(other).passed) return &other;
    }
    return exercise_;
  }

  const Exercise* exercise_;
  std::string asked_device_;
  bool plain_ = false, passed_ = false;
  bool saved_ = false;  // since this exercise is watched
  Keys keys_;
};

const Exercise& first_exercise(const Arguments& arguments) {
  if (!arguments.words.empty()) return find_exercise(arguments.words[0]);
  for (const Exercise& exercise : course()) {
    if (!progress(exercise).passed) return exercise;
  }
  return course().front();
}

int run_watch(const Arguments& arguments) {
  if (!at_a_terminal() || arguments.json()) {
    throw Stop{
        exit_usage,
        "watch wants a terminal: it shows a verdict at each save, and answers keys",
        "./hypatia check NN gives one verdict"};
  }
  require_device(arguments.value("--device"));
  Watch(first_exercise(arguments), arguments).run();
  return exit_pass;
}

}  // namespace

extern const Command watch_command{
    .name = "watch",
    .summary = "check your file at every save; ./hypatia alone does the same",
    .positional = {"NN", "the exercise; the first you have not passed by default", 0, 1},
    .options =
        {
            {"--device", "D", "cpu, cuda, sim, … (default as in check)"},
            {"--plain", "", "one verdict below the other, without clearing the screen"},
        },
    .run = run_watch,
};

}  // namespace hypatia::runner
