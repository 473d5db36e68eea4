// The table of result dtypes: which dtype comes of which, op by op.
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"
#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

Variable of(DType dtype) {
  return vector("x", dtype);
}

constexpr DType b = DType::boolean, i8 = DType::int8, i16 = DType::int16, i32 = DType::int32,
                i64 = DType::int64, u8 = DType::uint8, u16 = DType::uint16, u32 = DType::uint32,
                u64 = DType::uint64, f32 = DType::float32, f64 = DType::float64;

struct Promoted {
  DType left, right, result;
};

TEST(DTypeTable, Promotion) {
  const Promoted cases[] = {
      {i8, f32, f32},  {i16, f32, f32}, {u8, f32, f32},  {u16, f32, f32}, {i32, f32, f64},
      {i64, f32, f64}, {u32, f32, f64}, {u64, f32, f64}, {i8, f64, f64},  {i64, f64, f64},
      {f32, f64, f64}, {i64, u64, f64}, {i8, i16, i16},  {u8, u32, u32},  {i8, u8, i16},
      {i16, u16, i32}, {i32, u32, i64}, {b, i8, i8},     {b, f32, f32},   {f32, f32, f32},
  };
  for (const Promoted& c : cases) {
    for (const Variable& r :
         {of(c.left) + of(c.right),
          of(c.right) * of(c.left),
          maximum(of(c.left), of(c.right)),
          int_div(of(c.left), of(c.right)),
          of(c.left) % of(c.right)}) {
      EXPECT_EQ(r.dtype(), c.result) << name(c.left) << " and " << name(c.right);
    }
  }
}

TEST(DTypeTable, DivisionOfIntegersIsFloatX) {
  EXPECT_EQ((of(i32) / of(i64)).dtype(), config().float_x());
  EXPECT_EQ((of(i8) / of(f32)).dtype(), f32);
}

TEST(DTypeTable, DivisionOfIntegersMayRoundDownOrBeRefused) {
  {
    const ChangeFlags flags({{"int_division", "int"}});
    EXPECT_EQ((of(i32) / of(i64)).dtype(), i64);
    EXPECT_EQ(eval(constant(Array(-7)) / constant(Array(2))).item(), -4);
    EXPECT_EQ((of(i8) / of(f32)).dtype(), f32);
  }
  const ChangeFlags flags({{"int_division", "raise"}});
  EXPECT_MESSAGE_WITH(of(i32) / of(i64), "int_division=raise: / of two integers");
  EXPECT_NO_THROW(of(i32) / of(f64));
}

TEST(DTypeTable, ComparisonsAreBool) {
  for (DType d : {b, i8, u64, f32, f64}) {
    EXPECT_EQ((of(d) < of(f64)).dtype(), b);
    EXPECT_EQ(eq(of(d), of(d)).dtype(), b);
    EXPECT_EQ(isnan(of(d)).dtype(), b);
  }
}

TEST(DTypeTable, FunctionsOfIntegersAreFloats) {
  for (DType d : {b, i8, i16, u8, u16})
    EXPECT_EQ(exp(of(d)).dtype(), f32) << name(d);
  for (DType d : {i32, i64, u32, u64})
    EXPECT_EQ(sigmoid(of(d)).dtype(), f64) << name(d);
  EXPECT_EQ(sqrt(of(f32)).dtype(), f32);
}

TEST(DTypeTable, RoundedIntegersAreTheSameIntegers) {
  for (DType d : {b, i8, i64, u16, u64, f32, f64}) {
    for (const Variable& r : {floor(of(d)), ceil(of(d)), round(of(d)), trunc(of(d))})
      EXPECT_EQ(r.dtype(), d);
  }
}

TEST(DTypeTable, BoolsCannotBeSubtracted) {
  EXPECT_THROW(of(b) - of(b), Error);
  EXPECT_THROW(-of(b), Error);
  EXPECT_EQ(pow(of(b), of(b)).dtype(), i8);
}

TEST(DTypeTable, ReductionsWiden) {
  for (DType d : {i8, i16, i32, i64, b})
    EXPECT_EQ(sum(of(d)).dtype(), i64) << name(d);
  for (DType d : {u8, u16, u32, u64})
    EXPECT_EQ(prod(of(d)).dtype(), u64) << name(d);
  EXPECT_EQ(sum(of(f32)).dtype(), f32);
  EXPECT_EQ(max(of(i16)).dtype(), i16);
  EXPECT_EQ(mean(of(f32)).dtype(), f32);
  EXPECT_EQ(mean(of(i32)).dtype(), f64);
}

TEST(DTypeTable, ConstantsTakeTheSmallestDType) {
  EXPECT_EQ(Operand(127).variable.dtype(), i8);
  EXPECT_EQ(Operand(128).variable.dtype(), i16);
  EXPECT_EQ(Operand(40000).variable.dtype(), i32);
  EXPECT_EQ(Operand(5000000000L).variable.dtype(), i64);
  EXPECT_EQ((of(f32) * 2 + 0.5).dtype(), f32);
}

TEST(DTypeTable, IntegerConstantsDontOverflowInPowers) {
  const Variable p = vector("p", i8);
  const Variable power = pow(2, p);
  EXPECT_EQ(power.dtype(), i64);
  const Array exponents = Array({4, 5, 6, 7, 8, 9, 20}).astype(i8);
  const Array values = function({p}, power)(exponents);
  EXPECT_TRUE(same_elements(values.astype(f64), Array({16, 32, 64, 128, 256, 512, 1048576})))
      << to_text(values);
  EXPECT_EQ(pow(of(f32), 2).dtype(), f32);
  EXPECT_EQ(pow(of(i8), of(i8)).dtype(), i8);
}

}  // namespace
}  // namespace hypatia
