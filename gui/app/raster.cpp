// Axis-aligned quads (bars, glyphs, backgrounds) go a fast way; all else is barycentric triangles.

#include "gui/app/raster.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gui/app/base.h"

namespace hypatia::gui {

namespace {

struct Clip {
  int left, top, right, bottom;
};

struct Rgba {
  float r, g, b, a;
};

Rgba unpack(ImU32 packed) {
  return {
      static_cast<float>(packed & 0xFFU),
      static_cast<float>((packed >> 8U) & 0xFFU),
      static_cast<float>((packed >> 16U) & 0xFFU),
      static_cast<float>(packed >> 24U)};
}

void blend(std::uint32_t& pixel, ImU32 color, std::uint32_t alpha) {
  if (alpha == 0) return;
  if (alpha == 255) {
    pixel = color | 0xFF000000U;
    return;
  }
  const std::uint32_t keep = 255 - alpha;
  std::uint32_t out = 0xFF000000U;
  for (unsigned shift = 0; shift < 24; shift += 8) {
    const std::uint32_t from = (pixel >> shift) & 0xFFU, to = (color >> shift) & 0xFFU;
    out |= ((from * keep + to * alpha + 127) / 255) << shift;
  }
  pixel = out;
}

std::uint32_t texel(const Texture& texture, int x, int y) {
  x = std::clamp(x, 0, texture.width - 1);
  y = std::clamp(y, 0, texture.height - 1);
  return texture.coverage[y * texture.width + x];
}

// Linear filtering, as the GPU does: baked line textures rely on it.
float sample(const Texture& texture, float u, float v) {
  const float x = u * static_cast<float>(texture.width) - 0.5F;
  const float y = v * static_cast<float>(texture.height) - 0.5F;
  const float left = std::floor(x), top = std::floor(y);
  const float fx = x - left, fy = y - top;
  const int ix = static_cast<int>(left), iy = static_cast<int>(top);
  const auto at = [&](int dx, int dy) {
    return static_cast<float>(texel(texture, ix + dx, iy + dy));
  };
  const float upper = at(0, 0) * (1 - fx) + at(1, 0) * fx;
  const float lower = at(0, 1) * (1 - fx) + at(1, 1) * fx;
  return upper * (1 - fy) + lower * fy;
}

bool same(const ImVec2& a, const ImVec2& b) {
  return a.x == b.x && a.y == b.y;
}

/// Draws one list's commands into one image.
class Painter {
 public:
  Painter(Image& image, ImVec2 origin, ImVec2 scale)
      : image_(image), origin_(origin), scale_(scale) {}

  void paint(const ImDrawList& list) {
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback || command.ElemCount == 0) continue;
      texture_ = static_cast<const Texture*>(command.TextureId);
      if (!set_clip(command.ClipRect)) continue;
      paint(list, command);
    }
  }

 private:
  bool set_clip(const ImVec4& rect) {
    const auto pixel = [](float value, float limit) {
      return static_cast<int>(std::clamp(value, 0.0F, limit));
    };
    const auto width = static_cast<float>(image_.width), height = static_cast<float>(image_.height);
    clip_ = {
        pixel((rect.x - origin_.x) * scale_.x, width),
        pixel((rect.y - origin_.y) * scale_.y, height),
        pixel((rect.z - origin_.x) * scale_.x, width),
        pixel((rect.w - origin_.y) * scale_.y, height)};
    return clip_.left < clip_.right && clip_.top < clip_.bottom;
  }

  void paint(const ImDrawList& list, const ImDrawCmd& command) {
    const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
    const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      const ImDrawVert &a = vertices[indices[i]], &b = vertices[indices[i + 1]],
                       &c = vertices[indices[i + 2]];
      if (i + 5 < command.ElemCount && indices[i + 3] == indices[i] &&
          indices[i + 4] == indices[i + 2] && quad(a, b, c, vertices[indices[i + 5]])) {
        i += 3;
        continue;
      }
      triangle(a, b, c);
    }
  }

  ImVec2 place(const ImDrawVert& vertex) const {
    return {(vertex.pos.x - origin_.x) * scale_.x, (vertex.pos.y - origin_.y) * scale_.y};
  }

  // True if the four corners are an upright rectangle of one colour, which is then drawn.
  bool quad(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c, const ImDrawVert& d) {
    if (a.col != b.col || a.col != c.col || a.col != d.col) return false;
    if (a.pos.y != b.pos.y || b.pos.x != c.pos.x || c.pos.y != d.pos.y || d.pos.x != a.pos.x)
      return false;
    const bool solid = same(a.uv, b.uv) && same(a.uv, c.uv) && same(a.uv, d.uv);
    const bool upright =
        a.uv.y == b.uv.y && b.uv.x == c.uv.x && c.uv.y == d.uv.y && d.uv.x == a.uv.x;
    if (!solid && !upright) return false;
    const ImVec2 low = place(a), high = place(c);
    if (high.x < low.x || high.y < low.y) return false;
    if (solid)
      fill(low, high, a.col);
    else
      glyph(low, high, a.uv, c.uv, a.col);
    return true;
  }

  // A pixel is covered if its centre is, as on a GPU.
  Clip covered(ImVec2 low, ImVec2 high) const {
    const auto edge = [](float value) {
      return static_cast<int>(std::ceil(std::clamp(value, -1.0F, 100000.0F) - 0.5F));
    };
    return {
        std::max(edge(low.x), clip_.left),
        std::max(edge(low.y), clip_.top),
        std::min(edge(high.x), clip_.right),
        std::min(edge(high.y), clip_.bottom)};
  }

  std::uint32_t* row(int y) {
    return image_.pixels.data() + static_cast<std::ptrdiff_t>(y) * image_.width;
  }

  void fill(ImVec2 low, ImVec2 high, ImU32 color) {
    const Clip area = covered(low, high);
    for (int y = area.top; y < area.bottom; ++y) {
      std::uint32_t* pixels = row(y);
      for (int x = area.left; x < area.right; ++x)
        blend(pixels[x], color, color >> 24U);
    }
  }

  void glyph(ImVec2 low, ImVec2 high, ImVec2 uv_low, ImVec2 uv_high, ImU32 color) {
    if (!texture_ || high.x <= low.x || high.y <= low.y) return;
    const Clip area = covered(low, high);
    const float du = (uv_high.x - uv_low.x) / (high.x - low.x);
    const float dv = (uv_high.y - uv_low.y) / (high.y - low.y);
    for (int y = area.top; y < area.bottom; ++y) {
      std::uint32_t* pixels = row(y);
      const float v = uv_low.y + (static_cast<float>(y) + 0.5F - low.y) * dv;
      for (int x = area.left; x < area.right; ++x) {
        const float u = uv_low.x + (static_cast<float>(x) + 0.5F - low.x) * du;
        const float alpha = sample(*texture_, u, v) * static_cast<float>(color >> 24U) / 255.0F;
        blend(pixels[x], color, static_cast<std::uint32_t>(alpha + 0.5F));
      }
    }
  }

  void triangle(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c) {
    const ImVec2 pa = place(a), pb = place(b), pc = place(c);
    const float area = (pb.x - pa.x) * (pc.y - pa.y) - (pb.y - pa.y) * (pc.x - pa.x);
    if (!(std::abs(area) > 1e-6F)) return;
    const Clip box = covered(
        {std::min({pa.x, pb.x, pc.x}), std::min({pa.y, pb.y, pc.y})},
        {std::max({pa.x, pb.x, pc.x}) + 1, std::max({pa.y, pb.y, pc.y}) + 1});
    for (int y = box.top; y < box.bottom; ++y) {
      for (int x = box.left; x < box.right; ++x) {
        const float px = static_cast<float>(x) + 0.5F, py = static_cast<float>(y) + 0.5F;
        const float wa = ((pb.x - px) * (pc.y - py) - (pb.y - py) * (pc.x - px)) / area;
        const float wb = ((pc.x - px) * (pa.y - py) - (pc.y - py) * (pa.x - px)) / area;
        const float wc = 1 - wa - wb;
        if (inside(wa, pb, pc, area) && inside(wb, pc, pa, area) && inside(wc, pa, pb, area))
          shade(row(y)[x], a, b, c, {wa, wb, wc});
      }
    }
  }

  // The top-left rule: a pixel on an edge that two triangles share is drawn by one of them.
  static bool inside(float weight, ImVec2 from, ImVec2 to, float area) {
    if (std::abs(weight) > 1e-6F) return weight > 0;
    if (area < 0) std::swap(from, to);
    return to.y < from.y || (to.y == from.y && to.x > from.x);
  }

  struct Weights {
    float a, b, c;
  };

  void shade(
      std::uint32_t& pixel,
      const ImDrawVert& a,
      const ImDrawVert& b,
      const ImDrawVert& c,
      Weights w) const {
    ImU32 color = a.col;
    float alpha = static_cast<float>(a.col >> 24U);
    if (a.col != b.col || a.col != c.col) {
      const Rgba ca = unpack(a.col), cb = unpack(b.col), cc = unpack(c.col);
      const auto mix = [&](float x, float y, float z) {
        return static_cast<ImU32>(std::clamp(x * w.a + y * w.b + z * w.c + 0.5F, 0.0F, 255.0F));
      };
      alpha = static_cast<float>(mix(ca.a, cb.a, cc.a));
      color = mix(ca.r, cb.r, cc.r) | mix(ca.g, cb.g, cc.g) << 8U | mix(ca.b, cb.b, cc.b) << 16U;
    }
    if (texture_ && !(same(a.uv, b.uv) && same(a.uv, c.uv))) {
      const float u = a.uv.x * w.a + b.uv.x * w.b + c.uv.x * w.c;
      const float v = a.uv.y * w.a + b.uv.y * w.b + c.uv.y * w.c;
      alpha *= sample(*texture_, u, v) / 255.0F;
    }
    blend(pixel, color, static_cast<std::uint32_t>(std::clamp(alpha + 0.5F, 0.0F, 255.0F)));
  }

  Image& image_;
  ImVec2 origin_, scale_;
  Clip clip_{};
  const Texture* texture_ = nullptr;
};

}  // namespace

void rasterise(const ImDrawData& data, Image& image) {
  Painter painter(image, data.DisplayPos, data.FramebufferScale);
  for (int i = 0; i < data.CmdListsCount; ++i)
    painter.paint(*data.CmdLists[i]);
}

}  // namespace hypatia::gui
