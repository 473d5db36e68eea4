// The window program as a person without a display meets it.

#include "gui/app/window.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "gui/app/process.h"

namespace hypatia::gui {

namespace {

/// What the program says, and how it ends, with these arguments and without a display.
std::string said(const std::vector<std::string>& arguments, int& status) {
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<std::string> words = {
      "/usr/bin/env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", (bin / "hypatia-gui").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Process program;
  program.start(words);
  for (int tries = 0; program.running() && tries < 1000; ++tries) {
    program.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  status = program.status();
  std::string all;
  for (const std::string& line : program.take_lines())
    all += line + "\n";
  return all;
}

}  // namespace

TEST(Window, WithoutADisplayItSaysHowToSeeARecordingAnyway) {
  if (!std::filesystem::exists(
          std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hypatia-gui"))
    GTEST_SKIP() << "hypatia-gui is not built here";
  int status = 0;
  const std::string words = said({"--demo", "exp-cpu"}, status);
  EXPECT_EQ(status, 2);
  EXPECT_NE(words.find("no window can be opened"), std::string::npos) << words;
  EXPECT_NE(words.find("--screenshot"), std::string::npos) << words;
  EXPECT_NE(words.find("--text"), std::string::npos) << words;
}

TEST(Window, SaysWhatAPictureCanBe) {
  if (!std::filesystem::exists(
          std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hypatia-gui"))
    GTEST_SKIP() << "hypatia-gui is not built here";
  int status = 0;
  const std::string view = said({"--demo", "exp-cpu", "--view", "no-such"}, status);
  EXPECT_EQ(status, 2);
  EXPECT_NE(view.find("there is no view 'no-such'"), std::string::npos) << view;
  EXPECT_NE(view.find("timeline"), std::string::npos) << "the views are not named: " << view;
  const std::string size = said({"--screenshot", "/dev/null", "--size", "1x1"}, status);
  EXPECT_EQ(status, 2);
  EXPECT_NE(size.find("from 200x150 to 16000x16000"), std::string::npos) << size;
}

TEST(Window, PicturesNeedNoDisplay) {
  if (!std::filesystem::exists(
          std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hypatia-gui"))
    GTEST_SKIP() << "hypatia-gui is not built here";
  const auto picture = std::filesystem::temp_directory_path() /
                       ("hypatia-window-" + std::to_string(getpid()) + ".png");
  int status = 1;
  const std::string words =
      said({"--demo", "exp-cuda", "--view", "bars", "--screenshot", picture.string()}, status);
  EXPECT_EQ(status, 0) << words;
  EXPECT_GT(std::filesystem::file_size(picture), 5000u);
  EXPECT_LT(std::filesystem::file_size(picture), 150'000u);
  std::filesystem::remove(picture);
}

}  // namespace hypatia::gui
