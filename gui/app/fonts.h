#pragma once
// The fonts of the GUI, built into one atlas for the current scale.

#include <imgui.h>

namespace hypatia::gui {

/// Sans for words, mono for code and numbers, large for titles.
enum class Face { sans, bold, mono, large };

/// Rebuilds the atlas for `scale`: DejaVu where it is installed, ImGui's own font elsewhere (then
/// Greek letters and arrows are missing and `plain` texts are used). Call outside of a frame.
void build_fonts(float scale);

ImFont* font(Face face);

/// Uses a face until the end of the scope.
class WithFont {
 public:
  explicit WithFont(Face face) { ImGui::PushFont(font(face)); }

  WithFont(const WithFont&) = delete;
  WithFont& operator=(const WithFont&) = delete;

  ~WithFont() { ImGui::PopFont(); }
};

}  // namespace hypatia::gui
