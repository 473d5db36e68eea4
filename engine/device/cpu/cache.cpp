// An entry is the shared object with a trailer behind it: loaders ignore what follows the sections.
#include "engine/device/cpu/cache.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdlib.h>
#include <unistd.h>

#include "engine/core/error.h"

namespace hypatia {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view trailer_mark = "\nhypatia kernel ";

/// Two independent 64-bit hashes of eight bytes a step; files are checked in microseconds.
std::array<std::uint64_t, 2> hash(std::string_view text) {
  std::uint64_t a = 0x9e3779b97f4a7c15U ^ text.size(), b = 0xc2b2ae3d27d4eb4fU;
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<std::size_t>(8, text.size() - i));
    a = (a ^ word) * 0xff51afd7ed558ccdU;
    a ^= a >> 32;
    b = (b + word) * 0x9fb21c651e98df25U;
    b ^= b >> 29;
  }
  a ^= b * 0x9e3779b97f4a7c15U;
  return {a ^ (a >> 31), b ^ (b >> 33)};
}

bool read_file(const std::string& path, std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return false;
  std::array<char, 16384> chunk{};
  for (std::size_t got = 0; (got = std::fread(chunk.data(), 1, chunk.size(), file)) > 0;)
    text.append(chunk.data(), got);
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  return good;
}

/// True only if every byte reached the system: a full disk is noticed here.
bool wrote_file(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (std::fclose(file) == 0) && written;
}

std::string trailer(std::string_view object, const std::string& key) {
  return std::string(trailer_mark) + key + ' ' + digest(object) + '\n';
}

bool intact(const std::string& path, const std::string& key) {
  std::string text;
  const std::size_t tail = trailer_mark.size() + 32 + 1 + 32 + 1;
  if (!read_file(path, text) || text.size() <= tail) return false;
  const std::string_view object = std::string_view(text).substr(0, text.size() - tail);
  return std::string_view(text).substr(object.size()) == trailer(object, key);
}

std::string make_folder_in(const std::string& parent) {
  std::string pattern = parent + "/hypatia-XXXXXX";
  return mkdtemp(pattern.data()) ? pattern : "";
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace

std::string digest(std::string_view text) {
  std::array<char, 33> hex{};
  const auto [a, b] = hash(text);
  std::snprintf(
      hex.data(),
      hex.size(),
      "%016llx%016llx",
      static_cast<unsigned long long>(a),
      static_cast<unsigned long long>(b));
  return hex.data();
}

KernelCache::KernelCache(std::string folder) : folder_(std::move(folder)) {}

std::string KernelCache::find(const std::string& name, const std::string& key) const {
  const std::string path = folder_ + '/' + name + '-' + key + ".so";
  return intact(path, key) ? path : "";
}

/// Writes aside and renames, so that readers see the whole text or none.
bool KernelCache::put(const std::string& path, std::string_view text) const {
  static std::atomic<unsigned> count{0};
  const std::string aside = path + '.' + std::to_string(getpid()) + '.' + std::to_string(++count);
  if (wrote_file(aside, text) && std::rename(aside.c_str(), path.c_str()) == 0) return true;
  unlink(aside.c_str());
  return false;
}

std::string KernelCache::store(
    const std::string& name,
    const std::string& key,
    const std::string& object,
    std::string_view source) const {
  std::string text;
  if (!read_file(object, text)) return "";
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  const std::string base = folder_ + '/' + name + '-' + key;
  if (!put(base + ".so", text + trailer(text, key))) return "";
  put(base + ".c", source);
  return base + ".so";
}

WorkFolder::WorkFolder(std::string_view source, const std::string& fallback) {
  std::error_code ignored;
  for (const std::string& parent :
       {fs::temp_directory_path(ignored).string(), std::string("/dev/shm"), fallback}) {
    path_ = make_folder_in(parent);
    if (path_.empty()) continue;
    if (wrote_file(path_ + "/kernel.c", source)) return;
    remove_folder(path_);
  }
  throw Error(
      Error::Kind::file,
      "no folder has room for compiling a kernel: neither that of temporary files, nor /dev/shm, "
      "nor '" +
          fallback + "'",
      "free some space, or set TMPDIR to a folder that can be written");
}

WorkFolder::~WorkFolder() {
  remove_folder(path_);
}

}  // namespace hypatia
