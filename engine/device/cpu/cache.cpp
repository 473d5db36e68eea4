// An entry is the shared object with a trailer behind it: loaders ignore what follows the sections.
#include "engine/device/cpu/cache.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
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
bool write_file(const std::string& path, const char* mode, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), mode);
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
  std::string pattern = parent + "/work-XXXXXX";
  return mkdtemp(pattern.data()) ? pattern : "";
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

std::string KernelCache::store(
    const std::string& name,
    const std::string& key,
    const std::string& object,
    std::string_view source) const {
  std::string text;
  if (!read_file(object, text)) return "";
  const std::string base = folder_ + '/' + name + '-' + key;
  // The object lies in a work folder of the cache, or the rename fails and nothing is kept.
  const std::string source_aside = object + ".c";
  if (!write_file(object, "ab", trailer(text, key))) return "";
  if (write_file(source_aside, "wb", source)) {
    std::rename(source_aside.c_str(), (base + ".c").c_str());
  }
  return std::rename(object.c_str(), (base + ".so").c_str()) == 0 ? base + ".so" : "";
}

std::string KernelCache::make_work_folder() const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  std::string made = make_folder_in(folder_);
  if (made.empty()) made = make_folder_in(fs::temp_directory_path(failed).string());
  if (made.empty()) {
    throw Error(
        Error::Kind::file,
        "no folder can be made for compiling, neither in '" + folder_ +
            "' nor where temporary files go",
        "free some space, or set base_compiledir to a folder that can be written");
  }
  return made;
}

void remove_work_folder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

std::string default_compiledir() {
  if (const char* named = std::getenv("HYPATIA_COMPILEDIR"); named && *named) return named;
  const char* home = std::getenv("HOME");
  return std::string(home && *home ? home : "/tmp") + "/.hypatia/compiled";
}

}  // namespace hypatia
