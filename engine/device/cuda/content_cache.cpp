// Each file is the key's length, the key and the content, so that a collision or a torn file is
// seen and compiled anew.
#include "engine/device/cuda/content_cache.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace hypatia {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "hypatia kernel 1\n";

std::uint64_t hash(std::string_view text, std::uint64_t value) {
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    value ^= value >> 29U;
  }
  return value;
}

std::string hexadecimal(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4U)
    digits[i] = "0123456789abcdef"[value & 15U];
  return digits;
}

std::string header(const std::string& key, std::size_t content) {
  std::string text(magic);
  text += std::to_string(key.size()) + " " + std::to_string(content) + "\n";
  return text + key;
}

}  // namespace

std::string ContentCache::file(const std::string& key) const {
  if (folder_.empty()) return "";
  const std::string name =
      hexadecimal(hash(key, 0xcbf29ce484222325U)) + hexadecimal(hash(key, 0x9e3779b97f4a7c15U));
  return folder_ + "/" + name + ".kernel";
}

std::optional<std::string> ContentCache::read(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(file(key), std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  std::istringstream sizes(text.substr(0, magic.size() + 48));
  std::string first;
  std::size_t key_size = 0, content_size = 0;
  std::getline(sizes, first);
  sizes >> key_size >> content_size;
  const std::string expected = header(key, content_size);
  if (text.size() != expected.size() + content_size || text.rfind(expected, 0) != 0) {
    return std::nullopt;
  }
  return text.substr(expected.size());
}

std::string ContentCache::write(const std::string& key, const std::string& content) const {
  if (folder_.empty()) return "";
  static std::atomic<unsigned> counter{0};
  std::error_code failed;
  fs::create_directories(folder_, failed);
  std::string target = file(key);
  const std::string draft =
      target + "." + std::to_string(getpid()) + "." + std::to_string(counter++);
  {
    std::ofstream out(draft, std::ios::binary);
    out << header(key, content.size()) << content;
    out.close();
    if (!out) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) fs::rename(draft, target, failed);
  if (!failed) return target;
  std::error_code ignored;
  fs::remove(draft, ignored);
  return "";
}

}  // namespace hypatia
