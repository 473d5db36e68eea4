#pragma once
// Files that are whole or not there: written beside their place and renamed at the end.

#include <cstddef>
#include <string>
#include <string_view>

namespace hypatia {

/// A file in the making. Until commit() the old file of that name stays as it was; without commit()
/// nothing stays. Throws Error of kind file with the system's reason.
class NewFile {
 public:
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail();

  std::string path_, temporary_;
  int descriptor_ = -1;
};

/// Writes a whole file.
void write_file(const std::string& path, std::string_view text);
/// A whole file. Throws Error of kind file with the system's reason.
std::string read_file(const std::string& path);

}  // namespace hypatia
