// Linear algebra: defining equations, and gradients by differences.
#include "engine/ops/linalg.h"

#include <gtest/gtest.h>

#include "engine/device/cpu/lapack.h"

#include "hypatia/hypatia.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

class Linalg : public testing::Test {
 protected:
  void SetUp() override {
    if (!lapack::available()) GTEST_SKIP() << "there is no LAPACK on this machine";
  }

  Array at(const Variable& expression, const Array& value) const {
    return function({a}, expression)(value);
  }

  const Variable a = matrix("a", DType::float64);
  const Array general = Array({{4, 1, 2}, {0.5, 3, 1}, {1, 0.25, 5}});
  const Array definite = Array({{4, 1, 0.5}, {1, 3, 0.25}, {0.5, 0.25, 5}});
  const Array tall = Array({{1, 2}, {3, 5}, {-1, 4}});
};

void expect_close(const Array& x, const Array& y) {
  EXPECT_TRUE(all_close(x, y, 1e-10, 1e-10)) << to_text(x) << "\nis not\n" << to_text(y);
}

TEST_F(Linalg, TakesIntegersAsFloats) {
  const Variable n = shared(Array::of<std::int64_t>({2, 1, 1, 3}).reshape({2, 2}), "n");
  const auto of = [](const Variable& v) { return Array(function({}, v)()); };
  EXPECT_EQ(det(n).dtype(), DType::float64);
  EXPECT_EQ(det(cast(n, DType::int8)).dtype(), DType::float32);
  expect_close(of(det(n)), 5.0);
  expect_close(of(matrix_inverse(n)), Array({{0.6, -0.2}, {-0.2, 0.4}}));
  expect_close(of(solve(n, Array::of<std::int64_t>({1, 2}))), Array({0.2, 0.6}));
  expect_close(of(sqr(cholesky(n)).sum()), 5.0);
  expect_close(of(eigh(n)[0].sum()), 5.0);
  expect_close(of(svd(n)[1].prod()), 5.0);
}

TEST_F(Linalg, InverseSolveAndPower) {
  const Array eye = Array::eye(3);
  expect_close(at(dot(a, matrix_inverse(a)), general), eye);
  expect_close(at(dot(a, solve(a, Array({1, 2, 3}))), general), Array({1, 2, 3}));
  expect_close(at(dot(a, solve(a, 2 * a)) / 2, general), general);
  expect_close(at(dot(matrix_power(a, 3), matrix_power(a, -3)), general), eye);
  expect_close(at(matrix_power(a, 0) + 0 * a, general), eye);
}

TEST_F(Linalg, Determinants) {
  EXPECT_NEAR(at(det(a), general).item(), 51.75, 1e-10);
  const Vars parts = slogdet(a);
  const Results r = function({a}, {parts[0], parts[1]})(general);
  EXPECT_EQ(r[0].item(), 1);
  EXPECT_NEAR(r[1].item(), std::log(51.75), 1e-12);
}

TEST_F(Linalg, Decompositions) {
  expect_close(at(dot(cholesky(a), transpose(cholesky(a))), definite), definite);
  const Vars e = eigh(a), q = qr(a), s = svd(a);
  expect_close(at(dot(e[1] * dimshuffle(e[0], {-1, 0}), transpose(e[1])), definite), definite);
  expect_close(at(dot(q[0], q[1]), tall), tall);
  expect_close(at(dot(s[0] * dimshuffle(s[1], {-1, 0}), s[2]), tall), tall);
  expect_close(at(dot(pinv(a), a), tall), Array::eye(2));
}

TEST_F(Linalg, DiagonalsAndProducts) {
  expect_close(at(diag(a), general), Array({4, 3, 5}));
  EXPECT_EQ(at(trace(a), general).item(), 12);
  const Variable v = vector("v", DType::float64);
  expect_close(function({v}, diag(v))(Array({1, 2})), Array({{1, 0}, {0, 2}}));
  expect_close(function({v}, outer(v, v))(Array({1, 2})), Array({{1, 2}, {2, 4}}));
  EXPECT_EQ(Array(function({v}, norm(v))(Array({3, 4}))).item(), 5);
}

TEST_F(Linalg, BatchedDotMatchesDot) {
  const Variable x = tensor3("x", DType::float64), y = tensor3("y", DType::float64);
  RandomState random(3);
  const Array left = random.randn({2, 3, 4}), right = random.randn({2, 4, 5});
  const Array both = function({x, y}, batched_dot(x, y))(left, right);
  const Variable b = matrix("b", DType::float64);
  const Function product = function({a, b}, dot(a, b));
  for (std::int64_t i : {0, 1})
    expect_close(both[i], product(left[i].copy(), right[i].copy()));
}

TEST_F(Linalg, GradientsMatchDifferences) {
  const auto symmetric = [](const Variable& x) { return (x + transpose(x)) / 2; };
  const auto check = [](FunctionRef<Variable(const Vars&)> build, const Array& at) {
    expect_gradients_match(build, {at});
  };
  check([](const Vars& in) { return matrix_inverse(in[0]); }, general);
  check([](const Vars& in) { return det(in[0]) / 50; }, general);
  check([](const Vars& in) { return logabsdet(in[0]); }, general);
  check([](const Vars& in) { return pinv(in[0]); }, tall);
  check([&](const Vars& in) { return cholesky(symmetric(in[0])); }, definite);
  check([&](const Vars& in) { return eigh(symmetric(in[0]))[0]; }, definite);
  check([&](const Vars& in) { return sqr(eigh(symmetric(in[0]))[1]); }, definite);
  check([](const Vars& in) { return matrix_power(in[0], 3) / 100; }, general);
  for (const Array& b : {Array({1, 2, 3}), general}) {
    expect_gradients_match([](const Vars& in) { return solve(in[0], in[1]); }, {definite, b});
  }
}

TEST_F(Linalg, RefusesWhatIsNotSquareOrSingular) {
  EXPECT_THROW(at(matrix_inverse(a), tall), Error);
  EXPECT_THROW(at(matrix_inverse(a), Array({{1, 2}, {2, 4}})), Error);
  EXPECT_THROW(matrix_inverse(vector("v")), Error);
}

}  // namespace
}  // namespace hypatia
