// Reading happens in a task; polling takes its result or its error.

#include "gui/app/document.h"

#include <chrono>
#include <filesystem>
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

std::shared_ptr<const Profile> read(const std::string& path) {
  return make_profile(Recording::open(path));
}

}  // namespace

Document::Document(std::string path) : path_(std::move(path)), version_(next_version()) {
  file_size_ = size_of(path_);
  reading_ = std::async(std::launch::async, read, path_);
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
  return true;
}

void Document::refresh() {
  if (path_.empty() || reading_.valid()) return;
  const std::int64_t size = size_of(path_);
  if (size == file_size_) return;
  file_size_ = size;
  if (size < 0) {
    error_ = path_ + " is gone; what was read of it is still shown.";
    return;
  }
  reading_ = std::async(std::launch::async, read, path_);
}

}  // namespace hypatia::gui
