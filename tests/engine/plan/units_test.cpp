// Which kernels take in what is made of their folds, on a GPU.
#include "engine/plan/units.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "tests/engine/plan/planned.h"

namespace hypatia {
namespace {

TEST(Units, AMatrixVectorProductTakesInWhatIsMadeOfIt) {
  const Variable x = matrix("x", DType::float32), w = vector("w", DType::float32);
  const Plan plan = planned({x, w}, {exp(dot(x, w)) + 1}, {{40, 30}, {30}});
  ASSERT_EQ(kernels(plan).size(), 1U);
  const LoopNest& nest = kernels(plan)[0]->nest;
  EXPECT_EQ(nest.extents, (Dims{40, 30}));
  EXPECT_EQ(nest.folds.at(0).to.buffer, -1);
  EXPECT_EQ(nest.epilogue.stores.size(), 1U);
}

TEST(Units, AFoldTakesInWhatIsMadeOfItAndIsKeptForOtherReaders) {
  const Variable x = matrix("x", DType::float32);
  const Variable s = sum(x, 1);
  const Plan plan = planned({x}, {s, sqrt(s)}, {{40, 30}});
  ASSERT_EQ(kernels(plan).size(), 1U);
  const LoopNest& nest = kernels(plan)[0]->nest;
  EXPECT_GE(nest.folds.at(0).to.buffer, 0);
  EXPECT_EQ(nest.epilogue.stores.size(), 1U);
}

TEST(Units, FoldsOfATailAreKernelsOfTheirOwn) {
  const Variable x = matrix("x", DType::float32), w = vector("w", DType::float32);
  const Plan plan = planned({x, w}, {sum(exp(dot(x, w)))}, {{40, 30}, {30}});
  ASSERT_EQ(kernels(plan).size(), 2U);
  EXPECT_EQ(kernels(plan)[0]->nest.epilogue.stores.size(), 1U);
  EXPECT_EQ(kernels(plan)[1]->nest.extents, (Dims{40}));
}

TEST(Units, ATailWaitsForNothingThatComesLater) {
  const Variable x = matrix("x", DType::float32), w = vector("w", DType::float32);
  // exp(x·w) needs the first product only; the sum needs both.
  const Variable p = dot(x, w), q = dot(x, exp(w));
  const Plan plan = planned({x, w}, {p * q}, {{40, 30}, {30}});
  int epilogues = 0;
  for (const KernelWork* work : kernels(plan))
    epilogues += work->nest.epilogue.stores.empty() ? 0 : 1;
  EXPECT_EQ(epilogues, 1);
}

TEST(Units, LibrariesGetTheProductsThatAreTooLargeAndAllWhenKernelsStayApart) {
  const Variable x = matrix("x", DType::float32), w = vector("w", DType::float32);
  const auto products = [&](const PlanOptions& options) {
    int count = 0;
    for (const Step& step : planned({x, w}, {dot(x, w)}, {{40, 30}, {30}}, options).steps)
      count += std::holds_alternative<ProductWork>(step.work) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(products({}), 0);
  EXPECT_EQ(products({.largest_nest_product = 1000}), 1);
  EXPECT_EQ(products({.merge_kernels = false}), 1);
}

}  // namespace
}  // namespace hypatia
