// cuDNN is looked for at run time: its version, or why there is none.
#include "engine/device/cuda/cudnn.h"

#include <gtest/gtest.h>

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

TEST(Cudnn, SaysItsVersionOrWhyThereIsNone) {
  const FoundCudnn found = find_cudnn();
  EXPECT_EQ(found.version == 0, !found.reason.empty()) << found.version << found.reason;
  EXPECT_TRUE(found.version == 0 || found.version >= 8000U) << found.version;
}

TEST(Cudnn, IsMissedWhereItIsNot) {
  const WithVariable nowhere("HYPATIA_CUDA_LIBRARIES", "/nonexistent");
  EXPECT_EQ(find_cudnn().version, 0U);
  EXPECT_FALSE(find_cudnn().reason.empty());
}

}  // namespace
}  // namespace hypatia
