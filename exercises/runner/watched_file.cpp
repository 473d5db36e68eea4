#include "exercises/runner/watched_file.h"

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hypatia::runner {

namespace {

constexpr std::chrono::milliseconds about_to_be_written{1500};

}  // namespace

WatchedFile::WatchedFile(std::string path)
    : path_(std::move(path)), notices_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  // The folder, not the file: editors write a new file and give it the old one's name.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const auto events = static_cast<std::uint32_t>(IN_CLOSE_WRITE) | IN_MOVED_TO;
  if (notices_ >= 0 && ::inotify_add_watch(notices_, folder.c_str(), events) < 0) {
    ::close(notices_);
    notices_ = -1;
  }
}

WatchedFile::~WatchedFile() {
  if (notices_ >= 0) ::close(notices_);
}

std::string WatchedFile::text() const {
  std::ostringstream text;
  text << std::ifstream(path_, std::ios::binary).rdbuf();
  return text.str();
}

bool WatchedFile::changed() {
  std::array<char, 4096> events{};
  while (notices_ >= 0 && ::read(notices_, events.data(), events.size()) > 0) {
  }
  const std::string now = text();
  const bool same = now == taken_ && std::filesystem::exists(path_) == taken_was_there_;
  if (same || !now.empty()) {
    empty_since_.reset();
    return !same;
  }
  const auto moment = std::chrono::steady_clock::now();
  if (!empty_since_) empty_since_ = moment;
  return moment - *empty_since_ > about_to_be_written;
}

void WatchedFile::take() {
  taken_ = text();
  taken_was_there_ = std::filesystem::exists(path_);
  empty_since_.reset();
}

double WatchedFile::seconds_since_save() const {
  struct stat status {};

  timespec now{};
  if (::stat(path_.c_str(), &status) != 0) return 0;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec - status.st_mtim.tv_sec) +
         static_cast<double>(now.tv_nsec - status.st_mtim.tv_nsec) * 1e-9;
}

}  // namespace hypatia::runner
