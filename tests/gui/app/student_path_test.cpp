// A student's way through the GUI with the real course: run exercise 03 on the CPU and on the
// simulated GPU, see the verdict, compare with the solution, and read the line of the node that
// costs most. Once by input that a host injects, once by mouse and keys under Xvfb.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <utility>

#include "gui/app/headless.h"
#include "gui/app/process.h"
#include "tests/checkout.h"

namespace hypatia::gui {

namespace {

namespace fs = std::filesystem;

/// What a person does, by the names of what is on the screen.
class Student {
 public:
  Student() = default;
  Student(const Student&) = delete;
  Student& operator=(const Student&) = delete;
  virtual ~Student() = default;

  virtual void click(const std::string& name) = 0;
  virtual void press(const std::string& key) = 0;
  /// Waits until something of this name is on the screen.
  virtual void see(const std::string& name) = 0;
};

void run_and_see(Student& student, const std::string& device) {
  student.click("choice/device/" + device);
  student.click("course/run");
  student.see("course/verdict/passed");
}

void walk(Student& student) {
  student.see("exercise/03_logistic_regression");
  student.click("exercise/03_logistic_regression");
  run_and_see(student, "cpu");
  run_and_see(student, "simulated GPU");
  student.click("course/check");
  student.see("course/ended");
  student.see("course/verdict/");
  student.click("course/compare with the solution");
  student.see("compare/verdict");
  student.press("1");
  student.see("bar/0");
  student.click("bar/0");
  student.see("card/line/exercise.cpp:");
  student.see("card/source");
  student.press("6");
  student.see("compare/verdict");
}

void try_walk(Student& student) {
  try {
    walk(student);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

/// A checkout with its own progress: the exercises are the real ones, what is kept of attempts and
/// recordings goes into a folder that is removed.
class StudentPath : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
    for (const char* program :
         {"hypatia",
          "exercise_03_logistic_regression",
          "solution_03_logistic_regression",
          "check_03_logistic_regression"})
      if (!fs::exists(bin / program))
        GTEST_SKIP() << program << " is not built: this needs the targets all and learner";
    folder_ = fs::temp_directory_path() / ("hypatia-student-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    for (const char* part : {"exercises", "solutions"})
      fs::create_directory_symlink(fs::path(tests::checkout()) / part, folder_ / part);
    set("HYPATIA_ROOT", folder_.string());
    set("HYPATIA_BUILD", bin.parent_path().string());
    set("HYPATIA_STATE", (folder_ / "state").string());
    set("HYPATIA_NO_SETUP", "1");
    set("HYPATIA_COMMAND", (bin / "hypatia").string());
    gui_ = (bin / "hypatia-gui").string();
  }

  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    before_.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
    setenv(name.c_str(), value.c_str(), 1);
  }

  fs::path folder_;
  std::string gui_;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

/// Without a display.
class Injected final : public Student {
 public:
  explicit Injected(Headless& host) : host_(host) {}

  void click(const std::string& name) override { run_script(host_, "click " + name); }

  void press(const std::string& key) override { run_script(host_, "key " + key); }

  void see(const std::string& name) override { run_script(host_, "finish 300\nexpect " + name); }

 private:
  Headless& host_;
};

/// The window program under Xvfb, with xdotool for its mouse and keys.
class Pointed final : public Student {
 public:
  explicit Pointed(std::string marks) : marks_(std::move(marks)) {}

  void click(const std::string& name) override {
    see(name);
    // Layout may still move: where the thing is in two looks, it stays.
    std::string place = find(name);
    for (std::string later; later != place; pause(300)) {
      later = std::exchange(place, find(name));
    }
    run("xdotool mousemove " + place);
    pause(200);
    hold("xdotool mousedown 1");
    run("xdotool mouseup 1");
    pause(300);
  }

  void press(const std::string& key) override {
    // "ctrl+q" as its keys, held for longer than a frame.
    std::string keys = key;
    std::replace(keys.begin(), keys.end(), '+', ' ');
    std::istringstream words(keys);
    std::string down, up;
    for (std::string word; words >> word; up = " keyup " + word + up)
      down += " keydown " + word;
    hold("xdotool" + down);
    run("xdotool" + up);
    pause(300);
  }

  void see(const std::string& name) override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    // What was on the screen before must not count.
    pause(400);
    while (find(name).empty()) {
      if (std::chrono::steady_clock::now() > end)
        throw std::runtime_error("'" + name + "' never came on the screen");
      pause(100);
    }
  }

 private:
  static void pause(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }

  // Presses, and waits until frames were drawn with it: on a busy machine they take their time.
  void hold(const std::string& command) const {
    const auto drawn = [&] {
      std::error_code ignored;
      return fs::last_write_time(marks_, ignored);
    };
    for (int frame = 0; frame < 2; ++frame) {
      const auto before = drawn();
      if (frame == 0) run(command);
      for (int tries = 0; drawn() == before && tries < 200; ++tries)
        pause(20);
    }
    pause(50);
  }

  static void run(const std::string& command) {
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
  }

  // "X Y" of the middle of the first mark that begins with this name; empty if there is none.
  std::string find(const std::string& name) const {
    std::ifstream file(marks_);
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      float left = 0, top = 0, right = 0, bottom = 0;
      std::string mark;
      words >> left >> top >> right >> bottom;
      std::getline(words >> std::ws, mark);
      if (mark.starts_with(name))
        return std::to_string(static_cast<int>((left + right) / 2)) + " " +
               std::to_string(static_cast<int>((top + bottom) / 2));
    }
    return "";
  }

  std::string marks_;
};

bool on_path(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// The first line that is a number; empty if the program ends or takes too long.
std::string number_from(Process& process) {
  for (int tries = 0; tries < 300 && process.running(); ++tries) {
    process.poll();
    for (const std::string& line : process.take_lines())
      if (!line.empty() && line.find_first_not_of("0123456789") == std::string::npos) return line;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return "";
}

}  // namespace

TEST_F(StudentPath, ByInjectedInput) {
  AppState state;
  state.settings.view = "course";
  Headless host(state, 1280, 720);
  host.settle();
  Injected student(host);
  try_walk(student);
  EXPECT_EQ(state.settings.view, "compare");
  ASSERT_NE(state.profile(), nullptr);
  EXPECT_EQ(state.profile()->recording->header().role, "student");
  ASSERT_NE(state.baseline_profile(), nullptr);
  EXPECT_EQ(state.baseline_profile()->recording->header().role, "solution");
  for (const NodeStats& node : state.profile()->nodes)
    EXPECT_LE(
        node.costs().total(), state.profile()->node(state.selection.node).costs().total() * 1.001);
}

TEST_F(StudentPath, WithMouseAndKeysUnderXvfb) {
  if (!on_path("Xvfb") || !on_path("xdotool"))
    GTEST_SKIP() << "needs Debian's packages xvfb and xdotool";
  Process display, program;
  display.start({"Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"});
  const std::string number = number_from(display);
  ASSERT_FALSE(number.empty()) << "Xvfb did not start";
  set("DISPLAY", ":" + number);
  const std::string marks = (folder_ / "marks").string();
  program.start({gui_, "--marks", marks});
  Pointed student(marks);
  try_walk(student);
  program.poll();
  EXPECT_TRUE(program.running()) << "the window program ended";
  for (const std::string& line : program.take_lines())
    std::printf("%s\n", line.c_str());
  student.press("ctrl+q");
  for (int tries = 0; tries < 100 && program.running(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    program.poll();
  }
  EXPECT_FALSE(program.running()) << "Ctrl+Q ends the program";
}

}  // namespace hypatia::gui
