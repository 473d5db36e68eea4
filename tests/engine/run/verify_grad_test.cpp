// verify_grad(): passes right gradients, and names wrong ones.
#include "engine/run/verify_grad.h"

#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

TEST(VerifyGrad, PassesRightGradients) {
  RandomState random(1);
  const Array a = random.randn({3, 4}), b = random.randn({1, 4});
  verify_grad([](const Vars& in) { return tanh(in[0] * in[1]); }, {a, b});
  verify_grad([](const Vars& in) { return dot(in[0], transpose(in[0])); }, {a});
  verify_grad([](const Vars& in) { return softmax(in[0]); }, {a});
}

TEST(VerifyGrad, TakesFloat32WithAWiderStep) {
  RandomState random(2);
  verify_grad(
      [](const Vars& in) { return exp(in[0]); },
      {random.randn({3}).astype(DType::float32)},
      {.step = 1e-2, .tolerance = 1e-2});
}

TEST(VerifyGrad, NamesAWrongGradient) {
  // Scaled: twice what the differences say.
  try {
    verify_grad([](const Vars& in) { return grad_scale(in[0], 2) * 3; }, {Array({1, 2})});
    FAIL() << "a wrong gradient passed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the gradient by point 0"), std::string::npos);
  }
}

TEST(VerifyGrad, RefusesIntegers) {
  EXPECT_THROW(verify_grad([](const Vars& in) { return in[0]; }, {Array::arange(3)}), Error);
}

}  // namespace
}  // namespace hypatia
