#pragma once
// The GUI without a window: an ImGui context of its own, injected input, frames drawn on the CPU.
// The screenshot host and the tests are built on it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gui/app/input.h"
#include "gui/app/raster.h"
#include "gui/app/state.h"

struct ImGuiContext;

namespace hypatia::gui {

class Headless {
 public:
  /// A display of `width` x `height` pixels. One may exist at a time in a thread.
  Headless(AppState& state, int width, int height);
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;
  ~Headless();

  /// Builds one frame of what `input` holds; nothing is rasterised.
  void frame();
  /// Frames until nothing moves and no file is being read.
  void settle();
  /// Draws the last frame.
  Image picture() const;

  /// Press and release over frames, as 1.86 needs it.
  void click(ImVec2 at, int button = 0);
  void double_click(ImVec2 at);
  void drag(ImVec2 from, ImVec2 to, int button = 0);
  void wheel(ImVec2 at, float notches);
  /// "ctrl+p", "?", "escape": as parse_chord reads them.
  void press(std::string_view chord);
  void type(std::string_view text);
  void move(ImVec2 at);

  /// The middle of what was drawn under this name; throws Error if nothing was.
  ImVec2 place(std::string_view name) const;

  const ImDrawData& draw_data() const;

  AppState& state() { return state_; }

  Input input;

 private:
  void apply_look();

  AppState& state_;
  ImVec2 size_;
  ImGuiContext* context_;
  std::unique_ptr<Texture> atlas_;
  float built_scale_ = 0;
  Theme built_theme_ = Theme::dark;
};

/// Runs a script, one command a line: `key ctrl+p`, `type words`, `click NAME` or `click X Y`,
/// `double NAME`, `drag X Y X Y`, `wheel X Y NOTCHES`, `move NAME`, `wait FRAMES`, `view NAME`,
/// `select NODE`, `open FILE`, `shot FILE`, `expect NAME`; # begins a comment. Throws Error with
/// the line's number.
void run_script(Headless& host, std::string_view script);

}  // namespace hypatia::gui
