#pragma once
// A file that an editor saves: notices a new text as soon as it is there.

#include <chrono>
#include <optional>
#include <string>

namespace hypatia::runner {

/// The truth is the text itself: it is compared with the one that was taken last, so that a save
/// during other work is seen afterwards. inotify only ends the waiting early; where it does not
/// work (some network and container file systems), looking again every so often is enough.
class WatchedFile {
 public:
  explicit WatchedFile(std::string path);
  ~WatchedFile();
  WatchedFile(const WatchedFile&) = delete;
  WatchedFile& operator=(const WatchedFile&) = delete;

  /// Becomes readable when something happens in the file's folder; -1: it can't be told.
  int descriptor() const { return notices_; }

  /// True if the text is another than the one taken last. A file that is empty or not there is
  /// about to be written, and no change before it was so for a while.
  bool changed();
  /// Takes the text as it is now.
  void take();

  /// Seconds since the file was saved.
  double seconds_since_save() const;

 private:
  std::string text() const;

  std::string path_, taken_;
  int notices_ = -1;
  bool taken_was_there_ = true;
  std::optional<std::chrono::steady_clock::time_point> empty_since_;
};

}  // namespace hypatia::runner
