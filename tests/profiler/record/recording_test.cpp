// The recording's model: ids are checked, windows and sums are exact, bad data is left out.

#include "profiler/record/recording.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "profiler/record/synthetic.h"

namespace hypatia {
namespace {

RecordingData one_lane(std::vector<Event> events) {
  RecordingData data;
  data.lanes.push_back({LaneRecord::Kind::host_thread, "", 1, "main thread"});
  for (Event& event : events)
    event.lane = 1;
  data.events = std::move(events);
  return data;
}

Event span_of(std::int64_t begin, std::int64_t end, EventKind kind) {
  Event event;
  event.begin = begin;
  event.end = end;
  event.kind = kind;
  return event;
}

TEST(Recording, SplitsNestedEventsByDepth) {
  const Recording recording(one_lane({
      span_of(10, 40, EventKind::step),
      span_of(50, 90, EventKind::step),
      span_of(60, 70, EventKind::sync),
      span_of(0, 100, EventKind::call),
  }));
  ASSERT_EQ(recording.tracks_of(1).size(), 3u);
  EXPECT_EQ(recording.tracks_of(1)[0].events()[0].kind, EventKind::call);
  EXPECT_EQ(recording.tracks_of(1)[1].events().size(), 2u);
  EXPECT_EQ(recording.tracks_of(1)[2].events()[0].kind, EventKind::sync);
  EXPECT_EQ(recording.begin(), 0);
  EXPECT_EQ(recording.end(), 100);
}

TEST(Recording, WindowsAndSumsAreExactForEveryWindow) {
  std::vector<Event> events;
  for (int i = 0; i < 300; ++i) {
    events.push_back(span_of(i * 10, i * 10 + 7, i % 3 ? EventKind::kernel : EventKind::copy_in));
  }
  const Recording recording(one_lane(events));
  const Track& track = recording.tracks()[0];
  for (std::int64_t begin = 0; begin < 3000; begin += 37) {
    for (std::int64_t end = begin + 1; end < 3100; end += 211) {
      KindTimes expected{};
      std::size_t count = 0;
      for (const Event& event : events) {
        if (event.end <= begin || event.begin >= end) continue;
        ++count;
        expected[static_cast<std::size_t>(event.kind)] +=
            std::min(event.end, end) - std::max(event.begin, begin);
      }
      EXPECT_EQ(track.window(begin, end).size(), count);
      EXPECT_EQ(track.busy(begin, end), expected);
    }
  }
}

TEST(Recording, MendsIdsThatPointNowhere) {
  RecordingData data = synthetic_logistic({.calls = 2});
  data.plans[0].steps[0].nodes.push_back({999, 1});
  data.plans[0].steps[0].source = 999;
  data.functions[0].nodes[0].parent = 77;
  data.functions[0].nodes[1].body = {{"exp", {40}, 0, 8}};
  data.events[0].step = 12345;
  data.events[1].lane = 99;
  data.events[2].kind = static_cast<EventKind>(200);
  data.events[3].end = data.events[3].begin - 5;
  const Recording recording(std::move(data));
  EXPECT_EQ(recording.header().dropped, 2);
  EXPECT_EQ(recording.step(1)->record->nodes.size(), 1u);
  EXPECT_EQ(recording.step(1)->record->source, -1);
  EXPECT_EQ(recording.function(1)->nodes[0].parent, -1);
  EXPECT_TRUE(recording.function(1)->nodes[1].body.empty());
  for (const Track& track : recording.tracks()) {
    for (const Event& event : track.events())
      EXPECT_LE(event.begin, event.end);
  }
}

TEST(Recording, FindsCallsByNumberAndNamesEvents) {
  const Recording recording(synthetic_logistic({.calls = 5}));
  ASSERT_EQ(recording.calls().size(), 6u);
  ASSERT_NE(recording.call(6), nullptr);
  EXPECT_EQ(recording.function(recording.call(6)->function)->name, "predict");
  EXPECT_EQ(recording.call(7), nullptr);
  const Event& kernel = recording.tracks_of(3)[0].events()[0];
  EXPECT_EQ(recording.name_of(kernel), "gemv");
  EXPECT_EQ(recording.function_of(kernel), 1u);
}

TEST(Recording, SyntheticRecordingsRepeat) {
  const RecordingData first = synthetic_exp({.calls = 20});
  const RecordingData second = synthetic_exp({.calls = 20});
  ASSERT_EQ(first.events.size(), second.events.size());
  for (std::size_t i = 0; i < first.events.size(); ++i) {
    EXPECT_EQ(first.events[i].begin, second.events[i].begin);
    EXPECT_EQ(first.events[i].end, second.events[i].end);
  }
}

}  // namespace
}  // namespace hypatia
