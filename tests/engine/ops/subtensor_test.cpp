#include <cstring>
#include <gtest/gtest.h>
#include <random>

#include "engine/ops/values.h"

using namespace hypatia;

namespace {

/// Python's slice, by counting: which of n elements it takes.
std::vector<std::int64_t> taken(
    std::int64_t n, std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (start < 0) start += n;
  if (stop < 0) stop += n;
  std::vector<std::int64_t> out;
  if (step > 0) {
    for (std::int64_t i = std::max<std::int64_t>(start, 0); i < std::min(stop, n); i += step)
      out.push_back(i);
  } else {
    for (std::int64_t i = std::min(start, n - 1); i > std::max<std::int64_t>(stop, -1); i += step)
      out.push_back(i);
  }
  return out;
}

TEST(Subtensor, TakesWhatPythonTakes) {
  std::mt19937 random(1);
  const Variable start = scalar("start", "int64"), stop = scalar("stop", "int64");
  const Variable x = matrix("x", "float32");
  for (std::int64_t step : {1, 2, 3, -1, -2}) {
    const Function f = function({x, start, stop}, x[slice(start, stop, step)] + 0.5f);
    for (int round = 0; round < 12; ++round) {
      const auto n = static_cast<std::int64_t>(random() % 6);
      const auto a = static_cast<std::int64_t>(random() % 17) - 8;
      const auto b = static_cast<std::int64_t>(random() % 17) - 8;
      const Array value = Array::arange(n * 2).astype(DType::float32).reshape({n, 2});
      List wanted;
      for (std::int64_t i : taken(n, a, b, step)) {
        wanted.push_back(static_cast<double>(2 * i) + 0.5);
        wanted.push_back(static_cast<double>(2 * i + 1) + 0.5);
      }
      EXPECT_EQ(asarray(f(value, Array(a), Array(b)).only()).to_vector(), wanted)
          << n << " [" << a << ":" << b << ":" << step << "]";
    }
  }
}

TEST(Subtensor, NumbersDropAxes) {
  const Variable x = counting({3, 4});
  EXPECT_EQ(list_of(x[1]), (List{4, 5, 6, 7}));
  EXPECT_EQ(list_of(x(every, -1)), (List{3, 7, 11}));
  EXPECT_EQ(list_of(x(slice(1, none), slice(none, 2))), (List{4, 5, 8, 9}));
  EXPECT_EQ(list_of(x(ellipsis, 0)), (List{0, 4, 8}));
  EXPECT_EQ(value_of(x(newaxis, 1, every, newaxis)).dims(), (Dims{1, 4, 1}));
  EXPECT_EQ(list_of(flip(x[0], 0)), (List{3, 2, 1, 0}));
  EXPECT_EQ(list_of(roll(counting({5}), 2, 0)), (List{3, 4, 0, 1, 2}));
  EXPECT_EQ(list_of(roll(counting({5}), -1, 0)), (List{1, 2, 3, 4, 0}));
}

TEST(Subtensor, BatchesOfAnInputDontCompileAgain) {
  const Variable data = shared(Array::arange(12).astype(DType::float32).reshape({6, 2}), "data");
  const Variable i = scalar("i", "int64");
  const Function f = function({i}, (data[slice(i * 2, (i + 1) * 2)] * 10.0f).sum(0));
  std::string source;
  for (std::int64_t batch = 0; batch < 3; ++batch) {
    const double first = static_cast<double>(8 * batch + 2) * 10;
    EXPECT_EQ(asarray(f(Array(batch)).only()).to_vector(), (List{first, first + 20}));
    if (batch > 0) {
      EXPECT_EQ(f.source(), source);
    }
    source = f.source();
  }
}

TEST(Subtensor, OutOfBoundsNamesIndexAndSize) {
  const Variable x = counting({3, 4}), i = scalar("i", "int64");
  const Function f = function({i}, x[i]);
  EXPECT_EQ(asarray(f(Array(std::int64_t{-1})).only()).to_vector(), (List{8, 9, 10, 11}));
  try {
    f(Array(std::int64_t{3}));
    FAIL() << "index 3 of 3 rows was taken";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("index 3 is out of bounds for axis 0 with size 3"), std::string::npos);
    EXPECT_NE(text.find("subtensor_test.cpp"), std::string::npos) << text;
  }
}

TEST(SetSubtensor, LeavesTheRest) {
  const Variable x = counting({2, 3});
  EXPECT_EQ(list_of(set_subtensor(x[0], 9.0f)), (List{9, 9, 9, 3, 4, 5}));
  EXPECT_EQ(
      list_of(inc_subtensor(x(every, slice(none, none, -2)), counting({2, 2}) * 10.0f)),
      (List{10, 1, 2, 33, 4, 25}));
  const Variable i = scalar("i", "int64");
  const Function f = function({i}, set_subtensor(x[i], counting({3})));
  EXPECT_EQ(asarray(f(Array(std::int64_t{1})).only()).to_vector(), (List{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(list_of(x), (List{0, 1, 2, 3, 4, 5}));
}

TEST(Gather, PicksRowsElementsAndMasks) {
  const Variable x = counting({3, 4});
  const Variable rows = shared(Array::of<std::int64_t>({2, -3, 2}), "rows");
  const Variable columns = shared(Array::of<std::int64_t>({0, 1, -1}), "columns");
  EXPECT_EQ(list_of(x[rows]), (List{8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(list_of(x(rows, columns)), (List{8, 1, 11}));
  EXPECT_EQ(list_of(x(every, columns)), (List{0, 1, 3, 4, 5, 7, 8, 9, 11}));
  EXPECT_EQ(list_of(take(x, rows)), (List{2, 9, 2}));
  EXPECT_EQ(list_of(x[x > 8.5f]), (List{9, 10, 11}));
  EXPECT_EQ(list_of(x[x > 100.0f]), List{});
  EXPECT_EQ(list_of(nonzero(x > 9.5f)[1]), (List{2, 3}));
  EXPECT_EQ(list_of(x[rows](every, 1) * 2.0f), (List{18, 2, 18}));
}

/// Where x, of shape (3, 4), is picked by each of these index arrays, all pairs of which stretch.
std::vector<std::pair<Array, Array>> pairs_that_stretch() {
  const auto of = [](std::initializer_list<std::int64_t> values, const Dims& dims) {
    return Array::of<std::int64_t>(values).reshape(dims);
  };
  return {
      {of({0, 1, 2}, {3, 1}), of({0, 1, 1, 2, -1, 3}, {3, 2})},
      {of({0, 1, 2}, {3, 1}), of({1, -1}, {1, 2})},
      {of({2, 0}, {1, 2}), of({0, 1, 1, 2, -1, 3}, {3, 2})},
      {of({1, 0, 2, -1}, {2, 2}), of({2}, {1, 1})},
      {of({-1}, {1, 1}), of({0, 3}, {1, 2})},
  };
}

// Whether inputs or constants, and whatever their patterns say: a size of 1 stretches.
TEST(Gather, IndexArraysStretchWhereTheirSizeIsOne) {
  const Variable x = dmatrix("x"), a = lmatrix("a"), b = lmatrix("b");
  const Variable picked = x(a, b);
  const Function f = function(
      {x, a, b},
      {picked, set_subtensor(picked, 90.0), inc_subtensor(picked, 90.0), grad(picked.sum(), x)});
  Array table(DType::float64, {3, 4});
  for (int i = 0; i < 12; ++i)
    table.span<double>()[static_cast<std::size_t>(i)] = i;
  for (const auto& [rows, columns] : pairs_that_stretch()) {
    const Results got = f(table, rows, columns);
    const std::int64_t high = std::max(rows.dims()[0], columns.dims()[0]);
    const std::int64_t wide = std::max(rows.dims()[1], columns.dims()[1]);
    Array part(DType::float64, {high, wide}), set = table.copy(), inc = table.copy();
    Array counts = Array::zeros(DType::float64, {3, 4});
    for (std::int64_t i = 0; i < high; ++i) {
      for (std::int64_t j = 0; j < wide; ++j) {
        const auto at = [&](const Array& index) {
          return static_cast<std::int64_t>(
              index.at({index.dims()[0] == 1 ? 0 : i, index.dims()[1] == 1 ? 0 : j}));
        };
        const std::int64_t r = (at(rows) + 3) % 3, c = (at(columns) + 4) % 4;
        const auto place = static_cast<std::size_t>(r * 4 + c);
        part.span<double>()[static_cast<std::size_t>(i * wide + j)] = table.span<double>()[place];
        set.span<double>()[place] = 90;
        inc.span<double>()[place] += 90;
        counts.span<double>()[place] += 1;
      }
    }
    EXPECT_TRUE(same_elements(got[0], part)) << to_text(got[0]);
    EXPECT_TRUE(same_elements(got[1], set)) << to_text(got[1]);
    EXPECT_TRUE(same_elements(got[2], inc)) << to_text(got[2]);
    EXPECT_TRUE(same_elements(got[3], counts)) << to_text(got[3]);
    const Variable fixed = x(constant(rows), constant(columns));
    EXPECT_TRUE(same_elements(
        asarray(
            function({x}, set_subtensor(fixed, 90.0), {.mode = {.name = "FAST_COMPILE"}})(table)),
        set));
  }
}

TEST(Gather, OutOfBoundsNamesIndexAndSize) {
  const Variable x = counting({3, 4});
  const Variable rows = shared(Array::of<std::int64_t>({0, 3}), "rows");
  try {
    value_of(x[rows]);
    FAIL() << "row 3 of 3 was taken";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("index 3 is out of bounds for an axis of size 3"), std::string::npos);
    EXPECT_NE(text.find("subtensor_test.cpp"), std::string::npos) << text;
  }
}

TEST(Gather, RepeatedIndicesAddUp) {
  const Variable x = counting({3});
  const Variable rows = shared(Array::of<std::int64_t>({2, 0, 2}), "rows");
  EXPECT_EQ(list_of(inc_subtensor(x[rows], 10.0f)), (List{10, 1, 22}));
  EXPECT_EQ(list_of(set_subtensor(x[rows], counting({3}))), (List{1, 1, 2}));
  EXPECT_EQ(list_of(grad((x[rows] * counting({3})).sum(), x)), (List{1, 0, 2}));
}

/// Numbers below `end` in a fixed order without order.
template <class T>
Array scattered(std::int64_t n, std::int64_t end) {
  Array all(dtype_of<T>, {n});
  std::mt19937 random(7);
  for (std::int64_t i = 0; i < n; ++i)
    all.data<T>()[i] = static_cast<T>(random() % static_cast<unsigned>(end));
  return all;
}

/// On a device of many threads, too: the order in which repeated indices add is always the same.
TEST(Gather, RepeatedIndicesAddToTheSameBitsEachTime) {
  constexpr std::int64_t n = 20'000, rows = 37;
  const Array where = scattered<std::int64_t>(n, rows), what = scattered<float>(n, 1 << 20);
  const Shared at = shared(where, "at"), added = shared(what, "added");
  const Shared x = shared(Array::zeros(DType::float32, {rows}), "x");
  const Function f = function({}, {inc_subtensor(x[at], added * 1e-3F), added[at]});
  const Results first = f();
  const Array sums = asarray(first[0]), picked = asarray(first[1]);
  std::vector<double> expected(rows, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t row = where.data<std::int64_t>()[i];
    expected[static_cast<std::size_t>(row)] += static_cast<double>(what.data<float>()[i]) * 1e-3;
    ASSERT_EQ(picked.at({i}), what.at({row})) << i;
  }
  for (std::int64_t row = 0; row < rows; ++row)
    EXPECT_NEAR(sums.at({row}) / expected[static_cast<std::size_t>(row)], 1, 1e-5) << row;
  for (int again = 0; again < 5; ++again) {
    const Array same = asarray(f()[0]);
    EXPECT_EQ(std::memcmp(same.address(), sums.address(), sums.bytes()), 0);
  }
}

TEST(Subtensor, GradientsFillZeros) {
  const Variable x = counting({2, 3});
  EXPECT_EQ(list_of(grad(sqr(x(every, slice(1, none))).sum(), x)), (List{0, 2, 4, 0, 8, 10}));
  const Variable y = counting({3});
  const Variable cost = (set_subtensor(x[1], y) * counting({2, 3})).sum();
  EXPECT_EQ(list_of(grad(cost, x)), (List{0, 1, 2, 0, 0, 0}));
  EXPECT_EQ(list_of(grad(cost, y)), (List{3, 4, 5}));
}

TEST(Split, GivesThePartsInOrder) {
  const Vars parts = split(counting({5}), {2, 3});
  EXPECT_EQ(list_of(parts[0]), (List{0, 1}));
  EXPECT_EQ(list_of(parts[1]), (List{2, 3, 4}));
}

}  // namespace
