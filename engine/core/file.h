#pragma once
// Files that are whole or not there: written beside their place and renamed at the end.

#include <cstddef>
#include <string>
#include <string_view>

namespace hypatia {

/// A file in the making. Until commit() the old file of that name stays as it was; without commit()
/// nothing stays. What is no plain file, such as /dev/stdout or a pipe, is written to as it is.
/// Throws Error of kind file with the system's reason.
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

  std::string path_, temporary_;  // no temporary: straight into what is there
  int descriptor_ = -1;
};

/// Throws what NewFile(path) would throw, and leaves nothing: for asking before long work.
void require_writable(const std::string& path);
/// Writes a whole file.
void write_file(const std::string& path, std::string_view text);
/// A whole file. Throws Error of kind file with the system's reason.
std::string read_file(const std::string& path);

}  // namespace hypatia
