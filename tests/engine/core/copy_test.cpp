// Copies between views: any strides, overlap, tiles, and arrays on a device.
#include <cstring>
#include <gtest/gtest.h>

#include "engine/core/array.h"
#include "engine/core/error.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

using Values = std::vector<double>;

/// Stands for device memory: the host may only reach it by read and write.
class FarStorage final : public Storage {
 public:
  explicit FarStorage(std::size_t bytes)
      : Storage(reinterpret_cast<void*>(0x1000), bytes, Place{0}), bytes_behind_(bytes) {}

  void read(std::size_t offset, void* to, std::size_t bytes) override {
    ++reads;
    bytes_read += bytes;
    std::memcpy(to, bytes_behind_.data() + offset, bytes);
  }

  void write(std::size_t offset, const void* from, std::size_t bytes) override {
    std::memcpy(bytes_behind_.data() + offset, from, bytes);
  }

  int reads = 0;
  std::size_t bytes_read = 0;

 private:
  std::vector<char> bytes_behind_;
};

Array far(const Array& a) {
  const Ref<Storage> storage(new FarStorage(a.bytes()));
  storage->write(0, a.address(), a.bytes());
  return Array(storage, a.dtype(), a.dims(), a.strides(), 0);
}

FarStorage& behind(const Array& a) {
  return dynamic_cast<FarStorage&>(*a.storage());
}

TEST(Copy, EveryPermutationOfAxesAndSignOfStrides) {
  const Array a = Array::arange(3 * 4 * 5, DType::int32).reshape({3, 4, 5});
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    for (int signs = 0; signs < 8; ++signs) {
      Dims dims, strides;
      std::int64_t offset = 0;
      for (int i = 0; i < 3; ++i) {
        const std::int64_t size = a.dims()[order[i]], stride = a.strides()[order[i]];
        const bool backwards = (signs >> i) & 1;
        dims.push_back(size);
        strides.push_back(backwards ? -stride : stride);
        if (backwards) offset += stride * (size - 1);
      }
      const Array view(a.storage(), a.dtype(), dims, strides, offset);
      const Array out(DType::float64, dims), strided = Array::zeros(DType::int16, dims).transpose();
      copy_elements(view, out);
      copy_elements(view.transpose(), strided);
      for (std::int64_t i = 0; i < dims[0]; ++i) {
        for (std::int64_t j = 0; j < dims[1]; ++j) {
          for (std::int64_t k = 0; k < dims[2]; ++k) {
            EXPECT_EQ(out.at({i, j, k}), view.at({i, j, k}));
            EXPECT_EQ(strided.at({k, j, i}), view.at({i, j, k}));
          }
        }
      }
    }
  }
}

TEST(Copy, TransposesBiggerThanATile) {
  const Array a = Array::arange(70 * 45 * 2).reshape({70, 2, 45});
  const Array t = a.transpose().copy();
  for (std::int64_t i = 0; i < 45; ++i) {
    for (std::int64_t j = 0; j < 70; ++j)
      EXPECT_EQ(t.at({i, 1, j}), a.at({j, 1, i}));
  }
}

TEST(Copy, BroadcastsByZeroStrides) {
  const Array row = Array::arange(3);
  const Array wide(row.storage(), row.dtype(), {4, 3}, {0, 8}, 0);
  EXPECT_EQ(wide.to_vector(), (Values{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}));
  const Array tall(row.storage(), row.dtype(), {3, 2}, {8, 0}, 0);
  EXPECT_EQ(tall.to_vector(), (Values{0, 0, 1, 1, 2, 2}));
}

TEST(Copy, OverlappingViewsCopyTheOldValues) {
  const Array a = Array::arange(6);
  copy_elements(a.slice(0, 0, 5), a.slice(0, 1, 6));
  EXPECT_EQ(a.to_vector(), (Values{0, 0, 1, 2, 3, 4}));
  const Array b = Array::arange(6);
  copy_elements(b.slice(0, -1, INT64_MIN, -1), b);
  EXPECT_EQ(b.to_vector(), (Values{5, 4, 3, 2, 1, 0}));
  const Array c = Array::arange(9).reshape({3, 3});
  copy_elements(c.transpose(), c);
  EXPECT_EQ(c.to_vector(), (Values{0, 3, 6, 1, 4, 7, 2, 5, 8}));
}

TEST(Copy, NoElementsAreCopied) {
  copy_elements(Array::zeros(DType::int8, {3, 0}), Array::zeros(DType::float64, {3, 0}));
  EXPECT_MESSAGE(
      copy_elements(Array({1, 2}), Array({1})),
      "elements of shape (2,) can't be copied to shape (1,)");
}

TEST(Copy, ADeviceArrayIsReadOnlyThroughAsarray) {
  const Array a = far(Array({1, 2, 3}));
  EXPECT_MESSAGE(
      a.data<double>(),
      "reading elements of float64[3] on the GPU can't be done from the host\n"
      "   help: copy the value first: asarray(value)");
  EXPECT_MESSAGE(
      a.to_vector(),
      "elements are copied between arrays on the host, and one lies on a device\n"
      "   help: bring it to the host first: asarray(value)");
  EXPECT_THROW(a[0].item(), Error);
  EXPECT_THROW(a.astype(DType::int8), Error);
  const Array here = asarray(a);
  EXPECT_TRUE(here.on_host());
  EXPECT_EQ(here.to_vector(), (Values{1, 2, 3}));
  EXPECT_EQ(behind(a).reads, 1);
  EXPECT_EQ(to_text(a), "[ 1.  2.  3.]");
}

TEST(Copy, ADeviceViewBringsOnlyItsRange) {
  const Array a = far(Array::arange(20).reshape({4, 5}));
  const Array view = a.slice(0, 2, 0, -1).slice(1, 1, 5, 2);
  EXPECT_EQ(asarray(view).to_vector(), (Values{11, 13, 6, 8}));
  EXPECT_EQ(behind(a).bytes_read, 8U * 8U);
  EXPECT_TRUE(asarray(view).contiguous());
  EXPECT_EQ(asarray(a[3]).to_vector(), (Values{15, 16, 17, 18, 19}));
  EXPECT_EQ(asarray(a.slice(0, 1, 1)).dims(), (Dims{0, 5}));
  EXPECT_EQ(a.reshape({20}).place(), Place{0});
  EXPECT_MESSAGE(
      a.transpose().reshape({20}),
      "reshaping this view of a device array from (5, 4) to (20,) needs a copy\n"
      "   help: copy it to the host first: asarray(value)");
  EXPECT_TRUE(same_elements(a, Array::arange(20).reshape({4, 5})));
  EXPECT_TRUE(all_close(a, Array::arange(20).reshape({4, 5})));
}

}  // namespace
}  // namespace hypatia
