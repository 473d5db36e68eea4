// Critical paths have no holes and name the right culprit; gaps are found and explained.

#include "profiler/analyze/critical_path.h"

#include <gtest/gtest.h>

#include "profiler/analyze/gaps.h"
#include "profiler/record/synthetic.h"

namespace hypatia {
namespace {

void expect_whole(const CriticalPath& path, const Call& call) {
  ASSERT_FALSE(path.pieces.empty());
  EXPECT_EQ(path.pieces.front().begin, call.begin);
  EXPECT_EQ(path.pieces.back().end, call.end);
  for (std::size_t i = 1; i < path.pieces.size(); ++i) {
    EXPECT_EQ(path.pieces[i].begin, path.pieces[i - 1].end);
  }
  EXPECT_DOUBLE_EQ(path.times.total(), static_cast<double>(call.end - call.begin));
}

TEST(CriticalPath, CoversEachCallWithoutHoles) {
  for (const char* device : {"cpu", "cuda0"}) {
    const Recording recording(synthetic_logistic({.device = device, .calls = 30}));
    for (const Call& call : recording.calls()) {
      expect_whole(critical_path(recording, call.number), call);
    }
  }
}

TEST(CriticalPath, RunsThroughTheCopyThatTheHostWaitedFor) {
  const Recording recording(synthetic_logistic({.calls = 30}));
  const CriticalPath path = critical_path(recording, median_call(recording, 1));
  // 104 us of copying in decide a call of about 140.
  EXPECT_GT(path.times[Wall::transfer], 0.6 * static_cast<double>(path.length()));
}

TEST(CriticalPath, OnTheCpuIsTheHostsWork) {
  const Recording recording(synthetic_logistic({.device = "cpu", .calls = 30}));
  const CriticalPath path = critical_path(recording, median_call(recording, 1));
  EXPECT_GT(path.times[Wall::own], 0.95 * static_cast<double>(path.length()));
}

TEST(CriticalPath, OfAnAbsentCallIsEmpty) {
  const Recording recording(synthetic_exp());
  EXPECT_TRUE(critical_path(recording, 4711).pieces.empty());
  EXPECT_EQ(median_call(recording, 9), 0u);
}

Recording one_gap(std::vector<Event> host) {
  RecordingData data;
  data.lanes = {
      {LaneRecord::Kind::host_thread, "", 1, "main"},
      {LaneRecord::Kind::stream, "cuda0", 7, "stream 7"},
  };
  data.functions.resize(1);
  data.events = std::move(host);
  data.events.push_back({0, 1000, 1, 0, 0, 2, EventKind::kernel, 0});
  data.events.push_back({9000, 9500, 1, 0, 0, 2, EventKind::kernel, 0});
  return Recording(std::move(data));
}

GapCause cause_of(std::vector<Event> host) {
  const std::vector<Gap> gaps = find_gaps(one_gap(std::move(host)));
  EXPECT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].end - gaps[0].begin, 8000);
  return gaps[0].cause;
}

TEST(Gaps, AreExplainedByTheHost) {
  const Event call{0, 10'000, 1, 0, 1, 1, EventKind::call, 0};
  EXPECT_EQ(cause_of({}), GapCause::between_calls);
  EXPECT_EQ(cause_of({call}), GapCause::nothing_queued);
  EXPECT_EQ(cause_of({call, {500, 9000, 1, 0, 0, 1, EventKind::step, 0}}), GapCause::host_busy);
  EXPECT_EQ(cause_of({call, {500, 9000, 1, 0, 0, 1, EventKind::sync, 0}}), GapCause::sync);
  EXPECT_EQ(cause_of({call, {500, 9000, 1, 0, 0, 1, EventKind::compile, 0}}), GapCause::compile);
  EXPECT_EQ(
      cause_of({call, {500, 9000, 1, 0, 0, 1, EventKind::launch, 0}}), GapCause::launch_latency);
}

TEST(Gaps, LeaveTheBusyTime) {
  const std::vector<Occupation> devices = device_occupation(one_gap({}));
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].busy, 1500);
  EXPECT_EQ(devices[0].end - devices[0].begin, 9500);
}

}  // namespace
}  // namespace hypatia
