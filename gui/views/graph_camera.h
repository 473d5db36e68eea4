#pragma once
// What the graph view's two halves share: cells to pixels, and which bodies are open.

#include "gui/model/graph_layout.h"
#include "gui/views/draw.h"

namespace hypatia::gui {

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

  /// Of a box that fills this many cells.
  ImVec2 size(float deep, float rows) const {
    const ImVec2 step = cell(), one = size();
    return {
        one.x + ((down ? rows : deep) - 1) * step.x, one.y + ((down ? deep : rows) - 1) * step.y};
  }

  ImVec2 size(const GraphBox& box) const { return size(box.deep, box.tall); }

  ImVec2 place(float layer, float row) const {
    const ImVec2 step = cell();
    return {origin.x + (down ? row : layer) * step.x, origin.y + (down ? layer : row) * step.y};
  }

  ImVec2 low(const GraphBox& box) const { return place(box.at, box.row); }

  // Where edges leave and enter a box of this size that stands at `low`.
  ImVec2 exit(ImVec2 at, ImVec2 size) const {
    return at + (down ? ImVec2{size.x / 2, size.y} : ImVec2{size.x, size.y / 2});
  }

  ImVec2 entry(ImVec2 at, ImVec2 size) const {
    return at + (down ? ImVec2{size.x / 2, 0} : ImVec2{0, size.y / 2});
  }

  /// The camera of what stands inside an open box.
  Camera inside(const GraphBox& box) const {
    Camera inner = *this;
    const GraphLayout& body = box.body[0];
    inner.origin = place(box.at + body.before_layers(), box.row + body.before_rows());
    return inner;
  }

  /// The whole drawing's size at this zoom.
  ImVec2 extent(const GraphLayout& layout) const {
    return size(std::max(layout.deep, 1.0F), std::max(layout.tall, 1.0F));
  }
};

/// The box under the mouse.
struct Hit {
  const GraphBox* box = nullptr;
  ImVec2 low, high;
};

/// The camera that the settings ask for; where they ask for none, all of the drawing fits.
/// Of two drawings of the same graph the one is taken that fits larger: to the right, or down.
Camera camera_for(
    const Settings& settings,
    const Canvas& canvas,
    const GraphLayout& right,
    const GraphLayout& down);

/// Wheel, drags and clicks: zoom, move, fit, open and close.
void move_camera(Settings& settings, const Canvas& canvas, Camera camera, const Hit& hit);

/// A rectangle comes to the middle, as large as fits.
void zoom_to(Settings& settings, const Canvas& canvas, const Camera& camera, const Hit& hit);

/// Where the box of a node stands; null if it has none.
Hit find_box(const Camera& camera, const GraphLayout& layout, int node);

bool is_open(const Settings& settings, int node);

/// Opens the body of a node, or closes it.
void turn_body(Settings& settings, int node);

}  // namespace hypatia::gui
