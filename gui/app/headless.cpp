// Frames of a fixed 1/60 s, so that scripts give the same picture each time.

#include "gui/app/headless.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "gui/app/base.h"
#include "gui/app/course.h"
#include "gui/app/fonts.h"
#include "gui/app/ui.h"

namespace hypatia::gui {

namespace {

// What there is of the same kind, "tab/…"; else the kinds.
std::string near_marks(const Probe& probe, std::string_view name) {
  const std::string_view kind = name.substr(0, name.find('/'));
  std::vector<std::string> same, kinds;
  const auto add = [](std::vector<std::string>& list, const std::string& word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  };
  for (const Mark& mark : probe.marks()) {
    const std::string own = mark.name.substr(0, mark.name.find('/'));
    add(kinds, own == mark.name ? own : own + "/…");
    if (own == kind) add(same, mark.name);
  }
  constexpr std::size_t most = 24;
  const std::vector<std::string>& list = same.empty() ? kinds : same;
  std::string text = "there are";
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i)
    text += (i ? ", " : " ") + list[i];
  if (list.size() > most) text += ", …";
  return text + (kind == "tab" ? "; tabs of other groups are there after `click group/NAME`" : "");
}

}  // namespace

Headless::Headless(AppState& state, int width, int height)
    : state_(state),
      size_(static_cast<float>(width), static_cast<float>(height)),
      context_(ImGui::CreateContext()),
      atlas_(std::make_unique<Texture>()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  map_keys();
  state_.probe.enable();
  apply_look();
}

Headless::~Headless() {
  ImGui::DestroyContext(context_);
}

void Headless::apply_look() {
  if (built_scale_ != state_.scale()) {
    build_fonts(state_.scale());
    unsigned char* pixels = nullptr;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &atlas_->width, &atlas_->height);
    atlas_->coverage = pixels;
    ImGui::GetIO().Fonts->SetTexID(atlas_.get());
  }
  if (built_scale_ != state_.scale() || built_theme_ != state_.theme || built_scale_ == 0)
    apply_theme(state_.theme, state_.scale());
  built_scale_ = state_.scale();
  built_theme_ = state_.theme;
}

void Headless::frame() {
  apply_look();
  feed(input, size_, 1.0F / 60);
  ImGui::NewFrame();
  Ui::frame(state_);
  ImGui::Render();
  state_.requests.screenshot = false;  // what is drawn can be had as picture() anyway
  input.wheel = 0;
  input.text.clear();
}

void Headless::settle() {
  for (int i = 0; i < 3; ++i)
    frame();
  for (const auto& document : state_.documents)
    document->poll(true);
  for (int tries = 0; state_.course->running() && tries < 500 && state_.settings.view == "course";
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    state_.course->poll();
  }
  for (int i = 0; i < 3; ++i)
    frame();
}

Image Headless::picture() const {
  Image image;
  image.width = static_cast<int>(size_.x);
  image.height = static_cast<int>(size_.y);
  image.pixels.assign(
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
      color(Tone::background));
  rasterise(draw_data(), image);
  return image;
}

const ImDrawData& Headless::draw_data() const {
  return *ImGui::GetDrawData();
}

void Headless::move(ImVec2 at) {
  input.mouse = at;
  frame();
}

void Headless::click(ImVec2 at, int button) {
  move(at);
  input.buttons.at(static_cast<std::size_t>(button)) = true;
  frame();
  input.buttons.at(static_cast<std::size_t>(button)) = false;
  frame();
  frame();
}

void Headless::double_click(ImVec2 at) {
  click(at);
  click(at);
}

void Headless::drag(ImVec2 from, ImVec2 to, int button) {
  move(from);
  input.buttons.at(static_cast<std::size_t>(button)) = true;
  frame();
  for (const float share : {0.25F, 0.5F, 0.75F, 1.0F})
    move({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
  input.buttons.at(static_cast<std::size_t>(button)) = false;
  frame();
  frame();
}

void Headless::wheel(ImVec2 at, float notches) {
  move(at);
  input.wheel = notches;
  frame();
  frame();
}

void Headless::press(std::string_view text) {
  const Chord chord = parse_chord(text);
  const auto set = [&](bool down) {
    if (chord.code) input.keys[static_cast<std::size_t>(chord.code)] = down;
    if (chord.control) input.keys[static_cast<std::size_t>(key::left_control)] = down;
    if (chord.shift) input.keys[static_cast<std::size_t>(key::left_shift)] = down;
    if (chord.alt) input.keys[static_cast<std::size_t>(key::left_alt)] = down;
  };
  set(true);
  if (chord.character) input.text += static_cast<char32_t>(chord.character);
  frame();
  set(false);
  frame();
  frame();
}

void Headless::type(std::string_view text) {
  for (const char c : text) {
    input.text += static_cast<char32_t>(static_cast<unsigned char>(c));
    frame();
  }
  frame();
}

ImVec2 Headless::place(std::string_view name) const {
  const Mark* mark = state_.probe.find(name);
  if (!mark)
    throw Error(
        Error::Kind::value,
        "nothing named '" + std::string(name) + "' is on the screen",
        near_marks(state_.probe, name));
  return {(mark->low.x + mark->high.x) / 2, (mark->low.y + mark->high.y) / 2};
}

}  // namespace hypatia::gui
