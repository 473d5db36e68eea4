// What a data sheet says of a card agrees with itself.

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/device/sim/sheet.h"

namespace hypatia::sim {
namespace {

TEST(Sheets, NoCopyIsFasterThanWhatTheSheetCallsTheMost) {
  ASSERT_FALSE(sheets().empty());
  for (const Sheet& sheet : sheets()) {
    const Limits& most = sheet.limits;
    double fastest = 0;
    for (const RateTable* table : {&sheet.pageable_in, &sheet.pageable_out})
      for (const auto& [bytes, rate] : *table)
        fastest = std::max(fastest, rate);
    EXPECT_LE(fastest, most.pageable_bandwidth) << sheet.name;
    EXPECT_LE(most.pageable_bandwidth, std::max(most.copy_in_bandwidth, most.copy_out_bandwidth))
        << sheet.name;
  }
}

}  // namespace
}  // namespace hypatia::sim
