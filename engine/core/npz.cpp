// .npz: a zip of .npy members.

#include <algorithm>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/npy.h"
#include "engine/core/npy_format.h"
#include "engine/core/text.h"
#include "engine/core/zip.h"

namespace hypatia {

namespace {

void check_names(const std::string& path, const NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, value] : arrays) {
    if (name.empty() || name.size() > 1000 || name.find('\0') != std::string::npos)
      throw Error(Error::Kind::file, path + ": an array in a .npz needs a name");
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw Error(Error::Kind::file, path + ": two arrays have the name '" + *twice + "'");
}

void check_size(const std::string& path, const NamedArrays& arrays) {
  std::uint64_t total = 0;
  for (const auto& [name, value] : arrays)
    total += value.bytes() + value.bytes() / 1000 + 4096;
  if (total < 0xffffffffU && arrays.size() < 0xffff) return;
  throw Error(
      Error::Kind::file,
      path + " would have more than 4 GB, the most for a .npz",
      "save each array by save_npy");
}

std::string plain_name(const std::string& member) {
  const bool npy = member.size() > 4 && member.substr(member.size() - 4) == ".npy";
  return npy ? member.substr(0, member.size() - 4) : member;
}

}  // namespace

std::string npy_text(const Array& value) {
  const Array a = value.contiguous_on_host();
  a.sync();
  std::string text = npy_header(a.dtype(), a.dims());
  return text.append(static_cast<const char*>(a.address()), a.bytes());
}

Array npy_array(const std::string& text, const std::string& where) {
  std::size_t at = 0;
  const ReadBytes read = [&](void* to, std::size_t count) {
    const std::size_t n = std::min(count, text.size() - at);
    std::memcpy(to, text.data() + at, n);
    at += n;
    return n;
  };
  return read_npy(read, text.size(), where);
}

void save_npz(const std::string& path, const NamedArrays& arrays, bool compressed) {
  check_names(path, arrays);
  check_size(path, arrays);
  ZipWriter zip(path);
  for (const auto& [name, value] : arrays)
    zip.add(name + ".npy", npy_text(value), compressed);
  zip.commit();
}

NamedArrays load_npz(const std::string& path) {
  const ZipReader zip(path);
  NamedArrays arrays;
  for (const ZipMember& m : zip.members())
    arrays.emplace_back(plain_name(m.name), npy_array(zip.unpack(m), path + ":" + m.name));
  return arrays;
}

Array load_npz(const std::string& path, std::string_view name) {
  const ZipReader zip(path);
  std::vector<std::string> names;
  for (const ZipMember& m : zip.members()) {
    if (plain_name(m.name) == name) return npy_array(zip.unpack(m), path + ":" + m.name);
    names.push_back(plain_name(m.name));
  }
  throw Error(
      Error::Kind::file,
      path + " holds no array '" + std::string(name) + "'",
      names.empty() ? "it is empty" : "it holds " + join(names));
}

}  // namespace hypatia
