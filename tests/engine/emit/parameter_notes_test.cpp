// The generated text says which of the user's variables its parameters are.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia {
namespace {

TEST(ParameterNotes, NameTheUsersVariables) {
  const ChangeFlags flags({{"compile.background", "False"}});
  const Variable x = matrix("points", DType::float64), y = vector("labels", DType::float64);
  const Shared b = shared(Array(0.5), "bias"), w = shared(Array::ones(DType::float64, {40}), "w");
  const Variable error = sigmoid(dot(x, w) + b) - y;
  const Function f = function({x, y}, error, {.updates = {{b, b - 0.1 * sum(error)}}});
  f(Array::ones(DType::float64, {50, 40}), Array::ones(DType::float64, {50}));
  const std::string source = f.source();
  for (const char* note :
       {" is labels",
        " is bias",
        " is the result of CGemv",
        " is output 0",
        " is the new value of bias"}) {
    EXPECT_NE(source.find(note), std::string::npos) << note << "\n" << source;
  }
}

TEST(ParameterNotes, LeaveOutNamesThatWouldEndTheComment) {
  const ChangeFlags flags({{"compile.background", "False"}});
  const Variable x = vector("*/ x", DType::float64);
  const Function f = function({x}, exp(x));
  EXPECT_NEAR(Array(f(Array::ones(DType::float64, {3}))).to_vector()[0], 2.718281828459045, 1e-12);
  EXPECT_EQ(f.source().find("*/ x"), std::string::npos);
}

}  // namespace
}  // namespace hypatia
