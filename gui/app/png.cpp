// PNG with a palette: pictures of a GUI have few colours, and many pixels alike.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>
#include <zlib.h>

#include "gui/app/base.h"
#include "gui/app/raster.h"

namespace hypatia::gui {

namespace {

constexpr std::size_t most_colors = 256;

int channel(std::uint32_t pixel, unsigned which) {
  return static_cast<int>((pixel >> (which * 8)) & 0xFFU);
}

int distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (unsigned which = 0; which < 3; ++which) {
    const int difference = channel(a, which) - channel(b, which);
    sum += difference * difference;
  }
  return sum;
}

/// At most 256 colours of a picture, the most used first, and for each of its colours the nearest.
class PixelPalette {
 public:
  explicit PixelPalette(const Image& image) {
    std::unordered_map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t pixel : image.pixels)
      ++counts[pixel & 0xFFFFFFU];
    std::vector<std::pair<std::size_t, std::uint32_t>> order;
    for (const auto& [color, count] : counts)
      order.emplace_back(count, color);
    std::sort(order.begin(), order.end(), std::greater<>());
    // Colours that are this much alike become one; more alike until all find a place.
    for (int alike = 0; !take(order, alike); alike = alike * 3 / 2 + 6) {
    }
  }

  const std::vector<std::uint32_t>& colors() const { return colors_; }

  std::uint8_t index(std::uint32_t pixel) const { return index_.at(pixel & 0xFFFFFFU); }

 private:
  bool take(const std::vector<std::pair<std::size_t, std::uint32_t>>& order, int alike) {
    colors_.clear();
    for (const auto& [count, color] : order) {
      std::size_t best = 0;
      int least = 1 << 30;
      for (std::size_t i = 0; i < colors_.size(); ++i) {
        const int away = distance(color, colors_[i]);
        if (away >= least) continue;
        least = away;
        best = i;
      }
      if (least > alike) {
        if (colors_.size() == most_colors) return false;
        best = colors_.size();
        colors_.push_back(color);
      }
      index_[color] = static_cast<std::uint8_t>(best);
    }
    return true;
  }

  std::vector<std::uint32_t> colors_;
  std::unordered_map<std::uint32_t, std::uint8_t> index_;
};

void append_number(std::string& out, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xFFU);
}

void append_chunk(std::string& out, const std::string& kind, const std::string& content) {
  append_number(out, content.size());
  const std::string checked = kind + content;
  out += checked;
  append_number(
      out,
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
}

std::string packed(const Image& image, const PixelPalette& palette) {
  std::string rows;
  rows.reserve(image.pixels.size() + static_cast<std::size_t>(image.height));
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    if (i % static_cast<std::size_t>(image.width) == 0) rows += '\0';  // no filter
    rows += static_cast<char>(palette.index(image.pixels[i]));
  }
  uLongf size = compressBound(rows.size());
  std::string out(size, '\0');
  compress2(
      reinterpret_cast<Bytef*>(out.data()),
      &size,
      reinterpret_cast<const Bytef*>(rows.data()),
      rows.size(),
      Z_BEST_COMPRESSION);
  out.resize(size);
  return out;
}

std::string png_of(const Image& image) {
  const PixelPalette palette(image);
  std::string head, colors;
  append_number(head, static_cast<std::size_t>(image.width));
  append_number(head, static_cast<std::size_t>(image.height));
  head += std::string("\x08\x03\0\0\0", 5);  // 8 bits a pixel, which name a colour
  for (const std::uint32_t color : palette.colors())
    for (unsigned which = 0; which < 3; ++which)
      colors += static_cast<char>(channel(color, which));
  std::string out = "\x89PNG\r\n\x1A\n";
  append_chunk(out, "IHDR", head);
  append_chunk(out, "PLTE", colors);
  append_chunk(out, "IDAT", packed(image, palette));
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace

void write_png(const Image& image, const std::string& path) {
  const std::string partial = path + ".partial", content = png_of(image);
  {
    std::ofstream file(partial, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.flush();
    if (file && std::rename(partial.c_str(), path.c_str()) == 0) return;
  }
  const int code = errno;
  std::remove(partial.c_str());
  throw Error(
      Error::Kind::file,
      "can't write the picture " + path + ": " + std::strerror(code),
      "choose a folder that exists and may be written to");
}

}  // namespace hypatia::gui
