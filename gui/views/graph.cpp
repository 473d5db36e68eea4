// The graph of a function: boxes coloured by a chosen cost, edges as thick as what they carry,
// those between host and device red.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/app/input.h"
#include "gui/model/graph_layout.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct GraphKept {
  std::uint64_t version = 0;
  int function = -2;
  bool open_bodies = false;
  GraphLayout layout;
  double most = 0;  // the largest cost of a box, for the colours
  GraphCost cost = GraphCost::time;
};

double cost_of(GraphCost cost, const NodeStats& node) {
  switch (cost) {
    case GraphCost::time:
      return node.costs().total();
    case GraphCost::gpu:
      return node.costs().gpu();
    case GraphCost::transfer:
      return node.costs().transfer();
    case GraphCost::memory:
      return node.bytes;
    case GraphCost::roof:
      // Slow for what it moves and computes: nanoseconds per byte or operation.
      return node.costs().total() / std::max(1.0, node.bytes + node.flops);
  }
  return 0;
}

// The function that is chosen, or the one that takes the most time.
int function_shown(const Settings& settings, const Profile& profile) {
  if (settings.function >= 0) return settings.function;
  int best = profile.functions.empty() ? -1 : 0;
  for (int i = 1; i < static_cast<int>(profile.functions.size()); ++i)
    if (profile.functions[static_cast<std::size_t>(i)].account->parts.total() >
        profile.functions[static_cast<std::size_t>(best)].account->parts.total())
      best = i;
  return best;
}

const GraphKept& kept(AppState& state, const Profile& profile) {
  GraphKept& kept = state.kept<GraphKept>("graph");
  const int function = function_shown(state.settings, profile);
  const std::uint64_t version = state.document()->version();
  if (kept.version != version || kept.function != function ||
      kept.open_bodies != state.settings.graph_bodies) {
    kept.layout = lay_out(profile, function, state.settings.graph_bodies);
    kept.version = version;
    kept.function = function;
    kept.open_bodies = state.settings.graph_bodies;
  }
  kept.cost = state.settings.graph_cost;
  kept.most = 0;
  for (const GraphBox& box : kept.layout.boxes)
    if (box.node >= 0)
      kept.most = std::max(
          kept.most, cost_of(kept.cost, profile.nodes[static_cast<std::size_t>(box.node)]));
  return kept;
}

/// Layers and rows to pixels; layers go down or to the right, whichever fits larger.
struct Camera {
  ImVec2 origin;
  float zoom = 1;
  float tall = 1;  // boxes of a wide drawing are taller, where there is room
  bool down = false;

  ImVec2 cell() const {
    return ImVec2{em(down ? 13.0F : 14.5F) * zoom, em(down ? 4.6F : 3.8F) * zoom * tall};
  }

  ImVec2 size() const { return {em(12) * zoom, em(2.8F) * zoom * tall}; }

  ImVec2 place(float layer, float row) const {
    const ImVec2 step = cell();
    return {origin.x + (down ? row : layer) * step.x, origin.y + (down ? layer : row) * step.y};
  }

  ImVec2 low(const GraphBox& box) const { return place(static_cast<float>(box.layer), box.row); }

  // Where edges leave and enter a box that stands at `low`.
  ImVec2 exit(ImVec2 at) const {
    return at + (down ? ImVec2{size().x / 2, size().y} : ImVec2{size().x, size().y / 2});
  }

  ImVec2 entry(ImVec2 at) const {
    return at + (down ? ImVec2{size().x / 2, 0} : ImVec2{0, size().y / 2});
  }

  /// The whole drawing's size at this zoom.
  ImVec2 extent(const GraphLayout& layout) const {
    const float layers = static_cast<float>(std::max(layout.layers - 1, 0));
    const float rows = std::max(layout.rows - 1, 0.0F);
    const ImVec2 step = cell(), box = size();
    return {(down ? rows : layers) * step.x + box.x, (down ? layers : rows) * step.y + box.y};
  }
};

float fitting_zoom(Camera camera, const Canvas& canvas, const GraphLayout& layout) {
  camera.zoom = 1;
  const ImVec2 extent = camera.extent(layout);
  return std::min((canvas.width() - em(2)) / extent.x, (canvas.height() - em(2)) / extent.y);
}

Camera camera_for(const Settings& settings, const Canvas& canvas, const GraphLayout& layout) {
  Camera camera;
  Camera turned;
  turned.down = true;
  const float right = fitting_zoom(camera, canvas, layout);
  const float down = fitting_zoom(turned, canvas, layout);
  camera.down = down > right;
  camera.zoom = std::clamp(std::max(down, right), 0.02F, 1.15F);
  if (!camera.down)
    camera.tall = std::clamp(
        (canvas.height() - em(2)) / std::max(1.0F, camera.extent(layout).y),
        1.0F,
        std::max(1.0F, 0.95F / camera.zoom));
  const ImVec2 extent = camera.extent(layout);
  camera.origin = canvas.low + ImVec2{
                                   std::max(em(1), (canvas.width() - extent.x) / 2),
                                   std::max(em(1), (canvas.height() - extent.y) / 2)};
  if (settings.graph_zoom > 0) {
    camera.tall = std::clamp(camera.tall, 1.0F, std::max(1.0F, 1.0F / camera.zoom));
    camera.zoom = static_cast<float>(settings.graph_zoom);
    camera.origin =
        canvas.low +
        ImVec2{static_cast<float>(settings.graph_x), static_cast<float>(settings.graph_y)};
  }
  return camera;
}

void move_camera(Settings& settings, const Canvas& canvas, Camera camera) {
  const ImGuiIO& io = ImGui::GetIO();
  const auto keep = [&](ImVec2 origin, float zoom) {
    settings.graph_zoom = static_cast<double>(std::clamp(zoom, 0.02F, 4.0F));
    settings.graph_x = static_cast<double>(origin.x - canvas.low.x);
    settings.graph_y = static_cast<double>(origin.y - canvas.low.y);
  };
  if (canvas.hovered && io.MouseWheel != 0) {
    const float zoom = std::clamp(camera.zoom * std::pow(1.15F, io.MouseWheel), 0.02F, 4.0F);
    const float factor = zoom / camera.zoom;
    keep(
        {io.MousePos.x - (io.MousePos.x - camera.origin.x) * factor,
         io.MousePos.y - (io.MousePos.y - camera.origin.y) * factor},
        zoom);
  }
  const bool dragged = canvas.active && (ImGui::IsMouseDragging(ImGuiMouseButton_Right, 2) ||
                                         ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4));
  if (dragged && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
    keep(camera.origin + io.MouseDelta, camera.zoom);
  if (pressed({key::of('f')}) ||
      (canvas.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)))
    settings.graph_zoom = 0;
}

void draw_edge(
    const AppState& state,
    const Canvas& canvas,
    const Camera& camera,
    const GraphLayout& layout,
    const GraphEdge& edge) {
  const GraphBox& from = layout.boxes[static_cast<std::size_t>(edge.from)];
  const GraphBox& to = layout.boxes[static_cast<std::size_t>(edge.to)];
  const ImVec2 start = camera.exit(camera.low(from)), end = camera.entry(camera.low(to));
  const bool chosen = state.selection.node >= 0 &&
                      (from.node == state.selection.node || to.node == state.selection.node);
  const ImU32 tint = edge.crosses ? color(Tone::bad, chosen ? 1 : 0.8F)
                                  : color(chosen ? Tone::selected : Tone::text_faint, 0.8F);
  const float weight = edge.bytes > 0 ? static_cast<float>(std::log10(edge.bytes + 1)) / 3 : 1;
  const float thick = std::clamp(weight * em(0.09F) * std::sqrt(camera.zoom), 1.0F, em(0.35F));
  ImVec2 last = start;
  const auto bend_to = [&](ImVec2 next) {
    const ImVec2 way = next - last;
    const float bend = std::max(std::abs(camera.down ? way.y : way.x) * 0.5F, 4.0F);
    const ImVec2 pull = camera.down ? ImVec2{0, bend} : ImVec2{bend, 0};
    canvas.draw().AddBezierCubic(last, last + pull, next - pull, next, tint, thick);
    last = next;
  };
  int layer = from.layer;
  for (const float row : edge.rows) {
    const ImVec2 at = camera.place(static_cast<float>(++layer), row);
    bend_to(camera.entry(at));
    canvas.draw().AddLine(last, camera.exit(at), tint, thick);
    last = camera.exit(at);
  }
  bend_to(end);
}

/// Smaller letters while boxes are narrow, so that names stay whole.
class BoxFont {
 public:
  explicit BoxFont(float width) { ImGui::SetWindowFontScale(width < em(6.5F) ? 0.85F : 1.0F); }

  BoxFont(const BoxFont&) = delete;
  BoxFont& operator=(const BoxFont&) = delete;

  ~BoxFont() { ImGui::SetWindowFontScale(1); }
};

// "TensorConstant{0.5}" says no more than "0.5".
std::string leaf_title(const std::string& name) {
  const std::size_t open = name.find('{');
  const bool constant = open != std::string::npos && name.ends_with('}') &&
                        name.substr(0, open).find("Constant") != std::string::npos;
  return constant ? name.substr(open + 1, name.size() - open - 2) : name;
}

void draw_leaf(const Canvas& canvas, const GraphBox& box, ImVec2 low, ImVec2 high) {
  const float round = (high.y - low.y) / 2;
  const float inset = (high.y - low.y) * 0.12F;
  canvas.draw().AddRect(
      {low.x, low.y + inset}, {high.x, high.y - inset}, color(Tone::border), round);
  if (mouse_in(canvas, low, high)) ImGui::SetTooltip("%s\n%s", box.name.c_str(), box.type.c_str());
  if (high.x - low.x < em(2.5F)) return;
  const BoxFont font(high.x - low.x);
  const float y = (low.y + high.y) / 2;
  const float line = ImGui::GetTextLineHeight(), room = high.x - low.x - em(0.8F);
  // The tooltip has a type that doesn't fit.
  const bool two = high.y - low.y > line * 2.6F && ImGui::CalcTextSize(box.type.c_str()).x <= room;
  draw_text(
      {low.x + em(0.4F), two ? y - line : y - line / 2},
      room,
      color(Tone::text_dim),
      leaf_title(box.name),
      Align::center);
  if (two) draw_text({low.x + em(0.4F), y}, room, color(Tone::text_faint), box.type, Align::center);
}

// Nodes that one merged kernel runs belong together, wherever they stand.
bool same_kernel(const Profile& profile, int chosen, int node) {
  if (chosen < 0 || !profile.node(chosen).approximate()) return false;
  const std::uint32_t step = profile.node(chosen).account->step;
  return step != 0 && step == profile.node(node).account->step;
}

void draw_node(
    AppState& state,
    const Canvas& canvas,
    const GraphKept& kept,
    const GraphBox& box,
    ImVec2 low,
    ImVec2 high) {
  const Profile& profile = *state.profile();
  const NodeStats& node = profile.nodes[static_cast<std::size_t>(box.node)];
  const double cost = cost_of(kept.cost, node);
  const auto heat = static_cast<float>(kept.most > 0 ? std::sqrt(cost / kept.most) : 0);
  const Tone tone = node.record->side == Side::gpu        ? Tone::gpu
                    : node.record->side == Side::transfer ? Tone::transfer
                                                          : Tone::cpu;
  ImDrawList& draw = canvas.draw();
  draw.AddRectFilled(low, high, color(Tone::panel));
  draw.AddRectFilled(low, high, color(tone, 0.06F + 0.5F * heat));
  const float edge = std::max(2.0F, (high.x - low.x) * 0.025F);
  draw_block(low, {low.x + edge, high.y}, tone);
  const bool chosen = box.node == state.selection.node, hovered = box.node == state.hovered_node;
  if (!chosen && same_kernel(profile, state.selection.node, box.node))
    draw.AddRect(low - ImVec2{3, 3}, high + ImVec2{3, 3}, color(Tone::accent), 3);
  draw.AddRect(
      low,
      high,
      color(
          chosen    ? Tone::selected
          : hovered ? Tone::hovered
                    : Tone::border),
      0,
      0,
      chosen ? std::max(2.0F, em(0.14F)) : 1);
  const BoxFont font(high.x - low.x);
  const float room = high.x - low.x - edge - em(0.6F), line = ImGui::GetTextLineHeight();
  if (room > em(2) && high.y - low.y > line * 1.1F) {
    const bool two = high.y - low.y > line * 2.2F;
    const float middle = (low.y + high.y) / 2, x = low.x + edge + em(0.3F);
    // A name that doesn't fit gives way to its op, which tells more than its beginning.
    const bool fits = ImGui::CalcTextSize(box.name.c_str()).x <= room;
    draw_text(
        {x, two ? middle - line : middle - line / 2},
        room,
        color(Tone::text),
        fits || node.record->op.empty() ? box.name : node.record->op);
    std::string below = time_text(node.costs().total());
    if (box.inside > 0) below += fmt::format("   + {} inside", box.inside);
    if (two) draw_text({x, middle}, room, color(Tone::text_dim), below);
  }
  node_area(state, canvas, box.node, low, high);
}

void draw_boxes(
    AppState& state, const Canvas& canvas, const Camera& camera, const GraphKept& kept) {
  const ImVec2 size = camera.size();
  const double whole = state.profile()->costs.total();
  for (const GraphBox& box : kept.layout.boxes) {
    const ImVec2 low = camera.low(box), high = low + size;
    if (high.x < canvas.low.x || low.x > canvas.high.x || high.y < canvas.low.y ||
        low.y > canvas.high.y)
      continue;
    if (box.node < 0) {
      draw_leaf(canvas, box, low, high);
      continue;
    }
    draw_node(state, canvas, kept, box, low, high);
    const NodeStats& node = state.profile()->nodes[static_cast<std::size_t>(box.node)];
    const bool faded = whole > 0 && node.costs().total() / whole < state.settings.graph_fade;
    const bool filtered = !node_shown(state.settings, *state.profile(), box.node);
    if (faded || filtered) canvas.draw().AddRectFilled(low, high, color(Tone::background, 0.65F));
  }
}

void controls(AppState& state, const Profile& profile, int function) {
  Settings& settings = state.settings;
  choose(
      state, "colour by", {"time", "GPU", "transfer", "memory", "slowness"}, settings.graph_cost);
  int fade = settings.graph_fade >= 0.05 ? 2 : settings.graph_fade >= 0.01 ? 1 : 0;
  if (choose(state, "fade below", {"nothing", "1 %", "5 %"}, fade))
    settings.graph_fade = fade == 2 ? 0.05 : fade == 1 ? 0.01 : 0;
  const bool bodies = std::any_of(profile.nodes.begin(), profile.nodes.end(), [](const auto& node) {
    return node.record->parent >= 0;
  });
  if (bodies) {
    ImGui::SameLine(0, em(1.2F));
    toggle(state, "open bodies", settings.graph_bodies);
  }
  legend_sides();
  ImGui::SameLine(0, em(1.5F));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float middle = at.y + ImGui::GetTextLineHeight() / 2;
  ImGui::GetWindowDrawList()->AddLine(
      {at.x, middle}, {at.x + em(1.2F), middle}, color(Tone::bad), em(0.15F));
  ImGui::Dummy({em(1.2F), ImGui::GetTextLineHeight()});
  ImGui::SameLine(0, em(0.4F));
  ImGui::TextUnformatted("between host and device");
  if (function >= 0) {
    ImGui::SameLine(0, em(1.5F));
    dim_text(fit_text(
        profile.functions[static_cast<std::size_t>(function)].record->name,
        ImGui::GetContentRegionAvail().x));
  }
}

}  // namespace

void draw_graph(AppState& state) {
  const Profile& profile = *state.profile();
  const GraphKept& graph = kept(state, profile);
  controls(state, profile, graph.function);
  if (graph.layout.boxes.empty()) {
    empty_message("No graph.", "The recording has no function.");
    return;
  }
  const Canvas canvas("graph", ImGui::GetContentRegionAvail());
  state.probe.mark("graph", canvas.low, canvas.high);
  const Camera camera = camera_for(state.settings, canvas, graph.layout);
  for (const GraphEdge& edge : graph.layout.edges)
    draw_edge(state, canvas, camera, graph.layout, edge);
  draw_boxes(state, canvas, camera, graph);
  move_camera(state.settings, canvas, camera);
}

}  // namespace hypatia::gui
