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

  /// Moves a finished shared object in and puts the source beside it. Returns its path in the
  /// cache, or "" where the cache can't be written (the object then stays where it was).
  std::string store(
      const std::string& name,
      const std::string& key,
      const std::string& object,
      std::string_view source) const;

  /// A fresh folder for one compilation's files: in the cache if possible, so that a rename moves
  /// the result, else where temporary files go. Throws Error of kind file if neither can be had.
  std::string make_work_folder() const;

 private:
  std::string folder_;
};

/// Removes a work folder and the files in it.
void remove_work_folder(const std::string& folder);

/// The folder of compiled kernels: HYPATIA_COMPILEDIR, else ~/.hypatia/compiled.
std::string default_compiledir();

}  // namespace hypatia
