// Trimmed, merged and migrated recordings hold what they should, and nothing else.

#include "profiler/record/tools.h"

#include <gtest/gtest.h>

#include "profiler/analyze/account.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/synthetic.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

TEST(Trim, KeepsTheCallsThatWereAskedFor) {
  const Recording whole(synthetic_exp({.calls = 20}));
  const Recording part(trim(whole, {.first_call = 5, .last_call = 8}));
  ASSERT_EQ(part.calls().size(), 4u);
  EXPECT_EQ(part.calls()[0].number, 5u);
  EXPECT_EQ(account_for(part).functions[0].nodes[0].calls, 4);
  EXPECT_STREQ(part.functions()[0].origin.file, "exercises/01_exp_test/exercise.cpp");
}

TEST(Trim, KeepsAWindowOfTime) {
  const Recording whole(synthetic_exp({.calls = 20}));
  const Call& call = whole.calls()[10];
  const Recording part(trim(whole, {.begin = call.begin, .end = call.end}));
  EXPECT_GE(part.calls().size(), 1u);
  EXPECT_LE(part.calls().size(), 2u);
  for (const Track& track : part.tracks()) {
    for (const Event& event : track.events()) {
      EXPECT_GT(event.end, call.begin);
      EXPECT_LT(event.begin, call.end);
    }
  }
}

TEST(Merge, KeepsEachRecordingsNodesAndTimes) {
  const auto first = std::make_shared<const Recording>(synthetic_exp({.calls = 10}));
  RecordingData later = synthetic_logistic({.calls = 10});
  later.passes.push_back(
      {1, "fuse", 0.1, 9, 4, 1, {{"chain", "a", "b", 1, 1, 2, 2, {"f.cpp", "main", 3}}}});
  later.header.realtime_anchor += 5'000'000'000;
  later.header.dropped = 4;
  const auto second = std::make_shared<const Recording>(std::move(later));
  const std::vector<std::shared_ptr<const Recording>> both{first, second};
  const Recording merged(merge(both));
  ASSERT_EQ(merged.functions().size(), 3u);
  EXPECT_EQ(merged.functions()[1].name, "train");
  EXPECT_EQ(merged.event_count(), first->event_count() + second->event_count());
  EXPECT_EQ(merged.header().dropped, 4);
  ASSERT_EQ(merged.passes().size(), 1u);
  EXPECT_EQ(merged.passes()[0].function, 2u) << "the second recording's functions come after";
  EXPECT_STREQ(merged.passes()[0].rewrites.at(0).origin.file, "f.cpp");
  EXPECT_EQ(merged.header().devices.size(), 2u);
  EXPECT_EQ(merged.calls().size(), 10u + 11u);
  EXPECT_EQ(merged.end(), second->end() + 5'000'000'000);

  const Account parts[] = {account_for(*first), account_for(*second)};
  const Account whole = account_for(merged);
  for (std::size_t i = 0; i < 3; ++i) {
    const FunctionAccount& part = i == 0 ? parts[0].functions[0] : parts[1].functions[i - 1];
    EXPECT_DOUBLE_EQ(whole.functions[i].parts.total(), part.parts.total());
    EXPECT_EQ(whole.functions[i].calls, part.calls);
  }
}

TEST(Merge, OfNothingIsEmpty) {
  EXPECT_TRUE(merge({}).events.empty());
}

TEST(Migrate, WritesTheNewestFormat) {
  const Scratch scratch;
  write_recording(synthetic_exp({.calls = 5}), scratch.file("old.hyp"));
  migrate(scratch.file("old.hyp"), scratch.file("new.hyp"));
  EXPECT_EQ(Recording::open(scratch.file("new.hyp"))->calls().size(), 5u);
}

}  // namespace
}  // namespace hypatia
