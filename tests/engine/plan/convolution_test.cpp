// Which convolutions a GPU's library is asked for, what it is asked, and what a plan makes of that.
#include <algorithm>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/core/error.h"
#include "engine/ops/conv.h"
#include "engine/plan/accesses.h"

#include "tests/engine/plan/planned.h"

namespace hypatia {
namespace {

class AnyConvolution final : public LibraryConvolution {
 public:
  const std::string& name() const override { return name_; }

  std::size_t workspace() const override { return 5000; }

 private:
  std::string name_ = "a library";
};

std::vector<Convolution>& asked() {
  static std::vector<Convolution> all;
  return all;
}

PlanOptions with_library(bool required = false) {
  asked().clear();
  PlanOptions options;
  options.library_required = required;
  options.convolution = [](const Convolution& wanted, Place) {
    asked().push_back(wanted);
    return FoundConvolution{Ref<const LibraryConvolution>(new AnyConvolution), ""};
  };
  return options;
}

PlanOptions with_refusing_library(bool required) {
  PlanOptions options = with_library(required);
  options.convolution = [](const Convolution&, Place) {
    return FoundConvolution{nullptr, "it does not like the sizes"};
  };
  return options;
}

std::vector<const ConvolutionWork*> convolutions(const Plan& plan) {
  std::vector<const ConvolutionWork*> found;
  for (const Step& step : plan.steps) {
    if (const auto* work = std::get_if<ConvolutionWork>(&step.work)) found.push_back(work);
  }
  return found;
}

struct Operands {
  Variable x = tensor4("x", DType::float32), f = tensor4("f", DType::float32);
  Variable y = tensor4("y", DType::float32);

  Variable by_images(const Attrs& attrs, int rows, int columns) const {
    return apply(conv2d_images_op, {f, y, constant(rows), constant(columns)}, attrs);
  }

  Variable by_filters(const Attrs& attrs, int rows, int columns) const {
    return apply(conv2d_filters_op, {x, y, constant(rows), constant(columns)}, attrs);
  }
};

TEST(LibraryConvolutions, AreAskedForWithTheirSizes) {
  const Operands v;
  const ConvAttrs attrs{"half", 2, 1};
  const Dims images{2, 3, 8, 9}, filters{5, 3, 3, 5}, results{2, 5, 4, 9};
  const Plan plan = planned(
      {v.x, v.f, v.y},
      {apply(conv2d_op, {v.x, v.f}, attrs), v.by_images(attrs, 8, 9), v.by_filters(attrs, 3, 5)},
      {images, filters, results},
      with_library());
  ASSERT_EQ(asked().size(), 3U);
  ASSERT_EQ(convolutions(plan).size(), 3U);
  std::sort(asked().begin(), asked().end());
  for (std::size_t i = 0; i < 3; ++i) {
    Convolution wanted{
        static_cast<Convolution::Makes>(i),
        DType::float32,
        {2, 3, 8, 9},
        {5, 3, 3, 5},
        {2, 5, 4, 9},
        {1, 2},
        {2, 1}};
    EXPECT_EQ(asked()[i], wanted) << i;
  }
}

TEST(LibraryConvolutions, SayInTheirStepsWhoRunsThem) {
  const Operands v;
  const Plan plan =
      planned({v.x, v.f}, {conv2d(v.x, v.f)}, {{2, 3, 8, 9}, {5, 3, 3, 3}}, with_library());
  EXPECT_TRUE(kernels(plan).empty());
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(), [](const Step& s) {
    return std::holds_alternative<ConvolutionWork>(s.work);
  });
  ASSERT_NE(step, plan.steps.end());
  EXPECT_EQ(step->name, "conv2d by a library");
  EXPECT_EQ(step->side, Side::gpu);
  EXPECT_EQ(step->flops, 2.0 * (2 * 5 * 6 * 7) * (3 * 3 * 3));
  ASSERT_EQ(step->shares.size(), 1U);
  EXPECT_EQ(step->shares[0].share, 1.0);
}

TEST(LibraryConvolutions, WorkInThePlansMemory) {
  const Operands v;
  const Variable once = conv2d(v.x, v.f), twice = conv2d(once, v.y);
  const Plan plan =
      planned({v.x, v.f, v.y}, {twice}, {{2, 3, 8, 8}, {4, 3, 3, 3}, {2, 4, 3, 3}}, with_library());
  const auto all = convolutions(plan);
  ASSERT_EQ(all.size(), 2U);
  const auto buffer = [&](int number) { return plan.buffers[static_cast<std::size_t>(number)]; };
  const Buffer first = buffer(all[0]->workspace), second = buffer(all[1]->workspace);
  EXPECT_EQ(first.kind, BufferKind::temporary);
  EXPECT_EQ(first.bytes, 5000);
  EXPECT_EQ(first.place, Place{0});
  EXPECT_EQ(first.first_step, first.last_step);
  EXPECT_EQ(first.arena_offset, second.arena_offset) << "one is over when the other begins";
  const Buffer between = buffer(all[0]->made.buffer);
  EXPECT_TRUE(
      between.arena_offset >= first.arena_offset + first.bytes ||
      first.arena_offset >= between.arena_offset + between.bytes);
  EXPECT_GE(plan.device_arena, first.bytes + between.bytes);
}

TEST(LibraryConvolutions, TakeRowMajorCopiesOfOtherOperands) {
  const Operands v;
  const Plan turned = planned(
      {v.x, v.f},
      {conv2d(v.x, v.f(every, every, slice(none, none, -1), slice(none, none, -1)))},
      {{2, 3, 8, 8}, {4, 3, 3, 3}},
      with_library());
  ASSERT_EQ(convolutions(turned).size(), 1U);
  const Layout& layout = convolutions(turned)[0]->second.layout;
  EXPECT_EQ(layout.strides, row_major(layout.dims));
  EXPECT_EQ(layout.offset, 0);
  EXPECT_EQ(kernels(turned).size(), 1U) << "the copy";
}

TEST(LibraryConvolutions, AreThoseThatAreWorthIt) {
  const Operands v;
  PlanOptions options = with_library();
  options.worth_a_library = [](const Convolution& c, double) { return c.filters[0] >= 5; };
  for (const std::int64_t filters : {4, 5}) {
    const Plan plan =
        planned({v.x, v.f}, {conv2d(v.x, v.f)}, {{2, 3, 8, 9}, {filters, 3, 3, 3}}, options);
    const bool worth = filters == 5;
    EXPECT_EQ(convolutions(plan).size(), worth ? 1U : 0U);
    EXPECT_EQ(kernels(plan).size(), worth ? 0U : 1U);
    EXPECT_EQ(asked().size(), worth ? 1U : 0U) << "no library is loaded for small ones";
  }
}

TEST(LibraryConvolutions, AreOfElementsOfOneDtype) {
  const Variable x = tensor4("x", DType::float32), f = tensor4("f", DType::float64);
  const Plan mixed =
      planned({x, f}, {conv2d(x, f)}, {{2, 3, 8, 9}, {5, 3, 3, 3}}, with_library(true));
  EXPECT_EQ(kernels(mixed).size(), 1U);
  const Operands v;
  const Plan empty =
      planned({v.x, v.f}, {conv2d(v.x, v.f)}, {{0, 3, 8, 9}, {5, 3, 3, 3}}, with_library(true));
  EXPECT_EQ(kernels(empty).size(), 1U);
  EXPECT_TRUE(asked().empty());
}

TEST(LibraryConvolutions, ThatAreRefusedAreKernels) {
  const Operands v;
  const std::vector<Dims> sizes{{2, 3, 8, 9}, {5, 3, 3, 3}};
  const Plan plan = planned({v.x, v.f}, {conv2d(v.x, v.f)}, sizes, with_refusing_library(false));
  const Plan before = planned({v.x, v.f}, {conv2d(v.x, v.f)}, sizes);
  ASSERT_EQ(plan.steps.size(), before.steps.size());
  EXPECT_EQ(kernels(plan).size(), 1U);
  EXPECT_EQ(plan.buffers.size(), before.buffers.size());
  try {
    planned({v.x, v.f}, {conv2d(v.x, v.f)}, sizes, with_refusing_library(true));
    FAIL() << "it was planned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::device);
    EXPECT_EQ(
        error.summary(),
        "dnn.enabled=True, and cuDNN does not run this conv2d: it does not like the sizes");
    EXPECT_NE(std::string(error.what()).find("convolution_test.cpp"), std::string::npos)
        << error.what();
  }
}

TEST(LibraryConvolutions, RunInLoopsOnTheLoopsBuffers) {
  const Variable x = tensor4("x", DType::float32), f = tensor4("f", DType::float32);
  const auto [last, updates] = scan(
      [&](const Variable& image) { return conv2d(image, f, {.border_mode = "half"}); },
      {.outputs_info = {x}, .n_steps = 5});
  const Plan plan =
      planned({x, f}, {last[last.size() - 1]}, {{2, 3, 8, 8}, {3, 3, 3, 3}}, with_library());
  ASSERT_EQ(convolutions(plan).size(), 1U);
  for_each_access(*convolutions(plan)[0], [&](const Located& at, bool) {
    EXPECT_TRUE(at.buffer >= 0 && static_cast<std::size_t>(at.buffer) < plan.buffers.size());
  });
  const Buffer& space = plan.buffers[static_cast<std::size_t>(convolutions(plan)[0]->workspace)];
  EXPECT_EQ(space.bytes, 5000);
  EXPECT_EQ(space.kind, BufferKind::temporary);
  EXPECT_GE(space.arena_offset, 0);
}

}  // namespace
}  // namespace hypatia
