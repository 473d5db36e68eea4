// The graph of a function: boxes coloured by a chosen cost, edges as thick as what they carry,
// those between host and device red.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "gui/views/graph_camera.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct GraphKept {
  std::uint64_t version = 0;
  int function = -2;
  bool bodies = false;
  std::set<int> turned;
  GraphLayout right, down;  // the same, drawn in either direction
  std::set<int> known;      // what was turned when the camera was last looked at
  double most = 0;          // the largest cost of a box, for the colours
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

// Of a box, with what its closed body hides.
double cost_of(GraphCost cost, const Profile& profile, const GraphBox& box) {
  double sum = cost_of(cost, profile.node(box.node)) * box.share;
  for (const int node : box.hidden)
    sum += cost_of(cost, profile.node(node));
  return sum;
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

GraphKept& kept(AppState& state, const Profile& profile) {
  GraphKept& kept = state.kept<GraphKept>("graph");
  const Settings& settings = state.settings;
  const int function = function_shown(state.settings, profile);
  const std::uint64_t version = state.document()->version();
  if (kept.version != version || kept.function != function ||
      kept.bodies != settings.graph_bodies || kept.turned != settings.graph_turned) {
    const auto open = [&](int node) { return is_open(settings, node); };
    kept.right = lay_out(profile, function, false, open);
    const bool any =
        std::any_of(kept.right.boxes.begin(), kept.right.boxes.end(), [](const auto& box) {
          return !box.body.empty();
        });
    kept.down = any ? lay_out(profile, function, true, open) : kept.right;
    kept.down.down = true;
    kept.version = version;
    kept.function = function;
    kept.bodies = settings.graph_bodies;
    kept.turned = settings.graph_turned;
  }
  kept.cost = settings.graph_cost;
  kept.most = 0;
  for (const NodeStats& node : profile.nodes)
    if (static_cast<int>(node.id.function) == function + 1)
      kept.most = std::max(kept.most, cost_of(kept.cost, node));
  return kept;
}

void draw_edge(
    const AppState& state,
    const Canvas& canvas,
    const Camera& camera,
    const GraphLayout& layout,
    const GraphEdge& edge) {
  const GraphBox& from = layout.boxes[static_cast<std::size_t>(edge.from)];
  const GraphBox& to = layout.boxes[static_cast<std::size_t>(edge.to)];
  const ImVec2 start = camera.exit(camera.low(from), camera.size(from));
  const ImVec2 end = camera.entry(camera.low(to), camera.size(to));
  const auto is_chosen = [&](const GraphBox& box) {
    return box.op < 0 && box.node >= 0 && box.node == state.selection.node;
  };
  const bool chosen = is_chosen(from) || is_chosen(to);
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
  for (const GraphEdge::Bend& bend : edge.bends) {
    bend_to(camera.entry(camera.place(bend.begin, bend.row), camera.size()));
    const ImVec2 out = camera.exit(camera.place(bend.end, bend.row), camera.size());
    canvas.draw().AddLine(last, out, tint, thick);
    last = out;
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

// "≈ 12 µs" for a share of a merged kernel or of a fused node.
std::string cost_text(const Profile& profile, const GraphBox& box) {
  bool share = profile.node(box.node).approximate() || box.op >= 0;
  for (const int node : box.hidden)
    share = share || profile.node(node).approximate();
  return (share ? "≈ " : "") + time_text(cost_of(GraphCost::time, profile, box));
}

// The little triangle that opens and closes a body.
void body_mark(
    AppState& state, const Canvas& canvas, const GraphBox& box, ImVec2 low, ImVec2 high) {
  const float side = std::min({em(1.3F), high.y - low.y, high.x - low.x});
  const ImVec2 at{high.x - side, low.y}, end{high.x, low.y + side};
  state.probe.mark(fmt::format("body/{}", box.node), at, end);
  const bool open = !box.body.empty(), lit = mouse_in(canvas, at, end);
  const ImVec2 middle{(at.x + end.x) / 2, (at.y + end.y) / 2};
  const float r = side * 0.26F;
  const ImU32 tint = color(lit ? Tone::accent : Tone::text_dim);
  if (open)
    canvas.draw().AddTriangleFilled(
        middle + ImVec2{-r, -r * 0.7F}, middle + ImVec2{r, -r * 0.7F}, middle + ImVec2{0, r}, tint);
  else
    canvas.draw().AddTriangleFilled(
        middle + ImVec2{-r * 0.7F, -r}, middle + ImVec2{r, 0}, middle + ImVec2{-r * 0.7F, r}, tint);
  if (lit && canvas.pressed) turn_body(state.settings, box.node);
}

// An operation of a fused node: the node's, with its share of the cost.
void operation_area(
    AppState& state, const Canvas& canvas, const GraphBox& box, ImVec2 low, ImVec2 high) {
  const NodeStats& node = state.profile()->node(box.node);
  state.probe.mark(fmt::format("operation/{}/{}/{}", box.node, box.op, box.name), low, high);
  if (!mouse_in(canvas, low, high)) return;
  state.hovering_node = box.node;
  if (!canvas.active) {
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(box.name.c_str());
    dim_text(fmt::format(
        "{}, {} of {} by modelled work",
        cost_text(*state.profile(), box),
        percent_text(box.share),
        fit_text(node.record->name, em(20))));
    ImGui::EndTooltip();
  }
  if (canvas.pressed) state.select_node(box.node);
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
  const double cost = cost_of(kept.cost, profile, box);
  const auto heat = static_cast<float>(kept.most > 0 ? std::sqrt(cost / kept.most) : 0);
  const Tone tone = node.record->side == Side::gpu        ? Tone::gpu
                    : node.record->side == Side::transfer ? Tone::transfer
                                                          : Tone::cpu;
  ImDrawList& draw = canvas.draw();
  draw.AddRectFilled(low, high, color(Tone::panel));
  draw.AddRectFilled(low, high, color(tone, 0.06F + 0.5F * heat));
  const float edge = std::max(2.0F, (high.x - low.x) * 0.025F);
  draw_block(low, {low.x + edge, high.y}, tone);
  const bool whole = box.op < 0;  // operations leave the outline to their node's frame
  const bool chosen = whole && box.node == state.selection.node;
  const bool hovered = whole && box.node == state.hovered_node;
  if (whole && !chosen && same_kernel(profile, state.selection.node, box.node))
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
  if (room > em(2) && high.y - low.y > line * 0.95F) {
    const bool two = high.y - low.y > line * 2.2F;
    const float middle = (low.y + high.y) / 2, x = low.x + edge + em(0.3F);
    // A name that doesn't fit gives way to its op, which tells more than its beginning.
    const bool fits = ImGui::CalcTextSize(box.name.c_str()).x <= room;
    draw_text(
        {x, two ? middle - line : middle - line / 2},
        room,
        color(Tone::text),
        fits || node.record->op.empty() ? box.name : node.record->op);
    if (two) draw_text({x, middle}, room, color(Tone::text_dim), cost_text(*state.profile(), box));
  }
  if (box.op >= 0)
    operation_area(state, canvas, box, low, high);
  else
    node_area(state, canvas, box.node, low, high);
  if (box.op < 0) state.probe.mark(fmt::format("box/{}", box.node), low, high);
  if (box.inside > 0) body_mark(state, canvas, box, low, high);
}

// An open box: its name above, its body inside.
void draw_frame(
    AppState& state,
    const Canvas& canvas,
    const Camera& camera,
    const GraphBox& box,
    ImVec2 low,
    ImVec2 high) {
  const NodeStats& node = state.profile()->node(box.node);
  const bool chosen = box.node == state.selection.node, hovered = box.node == state.hovered_node;
  canvas.draw().AddRectFilled(low, high, color(Tone::panel, 0.55F));
  canvas.draw().AddRect(
      low,
      high,
      color(
          chosen    ? Tone::selected
          : hovered ? Tone::hovered
                    : Tone::accent),
      0,
      0,
      chosen ? std::max(2.0F, em(0.14F)) : 1);
  // The name and the cost above the body.
  const ImVec2 head{high.x, camera.inside(box).origin.y - em(0.1F)};
  node_area(state, canvas, box.node, low, head);
  const BoxFont font(high.x - low.x);
  const float room = head.x - low.x - em(2.2F), line = ImGui::GetTextLineHeight();
  if (room > em(2) && head.y - low.y >= line * 0.95F) {
    const std::string cost = cost_text(*state.profile(), box);
    const float taken = ImGui::CalcTextSize(cost.c_str()).x + em(0.6F);
    const float name = ImGui::CalcTextSize(node.record->op.c_str()).x;
    const ImVec2 at = low + ImVec2{em(0.4F), em(0.1F)};
    draw_text(at, room, color(Tone::text), node.record->op);
    if (name + taken <= room) draw_text(at, room, color(Tone::text_dim), cost, Align::right);
  }
  body_mark(state, canvas, box, low, {high.x, std::max(head.y, low.y + line)});
}

// What leaves a body goes on from its frame.
void draw_way_out(
    const Canvas& canvas, const Camera& camera, const GraphBox& box, ImVec2 low, ImVec2 high) {
  const Camera inner = camera.inside(box);
  const ImVec2 end = camera.exit(low, high - low);
  for (const GraphBox& operation : box.body[0].boxes) {
    if (!operation.leaves) continue;
    const ImVec2 start = inner.exit(inner.low(operation), inner.size(operation));
    canvas.draw().AddLine(start, end, color(Tone::text_faint, 0.8F), 1);
  }
}

Hit draw_boxes(
    AppState& state,
    const Canvas& canvas,
    const Camera& camera,
    const GraphKept& kept,
    const GraphLayout& layout) {
  Hit hit;
  const double whole = state.profile()->costs.total();
  for (const GraphEdge& edge : layout.edges)
    draw_edge(state, canvas, camera, layout, edge);
  for (const GraphBox& box : layout.boxes) {
    const ImVec2 low = camera.low(box), high = low + camera.size(box);
    if (high.x < canvas.low.x || low.x > canvas.high.x || high.y < canvas.low.y ||
        low.y > canvas.high.y)
      continue;
    if (box.node < 0) {
      draw_leaf(canvas, box, low, high);
      continue;
    }
    if (mouse_in(canvas, low, high)) hit = {&box, low, high};
    if (!box.body.empty()) {
      draw_frame(state, canvas, camera, box, low, high);
      draw_way_out(canvas, camera, box, low, high);
      const Hit inner = draw_boxes(state, canvas, camera.inside(box), kept, box.body[0]);
      if (inner.box) hit = inner;
      continue;
    }
    draw_node(state, canvas, kept, box, low, high);
    const NodeStats& node = state.profile()->node(box.node);
    const bool faded =
        whole > 0 && node.costs().total() * box.share / whole < state.settings.graph_fade;
    const bool filtered = !node_shown(state.settings, *state.profile(), box.node);
    if (faded || filtered) canvas.draw().AddRectFilled(low, high, color(Tone::background, 0.65F));
  }
  return hit;
}

void controls(AppState& state, const Profile& profile, int function) {
  Settings& settings = state.settings;
  choose(
      state, "colour by", {"time", "GPU", "transfer", "memory", "slowness"}, settings.graph_cost);
  int fade = settings.graph_fade >= 0.05 ? 2 : settings.graph_fade >= 0.01 ? 1 : 0;
  if (choose(state, "fade below", {"nothing", "1 %", "5 %"}, fade))
    settings.graph_fade = fade == 2 ? 0.05 : fade == 1 ? 0.01 : 0;
  const bool bodies = std::any_of(profile.nodes.begin(), profile.nodes.end(), [](const auto& node) {
    return node.record->parent >= 0 || !node.record->body.empty();
  });
  if (bodies) {
    ImGui::SameLine(0, em(1.2F));
    if (toggle(state, "open bodies", settings.graph_bodies)) settings.graph_turned.clear();
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

// A body that was just opened, and would be too small to read in the whole drawing, comes to the
// middle.
void look_at_opened(
    Settings& settings, const Canvas& canvas, const Camera& camera, GraphKept& graph) {
  const std::set<int> before = std::exchange(graph.known, settings.graph_turned);
  constexpr float readable = 0.55F;
  if (settings.graph_zoom > 0 || camera.zoom >= readable) return;
  for (const int node : settings.graph_turned) {
    if (before.contains(node)) continue;
    const Hit opened = find_box(camera, camera.down ? graph.down : graph.right, node);
    if (opened.box && !opened.box->body.empty()) zoom_to(settings, canvas, camera, opened);
  }
}

}  // namespace

void draw_graph(AppState& state) {
  const Profile& profile = *state.profile();
  GraphKept& graph = kept(state, profile);
  controls(state, profile, graph.function);
  if (graph.right.boxes.empty()) {
    empty_message("No graph.", "The recording has no function.");
    return;
  }
  const Canvas canvas("graph", ImGui::GetContentRegionAvail());
  state.probe.mark("graph", canvas.low, canvas.high);
  const Camera fitted = camera_for(state.settings, canvas, graph.right, graph.down);
  look_at_opened(state.settings, canvas, fitted, graph);
  const Camera camera = camera_for(state.settings, canvas, graph.right, graph.down);
  const Hit hit = draw_boxes(state, canvas, camera, graph, camera.down ? graph.down : graph.right);
  move_camera(state.settings, canvas, camera, hit);
}

}  // namespace hypatia::gui
