// The three sides are told apart by colours that the colour-blind see, and transfer by hatching
// too.

#include "gui/app/theme.h"

#include <gtest/gtest.h>

#include "gui/views/draw.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

// How many lines and triangles a block of 100 by 20 pixels takes.
int vertices_of(Host& host, Tone tone) {
  host.headless.frame();
  ImGui::NewFrame();
  ImGui::Begin("block");
  const int before = ImGui::GetWindowDrawList()->VtxBuffer.Size;
  draw_block({100, 100}, {200, 120}, tone);
  const int after = ImGui::GetWindowDrawList()->VtxBuffer.Size;
  ImGui::End();
  ImGui::EndFrame();
  return after - before;
}

}  // namespace

TEST(Theme, TheThreeSidesAreOkabeAndItosInBothThemes) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    Host host({"logistic-cuda"});
    host.state.theme = theme;
    host.headless.frame();
    EXPECT_EQ(color(Tone::cpu), IM_COL32(0x00, 0x72, 0xB2, 255));
    EXPECT_EQ(color(Tone::gpu), IM_COL32(0xE6, 0x9F, 0x00, 255));
    EXPECT_EQ(color(Tone::transfer), IM_COL32(0xCC, 0x79, 0xA7, 255));
  }
}

TEST(Theme, TransferIsHatched) {
  Host host({"logistic-cuda"});
  EXPECT_GT(vertices_of(host, Tone::transfer), 3 * vertices_of(host, Tone::gpu));
}

TEST(Theme, KeysScaleEverything) {
  Host host({"logistic-cuda"});
  host.view("bars");
  const Mark before = *host.state.probe.find("tab/bars");
  for (int i = 0; i < 5; ++i)
    host.headless.press("+");
  const Mark larger = *host.state.probe.find("tab/bars");
  EXPECT_NEAR((larger.high.y - larger.low.y) / (before.high.y - before.low.y), 1.5, 0.15);
  host.headless.press("ctrl+0");
  EXPECT_EQ(host.state.probe.find("tab/bars")->high.y, before.high.y);
}

}  // namespace hypatia::gui
