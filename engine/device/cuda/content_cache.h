#pragma once
// Files by content: a key of text gives a name, names are written by rename, and no lock is needed.

#include <optional>
#include <string>

namespace hypatia {

/// A folder of compiled kernels that several processes may share.
class ContentCache {
 public:
  /// An empty folder is a cache that holds nothing.
  explicit ContentCache(std::string folder) : folder_(std::move(folder)) {}

  /// The file of a key, whether it is there or not; the key is all that the content depends on.
  std::string file(const std::string& key) const;
  /// The content, if it was stored whole.
  std::optional<std::string> read(const std::string& key) const;
  /// Stores the content; returns the file, or "" where it can't be written (the cache is a help,
  /// not a need).
  std::string write(const std::string& key, const std::string& content) const;

 private:
  std::string folder_;
};

}  // namespace hypatia
