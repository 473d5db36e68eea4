// Key names, ImGui's key map, and the questions views ask.

#include "gui/app/input.h"

#include <algorithm>
#include <utility>

#include "gui/app/base.h"

namespace hypatia::gui {

namespace {

constexpr std::array<std::pair<std::string_view, int>, 17> key_names = {{
    {"space", key::space},
    {"escape", key::escape},
    {"esc", key::escape},
    {"enter", key::enter},
    {"tab", key::tab},
    {"backspace", key::backspace},
    {"insert", key::insert},
    {"delete", key::del},
    {"right", key::right},
    {"left", key::left},
    {"down", key::down},
    {"up", key::up},
    {"pageup", key::page_up},
    {"pagedown", key::page_down},
    {"home", key::home},
    {"end", key::end},
    {"return", key::enter},
}};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A key by its name without modifiers, 0 if there is none of that name.
int named_key(std::string_view name) {
  for (const auto& [known, code] : key_names)
    if (known == name) return code;
  if (name.size() >= 2 && name[0] == 'f' && name.size() <= 3) {
    int number = 0;
    for (const char c : name.substr(1))
      number = c >= '0' && c <= '9' ? number * 10 + (c - '0') : 99;
    if (number >= 1 && number <= 12) return key::f1 + number - 1;
  }
  return 0;
}

bool typing() {
  return ImGui::GetIO().WantTextInput;
}

}  // namespace

void map_keys() {
  int* map = ImGui::GetIO().KeyMap;
  const std::array<std::pair<ImGuiKey, int>, 22> pairs = {{
      {ImGuiKey_Tab, key::tab},
      {ImGuiKey_LeftArrow, key::left},
      {ImGuiKey_RightArrow, key::right},
      {ImGuiKey_UpArrow, key::up},
      {ImGuiKey_DownArrow, key::down},
      {ImGuiKey_PageUp, key::page_up},
      {ImGuiKey_PageDown, key::page_down},
      {ImGuiKey_Home, key::home},
      {ImGuiKey_End, key::end},
      {ImGuiKey_Insert, key::insert},
      {ImGuiKey_Delete, key::del},
      {ImGuiKey_Backspace, key::backspace},
      {ImGuiKey_Space, key::space},
      {ImGuiKey_Enter, key::enter},
      {ImGuiKey_Escape, key::escape},
      {ImGuiKey_KeyPadEnter, key::keypad_enter},
      {ImGuiKey_A, key::of('a')},
      {ImGuiKey_C, key::of('c')},
      {ImGuiKey_V, key::of('v')},
      {ImGuiKey_X, key::of('x')},
      {ImGuiKey_Y, key::of('y')},
      {ImGuiKey_Z, key::of('z')},
  }};
  for (const auto& [theirs, ours] : pairs)
    map[theirs] = ours;
}

void feed(const Input& input, ImVec2 display, float seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = display;
  io.DeltaTime = seconds;
  io.MousePos = input.mouse.x < 0 ? ImVec2(-FLT_MAX, -FLT_MAX) : input.mouse;
  for (std::size_t i = 0; i < input.buttons.size(); ++i)
    io.MouseDown[i] = input.buttons[i];
  io.MouseWheel = input.wheel;
  for (std::size_t i = 0; i < input.keys.size(); ++i)
    io.KeysDown[i] = input.keys[i];
  io.KeyCtrl = input.keys[static_cast<std::size_t>(key::left_control)];
  io.KeyShift = input.keys[static_cast<std::size_t>(key::left_shift)];
  io.KeyAlt = input.keys[static_cast<std::size_t>(key::left_alt)];
  for (const char32_t c : input.text)
    io.AddInputCharacter(static_cast<unsigned>(c));
}

Chord parse_chord(std::string_view text) {
  Chord chord;
  std::string_view rest = text;
  for (std::size_t plus = rest.find('+'); plus != std::string_view::npos && plus > 0;
       plus = rest.find('+')) {
    const std::string_view modifier = rest.substr(0, plus);
    if (modifier == "ctrl")
      chord.control = true;
    else if (modifier == "shift")
      chord.shift = true;
    else if (modifier == "alt")
      chord.alt = true;
    else
      break;
    rest.remove_prefix(plus + 1);
  }
  if (rest.size() == 1 && is_letter_or_digit(rest[0]))
    chord.code = key::of(rest[0]);
  else if (rest.size() == 1 && rest[0] > ' ')
    chord.character = rest[0];
  else
    chord.code = named_key(rest);
  if (!chord)
    throw Error(
        Error::Kind::value,
        "unknown key '" + std::string(text) + "'",
        "write keys like a, 7, ?, f12, escape, ctrl+p or alt+left");
  return chord;
}

bool pressed(const Chord& chord) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!chord) return false;
  const bool bare = !chord.control && !chord.alt;
  if (typing() && bare && chord.code != key::escape && chord.code < key::f1) return false;
  if (chord.character != 0) {
    const auto wanted = static_cast<ImWchar>(static_cast<unsigned char>(chord.character));
    return bare &&
           std::find(io.InputQueueCharacters.begin(), io.InputQueueCharacters.end(), wanted) !=
               io.InputQueueCharacters.end();
  }
  return io.KeyCtrl == chord.control && io.KeyShift == chord.shift && io.KeyAlt == chord.alt &&
         ImGui::IsKeyPressed(chord.code, false);
}

bool held(int code) {
  const ImGuiIO& io = ImGui::GetIO();
  return !typing() && !io.KeyCtrl && !io.KeyAlt && ImGui::IsKeyDown(code);
}

}  // namespace hypatia::gui
