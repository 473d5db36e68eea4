// Reading a zip: the directory at its end, then the members where it says.

#include <algorithm>
#include <cstring>

#include "engine/core/zip.h"
#include "engine/core/zip_marks.h"

namespace hypatia {

namespace {

constexpr std::uint32_t end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22, locator_size = 20;
constexpr std::uint64_t all_ones = 0xffffffffU;

}  // namespace

Error ZipReader::damaged(const std::string& what) const {
  return Error(
      Error::Kind::file,
      path_ + " is no good " + kind_ + ": " + what,
      kind_ == ".npz" ? "write it again, by save_npz or numpy.savez" : "write it again");
}

ZipReader::ZipReader(const std::string& path, std::string kind)
    : path_(path), kind_(std::move(kind)), bytes_(read_file(path)) {
  std::uint64_t count = 0, at = 0;
  find_directory(count, at);
  for (; count > 0; --count) {
    if (number<std::uint32_t>(at) != zip::central_mark) throw damaged("its directory is broken");
    members_.push_back(read_member(at));
    at += central_size + number<std::uint16_t>(at + 28) + number<std::uint16_t>(at + 30) +
          number<std::uint16_t>(at + 32);
  }
}

std::string_view ZipReader::part(std::uint64_t at, std::uint64_t count) const {
  if (at > bytes_.size() || count > bytes_.size() - at) throw damaged("it is cut off");
  return std::string_view(bytes_).substr(at, count);
}

template <class T>
T ZipReader::number(std::uint64_t at) const {
  T value;
  std::memcpy(&value, part(at, sizeof value).data(), sizeof value);
  return value;
}

/// How many members there are and where their directory begins.
void ZipReader::find_directory(std::uint64_t& count, std::uint64_t& at) const {
  const char mark[] = {'P', 'K', 5, 6};
  const std::size_t end = bytes_.rfind(std::string_view(mark, sizeof mark));
  if (end == std::string::npos || bytes_.size() - end < end_size)
    throw damaged("it is cut off, or no zip at all");
  count = number<std::uint16_t>(end + 10);
  at = number<std::uint32_t>(end + 16);
  if (count != 0xffff && at != all_ones) return;
  if (end < locator_size || number<std::uint32_t>(end - locator_size) != locator_mark)
    throw damaged("its directory is broken");
  const auto end64 = number<std::uint64_t>(end - locator_size + 8);
  if (number<std::uint32_t>(end64) != end64_mark) throw damaged("its directory is broken");
  count = number<std::uint64_t>(end64 + 32);
  at = number<std::uint64_t>(end64 + 48);
}

ZipMember ZipReader::read_member(std::uint64_t at) const {
  ZipMember m;
  m.flags = number<std::uint16_t>(at + 8);
  m.method = number<std::uint16_t>(at + 10);
  m.checksum = number<std::uint32_t>(at + 16);
  m.packed = number<std::uint32_t>(at + 20);
  m.bytes = number<std::uint32_t>(at + 24);
  m.offset = number<std::uint32_t>(at + 42);
  const auto name = number<std::uint16_t>(at + 28), extra = number<std::uint16_t>(at + 30);
  m.name = part(at + central_size, name);
  read_long_sizes(m, at + central_size + name, extra);
  return m;
}

/// Sizes of 4 GB and more stand in an extra field, those that need it, in this order.
void ZipReader::read_long_sizes(ZipMember& m, std::uint64_t at, std::uint64_t size) const {
  const std::uint64_t end = at + size;
  while (at + 4 <= end) {
    const auto id = number<std::uint16_t>(at), length = number<std::uint16_t>(at + 2);
    std::uint64_t field = at + 4;
    at = field + length;
    if (id != 1) continue;
    for (std::uint64_t* value : {&m.bytes, &m.packed, &m.offset}) {
      if (*value != all_ones) continue;
      *value = number<std::uint64_t>(field);
      field += 8;
    }
  }
}

std::string ZipReader::inflated(std::string_view packed, const ZipMember& m) const {
  // A member can't unpack to more than deflate's best, 1032 to 1: no need to believe it.
  if (m.bytes / 1032 > packed.size()) throw damaged("the member " + m.name + " is broken");
  std::string text(m.bytes, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw damaged("zlib can't start");
  std::size_t in = 0, out = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t give = std::min<std::size_t>(packed.size() - in, all_ones);
    const std::size_t room = std::min<std::size_t>(text.size() - out, all_ones);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + in));
    stream.avail_in = static_cast<uInt>(give);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + out);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = give - stream.avail_in, made = room - stream.avail_out;
    in += used;
    out += made;
    if (status == Z_OK && used == 0 && made == 0) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out != text.size())
    throw damaged("the member " + m.name + " can't be unpacked");
  return text;
}

std::string ZipReader::unpack(const ZipMember& m) const {
  if (number<std::uint32_t>(m.offset) != zip::local_mark)
    throw damaged("the member " + m.name + " is not where the directory says");
  if (m.flags & 1U) throw damaged("the member " + m.name + " is encrypted");
  const std::uint64_t start = m.offset + local_size + number<std::uint16_t>(m.offset + 26) +
                              number<std::uint16_t>(m.offset + 28);
  const std::string_view packed = part(start, m.packed);
  std::string text;
  if (m.method == zip::stored) {
    text = packed;
  } else if (m.method == zip::deflated) {
    text = inflated(packed, m);
  } else {
    throw damaged("the member " + m.name + " is packed by method " + std::to_string(m.method));
  }
  if (text.size() != m.bytes || zip::checksum(text) != m.checksum)
    throw damaged("the member " + m.name + " does not match its checksum");
  return text;
}

}  // namespace hypatia
