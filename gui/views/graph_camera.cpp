// The drawing is moved and zoomed as a whole; what is inside open boxes goes along.

#include "gui/views/graph_camera.h"

#include <algorithm>
#include <cmath>

#include "gui/app/input.h"

namespace hypatia::gui {

namespace {

float fitting_zoom(Camera camera, const Canvas& canvas, const GraphLayout& layout) {
  camera.zoom = 1;
  const ImVec2 extent = camera.extent(layout);
  return std::min((canvas.width() - em(2)) / extent.x, (canvas.height() - em(2)) / extent.y);
}

void keep(Settings& settings, const Canvas& canvas, ImVec2 origin, float zoom) {
  settings.graph_zoom = static_cast<double>(std::clamp(zoom, 0.02F, 4.0F));
  settings.graph_x = static_cast<double>(origin.x - canvas.low.x);
  settings.graph_y = static_cast<double>(origin.y - canvas.low.y);
}

}  // namespace

bool is_open(const Settings& settings, int node) {
  return settings.graph_bodies != settings.graph_turned.contains(node);
}

void turn_body(Settings& settings, int node) {
  if (settings.graph_turned.erase(node) == 0) settings.graph_turned.insert(node);
}

Camera camera_for(
    const Settings& settings,
    const Canvas& canvas,
    const GraphLayout& right,
    const GraphLayout& down) {
  Camera camera;
  Camera turned;
  turned.down = true;
  const float zoom_right = fitting_zoom(camera, canvas, right);
  const float zoom_down = fitting_zoom(turned, canvas, down);
  camera.down = zoom_down > zoom_right;
  camera.zoom = std::clamp(std::max(zoom_down, zoom_right), 0.02F, 1.15F);
  const GraphLayout& layout = camera.down ? down : right;
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

void zoom_to(Settings& settings, const Canvas& canvas, const Camera& camera, const Hit& hit) {
  const ImVec2 size = hit.high - hit.low;
  const float fit = 0.85F * std::min(canvas.width() / size.x, canvas.height() / size.y);
  const float zoom = std::clamp(camera.zoom * fit, 0.02F, 1.15F), factor = zoom / camera.zoom;
  const ImVec2 from = hit.low - camera.origin, middle{canvas.width() / 2, canvas.height() / 2};
  keep(
      settings,
      canvas,
      canvas.low + middle - ImVec2{(from.x + size.x / 2) * factor, (from.y + size.y / 2) * factor},
      zoom);
}

Hit find_box(const Camera& camera, const GraphLayout& layout, int node) {
  for (const GraphBox& box : layout.boxes) {
    const ImVec2 low = camera.low(box);
    if (box.node == node && box.op < 0) return {&box, low, low + camera.size(box)};
    if (box.body.empty()) continue;
    if (const Hit inner = find_box(camera.inside(box), box.body[0], node); inner.box) return inner;
  }
  return {};
}

void move_camera(Settings& settings, const Canvas& canvas, Camera camera, const Hit& hit) {
  const ImGuiIO& io = ImGui::GetIO();
  if (canvas.hovered && io.MouseWheel != 0) {
    const float zoom = std::clamp(camera.zoom * std::pow(1.15F, io.MouseWheel), 0.02F, 4.0F);
    const float factor = zoom / camera.zoom;
    keep(
        settings,
        canvas,
        {io.MousePos.x - (io.MousePos.x - camera.origin.x) * factor,
         io.MousePos.y - (io.MousePos.y - camera.origin.y) * factor},
        zoom);
  }
  const bool dragged = canvas.active && (ImGui::IsMouseDragging(ImGuiMouseButton_Right, 2) ||
                                         ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4));
  if (dragged && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
    keep(settings, canvas, camera.origin + io.MouseDelta, camera.zoom);
  const bool twice = canvas.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  const bool zoom_in = canvas.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle);
  if (hit.box && twice && hit.box->inside > 0)
    turn_body(settings, hit.box->node);
  else if (hit.box && (twice || zoom_in))
    zoom_to(settings, canvas, camera, hit);
  else if (twice || pressed({key::of('f')}))
    settings.graph_zoom = 0;
}

}  // namespace hypatia::gui
