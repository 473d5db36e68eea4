// The rasteriser: solid rectangles to the pixel, clipping, triangles without gaps or double edges.

#include "gui/app/raster.h"

#include <gtest/gtest.h>

#include "gui/app/state.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

constexpr ImU32 black = IM_COL32(0, 0, 0, 255), red = IM_COL32(255, 0, 0, 255);

/// A draw list filled by hand, drawn into a small image.
class Drawing {
 public:
  Drawing() : host_({}, 320, 200), list_(ImGui::GetDrawListSharedData()) {
    list_._ResetForNewFrame();
    list_.Flags = ImDrawListFlags_None;
    list_.PushTextureID(ImGui::GetIO().Fonts->TexID);
    list_.PushClipRect({0, 0}, {64, 64});
  }

  ImDrawList& list() { return list_; }

  Image draw() {
    Image image{64, 64, std::vector<std::uint32_t>(64 * 64, black)};
    ImDrawData data;
    std::array<ImDrawList*, 1> lists = {&list_};
    data.Valid = true;
    data.CmdLists = lists.data();
    data.CmdListsCount = 1;
    data.DisplaySize = {64, 64};
    data.FramebufferScale = {1, 1};
    rasterise(data, image);
    return image;
  }

 private:
  Host host_;
  ImDrawList list_;
};

int count(const Image& image, std::uint32_t color) {
  return static_cast<int>(std::count(image.pixels.begin(), image.pixels.end(), color));
}

}  // namespace

TEST(Raster, FillsExactlyTheRectanglesPixels) {
  Drawing drawing;
  drawing.list().AddRectFilled({10, 20}, {15, 23}, red);
  const Image image = drawing.draw();
  EXPECT_EQ(count(image, red), 5 * 3);
  EXPECT_EQ(image.at(10, 20), red);
  EXPECT_EQ(image.at(14, 22), red);
  EXPECT_EQ(image.at(15, 22), black);
}

TEST(Raster, StaysInsideTheClipRectangle) {
  Drawing drawing;
  drawing.list().PushClipRect({8, 8}, {12, 12}, true);
  drawing.list().AddRectFilled({0, 0}, {64, 64}, red);
  EXPECT_EQ(count(drawing.draw(), red), 4 * 4);
}

TEST(Raster, StaysInsideTheImage) {
  Drawing drawing;
  drawing.list().PopClipRect();
  drawing.list().PushClipRect({-1000, -1000}, {1000, 1000});
  drawing.list().AddRectFilled({-500, -500}, {500, 500}, red);
  drawing.list().AddTriangleFilled({-900, 900}, {900, 900}, {0, -900}, red);
  EXPECT_EQ(count(drawing.draw(), red), 64 * 64);
}

TEST(Raster, TrianglesThatShareAnEdgeCoverEachPixelOnce) {
  Drawing drawing;
  const ImU32 half = IM_COL32(255, 0, 0, 128);
  drawing.list().AddTriangleFilled({4, 4}, {60, 10}, {20, 58}, half);
  drawing.list().AddTriangleFilled({60, 10}, {50, 60}, {20, 58}, half);
  const Image image = drawing.draw();
  const std::uint32_t once = image.at(30, 30);
  EXPECT_NE(once, black);
  EXPECT_EQ(count(image, once) + count(image, black), 64 * 64) << "some pixel was blended twice";
}

TEST(Raster, BlendsHalfTransparentColours) {
  Drawing drawing;
  drawing.list().AddRectFilled({0, 0}, {64, 64}, IM_COL32(200, 100, 50, 128));
  EXPECT_EQ(drawing.draw().at(5, 5), IM_COL32(100, 50, 25, 255));
}

TEST(Raster, DrawsTextFromTheAtlas) {
  Drawing drawing;
  drawing.list().AddText(ImGui::GetFont(), 14, {4, 4}, red, "H");
  const int inked = 64 * 64 - count(drawing.draw(), black);
  EXPECT_GT(inked, 20);
  EXPECT_LT(inked, 14 * 14) << "a letter has holes";
}

TEST(Raster, RefusesToWriteWhereThereIsNoFolder) {
  Image image{1, 1, {black}};
  EXPECT_THROW(write_png(image, "/no/such/folder/picture.png"), Error);
}

}  // namespace hypatia::gui
