// Brackets that mix numbers, slices, index arrays, masks and new axes, against a reference that
// counts coordinates by the rules of NumPy's documentation.
#include <random>

#include "engine/ops/subtensor.h"
#include "engine/ops/values.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

using Places = std::vector<std::int64_t>;

/// One entry of the brackets, with what the reference needs of it.
struct Entry {
  enum class Kind { number, range, numbers, mask, new_axis, rest };

  Kind kind = Kind::range;
  Index index;
  Places places;                // of a number, a range, or an index array
  std::vector<Places> of_mask;  // coordinates of a mask's elements, axis by axis
  std::vector<bool> mask = {};
  int axes = 0;  // that an ellipsis stands for
};

/// What brackets pick: their dims, and the place of each element in x.
struct Picked {
  Dims dims;
  Places places;
};

struct Case {
  Dims dims;
  std::vector<Entry> entries;
  std::string text;
};

class Cases {
 public:
  explicit Cases(std::uint32_t seed) : random_(seed) {}

  Case next() {
    Case c;
    const int rank = 1 + number(4);
    for (int a = 0; a < rank; ++a)
      c.dims.push_back(2 + number(3));
    length_ = 1 + number(3);
    int axis = 0;
    bool rest = false;
    while (axis < rank || c.entries.empty()) {
      if (!rest && number(5) == 0) {
        rest = true;
        axis += add_rest(&c, number(rank - axis + 1));
        continue;
      }
      if (number(5) == 0 && c.entries.size() < 6) add_new_axis(&c);
      if (axis > 0 && !rest && number(6) == 0) break;  // the axes left stay whole
      const int kind = number(10);
      const bool masked = kind == 9 && (axis + 1 < rank || length_ > 1);
      if (kind < 2) {
        add_number(&c, axis++);
      } else if (kind < 6) {
        add_range(&c, axis++);
      } else if (!masked) {
        add_numbers(&c, axis++);
      } else {
        const int axes = axis + 1 < rank && number(2) ? 2 : 1;
        add_mask(&c, axis, axes);
        axis += axes;
      }
    }
    return c;
  }

 private:
  int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  /// A place of an axis, counted from its end half of the time.
  std::int64_t counted(std::int64_t place, std::int64_t size) {
    return number(2) ? place : place - size;
  }

  void add_new_axis(Case* c) {
    c->entries.push_back({Entry::Kind::new_axis, newaxis, {}, {}});
    c->text += "newaxis, ";
  }

  int add_rest(Case* c, int axes) {
    c->entries.push_back({Entry::Kind::rest, ellipsis, {}, {}, {}, axes});
    c->text += "..., ";
    return axes;
  }

  void add_number(Case* c, int axis) {
    const std::int64_t size = c->dims[axis], place = number(static_cast<int>(size));
    const std::int64_t given = counted(place, size);
    c->entries.push_back({Entry::Kind::number, Index(given), {place}, {}});
    c->text += std::to_string(given) + ", ";
  }

  void add_range(Case* c, int axis) {
    const std::int64_t size = c->dims[axis];
    const std::int64_t first = number(static_cast<int>(size)), step = number(2) ? 1 : 2;
    const bool back = number(3) == 0;
    Entry e{Entry::Kind::range, slice(first, none, back ? -step : step), {}, {}};
    for (std::int64_t i = first; i >= 0 && i < size; i += back ? -step : step)
      e.places.push_back(i);
    c->entries.push_back(e);
    c->text += std::to_string(first) + "::" + std::to_string(back ? -step : step) + ", ";
  }

  void add_numbers(Case* c, int axis) {
    const std::int64_t size = c->dims[axis];
    Entry e{Entry::Kind::numbers, {}, {}, {}};
    std::vector<std::int64_t> given;
    for (int i = 0; i < length_; ++i) {
      e.places.push_back(number(static_cast<int>(size)));
      given.push_back(counted(e.places.back(), size));
    }
    const Array values = Array::of(std::span<const std::int64_t>(given));
    e.index = shared(values, "rows");
    c->entries.push_back(e);
    c->text += to_text(values) + ", ";
  }

  /// A mask with as many true elements as the index arrays have.
  void add_mask(Case* c, int axis, int axes) {
    Dims dims;
    for (int a = 0; a < axes; ++a)
      dims.push_back(c->dims[axis + a]);
    const std::int64_t count = elements(dims);
    if (count < length_) return add_numbers(c, axis);
    std::vector<bool> values(static_cast<std::size_t>(count), false);
    for (int set = 0; set < length_;) {
      const auto at = static_cast<std::size_t>(number(static_cast<int>(count)));
      if (values[at]) continue;
      values[at] = true;
      ++set;
    }
    Array mask(DType::boolean, dims);
    Entry e{Entry::Kind::mask, {}, {}, std::vector<Places>(static_cast<std::size_t>(axes))};
    for (std::size_t i = 0; i < values.size(); ++i) {
      mask.data<bool>()[i] = values[i];
      if (!values[i]) continue;
      const auto place = static_cast<std::int64_t>(i);
      const std::int64_t inner = axes == 2 ? dims[1] : 1;
      e.of_mask[0].push_back(axes == 2 ? place / inner : place);
      if (axes == 2) e.of_mask[1].push_back(place % inner);
    }
    e.index = shared(mask, "mask");
    c->entries.push_back(e);
    c->text += to_text(mask) + ", ";
  }

  std::mt19937 random_;
  int length_ = 1;
};

/// What an axis of the result runs over.
struct Axis {
  enum class Runs { slice, arrays, nothing };
  Runs runs;
  int axis;  // of x, for a slice
  std::int64_t size;
};

/// The reference: an axis of the result runs over a slice, over the index arrays, or over nothing.
Picked picked_by(const Case& c) {
  std::vector<Places> along(static_cast<std::size_t>(c.dims.rank()));
  std::vector<bool> advanced(along.size(), false);
  std::vector<Axis> axes;
  int axis = 0, runs = 0, place_of_arrays = -1;
  std::int64_t length = 1;
  bool before = false, arrays = false;
  const auto add_whole = [&] {
    for (std::int64_t i = 0; i < c.dims[axis]; ++i)
      along[static_cast<std::size_t>(axis)].push_back(i);
    axes.push_back({Axis::Runs::slice, axis, c.dims[axis]});
    ++axis;
  };
  for (const Entry& e : c.entries)
    arrays |= e.kind == Entry::Kind::numbers || e.kind == Entry::Kind::mask;
  for (const Entry& e : c.entries) {
    const bool is_advanced = e.kind == Entry::Kind::numbers || e.kind == Entry::Kind::mask ||
                             e.kind == Entry::Kind::number;
    if (is_advanced) {
      if (!before) ++runs;
      if (place_of_arrays < 0) place_of_arrays = static_cast<int>(axes.size());
      const auto lists = e.kind == Entry::Kind::mask ? e.of_mask : std::vector<Places>{e.places};
      for (const Places& list : lists) {
        if (e.kind != Entry::Kind::number) length = static_cast<std::int64_t>(list.size());
        advanced[static_cast<std::size_t>(axis)] = true;
        along[static_cast<std::size_t>(axis++)] = list;
      }
    } else if (e.kind == Entry::Kind::new_axis) {
      axes.push_back({Axis::Runs::nothing, -1, 1});
    } else if (e.kind == Entry::Kind::rest) {
      for (int k = 0; k < e.axes; ++k)
        add_whole();
    } else {
      axes.push_back({Axis::Runs::slice, axis, static_cast<std::int64_t>(e.places.size())});
      along[static_cast<std::size_t>(axis++)] = e.places;
    }
    before = is_advanced;
  }
  while (axis < c.dims.rank())
    add_whole();
  if (arrays) {
    const int at = runs > 1 ? 0 : place_of_arrays;
    axes.insert(axes.begin() + at, {Axis::Runs::arrays, -1, length});
  }
  Picked picked;
  for (const Axis& a : axes)
    picked.dims.push_back(a.size);
  const Dims strides = row_major(c.dims), steps = row_major(picked.dims);
  for (std::int64_t n = 0; n < elements(picked.dims); ++n) {
    std::int64_t place = 0, of_arrays = 0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::int64_t i = n / steps[static_cast<int>(k)] % axes[k].size;
      if (axes[k].runs == Axis::Runs::arrays) of_arrays = i;
      if (axes[k].runs != Axis::Runs::slice) continue;
      const auto x_axis = static_cast<std::size_t>(axes[k].axis);
      place += along[x_axis][static_cast<std::size_t>(i)] * strides[axes[k].axis];
    }
    for (std::size_t x_axis = 0; x_axis < along.size(); ++x_axis) {
      if (!advanced[x_axis]) continue;
      const Places& list = along[x_axis];
      const std::int64_t i = list.size() == 1 ? 0 : of_arrays;
      place += list[static_cast<std::size_t>(i)] * strides[static_cast<int>(x_axis)];
    }
    picked.places.push_back(place);
  }
  return picked;
}

void expect_like_reference(const Case& c) {
  const Picked picked = picked_by(c);
  const Variable x = counting(c.dims);
  std::vector<Index> indices;
  for (const Entry& e : c.entries)
    indices.push_back(e.index);
  const Variable part = indexed(x, indices);
  ASSERT_EQ(part.ndim(), picked.dims.rank());
  List values, set = Array::arange(elements(c.dims)).to_vector(), inc = set, ones = set;
  for (std::size_t n = 0; n < picked.places.size(); ++n) {
    const auto place = static_cast<std::size_t>(picked.places[n]);
    values.push_back(static_cast<double>(place));
    set[place] = 100 + static_cast<double>(n);
    inc[place] += 100 + static_cast<double>(n);
    ones[place] = -1;
  }
  const Array numbers = Array::arange(elements(picked.dims)).astype(DType::float32);
  Type type(DType::float32, 0);
  for (int a = 0; a < picked.dims.rank(); ++a)
    type.push_axis(picked.dims[a], part.type().broadcastable(a));
  const Variable y = constant_of_type(numbers.reshape(picked.dims), type, Origin::here()) + 100.0f;
  const Results r = function(
      {}, {part, set_subtensor(part, y), inc_subtensor(part, y), set_subtensor(part, -1)})();
  EXPECT_EQ(r[0].dims(), picked.dims);
  EXPECT_EQ(asarray(r[0]).to_vector(), values);
  EXPECT_EQ(asarray(r[1]).to_vector(), set);
  EXPECT_EQ(asarray(r[2]).to_vector(), inc);
  EXPECT_EQ(asarray(r[3]).to_vector(), ones);
}

TEST(Indexing, AnyBracketsPickAndAssignAsNumPyDoes) {
  const ChangeFlags interpreted({{"mode", "FAST_COMPILE"}});
  const std::uint32_t seed = std::random_device{}();
  Cases cases(seed);
  for (int i = 0; i < 80 && !HasFailure(); ++i) {
    const Case c = cases.next();
    SCOPED_TRACE("seed " + std::to_string(seed) + ", x" + to_text(c.dims) + "[" + c.text + "]");
    expect_like_reference(c);
  }
}

TEST(Indexing, CompiledBracketsPickAndAssignAsNumPyDoes) {
  Cases cases(7);
  for (int i = 0; i < 6 && !HasFailure(); ++i) {
    const Case c = cases.next();
    SCOPED_TRACE("x" + to_text(c.dims) + "[" + c.text + "]");
    expect_like_reference(c);
  }
}

TEST(Indexing, ASliceBesideRowsAssignsInTheWholeValue) {
  const Variable x = counting({4, 3});
  const Variable rows = shared(Array::of<std::int64_t>({2, 0}), "rows");
  EXPECT_EQ(
      list_of(set_subtensor(x(slice(1, 3), rows), -1)),
      (List{0, 1, 2, -1, 4, -1, -1, 7, -1, 9, 10, 11}));
  EXPECT_EQ(
      list_of(inc_subtensor(x(rows, slice(none, none, 2)), 100)),
      (List{100, 1, 102, 3, 4, 5, 106, 7, 108, 9, 10, 11}));
  // A value indexed before stays what it is: only the last brackets are assigned to.
  EXPECT_EQ(list_of(set_subtensor(x[slice(1, 3)](every, rows), -1)), (List{-1, 4, -1, -1, 7, -1}));
}

TEST(Indexing, ValuesWithoutAPatternFillNewAxes) {
  const Variable x = counting({2, 2}), y = shared(Array({{7, 8}}).astype(DType::float32), "y");
  EXPECT_EQ(list_of(set_subtensor(x(newaxis, 1), y)), (List{0, 1, 7, 8}));
  EXPECT_EQ(
      list_of(inc_subtensor(x(newaxis, Array::of<std::int64_t>({1, 1}), 0), y)),
      (List{0, 1, 17, 3}));
  EXPECT_EQ(list_of(set_subtensor(x(every, newaxis, every), 7)), (List{7, 7, 7, 7}));
  EXPECT_EQ(list_of(inc_subtensor(x(ellipsis, newaxis), 1)), (List{1, 2, 3, 4}));
  const Variable m = dmatrix("m"), values = dmatrix("values");
  const Function f = function({m, values}, set_subtensor(m(newaxis, 1), values));
  EXPECT_MESSAGE_WITH(
      f(Array({{1, 2}, {3, 4}}), Array({{1, 2}, {3, 4}})),
      "axis 0 is to be broadcastable and has size 2");
}

TEST(Indexing, WholeSlicesAreAPartToo) {
  const Variable x = counting({2, 2});
  EXPECT_EQ(list_of(set_subtensor(x[every], 7)), (List{7, 7, 7, 7}));
  EXPECT_EQ(list_of(inc_subtensor(x(ellipsis), x)), (List{0, 2, 4, 6}));
}

TEST(Indexing, GradientsFollowTheBrackets) {
  const Variable x = counting({3, 3}), y = counting({2, 2});
  const Variable rows = shared(Array::of<std::int64_t>({2, 0}), "rows");
  const Variable part = x(slice(1, 3), rows);
  EXPECT_EQ(list_of(grad(part.sum(), x)), (List{0, 0, 0, 1, 0, 1, 1, 0, 1}));
  const Variable cost = (set_subtensor(part, y) * counting({3, 3})).sum();
  EXPECT_EQ(list_of(grad(cost, x)), (List{0, 1, 2, 0, 4, 0, 0, 7, 0}));
  EXPECT_EQ(list_of(grad(cost, y)), (List{5, 3, 8, 6}));
}

TEST(Indexing, OnlyTheLastValueOfAPlaceHasAGradient) {
  const Variable x = counting({3}), y = counting({3});
  const Variable rows = shared(Array::of<std::int64_t>({2, 0, 2}), "rows");
  const Variable cost = (set_subtensor(x[rows], y) * counting({3})).sum();
  EXPECT_EQ(list_of(grad(cost, y)), (List{0, 0, 2}));
  EXPECT_EQ(list_of(grad((inc_subtensor(x[rows], y) * counting({3})).sum(), y)), (List{2, 0, 2}));
}

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(IndexingErrors, AMaskOfOtherSizesIsRefused) {
  const Variable x = counting({3, 2}), mask = vector("mask", DType::boolean);
  const Function f = function({mask}, x[mask]);
  EXPECT_EQ(asarray(f(Array({1, 0, 1}).astype(DType::boolean)).only()).elements(), 4);
  expect_says(
      tests::message_of([&] {
        f(Array({1, 0}).astype(DType::boolean));
      }),
      "a mask of size 2 along its axis 0 for an axis of size 3");
}

TEST(IndexingErrors, AConstantIndexBeyondTheSizeNamesItsLine) {
  const Variable x = vector("x", DType::float64);
  const Function f = function({x}, x[constant(Array::of<std::int64_t>({0, 7}))]);
  const std::string text = tests::message_of([&] { f(Array({1, 2, 3})); });
  expect_says(text, "index 7 is out of bounds for an axis of size 3");
  expect_says(text, "indexing_test.cpp");
}

TEST(IndexingErrors, ValuesOfOtherSizesAreRefused) {
  const Variable x = counting({4}), y = vector("y", DType::float32);
  const Variable rows = shared(Array::of<std::int64_t>({2, 0, 1}), "rows");
  const Function f = function({y}, set_subtensor(x[rows], y));
  expect_says(
      tests::message_of([&] {
        f(Array({1, 2}).astype(DType::float32));
      }),
      "can't take values of type");
}

TEST(IndexingErrors, ValuesThatWouldLoseAreRefused) {
  const Variable n = vector("n", DType::int64), b = vector("b", DType::int8);
  const Variable s = vector("s", DType::float32);
  expect_says(
      tests::message_of([&] { set_subtensor(n[0], 0.5); }),
      "values of float32 don't fit into a part of int64");
  expect_says(
      tests::message_of([&] { inc_subtensor(b[slice(0, 2)], 300); }),
      "values of int16 don't fit into a part of int8");
  expect_says(
      tests::message_of([&] { set_subtensor(s, vector("v", DType::float64)); }), "don't fit");
  // A number takes the dtype that it goes into, if that holds it.
  EXPECT_EQ(set_subtensor(s[0], 0.1).dtype(), DType::float32);
  EXPECT_EQ(set_subtensor(n[0], b[0]).dtype(), DType::int64);
  EXPECT_EQ(set_subtensor(vector("u", DType::uint8)[0], 200).dtype(), DType::uint8);
}

TEST(IndexingErrors, SingleBoolsAreNoIndex) {
  const Variable x = counting({4});
  expect_says(
      tests::message_of([&] { x[scalar("b", DType::boolean)]; }), "a single bool is no index");
}

}  // namespace
}  // namespace hypatia
