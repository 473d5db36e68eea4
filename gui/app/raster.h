#pragma once
// Draws ImDrawData into memory on the CPU, so that screenshots and tests need no display.

#include <cstdint>
#include <imgui.h>
#include <string>
#include <vector>

namespace hypatia::gui {

/// Pixels in rows from the top, each 0xAABBGGRR as ImGui packs colours.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;

  std::uint32_t at(int x, int y) const {
    return pixels
        [static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(x)];
  }
};

/// The coverage of a font atlas; its address is the texture id of draw commands.
struct Texture {
  int width = 0, height = 0;
  const std::uint8_t* coverage = nullptr;
};

/// Draws over `image`, which keeps its size; what lies outside is cut off.
void rasterise(const ImDrawData& data, Image& image);

/// Writes a small PNG of at most 256 colours beside its final name and renames it; throws Error if
/// that fails.
void write_png(const Image& image, const std::string& path);

}  // namespace hypatia::gui
