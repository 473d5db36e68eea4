#pragma once
// Compiled kernels on disk, found by the content they were made from. No lock: files are written
// aside and renamed, and what is damaged counts as absent.

#include <string>
#include <string_view>

namespace hypatia {

/// 32 hexadecimal digits that differ between texts.
std::string digest(std::string_view text);

/// A folder of shared objects with a check sum each.
class KernelCache {
 public:
  /// The folder is made when first written to. It need not be writable.
  explicit KernelCache(std::string folder);

  const std::string& folder() const { return folder_; }

  /// The path of an intact entry, or "". `key` is a digest, `name` a readable prefix.
  std::string find(const std::string& name, const std::string& key) const;

  /// Copies a finished shared object in and puts the source beside it. Returns its path in the
  /// cache, or "" where the cache can't be written.
  std::string store(
      const std::string& name,
      const std::string& key,
      const std::string& object,
      std::string_view source) const;

 private:
  bool put(const std::string& path, std::string_view text) const;

  std::string folder_;
};

/// A folder for one compilation's files, removed at the end of the block. It lies where temporary
/// files go, else in shared memory, else in `fallback`: the first that has room for the source.
class WorkFolder {
 public:
  /// Writes the source as kernel.c. Throws Error of kind file if no place can be had.
  WorkFolder(std::string_view source, const std::string& fallback);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hypatia
