#pragma once
// An opened file: read in the background, so that a large one does not stop the window.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// A recording on its way in, there, or refused.
class Document {
 public:
  /// Starts to read a file.
  explicit Document(std::string path);
  /// Shows what is in memory.
  explicit Document(std::shared_ptr<const Profile> profile, std::string path = "");

  const std::string& path() const { return path_; }

  /// The file's name without its folder.
  std::string short_name() const;

  /// Null while reading, and if that failed.
  const Profile* profile() const { return profile_.get(); }

  bool reading() const { return reading_.valid(); }

  /// Why it could not be read, empty if it could.
  const std::string& error() const { return error_; }

  /// Takes in what the reader finished. `wait` until it did. True if something changed.
  bool poll(bool wait = false);

  /// Reads again if the file changed since; what is shown stays until the new one is there. Unless
  /// asked for `now`, at most every half second and a fifth of the time, for large files.
  void refresh(bool now = false);

  /// True while the program that writes it still runs.
  bool growing() const;

  /// Changes whenever another profile is shown, for views that keep what they computed.
  std::uint64_t version() const { return version_; }

 private:
  std::string path_;
  std::shared_ptr<const Profile> profile_;
  std::future<std::shared_ptr<const Profile>> reading_;
  std::string error_;
  void start_reading();

  std::int64_t file_size_ = -1;
  std::chrono::steady_clock::time_point began_, ended_;  // of the last reading
  std::uint64_t version_ = 0;
};

}  // namespace hypatia::gui
