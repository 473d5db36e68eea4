// The timeline's mouse and keys, gesture by gesture.

#include "gui/views/timeline.h"

#include <gtest/gtest.h>

#include "gui/views/views.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

/// A timeline zoomed to its second call.
class Timeline : public testing::Test {
 protected:
  void SetUp() override {
    host.view("timeline");
    const Recording& recording = *host.state.profile()->recording;
    const Call* call = recording.call(2);
    ASSERT_NE(call, nullptr);
    host.state.settings.time_begin = static_cast<double>(call->begin - recording.begin());
    host.state.settings.time_end = static_cast<double>(call->end - recording.begin());
    host.headless.settle();
  }

  double span() const { return host.state.settings.time_end - host.state.settings.time_begin; }

  const Settings& settings() const { return host.state.settings; }

  // The middle of the lane's first event in sight that is at least 12 pixels wide.
  ImVec2 event_on(const std::string& lane) {
    const Mark mark = *host.state.probe.find("lane/" + lane);
    const Mark all = *host.state.probe.find("timeline");
    const float y = (mark.low.y + mark.high.y) / 2;
    for (float x = all.high.x - 4; x > all.low.x + 150; x -= 9) {
      host.state.selection = {};
      host.headless.click({x, y});
      if (host.state.selection.event >= 0 && host.state.selection.node >= 0) return {x, y};
    }
    throw Error(Error::Kind::value, "no event on " + lane);
  }

  Host host{{"logistic-cuda"}};
};

}  // namespace

TEST_F(Timeline, TheWheelIsFinerWithCtrlAndFasterWithShift) {
  const Mark mark = *host.state.probe.find("timeline");
  const ImVec2 at{(mark.low.x + mark.high.x) / 2, mark.low.y + 60};
  const Settings before = settings();
  std::vector<double> spans;
  for (const int modifier : {key::left_control, 0, key::left_shift}) {
    host.state.settings = before;
    host.headless.frame();
    if (modifier) host.headless.input.keys[static_cast<std::size_t>(modifier)] = true;
    host.headless.wheel(at, 1);
    if (modifier) host.headless.input.keys[static_cast<std::size_t>(modifier)] = false;
    spans.push_back(span());
  }
  EXPECT_LT(spans[1], spans[0]);
  EXPECT_LT(spans[2], spans[1]);
  EXPECT_LT(spans[0], before.time_end - before.time_begin);
}

TEST_F(Timeline, TheMiddleButtonZoomsToAnEventOrARange) {
  const ImVec2 at = event_on("cuda0 stream 7");
  const double before = span();
  host.headless.click(at, 2);
  const double event = span();
  EXPECT_LT(event, before);
  const Mark mark = *host.state.probe.find("timeline");
  host.headless.drag({mark.high.x - 300, at.y}, {mark.high.x - 100, at.y}, 2);
  EXPECT_LT(span(), event);
  EXPECT_FALSE(host.state.selection.has_range()) << "zooming leaves no range behind";
}

TEST_F(Timeline, AnEndOfTheRangeCanBeDragged) {
  const Mark mark = *host.state.probe.find("timeline");
  const float y = mark.high.y - 30;
  host.headless.drag({mark.high.x - 300, y}, {mark.high.x - 200, y});
  const Selection first = host.state.selection;
  ASSERT_TRUE(first.has_range());
  host.headless.drag({mark.high.x - 200, y}, {mark.high.x - 100, y});
  EXPECT_EQ(host.state.selection.range_begin, first.range_begin);
  EXPECT_NEAR(
      host.state.selection.range_end - first.range_begin,
      2 * (first.range_end - first.range_begin),
      (first.range_end - first.range_begin) * 0.05);
}

TEST_F(Timeline, LaunchAndWorkOfTheSelectionAreJoinedByArrows) {
  EXPECT_EQ(host.state.probe.find("arrow"), nullptr);
  const ImVec2 at = event_on("cuda0 stream 7");
  host.headless.frame();
  EXPECT_NE(host.state.probe.find("arrow"), nullptr) << "of an event";
  const int node = host.state.selection.node;
  const std::int64_t kernel = host.state.selection.event;
  const int track = host.state.selection.track;
  host.headless.press("[");
  EXPECT_NE(host.state.selection.track, track) << "to its launch";
  host.headless.press("]");
  EXPECT_EQ(host.state.selection.event, kernel) << "and back";
  host.state.select_node(node);
  host.headless.frame();
  EXPECT_NE(host.state.probe.find("arrow"), nullptr) << "of a node";
  static_cast<void>(at);
}

TEST_F(Timeline, DotAndCommaWalkTheRunsOfTheNode) {
  event_on("cuda0 stream 7");
  const std::int64_t event = host.state.selection.event;
  const int node = host.state.selection.node;
  host.headless.press(".");
  EXPECT_GT(host.state.selection.event, event);
  EXPECT_EQ(host.state.selection.node, node);
  host.headless.press(",");
  EXPECT_EQ(host.state.selection.event, event);
}

TEST_F(Timeline, KeysMoveAndZoom) {
  const auto hold = [&](char letter) {
    host.headless.input.keys[static_cast<std::size_t>(key::of(letter))] = true;
    for (int i = 0; i < 10; ++i)
      host.headless.frame();
    host.headless.input.keys[static_cast<std::size_t>(key::of(letter))] = false;
    host.headless.frame();
  };
  const Settings before = settings();
  hold('w');
  EXPECT_LT(span(), before.time_end - before.time_begin);
  const double begin = settings().time_begin, width = span();
  hold('d');
  EXPECT_GT(settings().time_begin, begin);
  EXPECT_NEAR(span(), width, width * 1e-6);
  hold('a');
  EXPECT_NEAR(settings().time_begin, begin, width * 0.02);
  hold('s');
  EXPECT_GT(span(), width);
}

TEST(TimelineKeys, QAndEMoveTheLanesUpAndDown) {
  Host host({"logistic-cuda"}, 1000, 260);
  host.view("timeline");
  const float top = host.state.probe.find("timeline")->low.y;
  const auto hold = [&](char letter) {
    host.headless.input.keys[static_cast<std::size_t>(key::of(letter))] = true;
    for (int i = 0; i < 10; ++i)
      host.headless.frame();
    host.headless.input.keys[static_cast<std::size_t>(key::of(letter))] = false;
    host.headless.frame();
  };
  hold('e');
  EXPECT_LT(host.state.probe.find("timeline")->low.y, top - 20);
  hold('q');
  EXPECT_EQ(host.state.probe.find("timeline")->low.y, top);
}

TEST_F(Timeline, TheRightButtonOpensTheMenuOfAnEventsNode) {
  const ImVec2 at = event_on("cuda0 stream 7");
  const int node = host.state.selection.node;
  host.headless.click(at, 1);
  ASSERT_NE(host.state.probe.find("menu/In the graph"), nullptr);
  host.headless.click(host.headless.place("menu/In the graph"));
  EXPECT_EQ(settings().view, "graph");
  EXPECT_EQ(host.state.selection.node, node);
}

}  // namespace hypatia::gui
