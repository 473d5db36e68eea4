// Writing a zip: members one after another, then the directory.

#include "engine/core/error.h"
#include "engine/core/zip.h"
#include "engine/core/zip_marks.h"

namespace hypatia {

namespace {

std::string deflate_text(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    internal_error("zlib can't start");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) internal_error("zlib can't deflate");
  return packed;
}

template <class T>
void put(std::string& to, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    to += static_cast<char>(value >> (8 * i) & 0xff);
}

/// The fields that a member's two headers share: from "version needed" to the name's length.
std::string common_fields(const ZipMember& m) {
  std::string text;
  put<std::uint16_t>(text, 20);
  put(text, m.flags);
  put(text, m.method);
  put<std::uint16_t>(text, 0);       // time: fixed, so that equal arrays make equal files
  put<std::uint16_t>(text, 0x0021);  // 1980-01-01
  put(text, m.checksum);
  put(text, static_cast<std::uint32_t>(m.packed));
  put(text, static_cast<std::uint32_t>(m.bytes));
  put(text, static_cast<std::uint16_t>(m.name.size()));
  put<std::uint16_t>(text, 0);  // extra fields
  return text;
}

std::string local_header(const ZipMember& m) {
  std::string text;
  put(text, zip::local_mark);
  return text + common_fields(m) + m.name;
}

std::string central_header(const ZipMember& m) {
  std::string text;
  put(text, zip::central_mark);
  put<std::uint16_t>(text, 20);
  text += common_fields(m);
  text.append(10, '\0');  // comment, disk, attributes
  put(text, static_cast<std::uint32_t>(m.offset));
  return text + m.name;
}

std::string directory_end(std::size_t count, std::size_t size, std::size_t offset) {
  std::string text;
  put(text, zip::end_mark);
  put<std::uint32_t>(text, 0);
  put(text, static_cast<std::uint16_t>(count));
  put(text, static_cast<std::uint16_t>(count));
  put(text, static_cast<std::uint32_t>(size));
  put(text, static_cast<std::uint32_t>(offset));
  put<std::uint16_t>(text, 0);
  return text;
}

}  // namespace

void ZipWriter::add(const std::string& name, const std::string& text, bool compressed) {
  const std::string packed = compressed ? deflate_text(text) : "";
  const std::string& body = compressed ? packed : text;
  ZipMember m;
  m.name = name;
  m.flags = 0x0800;  // the name is UTF-8
  m.method = compressed ? zip::deflated : zip::stored;
  m.checksum = zip::checksum(text);
  m.packed = body.size();
  m.bytes = text.size();
  m.offset = offset_;
  const std::string header = local_header(m);
  file_.write(header);
  file_.write(body);
  directory_ += central_header(m);
  offset_ += header.size() + body.size();
  ++count_;
}

void ZipWriter::commit() {
  file_.write(directory_);
  file_.write(directory_end(count_, directory_.size(), offset_));
  file_.commit();
}

}  // namespace hypatia
