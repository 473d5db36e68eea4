#include "engine/core/contexts.h"

#include <gtest/gtest.h>

#include "engine/core/config.h"
#include "engine/ops/transfer.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

TEST(Contexts, HaveTheNamesThatTheFlagGives) {
  config().reset();
  config().set("contexts", "dev0->sim0;dev1->sim1");
  EXPECT_EQ(place_named("dev0"), Place{1});
  EXPECT_EQ(place_named("dev1"), Place{2});
  EXPECT_EQ(context_name(place_named("dev1")), "dev1");
  EXPECT_EQ(device_of(place_named("dev1")), "sim1");
  EXPECT_EQ(place_named("cpu"), host);
  EXPECT_EQ(context_name(place_named("")), "None");
  EXPECT_MESSAGE_WITH(place_named("dev2"), "or a context: dev0, dev1");
  config().reset();
}

TEST(Contexts, OnTheDefaultDeviceAreTheDefaultPlace) {
  config().reset();
  config().set("device", "sim0");
  config().set("contexts", "a->sim0;b->sim1");
  EXPECT_EQ(place_named("a"), Place{0});
  EXPECT_EQ(place_named("b"), Place{2});
  config().reset();
}

}  // namespace
}  // namespace hypatia
