// Which editor is chosen, how it is told of the line, and that it really starts.

#include "gui/app/editor.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

namespace fs = std::filesystem;

/// A PATH with nothing on it but the programs that a test puts there.
class Editor : public testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const char* value = std::getenv(names[i])) before_[i] = value;
    folder_ = fs::temp_directory_path() / ("hypatia-editor-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    setenv("PATH", folder_.c_str(), 1);
    unsetenv("VISUAL");
    unsetenv("EDITOR");
  }

  void TearDown() override {
    for (std::size_t i = 0; i < names.size(); ++i)
      before_[i].empty() ? unsetenv(names[i]) : setenv(names[i], before_[i].c_str(), 1);
    fs::remove_all(folder_);
  }

  // A program that writes its arguments, one a line.
  void install(const std::string& name) const {
    const fs::path path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\nprintf '%s\\n' \"$@\" >'" << heard().string()
                        << ".partial'\n/bin/mv '" << heard().string() << ".partial' '"
                        << heard().string() << "'\n";
    chmod(path.c_str(), 0755);
  }

  fs::path heard() const { return folder_ / "heard"; }

  // What the program was told, once it has run.
  std::string wait_for_words() const {
    for (int tries = 0; tries < 500 && !fs::exists(heard()); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream file(heard());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static constexpr std::array<const char*, 3> names = {"PATH", "VISUAL", "EDITOR"};

 private:
  std::array<std::string, 3> before_;
  fs::path folder_;
};

using Words = std::vector<std::string>;

// The node of the demo whose source line is in this repository.
int node_with_line(const Profile& profile) {
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i)
    if (!profile.node(i).line.empty()) return i;
  return -1;
}

}  // namespace

TEST_F(Editor, IsTheUsersThenOneThatIsInstalled) {
  EXPECT_THROW(static_cast<void>(editor_command("a.cpp", 7)), Error);
  install("xdg-open");
  EXPECT_EQ(editor_command("a.cpp", 7), (Words{"xdg-open", "a.cpp"}));
  install("code");
  EXPECT_EQ(editor_command("a.cpp", 7), (Words{"code", "-g", "a.cpp:7"}));
  setenv("EDITOR", "gedit --wait", 1);
  EXPECT_EQ(editor_command("a.cpp", 7)[0], "code") << "gedit is not installed";
  install("gedit");
  EXPECT_EQ(editor_command("a.cpp", 7), (Words{"gedit", "--wait", "+7", "a.cpp"}));
  setenv("VISUAL", "code -g", 1);
  EXPECT_EQ(editor_command("a.cpp", 7), (Words{"code", "-g", "a.cpp:7"}));
}

TEST_F(Editor, OfTerminalsGetsATerminal) {
  install("vim");
  setenv("EDITOR", "vim", 1);
  try {
    static_cast<void>(editor_command("a.cpp", 7));
    FAIL() << "there is no terminal to run it in";
  } catch (const Error& error) {
    EXPECT_NE(error.summary().find("vim needs a terminal"), std::string::npos) << error.summary();
    EXPECT_NE(error.help().find("VISUAL"), std::string::npos) << error.help();
  }
  install("x-terminal-emulator");
  EXPECT_EQ(editor_command("a.cpp", 7), (Words{"x-terminal-emulator", "-e", "vim", "+7", "a.cpp"}));
}

TEST_F(Editor, StartsAsAProcessWithTheSelectedNodesLine) {
  Host host({"logistic-cuda"});
  host.view("bars");
  host.headless.press("s");
  EXPECT_NE(host.state.notice.find("Select a node"), std::string::npos) << host.state.notice;
  const Profile& profile = *host.state.profile();
  const int node = node_with_line(profile);
  ASSERT_GE(node, 0);
  host.state.select_node(node);
  host.headless.press("s");
  EXPECT_NE(host.state.notice.find("no editor was found"), std::string::npos) << host.state.notice;
  install("code");
  host.headless.click(host.headless.place("card/open"));
  const std::string words = wait_for_words();
  const std::string line = std::to_string(profile.node(node).record->origin.line);
  EXPECT_TRUE(words.starts_with("-g\n/")) << words;
  EXPECT_TRUE(words.ends_with("/exercise.cpp:" + line + "\n")) << words;
  EXPECT_NE(host.state.notice.find("Opened"), std::string::npos) << host.state.notice;
}

TEST_F(Editor, IsNotStartedBySInTheTimelineWhichZooms) {
  install("code");
  Host host({"logistic-cuda"});
  host.state.select_node(node_with_line(*host.state.profile()));
  host.view("timeline");
  host.headless.press("s");
  EXPECT_TRUE(host.state.notice.empty()) << host.state.notice;
  host.headless.press("shift+s");
  EXPECT_NE(host.state.notice.find("Opened"), std::string::npos) << host.state.notice;
  EXPECT_FALSE(wait_for_words().empty());
}

}  // namespace hypatia::gui
