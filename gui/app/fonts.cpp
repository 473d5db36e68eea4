// ImGui 1.86 has no dynamic fonts: the atlas holds the ranges that the GUI writes with.

#include "gui/app/fonts.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <string>

namespace hypatia::gui {

namespace {

constexpr std::array<ImWchar, 15> ranges = {
    0x0020,
    0x017F,  // Latin
    0x0370,
    0x03FF,  // Greek
    0x2010,
    0x2044,  // dashes, quotes, ellipsis
    0x2190,
    0x21FF,  // arrows
    0x2200,
    0x22FF,  // mathematics
    0x2300,
    0x23FF,  // keys
    0x25A0,
    0x27BF,  // shapes, marks
    0};

std::array<ImFont*, 4> faces{};

ImFont* load(const char* file, float size) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  for (const char* folder : {"/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/TTF/"}) {
    const std::string path = std::string(folder) + file;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    ImFontConfig config;
    config.OversampleH = 1;  // glyphs stand on whole pixels
    config.PixelSnapH = true;
    if (ImFont* made = atlas.AddFontFromFileTTF(path.c_str(), size, &config, ranges.data()))
      return made;
  }
  ImFontConfig config;
  config.SizePixels = std::round(size);
  return atlas.AddFontDefault(&config);
}

}  // namespace

void build_fonts(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  const float size = std::round(14 * scale);
  faces = {
      load("DejaVuSans.ttf", size),
      load("DejaVuSans-Bold.ttf", size),
      load("DejaVuSansMono.ttf", std::round(13 * scale)),
      load("DejaVuSans.ttf", std::round(20 * scale))};
  atlas.Build();
  ImGui::GetIO().FontDefault = faces[0];
}

ImFont* font(Face face) {
  return faces[static_cast<std::size_t>(face)];
}

}  // namespace hypatia::gui
