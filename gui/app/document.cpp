// Reading happens in a task; polling takes its result or its error.

#include "gui/app/document.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace hypatia::gui {

namespace {

std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// The file and its write-ahead log together: either grows while a program records.
std::int64_t size_of(const std::string& path) {
  std::int64_t sum = -1;
  for (const char* ending : {"", "-wal"}) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(path + ending, failed);
    if (!failed) sum += static_cast<std::int64_t>(size) + 1;
  }
  return sum;
}

std::shared_ptr<const Profile> read_profile(const std::string& path) {
  return make_profile(Recording::open(path));
}

}  // namespace

Document::Document(std::string path) : path_(std::move(path)), version_(next_version()) {
  file_size_ = size_of(path_);
  start_reading();
}

void Document::start_reading() {
  began_ = std::chrono::steady_clock::now();
  reading_ = std::async(std::launch::async, read_profile, path_);
}

bool Document::growing() const {
  if (!profile_ || profile_->recording->header().closed) return false;
  // Killed programs leave their recording open for ever.
  const RecordingHeader& header = profile_->recording->header();
  std::array<char, 256> machine{};
  gethostname(machine.data(), machine.size() - 1);
  const bool here = header.machine == machine.data() && header.process > 0;
  const bool runs = kill(static_cast<pid_t>(header.process), 0) == 0 || errno == EPERM;
  return !here || runs || size_of(path_) != file_size_;
}

Document::Document(std::shared_ptr<const Profile> profile, std::string path)
    : path_(std::move(path)), profile_(std::move(profile)), version_(next_version()) {}

std::string Document::short_name() const {
  return path_.empty() ? "in memory" : std::filesystem::path(path_).filename().string();
}

bool Document::poll(bool wait) {
  if (!reading_.valid()) return false;
  if (!wait && reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return false;
  try {
    profile_ = reading_.get();
    error_.clear();
  } catch (const Error& error) {
    error_ = error.what();
  } catch (const std::exception& error) {
    error_ = path_ + " can't be read: " + error.what();
  }
  version_ = next_version();
  ended_ = std::chrono::steady_clock::now();
  return true;
}

void Document::refresh(bool now) {
  if (path_.empty() || reading_.valid()) return;
  const auto pause = std::max<std::chrono::steady_clock::duration>(
      std::chrono::milliseconds(400), (ended_ - began_) * 4);
  if (!now && std::chrono::steady_clock::now() - ended_ < pause) return;
  const std::int64_t size = size_of(path_);
  if (size == file_size_) return;
  file_size_ = size;
  if (size < 0) {
    error_ = path_ + " is gone; what was read of it is still shown.";
    return;
  }
  start_reading();
}

}  // namespace hypatia::gui
