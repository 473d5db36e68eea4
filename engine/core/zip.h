#pragma once
// Zip files, as far as NumPy writes and reads them: stored and deflated members, zip64 when
// reading.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace hypatia {

/// One member, as the directory at the end of the file tells it.
struct ZipMember {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, bytes = 0, offset = 0;
};

/// A zip in memory. Every read is checked against the file's end; throws Error of kind file.
class ZipReader {
 public:
  /// `kind` names the format in errors.
  explicit ZipReader(const std::string& path, std::string kind = ".npz");

  const std::vector<ZipMember>& members() const { return members_; }

  /// A member's bytes, unpacked and compared with their checksum.
  std::string unpack(const ZipMember& member) const;

 private:
  std::string_view part(std::uint64_t at, std::uint64_t count) const;
  template <class T>
  T number(std::uint64_t at) const;
  void find_directory(std::uint64_t& count, std::uint64_t& at) const;
  ZipMember read_member(std::uint64_t at) const;
  void read_long_sizes(ZipMember& m, std::uint64_t at, std::uint64_t size) const;
  std::string inflated(std::string_view packed, const ZipMember& m) const;

  Error damaged(const std::string& what) const;

  std::string path_, kind_, bytes_;
  std::vector<ZipMember> members_;
};

/// A zip of less than 4 GB in the making; there once commit() has returned.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}

  void add(const std::string& name, const std::string& text, bool compressed);
  void commit();

 private:
  NewFile file_;
  std::string directory_;
  std::uint64_t offset_ = 0;
  std::uint16_t count_ = 0;
};

}  // namespace hypatia
