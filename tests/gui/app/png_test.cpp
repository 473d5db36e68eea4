// The PNG writer: what a decoder reads back is the picture, with few colours exactly.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "gui/app/raster.h"

namespace hypatia::gui {

namespace {

/// Just enough of a decoder for 8-bit palettes without filters.
class Decoded {
 public:
  explicit Decoded(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    std::string packed;
    for (std::size_t at = 8; at + 12 <= bytes_.size();) {
      const std::size_t size = number(at);
      const std::string kind = bytes_.substr(at + 4, 4);
      const std::string content = bytes_.substr(at + 8, size);
      if (kind == "IHDR") width = number(at + 8), height = number(at + 12);
      if (kind == "PLTE") palette = content;
      if (kind == "IDAT") packed += content;
      sums_hold = sums_hold && number(at + 8 + size) ==
                                   crc32(
                                       0,
                                       reinterpret_cast<const Bytef*>(bytes_.data() + at + 4),
                                       static_cast<uInt>(size + 4));
      at += size + 12;
    }
    uLongf size = (width + 1) * height;
    rows_.resize(size);
    whole = uncompress(
                reinterpret_cast<Bytef*>(rows_.data()),
                &size,
                reinterpret_cast<const Bytef*>(packed.data()),
                packed.size()) == Z_OK &&
            size == rows_.size();
  }

  std::uint32_t at(std::size_t x, std::size_t y) const {
    const auto index = static_cast<unsigned char>(rows_.at(y * (width + 1) + 1 + x));
    const auto part = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(palette.at(index * 3U + i)));
    };
    return part(0) | part(1) << 8U | part(2) << 16U | 0xFF000000U;
  }

  std::size_t width = 0, height = 0;
  std::string palette;
  bool sums_hold = true, whole = false;

 private:
  std::size_t number(std::size_t at) const {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8U | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }

  std::string bytes_, rows_;
};

std::string path() {
  return (std::filesystem::temp_directory_path() / ("hypatia-" + std::to_string(getpid()) + ".png"))
      .string();
}

}  // namespace

TEST(Png, GivesBackAPictureOfFewColours) {
  Image image{40, 30, {}};
  for (std::uint32_t i = 0; i < 1200; ++i)
    image.pixels.push_back(0xFF000000U | (i % 7) * 0x203010U);
  write_png(image, path());
  const Decoded decoded(path());
  ASSERT_TRUE(decoded.whole && decoded.sums_hold);
  ASSERT_EQ(decoded.width, 40u);
  ASSERT_EQ(decoded.height, 30u);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x)
      EXPECT_EQ(
          decoded.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y)), image.at(x, y));
  std::filesystem::remove(path());
}

TEST(Png, ManyColoursBecomeNearOnes) {
  Image image{256, 256, {}};
  for (std::uint32_t i = 0; i < 65536; ++i)
    image.pixels.push_back(0xFF000000U | (i % 256) | (i / 256) << 8U);
  write_png(image, path());
  const Decoded decoded(path());
  ASSERT_TRUE(decoded.whole && decoded.sums_hold);
  EXPECT_LE(decoded.palette.size(), 256u * 3);
  int furthest = 0;
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x) {
      const std::uint32_t got =
          decoded.at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
      for (unsigned which = 0; which < 24; which += 8)
        furthest = std::max(
            furthest,
            std::abs(
                static_cast<int>((got >> which) & 0xFFU) -
                static_cast<int>((image.at(x, y) >> which) & 0xFFU)));
    }
  EXPECT_LT(furthest, 64);
  std::filesystem::remove(path());
}

}  // namespace hypatia::gui
