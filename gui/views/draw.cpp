// Text, blocks, hatching and choices.

#include "gui/views/draw.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace hypatia::gui {

namespace {

ImDrawList& list() {
  return *ImGui::GetWindowDrawList();
}

ImVec2 floor(ImVec2 at) {
  return {std::floor(at.x), std::floor(at.y)};
}

}  // namespace

float draw_text(ImVec2 at, float width, ImU32 tint, std::string_view text, Align align) {
  const std::string shown = fit_text(text, width);
  if (shown.empty()) return 0;
  const float taken = ImGui::CalcTextSize(shown.c_str()).x;
  if (align == Align::center) at.x += (width - taken) / 2;
  if (align == Align::right) at.x += width - taken;
  list().AddText(floor(at), tint, shown.c_str());
  return taken;
}

void draw_hatch(ImVec2 low, ImVec2 high, ImU32 tint) {
  const float height = high.y - low.y, step = std::max(5.0F, em(0.45F));
  if (high.x - low.x < 3 || height < 3) return;
  ImDrawList& draw = list();
  draw.PushClipRect(low, high, true);
  const ImVec2 clip_low = draw.GetClipRectMin(), clip_high = draw.GetClipRectMax();
  // Lines stand on a grid of the screen, so that neighbours continue each other.
  const float first = std::floor((std::max(low.x, clip_low.x) - height) / step) * step;
  const float last = std::min(high.x, clip_high.x);
  for (float x = first; x < last; x += step)
    draw.AddLine({x, high.y}, {x + height, low.y}, tint, std::max(1.0F, em(0.08F)));
  draw.PopClipRect();
}

void draw_block(ImVec2 low, ImVec2 high, Tone tone) {
  list().AddRectFilled(low, high, color(tone));
  if (tone == Tone::transfer) draw_hatch(low, high, color(Tone::on_color, 0.35F));
}

void draw_costs(ImVec2 low, float height, const Parts& costs, double scale) {
  const auto part = [&](double time, Tone tone) {
    const auto width = static_cast<float>(time * scale);
    if (width <= 0.05F) return;
    draw_block(low, {low.x + std::max(width, 0.5F), low.y + height}, tone);
    low.x += width;
  };
  part(costs.cpu(), Tone::cpu);
  part(costs.gpu(), Tone::gpu);
  part(costs.transfer(), Tone::transfer);
}

void legend(std::initializer_list<std::pair<Tone, const char*>> entries) {
  const float side = em(0.75F);
  bool first = true;
  for (const auto& [tone, word] : entries) {
    if (!first) ImGui::SameLine(0, em(1));
    first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float drop = (ImGui::GetTextLineHeight() - side) / 2;
    draw_block(at + ImVec2{0, drop}, at + ImVec2{side, drop + side}, tone);
    ImGui::Dummy({side, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, em(0.35F));
    ImGui::TextUnformatted(word);
  }
}

void legend_sides() {
  legend({{Tone::cpu, "CPU"}, {Tone::gpu, "GPU"}, {Tone::transfer, "transfer"}});
}

bool choose(
    AppState& state, const char* label, std::initializer_list<const char*> words, int& chosen) {
  bool changed = false;
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(color_vector(Tone::text_faint), "%s", label);
  ImGui::PushID(label);
  int number = 0;
  for (const char* word : words) {
    ImGui::SameLine(0, number == 0 ? em(0.5F) : em(0.15F));
    const bool on = number == chosen;
    ImGui::PushStyleColor(ImGuiCol_Button, color(on ? Tone::accent : Tone::raised, on ? 0.25F : 0));
    ImGui::PushStyleColor(ImGuiCol_Text, color(on ? Tone::text : Tone::text_dim));
    if (ImGui::Button(word) && !on) {
      chosen = number;
      changed = true;
    }
    ImGui::PopStyleColor(2);
    state.probe.mark_item(fmt::format("choice/{}/{}", label, word));
    ++number;
  }
  ImGui::PopID();
  return changed;
}

bool toggle(AppState& state, const char* label, bool& on) {
  ImGui::PushStyleColor(
      ImGuiCol_Button, color(on ? Tone::accent : Tone::raised, on ? 0.25F : 0.5F));
  ImGui::PushStyleColor(ImGuiCol_Text, color(on ? Tone::text : Tone::text_dim));
  const bool clicked = ImGui::Button(label);
  ImGui::PopStyleColor(2);
  state.probe.mark_item(fmt::format("toggle/{}", label));
  if (clicked) on = !on;
  return clicked;
}

Canvas::Canvas(const char* name, ImVec2 size) : draw_(ImGui::GetWindowDrawList()) {
  size = {std::max(size.x, 1.0F), std::max(size.y, 1.0F)};
  low = ImGui::GetCursorScreenPos();
  high = low + size;
  ImGui::InvisibleButton(
      name,
      size,
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
          ImGuiButtonFlags_MouseButtonMiddle);
  hovered = ImGui::IsItemHovered();
  active = ImGui::IsItemActive();
  pressed = hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  draw_->PushClipRect(low, high, true);
}

Canvas::~Canvas() {
  draw_->PopClipRect();
}

bool mouse_in(const Canvas& canvas, ImVec2 low, ImVec2 high) {
  const ImVec2 mouse = ImGui::GetMousePos();
  return canvas.hovered && mouse.x >= low.x && mouse.x < high.x && mouse.y >= low.y &&
         mouse.y < high.y;
}

double nice_step(double range, int count) {
  if (!(range > 0) || count < 1) return 1;
  const double rough = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= power * factor * (1 + 1e-9)) return power * factor;
  return power * 10;
}

std::vector<double> nice_ticks(double low, double high, int count) {
  std::vector<double> out;
  const double step = nice_step(high - low, count);
  if (!(high > low) || !std::isfinite(step)) return out;
  for (double at = std::ceil(low / step); at * step <= high && out.size() < 1000; ++at)
    out.push_back(at * step + 0.0);  // never -0
  return out;
}

std::string tick_text(double nanoseconds, double step) {
  if (nanoseconds == 0) return "0";
  double unit = 1;
  const char* word = "ns";
  if (step >= 1e8 || std::abs(nanoseconds) >= 1e9) {
    unit = 1e9;
    word = "s";
  } else if (step >= 1e5 || std::abs(nanoseconds) >= 1e6) {
    unit = 1e6;
    word = "ms";
  } else if (step >= 1e2 || std::abs(nanoseconds) >= 1e3) {
    unit = 1e3;
    word = "µs";
  }
  const int places = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 9);
  return fmt::format("{:.{}f} {}", nanoseconds / unit, places, word);
}

std::string node_title(const NodeStats& node) {
  return node.record->label.empty() ? node.record->name
                                    : node.record->name + "  " + node.record->label;
}

void node_tooltip(const NodeStats& node, double whole) {
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(node_title(node).c_str());
  const auto line = [](Tone tone, const char* what, double time) {
    if (time <= 0) return;
    ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::text_dim));
    legend({{tone, what}});
    ImGui::PopStyleColor();
    ImGui::SameLine(em(7));
    ImGui::TextUnformatted(time_text(time).c_str());
  };
  line(Tone::cpu, "CPU", node.costs().cpu());
  line(Tone::gpu, "GPU", node.costs().gpu());
  line(Tone::transfer, "transfer", node.costs().transfer());
  const double total = node.costs().total();
  dim_text(fmt::format(
      "{}{} in {}, {} of all",
      node.approximate() ? "≈ " : "",
      time_text(total),
      counted(node.calls(), "call"),
      percent_text(whole > 0 ? total / whole : 0)));
  if (!node.line.empty()) dim_text(node.line);
  ImGui::EndTooltip();
}

bool node_area(AppState& state, const Canvas& canvas, int node, ImVec2 low, ImVec2 high) {
  const Profile& profile = *state.profile();
  const NodeStats& stats = profile.node(node);
  state.probe.mark(fmt::format("node/{}/{}", node, stats.record->name), low, high);
  if (!mouse_in(canvas, low, high)) return false;
  state.hovering_node = node;
  if (!canvas.active) node_tooltip(stats, profile.costs.total());
  if (right_clicked(canvas)) open_node_menu(state, node);
  if (!canvas.pressed) return false;
  state.select_node(node);
  if (ImGui::GetIO().KeyCtrl) state.settings.view = "histogram";
  return true;
}

bool right_clicked(const Canvas& canvas) {
  const float moved = ImGui::GetIO().MouseDragMaxDistanceSqr[ImGuiMouseButton_Right];
  return canvas.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) && moved < 9;
}

void open_node_menu(AppState& state, int node) {
  if (node < 0) return;
  if (node != state.selection.node) state.select_node(node);
  state.menu_wanted = true;
}

bool node_shown(const Settings& settings, const Profile& profile, int node) {
  const NodeStats& stats = profile.node(node);
  if (settings.function >= 0 && settings.function < static_cast<int>(profile.functions.size()) &&
      stats.id.function != static_cast<std::uint32_t>(settings.function) + 1)
    return false;
  return passes_filter(
      settings.filter, stats.record->name + " " + stats.record->label + " " + stats.line);
}

void empty_message(std::string_view what, std::string_view help) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float y = at.y + std::max(line, room.y * 0.4F);
  draw_text({at.x, y}, room.x, color(Tone::text_dim), what, Align::center);
  draw_text({at.x, y + line * 1.2F}, room.x, color(Tone::text_faint), help, Align::center);
}

void dim_words(const std::vector<std::string>& groups) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const std::string& group : groups) {
    const float end = ImGui::GetItemRectMax().x + em(1) + ImGui::CalcTextSize(group.c_str()).x;
    if (!first && end <= right) ImGui::SameLine(0, em(1));
    first = false;
    dim_text(group);
  }
}

void dim_text(std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::text_dim));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
}

}  // namespace hypatia::gui
