// The two palettes and how ImGui's own style follows them.

#include "gui/app/theme.h"

#include <algorithm>
#include <array>

namespace hypatia::gui {

namespace {

using Palette = std::array<std::uint32_t, static_cast<std::size_t>(Tone::count)>;  // 0xRRGGBB

// CPU, GPU and transfer are three of Okabe and Ito's colours, told apart by every kind of eye.
constexpr Palette dark_palette = {
    0x14161A,  // background
    0x1A1D23,  // panel
    0x252A32,  // raised
    0x30363F,  // border
    0x272C34,  // grid
    0xE4E7EC,  // text
    0xA4ADB9,  // text_dim
    0x6C7683,  // text_faint
    0x6CB6FF,  // accent
    0xFFFFFF,  // selected
    0x8FA3BF,  // hovered
    0x0072B2,  // cpu
    0xE69F00,  // gpu
    0xCC79A7,  // transfer
    0x56B4E9,  // launch
    0x7F8794,  // sync
    0x009E73,  // compile
    0x2A2F37,  // idle
    0x101216,  // on_color
    0x3FB984,  // good
    0xE5694B,  // bad
    0xF0C04A,  // warning
};

constexpr Palette light_palette = {
    0xFAFAF8,  // background
    0xF1F2F0,  // panel
    0xE4E6E5,  // raised
    0xCDD1D2,  // border
    0xE2E5E5,  // grid
    0x1D2126,  // text
    0x4F5863,  // text_dim
    0x838C96,  // text_faint
    0x0A5FA8,  // accent
    0x000000,  // selected
    0x5B708C,  // hovered
    0x0072B2,  // cpu
    0xE69F00,  // gpu
    0xCC79A7,  // transfer
    0x56B4E9,  // launch
    0x9AA2AC,  // sync
    0x009E73,  // compile
    0xDFE2E2,  // idle
    0x101216,  // on_color
    0x1B8A5A,  // good
    0xC2412D,  // bad
    0x9A6A00,  // warning
};

const Palette* current = &dark_palette;

ImU32 pack(std::uint32_t rgb) {
  return IM_COL32((rgb >> 16U) & 0xFFU, (rgb >> 8U) & 0xFFU, rgb & 0xFFU, 255);
}

void set_colors(ImGuiStyle& style) {
  const auto set = [&](ImGuiCol where, Tone tone, float opacity = 1) {
    style.Colors[where] = ImGui::ColorConvertU32ToFloat4(color(tone, opacity));
  };
  set(ImGuiCol_WindowBg, Tone::background);
  set(ImGuiCol_ChildBg, Tone::background, 0);
  set(ImGuiCol_PopupBg, Tone::panel);
  set(ImGuiCol_Border, Tone::border);
  set(ImGuiCol_Text, Tone::text);
  set(ImGuiCol_TextDisabled, Tone::text_faint);
  set(ImGuiCol_TextSelectedBg, Tone::accent, 0.35F);
  set(ImGuiCol_FrameBg, Tone::raised);
  set(ImGuiCol_FrameBgHovered, Tone::hovered, 0.25F);
  set(ImGuiCol_FrameBgActive, Tone::hovered, 0.4F);
  set(ImGuiCol_Button, Tone::raised);
  set(ImGuiCol_ButtonHovered, Tone::hovered, 0.35F);
  set(ImGuiCol_ButtonActive, Tone::hovered, 0.5F);
  set(ImGuiCol_Header, Tone::accent, 0.22F);
  set(ImGuiCol_HeaderHovered, Tone::hovered, 0.18F);
  set(ImGuiCol_HeaderActive, Tone::hovered, 0.3F);
  set(ImGuiCol_CheckMark, Tone::accent);
  set(ImGuiCol_SliderGrab, Tone::accent);
  set(ImGuiCol_SliderGrabActive, Tone::accent);
  set(ImGuiCol_Separator, Tone::border);
  set(ImGuiCol_ScrollbarBg, Tone::background, 0);
  set(ImGuiCol_ScrollbarGrab, Tone::border);
  set(ImGuiCol_ScrollbarGrabHovered, Tone::text_faint);
  set(ImGuiCol_ScrollbarGrabActive, Tone::text_dim);
  set(ImGuiCol_TableHeaderBg, Tone::panel);
  set(ImGuiCol_TableBorderStrong, Tone::border);
  set(ImGuiCol_TableBorderLight, Tone::grid);
  set(ImGuiCol_TableRowBg, Tone::background, 0);
  set(ImGuiCol_TableRowBgAlt, Tone::hovered, 0.05F);
  set(ImGuiCol_NavHighlight, Tone::accent);
  set(ImGuiCol_ModalWindowDimBg, Tone::background, 0.6F);
}

}  // namespace

ImU32 color(Tone tone) {
  return pack((*current)[static_cast<std::size_t>(tone)]);
}

ImU32 color(Tone tone, float opacity) {
  const auto alpha = static_cast<ImU32>(std::clamp(opacity, 0.0F, 1.0F) * 255.0F + 0.5F);
  return (color(tone) & 0x00FFFFFFU) | alpha << 24U;
}

ImVec4 color_vector(Tone tone) {
  return ImGui::ColorConvertU32ToFloat4(color(tone));
}

ImU32 mix(ImU32 from, ImU32 to, float share) {
  share = std::clamp(share, 0.0F, 1.0F);
  ImU32 out = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto a = static_cast<float>((from >> shift) & 0xFFU);
    const auto b = static_cast<float>((to >> shift) & 0xFFU);
    out |= static_cast<ImU32>(a + (b - a) * share + 0.5F) << shift;
  }
  return out;
}

void apply_theme(Theme theme, float scale) {
  current = theme == Theme::dark ? &dark_palette : &light_palette;
  ImGuiStyle style;
  style.WindowPadding = {10, 8};
  style.FramePadding = {7, 4};
  style.ItemSpacing = {8, 5};
  style.ItemInnerSpacing = {6, 4};
  style.CellPadding = {6, 3};
  style.ScrollbarSize = 11;
  style.ScrollbarRounding = 6;
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.ChildRounding = 0;
  style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.ScaleAllSizes(scale);
  set_colors(style);
  ImGui::GetStyle() = style;
}

float em(float count) {
  return ImGui::GetFontSize() * count;
}

}  // namespace hypatia::gui
