// The .npy format: a magic word, a version, a Python dict as header, and the elements.

#include "engine/core/npy.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/npy_format.h"
#include "engine/core/text.h"

namespace hypatia {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 20;

Error damaged(const std::string& where, const std::string& what) {
  return Error(
      Error::Kind::file,
      where + " is no good .npy: " + what,
      "write it again, by save_npy or numpy.save");
}

std::string descr_of(DType dtype) {
  const char kind = dtype == DType::boolean ? 'b'
                    : is_float(dtype)       ? 'f'
                    : is_unsigned(dtype)    ? 'u'
                                            : 'i';
  return (size_of(dtype) == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(size_of(dtype));
}

struct Element {
  DType dtype;
  bool swapped;
};

/// The dtype of a descr like "<f8".
Element element_of(const std::string& descr, const std::string& where) {
  for (int i = 0; i < dtype_count && descr.size() > 1; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (descr_of(dtype).substr(1) != descr.substr(1)) continue;
    if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos) break;
    return {dtype, descr[0] == '>'};
  }
  throw Error(
      Error::Kind::file,
      where + " holds elements of dtype '" + descr + "', which arrays don't have",
      "convert it in NumPy first: a.astype('float64')");
}

/// The header's dict, of which three keys are known.
struct Header {
  std::string descr;
  std::optional<bool> fortran;
  std::optional<Dims> dims;
};

/// Reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Header read() {
    Header header;
    expect('{');
    while (!taken('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        header.descr = peek() == '[' ? structured() : quoted();
      } else if (key == "fortran_order") {
        header.fortran = boolean();
      } else if (key == "shape") {
        header.dims = dims();
      } else {
        throw damaged(where_, "its header has the unknown key '" + key + "'");
      }
      if (!taken(',') && peek() != '}') fail();
    }
    if (header.descr.empty() || !header.fortran || !header.dims) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() { throw damaged(where_, "its header can't be read"); }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool taken(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!taken(c)) fail();
  }

  bool taken(std::string_view word) {
    peek();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail();
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }

  // Only named in the error that follows.
  std::string structured() {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) fail();
    std::string fields(text_.substr(at_, end + 1 - at_));
    at_ = end + 1;
    return fields;
  }

  bool boolean() {
    if (taken("True")) return true;
    if (!taken("False")) fail();
    return false;
  }

  Dims dims() {
    Dims sizes;
    expect('(');
    while (!taken(')')) {
      peek();
      std::int64_t size = -1;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail();
      at_ = static_cast<std::size_t>(end - text_.data());
      taken('L');  // Python 2 wrote long integers so
      sizes.push_back(size);
      if (!taken(',') && peek() != ')') fail();
    }
    return sizes;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

/// Bytes of all elements; more than fit in memory count as the most there is.
std::size_t wanted_bytes(DType dtype, const Dims& dims) {
  std::size_t bytes = static_cast<std::size_t>(size_of(dtype));
  bool overflow = false;
  for (std::int64_t d : dims) {
    if (d == 0) return 0;
    overflow |= __builtin_mul_overflow(bytes, static_cast<std::size_t>(d), &bytes);
  }
  return overflow ? std::numeric_limits<std::size_t>::max() : bytes;
}

void swap_bytes(const Array& a) {
  const auto size = static_cast<std::size_t>(size_of(a.dtype()));
  char* at = static_cast<char*>(a.address());
  for (char* end = at + a.bytes(); at < end; at += size)
    std::reverse(at, at + size);
}

// Any other byte in a bool is undefined behaviour for every reader.
void normalise_booleans(const Array& a) {
  auto* at = static_cast<unsigned char*>(a.address());
  for (unsigned char* end = at + a.bytes(); at < end; ++at)
    *at = *at != 0;
}

std::size_t little_endian(const unsigned char* bytes, int count) {
  std::size_t value = 0;
  for (int i = count; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::string npy_header(DType dtype, const Dims& dims) {
  std::string text = "{'descr': '" + descr_of(dtype) +
                     "', 'fortran_order': False, 'shape': " + to_text(dims) + ", }";
  // 8 dims of 19 digits fit in version 1. The elements begin at a multiple of 64 bytes.
  const std::size_t before = magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

Array read_npy(const ReadBytes& read, std::size_t available, const std::string& where) {
  std::size_t taken = 0;
  const auto take = [&](void* to, std::size_t count) {
    taken += count;
    return taken <= available && read(to, count) == count;
  };
  unsigned char start[8], length[4];
  if (!take(start, sizeof start) || std::memcmp(start, magic.data(), magic.size()) != 0)
    throw damaged(where, "it does not begin with NumPy's magic word");
  if (start[6] < 1 || start[6] > 3)
    throw damaged(where, "its version is " + std::to_string(start[6]) + ", not 1 to 3");
  const int width = start[6] == 1 ? 2 : 4;
  if (!take(length, static_cast<std::size_t>(width))) throw damaged(where, "it is cut off");
  const std::size_t size = little_endian(length, width);
  if (size > longest_header || size > available) throw damaged(where, "its header is cut off");
  std::string text(size, ' ');
  if (!take(text.data(), size)) throw damaged(where, "its header is cut off");
  const Header header = HeaderReader(text, where).read();
  const Element element = element_of(header.descr, where);
  const std::size_t bytes = wanted_bytes(element.dtype, *header.dims);
  if (bytes > available - taken) {
    throw damaged(
        where,
        "it is cut off: elements of shape " + to_text(*header.dims) + " and dtype " +
            std::string(name(element.dtype)) + " need " + std::to_string(bytes) + " bytes, and " +
            std::to_string(available - taken) + " are there");
  }
  Dims dims = *header.dims;
  if (*header.fortran) std::reverse(dims.begin(), dims.end());
  Array value(element.dtype, dims);
  if (!take(value.address(), bytes)) throw damaged(where, "reading its elements failed");
  if (element.swapped) swap_bytes(value);
  if (element.dtype == DType::boolean) normalise_booleans(value);
  return *header.fortran ? value.transpose() : value;
}

void save_npy(const std::string& path, const Array& value) {
  const Array a = value.contiguous_on_host();
  a.sync();
  NewFile file(path);
  file.write(npy_header(a.dtype(), a.dims()));
  file.write(a.address(), a.bytes());
  file.commit();
}

Array load_npy(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0 || size == std::numeric_limits<std::streamoff>::max()) {
    const std::string reason = stream ? "it is a folder" : std::strerror(errno);
    throw Error(
        Error::Kind::file,
        path + " can't be read: " + reason,
        "check the path: it should name a .npy file");
  }
  stream.seekg(0);
  const ReadBytes read = [&stream](void* to, std::size_t count) {
    stream.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    return static_cast<std::size_t>(stream.gcount());
  };
  return read_npy(read, static_cast<std::size_t>(size), path);
}

}  // namespace hypatia
