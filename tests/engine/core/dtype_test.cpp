// The promotion table, names and sizes of dtypes.
#include "engine/core/dtype.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

// Rows and columns in the order of DType; what NumPy's promote_types gives.
// clang-format off
using enum DType;

const DType numpy[dtype_count][dtype_count] = {
    {boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64},
    {int8, int8, int16, int32, int64, int16, int32, int64, float64, float32, float64},
    {int16, int16, int16, int32, int64, int16, int32, int64, float64, float32, float64},
    {int32, int32, int32, int32, int64, int32, int32, int64, float64, float64, float64},
    {int64, int64, int64, int64, int64, int64, int64, int64, float64, float64, float64},
    {uint8, int16, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64},
    {uint16, int32, int32, int32, int64, uint16, uint16, uint32, uint64, float32, float64},
    {uint32, int64, int64, int64, int64, uint32, uint32, uint32, uint64, float64, float64},
    {uint64, float64, float64, float64, float64, uint64, uint64, uint64, uint64, float64, float64},
    {float32, float32, float32, float64, float64, float32,
     float32, float64, float64, float32, float64},
    {float64, float64, float64, float64, float64, float64,
     float64, float64, float64, float64, float64},
};

// clang-format on

TEST(DType, PromotesAsNumPy) {
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      const auto left = static_cast<DType>(a), right = static_cast<DType>(b);
      EXPECT_EQ(name(promote(left, right)), name(numpy[a][b])) << name(left) << name(right);
    }
  }
}

TEST(DType, TheRowsThatSurpriseUsers) {
  EXPECT_EQ(promote(DType::int16, DType::float32), DType::float32);
  EXPECT_EQ(promote(DType::int32, DType::float32), DType::float64);
  EXPECT_EQ(promote(DType::uint32, DType::float32), DType::float64);
  EXPECT_EQ(promote(DType::int64, DType::uint64), DType::float64);
  EXPECT_EQ(promote(DType::int8, DType::uint8), DType::int16);
  EXPECT_EQ(promote(DType::boolean, DType::int8), DType::int8);
}

TEST(DType, FunctionsOfIntegersComputeInFloats) {
  for (DType d : {DType::boolean, DType::int8, DType::uint8, DType::int16, DType::uint16})
    EXPECT_EQ(at_least_float(d), DType::float32);
  for (DType d : {DType::int32, DType::uint32, DType::int64, DType::uint64, DType::float64})
    EXPECT_EQ(at_least_float(d), DType::float64);
  EXPECT_EQ(at_least_float(DType::float32), DType::float32);
}

TEST(DType, NamesReadBackAndSizesAreThoseOfC) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto d = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(name(d)), d);
    visit(d, [d](auto zero) {
      EXPECT_EQ(size_of(d), static_cast<int>(sizeof(zero)));
      EXPECT_EQ(dtype_of<decltype(zero)>, d);
    });
  }
  EXPECT_MESSAGE(
      parse_dtype("float16"),
      "there is no dtype 'float16'\n"
      "   help: the dtypes are bool, int8 to int64, uint8 to uint64, float32 and float64");
}

}  // namespace
}  // namespace hypatia
