// The loops that documentation shows with their printed results, on the host and on the simulated
// GPU (see scan_devices_test.cpp).
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

Array column(std::initializer_list<double> both, int columns) {
  Array a(DType::float64, Dims{static_cast<std::int64_t>(both.size()), columns});
  double* to = a.data<double>();
  for (double v : both) {
    for (int c = 0; c < columns; ++c)
      *to++ = v;
  }
  return a;
}

Array range(std::int64_t n) {
  return Array::arange(n).astype(DType::float64);
}

TEST(ScanGolden, PowerOfAVector) {
  const Variable a = vector("A", DType::float64), k = iscalar("k");
  const auto [powers, updates] = scan(
      [](Variable before, Variable x) { return before * x; },
      {.outputs_info = {ones_like(a)}, .non_sequences = {a}, .n_steps = k});
  const Function power = function({a, k}, powers[0][-1], {.updates = updates});
  Array square(DType::float64, {10}), fourth(DType::float64, {10});
  for (int i = 0; i < 10; ++i) {
    square.data<double>()[i] = i * i;
    fourth.data<double>()[i] = i * i * i * i;
  }
  EXPECT_TRUE(same_elements(asarray(power(range(10), 2)), square));
  EXPECT_TRUE(same_elements(asarray(power(range(10), 4)), fourth));
  const Function slope = function({a, k}, grad(powers[0][-1].sum(), a));
  const Array cubes = slope(range(10), 4);
  for (int i = 0; i < 10; ++i)
    EXPECT_DOUBLE_EQ(cubes.at({i}), 4.0 * i * i * i);
}

TEST(ScanGolden, PolynomialAsAMapAndASum) {
  const Variable c = vector("coefficients", DType::float64), x = scalar("x", DType::float64);
  const ScanResult terms = scan(
      [](Variable coefficient, Variable power, Variable free) {
        return coefficient * pow(free, power);
      },
      {.sequences = {c, arange(10000)}, .outputs_info = {none}, .non_sequences = {x}});
  const Variable value = terms[0].sum();
  EXPECT_EQ(Array(function({c, x}, value)(Array({1, 0, 2}), 3.0)).item(), 19.0);
  const Results slopes = function({c, x}, grad(value, {c, x}))(Array({1, 0, 2}), 3.0);
  EXPECT_TRUE(all_close(asarray(slopes[0]), Array({1, 3, 9}))) << to_text(slopes[0]);
  EXPECT_NEAR(slopes[1].item(), 12, 1e-9);
}

TEST(ScanGolden, PolynomialSummedInside) {
  const Variable c = vector("coefficients", DType::float64), x = scalar("x", DType::float64);
  const ScanResult sums = scan(
      [](Variable coefficient, Variable power, Variable before, Variable free) {
        return before + coefficient * pow(free, power);
      },
      {.sequences = {c, arange(10000)}, .outputs_info = {0.0}, .non_sequences = {x}});
  EXPECT_EQ(Array(function({c, x}, sums[0][-1])(Array({1, 0, 2}), 3.0)).item(), 19.0);
  const Array slope = function({c, x}, grad(sums[0][-1], c))(Array({1, 0, 2}), 3.0);
  EXPECT_TRUE(all_close(asarray(slope), Array({1, 3, 9}))) << to_text(slope);
}

TEST(ScanGolden, TriangularNumbers) {
  const Variable up_to = iscalar("up_to");
  const ScanResult sums = scan(
      [](Variable value, Variable before) { return value + before; },
      {.sequences = {arange(up_to)}, .outputs_info = {Array(std::int64_t{0})}});
  Array expected(DType::int64, {15});
  for (std::int64_t i = 0, sum = 0; i < 15; ++i)
    expected.data<std::int64_t>()[i] = sum += i;
  const Array got = function({up_to}, sums[0])(15);
  EXPECT_TRUE(same_elements(asarray(got), expected)) << to_text(got);
}

TEST(ScanGolden, ValuesSetAtPlaces) {
  const Variable places = imatrix("places"), values = vector("values", DType::float64);
  const Variable model = matrix("model", DType::float64);
  const ScanResult set = scan(
      [](Variable place, Variable value, Variable model_of_step) {
        const Variable zero = zeros_like(model_of_step);
        return set_subtensor(zero(place[0], place[1]), value);
      },
      {.sequences = {places, values}, .outputs_info = {none}, .non_sequences = {model}});
  const Function f = function({places, values, model}, set[0]);
  const Array got =
      f(Array({{1, 1}, {2, 3}}).astype(DType::int32),
        Array({42, 50}),
        Array::zeros(DType::float64, {5, 5}));
  Array expected = Array::zeros(DType::float64, {2, 5, 5});
  expected.data<double>()[6] = 42;
  expected.data<double>()[25 + 13] = 50;
  EXPECT_TRUE(same_elements(asarray(got), expected)) << to_text(got);
}

TEST(ScanGolden, TanhOfEachRow) {
  const Variable x = matrix("X", DType::float64), w = matrix("W", DType::float64);
  const Variable b = vector("b", DType::float64);
  const ScanResult rows = scan(
      [&](Variable v) { return tanh(dot(v, w) + b); }, {.sequences = {x}, .outputs_info = {none}});
  const Array two = Array::eye(2), ones = Array::ones(DType::float64, {2, 2}), bias({1, 2});
  const Array got = function({x, w, b}, rows[0])(two, ones, bias);
  const Array expected({{.96402758, .99505475}, {.96402758, .99505475}});
  EXPECT_TRUE(all_close(asarray(got), expected, 0, 5e-9)) << to_text(got);
  const Array slope = function({x, w, b}, grad(rows[0].sum(), b))(two, ones, bias);
  EXPECT_TRUE(all_close(
      asarray(slope),
      Array({2 * (1 - .96402758 * .96402758), 2 * (1 - .99505475 * .99505475)}),
      0,
      1e-7));
}

TEST(ScanGolden, RecurrenceWithTwoSequences) {
  const Variable x0 = vector("X", DType::float64), w = matrix("W", DType::float64);
  const Variable y = matrix("Y", DType::float64), u = matrix("U", DType::float64);
  const Variable p = matrix("P", DType::float64), v = matrix("V", DType::float64);
  const ScanResult states = scan(
      [&](Variable y_t, Variable p_back, Variable before) {
        return tanh(dot(before, w) + dot(y_t, u) + dot(p_back, v));
      },
      {.sequences = {y, p[slice(none, none, -1)]}, .outputs_info = {x0}});
  const Array ones = Array::ones(DType::float64, {2, 2});
  Array ys = Array::ones(DType::float64, {5, 2}), ps = Array::ones(DType::float64, {5, 2});
  ys.data<double>()[0] = ys.data<double>()[1] = -3;
  ps.data<double>()[0] = ps.data<double>()[1] = 3;
  const Array got =
      function({x0, w, y, u, p, v}, states[0])(Array({0, 1}), ones, ys, ones, ps, ones);
  const Array expected = column({-.99505475, .96471973, .99998585, .99998771, 1.}, 2);
  EXPECT_TRUE(all_close(asarray(got), expected, 0, 6e-9)) << to_text(got);
}

Array shifted_diagonal() {
  Array a = Array::zeros(DType::float64, {6, 6});
  for (int i = 0; i < 5; ++i)
    a.data<double>()[i * 6 + i + 1] = i + 1;
  return a;
}

TEST(ScanGolden, NormsOfRows) {
  const Variable x = matrix("X", DType::float64);
  const ScanResult norms = scan_map([](Variable row) { return sqrt(sqr(row).sum()); }, {x});
  const Array got = function({x}, norms[0])(shifted_diagonal());
  EXPECT_TRUE(all_close(asarray(got), Array({1, 2, 3, 4, 5, 0}))) << to_text(got);
}

TEST(ScanGolden, NormsOfColumns) {
  const Variable x = matrix("X", DType::float64);
  const ScanResult norms = scan_map([](Variable row) { return sqrt(sqr(row).sum()); }, {x.T()});
  const Array got = function({x}, norms[0])(shifted_diagonal());
  EXPECT_TRUE(all_close(asarray(got), Array({0, 1, 2, 3, 4, 5}))) << to_text(got);
}

TEST(ScanGolden, TraceWithACastCarry) {
  const Variable x = matrix("X", DType::float64);
  const ScanResult sums = scan(
      [&](Variable i, Variable j, Variable before) {
        return cast(x(i, j) + before, DType::float32);
      },
      {
          .sequences = {arange(shape_i(x, 0)), arange(shape_i(x, 1))},
          .outputs_info = {Array(0.0F)},
      });
  Array value = Array::eye(5);
  for (int i = 0; i < 5; ++i)
    value.data<double>()[i] = i;
  EXPECT_EQ(Array(function({x}, sums[0][-1])(value)).item(), 4.0);
}

TEST(ScanGolden, TwoTaps) {
  const Variable x0 = matrix("X", DType::float64), w = matrix("W", DType::float64);
  const Variable u = matrix("U", DType::float64), v = matrix("V", DType::float64);
  const Variable b = vector("b", DType::float64), n = iscalar("n");
  const ScanResult states = scan(
      [&](Variable before2, Variable before1) {
        return dot(before2, u) + dot(before1, v) + tanh(dot(before1, w) + b);
      },
      {.outputs_info = {taps(x0, {-2, -1})}, .n_steps = n});
  const Array half = Array::full(DType::float64, {2, 2}, 0.5);
  const Array got = function({x0, w, u, v, b, n}, states[0])(
      Array({{0, 0}, {0, 1}}), half, Array({{0, .5}, {.5, 0}}), half, Array({1, 1}), 10);
  const Array expected(
      {{1.40514825, 1.40514825},
       {2.88898899, 2.38898899},
       {4.34018291, 4.34018291},
       {6.53463142, 6.78463142},
       {9.82972243, 9.82972243},
       {14.22203814, 14.09703814},
       {20.07439936, 20.07439936},
       {28.12291843, 28.18541843},
       {39.1913681, 39.1913681},
       {54.28407732, 54.25282732}});
  EXPECT_TRUE(all_close(asarray(got), expected, 0, 6e-9)) << to_text(got);
}

TEST(ScanGolden, JacobianByRows) {
  const Variable v = vector("v", DType::float64), a = matrix("A", DType::float64);
  const Variable y = tanh(dot(v, a));
  const ScanResult rows =
      scan([&](Variable i) { return grad(y[i], v); }, {.sequences = {arange(shape_i(y, 0))}});
  Array start = Array::zeros(DType::float64, {5}), weights = Array::zeros(DType::float64, {5, 3});
  start.data<double>()[0] = 1;
  for (int i = 0; i < 3; ++i)
    weights.data<double>()[i * 3 + i] = weights.data<double>()[6 + i] = 1;
  const Array got = function({v, a}, rows[0])(start, weights);
  const Array expected({{.41997434, 0, .41997434, 0, 0}, {0, 1, 1, 0, 0}, {0, 0, 1, 0, 0}});
  EXPECT_TRUE(all_close(asarray(got), expected, 0, 6e-9)) << to_text(got);
}

TEST(ScanGolden, SharedCounter) {
  const Shared k = shared(Array(std::int64_t{0}), "k");
  const Variable n = iscalar("n");
  const ScanResult counted = scan(
      [&]() {
        return std::vector<Update>{{k, cast(k + 1, DType::int64)}};
      },
      {.n_steps = n});
  const Function f = function({n}, Outputs(), {.updates = counted.updates});
  EXPECT_EQ(k.get_value().item(), 0);
  f(5);
  EXPECT_EQ(k.get_value().item(), 5);
}

TEST(ScanGolden, SharedBeforeAndAfter) {
  const Shared a = shared(Array(std::int64_t{1}), "a");
  const ScanResult counted = scan(
      [&]() {
        return std::vector<Update>{{a, cast(a + 1, DType::int64)}};
      },
      {.n_steps = 10});
  const Variable b = a + 1, c = counted.updated(a) + 1;
  const Results r = function({}, {b, c}, {.updates = counted.updates})();
  EXPECT_EQ(r[0].item(), 2);
  EXPECT_EQ(r[1].item(), 12);
  EXPECT_EQ(a.get_value().item(), 11);
}

TEST(ScanGolden, PowersOfTwoUntilAValue) {
  const Variable most = scalar("max_value", DType::float64);
  const ScanResult powers = scan(
      [&](Variable before) {
        const Variable next = before * 2;
        return ScanStep{.outputs = {next}, .until = next > most};
      },
      {.outputs_info = {1.0}, .n_steps = 1024});
  const Function f = function({most}, powers[0]);
  EXPECT_TRUE(same_elements(asarray(Array(f(45.0))), Array({2, 4, 8, 16, 32, 64})));
  EXPECT_TRUE(same_elements(asarray(Array(f(1.0))), Array({2})));
}

TEST(ScanGolden, GibbsChainAdvancesByItsUpdates) {
  const Shared w = shared(Array({{0.5, -1}, {1, 0.25}, {-0.5, 0.75}}), "W");
  const Shared visible = shared(Array::zeros(DType::float64, {3}), "bvis");
  const Shared hidden = shared(Array::zeros(DType::float64, {2}), "bhid");
  RandomStreams streams(1234);
  const auto one_step = [&](Variable v) {
    const Variable h = cast(streams.uniform({2}) < sigmoid(dot(v, w) + hidden), DType::float64);
    const Variable back = sigmoid(dot(w, h) + visible);
    return cast(streams.uniform({3}) < back, DType::float64);
  };
  const Variable sample = vector("sample", DType::float64);
  const ScanResult chain = scan(one_step, {.outputs_info = {sample}, .n_steps = 10});
  const Array start = Array::zeros(DType::float64, {3});
  const Function still = function({sample}, chain[0]);
  const Array first = asarray(Array(still(start))).copy();
  EXPECT_TRUE(same_elements(asarray(Array(still(start))), first));
  const Function moving = function({sample}, chain[0], {.updates = chain.updates});
  EXPECT_TRUE(same_elements(asarray(Array(moving(start))), first));
  EXPECT_FALSE(same_elements(asarray(Array(moving(start))), first));
}

}  // namespace
}  // namespace hypatia
