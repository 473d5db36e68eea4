#include "engine/run/dlpack.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

TEST(DlPack, GoesOutAndBackForEveryDtype) {
  for (int d = 0; d < dtype_count; ++d) {
    const Array a = Array::full(static_cast<DType>(d), {2, 3}, 1);
    const Array back = from_dlpack(to_dlpack(a));
    EXPECT_TRUE(same_elements(a, back)) << name(a.dtype());
    EXPECT_EQ(a.address(), back.address());
  }
}

TEST(DlPack, KeepsStridesAndSharesElements) {
  const Array a = Array::arange(12, DType::float32).reshape({3, 4});
  const Array view = a.transpose().slice(0, 0, INT64_MAX, 2);
  const Array back = from_dlpack(to_dlpack(view));
  EXPECT_EQ(back.dims(), (Dims{2, 3}));
  EXPECT_TRUE(same_elements(view, back));
  a.data<float>()[0] = 42;
  EXPECT_EQ(back.at({0, 0}), 42);
}

TEST(DlPack, CallsTheDeleterWithTheLastView) {
  static int deleted = 0;
  deleted = 0;
  DlManagedTensor* tensor = to_dlpack(Array({1, 2, 3}));
  static void (*const own)(DlManagedTensor*) = tensor->deleter;
  tensor->deleter = [](DlManagedTensor* self) {
    ++deleted;
    own(self);
  };
  {
    Array view;
    {
      const Array taken = from_dlpack(tensor);
      view = taken.slice(0, 1, 3);
    }
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(view.at({1}), 3);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(DlPack, TakesRowMajorTensorsWithoutStridesAndWithAnOffset) {
  float values[] = {0, 1, 2, 3, 4, 5, 6};
  std::int64_t shape[] = {2, 3};
  DlManagedTensor tensor;
  tensor.dl_tensor = {values, {1, 0}, 2, {2, 32, 1}, shape, nullptr, sizeof(float)};
  EXPECT_EQ(from_dlpack(&tensor).at({1, 2}), 6);
}

TEST(DlPack, SaysWhatItCantTake) {
  double value = 0;
  DlManagedTensor tensor;
  tensor.dl_tensor = {&value, {1, 0}, 0, {5, 128, 1}, nullptr, nullptr, 0};
  EXPECT_MESSAGE_WITH(from_dlpack(&tensor), "elements of code 5 with 128 bits");
  tensor.dl_tensor.dtype = {2, 64, 1};
  tensor.dl_tensor.device = {10, 0};
  EXPECT_MESSAGE_WITH(from_dlpack(&tensor), "device 0 of kind 10, which is not in use here");
}

}  // namespace
}  // namespace hypatia
