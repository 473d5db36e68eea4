#pragma once
// All input goes through here: ImGui 1.86 has no input queue and native key codes, so hosts feed it
// one state a frame, and views ask for chords.

#include <array>
#include <bitset>
#include <cstdint>
#include <imgui.h>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia::gui {

/// Key codes, with GLFW's values, which its backend hands to ImGui unchanged.
namespace key {
inline constexpr int space = 32, zero = 48, a = 65;
inline constexpr int escape = 256, enter = 257, tab = 258, backspace = 259, insert = 260, del = 261,
                     right = 262, left = 263, down = 264, up = 265, page_up = 266, page_down = 267,
                     home = 268, end = 269, keypad_enter = 335;
inline constexpr int f1 = 290, left_shift = 340, left_control = 341, left_alt = 342;

/// The code of a letter or a digit.
constexpr int of(char c) {
  return c >= 'a' && c <= 'z' ? c - 32 : c;
}
}  // namespace key

/// What the user does during one frame of a host without a window.
struct Input {
  ImVec2 mouse{-1, -1};
  std::array<bool, 3> buttons{};  // left, right, middle
  float wheel = 0;
  std::bitset<512> keys;
  std::u32string text;
};

/// Tells ImGui which of our key codes are its own keys. Once after creating a context.
void map_keys();

/// Hands one frame's input to ImGui; before NewFrame.
void feed(const Input& input, ImVec2 display, float seconds);

/// A key with its modifiers, or a character as the keyboard's layout types it.
struct Chord {
  int code = 0;
  char character = 0;
  bool control = false, shift = false, alt = false;

  explicit operator bool() const { return code != 0 || character != 0; }
};

/// Reads "ctrl+p", "?", "alt+left", "f12"; throws Error for what it doesn't know.
Chord parse_chord(std::string_view text);

/// True in the frame in which the chord goes down, if no text field has the keyboard.
bool pressed(const Chord& chord);
/// True while a key without modifiers is held, if no text field has the keyboard.
bool held(int code);

}  // namespace hypatia::gui
