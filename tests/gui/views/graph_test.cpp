// Bodies of fused nodes and loops open in place, with modelled shares of the node's cost.

#include <gtest/gtest.h>

#include "gui/views/views.h"
#include "profiler/record/synthetic.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

constexpr int fused = 3;

// Node 3 of the first function is a fused one of three operations.
void open_fused(Host& host) {
  RecordingData data = synthetic_logistic({.calls = 4});
  NodeRecord& node = data.functions[0].nodes[fused];
  node.inputs.resize(1);
  node.op = "Composite";
  node.body = {{"exp", {0}, -1, 30}, {"neg", {0}, -1, 0}, {"add", {1, 2}, 0, 10}};
  host.state.documents.push_back(
      std::make_unique<Document>(make_profile(std::make_shared<const Recording>(std::move(data)))));
  host.state.settings.function = 0;
  host.view("graph");
}

bool within(const Mark& inner, const Mark& outer) {
  return inner.low.x >= outer.low.x && inner.low.y >= outer.low.y && inner.high.x <= outer.high.x &&
         inner.high.y <= outer.high.y;
}

}  // namespace

TEST(Graph, AFusedNodeOpensInPlaceAndCloses) {
  Host host({});
  open_fused(host);
  const std::string mark = "body/" + std::to_string(fused);
  const std::string operation = "operation/" + std::to_string(fused);
  EXPECT_EQ(host.state.probe.find(operation), nullptr);
  host.headless.click(host.headless.place(mark));
  const Mark canvas = *host.state.probe.find("graph");
  for (const char* name : {"/0/exp", "/1/neg", "/2/add"}) {
    const Mark* box = host.state.probe.find(operation + name);
    ASSERT_NE(box, nullptr) << name;
    EXPECT_TRUE(within(*box, canvas)) << name;
  }
  host.headless.click(host.headless.place(operation + "/0/exp"));
  EXPECT_EQ(host.state.selection.node, fused) << "an operation stands for its node";
  host.headless.press("ctrl+z");
  EXPECT_EQ(host.state.probe.find(operation), nullptr) << "opening is undone";
  host.headless.press("ctrl+y");
  host.headless.click(host.headless.place(mark));
  EXPECT_EQ(host.state.probe.find(operation), nullptr) << "the same mark closes it";
  host.headless.double_click(host.headless.place("box/3"));
  EXPECT_NE(host.state.probe.find(operation), nullptr) << "a double click opens it too";
  host.headless.click(host.headless.place("toggle/open bodies"));
  EXPECT_NE(host.state.probe.find(operation), nullptr);
  host.headless.click(host.headless.place("toggle/open bodies"));
  EXPECT_EQ(host.state.probe.find(operation), nullptr);
}

TEST(Graph, TheMiddleButtonZoomsToABoxAndADoubleClickBesideFitsAll) {
  Host host({"logistic-cuda"});
  host.state.settings.function = 0;
  host.view("graph");
  const Mark before = *host.state.probe.find("box/2");
  host.headless.click(host.headless.place("box/2"), 2);
  const Mark after = *host.state.probe.find("box/2");
  EXPECT_GT(after.high.x - after.low.x, before.high.x - before.low.x);
  const Mark canvas = *host.state.probe.find("graph");
  EXPECT_NEAR((after.low.x + after.high.x) / 2, (canvas.low.x + canvas.high.x) / 2, 2);
  EXPECT_NEAR((after.low.y + after.high.y) / 2, (canvas.low.y + canvas.high.y) / 2, 2);
  host.headless.double_click({canvas.low.x + 3, canvas.high.y - 3});
  EXPECT_EQ(host.state.settings.graph_zoom, 0);
}

}  // namespace hypatia::gui
