#include "engine/run/random_streams.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/expr/leaves.h"
#include "engine/ops/compare.h"
#include "engine/ops/iota.h"
#include "engine/ops/layouts.h"
#include "engine/ops/random.h"
#include "engine/ops/reduce.h"
#include "engine/ops/require.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

Variable key_constant(std::uint64_t key) {
  Array value(DType::uint64, Dims{});
  *value.data<std::uint64_t>() = key;
  return constant(value);
}

/// Row-major numbers of the places of an array of these sizes.
Variable places(const Operands& size) {
  const int rank = static_cast<int>(size.size());
  Variable place = constant(Array(std::int64_t{0}));
  place = pad_left(place, rank, Origin{});
  for (int axis = 0; axis < rank; ++axis) {
    const Operand& extent = size[static_cast<std::size_t>(axis)];
    std::vector<int> pattern(static_cast<std::size_t>(rank), -1);
    pattern[static_cast<std::size_t>(axis)] = 0;
    place = place * cast(extent, DType::int64) + dimshuffle(iota(extent), pattern);
  }
  return place;
}

Variable as(const Operand& x, DType dtype) {
  return cast(x, dtype);
}

/// Sums of the entries up to each one along the last axis.
Variable cumulative(const Variable& p) {
  const Variable numbers = iota(shape_i(p, p.ndim() - 1));
  const Variable earlier = dimshuffle(numbers, {0, -1}) <= dimshuffle(numbers, {-1, 0});
  std::vector<int> wide;
  for (int axis = 0; axis < p.ndim(); ++axis)
    wide.push_back(axis);
  wide.push_back(-1);
  const Variable terms = dimshuffle(p, wide) * cast(earlier, p.dtype());
  return sum(terms, Axes(p.ndim() - 1));
}

/// Every element of a constant, as far as there is one.
std::vector<double> constants_in(const Operand& x) {
  const Array* value = constant_value(x.variable);
  return value ? value->to_vector() : std::vector<double>();
}

}  // namespace

RandomStreams::Stream RandomStreams::next() {
  const std::uint64_t number = states_.size();
  const Shared state =
      shared(Array(std::int64_t{0}), "random_state_" + std::to_string(number), {.target = "cpu"});
  state.set_default_update(cast(state + 1, DType::int64));
  states_.push_back(state);
  // Keys of a seed's streams lie far apart, and no two seeds share one.
  return {state, random_bits(number, 0, seed_)};
}

Variable RandomStreams::draw(
    const Stream& stream, const Operands& size, DType dtype, std::uint64_t part) {
  return random_uniform(places(size), stream.state, key_constant(stream.key + part), dtype);
}

Variable RandomStreams::uniform(
    const Operands& size, Operand low, Operand high, DTypeChoice dtype) {
  const DType d = dtype.dtype;
  const Variable u = draw(next(), size, d);
  return as(low, d) + u * (as(high, d) - as(low, d));
}

Variable RandomStreams::normal(
    const Operands& size, Operand mean, Operand deviation, DTypeChoice dtype) {
  const DType d = dtype.dtype;
  const Stream stream = next();
  // Box and Muller; 1 - u is never 0.
  const Variable radius = sqrt(-2 * log(1 - draw(stream, size, d)));
  const Variable angle = draw(stream, size, d, 1) * as(6.283185307179586, d);
  return as(mean, d) + as(deviation, d) * (radius * cos(angle));
}

Variable RandomStreams::binomial(const Operands& size, int trials, Operand p) {
  if (trials < 0) throw Error(Error::Kind::value, "binomial: trials are 0 or more");
  for (double chance : constants_in(p)) {
    if (chance >= 0 && chance <= 1) continue;
    throw Error(
        Error::Kind::value,
        "binomial: a probability of " + number_text(chance),
        "probabilities run from 0 to 1")
        .at(p.at);
  }
  Operands all = size;
  all.emplace_back(trials);
  // p goes along the counts' axes; the trials are the last one.
  Variable chance = as(p, DType::float64);
  if (chance.ndim() > 0) chance = expand_dims(chance, chance.ndim());
  const Variable success = draw(next(), all, DType::float64) < chance;
  return sum(cast(success, DType::int64), Axes(static_cast<int>(size.size())));
}

Variable RandomStreams::random_integers(const Operands& size, Operand low, Operand high) {
  const std::vector<double> lowest = constants_in(low), highest = constants_in(high);
  if (lowest.size() == 1 && highest.size() == 1 && lowest[0] > highest[0]) {
    throw Error(
        Error::Kind::value,
        "random_integers from " + std::to_string(std::llround(lowest[0])) + " to " +
            std::to_string(std::llround(highest[0])),
        "give the lower bound first")
        .at(high.at);
  }
  const Variable first = as(low, DType::int64);
  const Variable count = as(high, DType::int64) - first + 1;
  const Variable u = draw(next(), size, DType::float64);
  return first + cast(floor(u * cast(count, DType::float64)), DType::int64);
}

Variable RandomStreams::multinomial(int trials, Operand p) {
  const Variable& v = p.variable;
  if (v.ndim() < 1 || v.ndim() > 2 || !is_float(v.dtype()) || trials < 0) {
    throw Error(
        Error::Kind::value,
        "multinomial takes 0 trials or more, and a vector or a matrix of probabilities")
        .at(p.at);
  }
  const int last = v.ndim() - 1;
  const Variable wide = cast(p, DType::float64), upper = cumulative(wide);
  // One axis more, for the trials, before the outcomes.
  std::vector<int> pattern{-1, last};
  Operands size{trials};
  if (last == 1) {
    pattern.insert(pattern.begin(), 0);
    size.insert(size.begin(), Operand(shape_i(p, 0)));
  }
  std::vector<int> column{0, -1};
  if (last == 1) column.insert(column.begin() + 1, 1);
  const Variable u = dimshuffle(draw(next(), size, DType::float64), column);
  const Variable top = dimshuffle(upper, pattern), bottom = dimshuffle(upper - wide, pattern);
  const Variable chosen = (u < top) & (u >= bottom);
  return sum(cast(chosen, DType::int64), Axes(last));
}

Variable RandomStreams::choice(const Operands& size, Operand n, bool replace) {
  if (replace) return random_integers(size, 0, as(n, DType::int64) - 1);
  if (size.size() != 1) {
    throw Error(Error::Kind::shape, "choice without replacement draws one axis").at(n.at);
  }
  // Ranks among n uniform numbers are a random order; draws are those of the first ones.
  const Operand wanted(as_size(size[0], n.at), n.at), of(as_size(n, n.at), n.at);
  const RequireAttrs words{
      "choice without replacement of {0} from {1}", "draw at most all, or with replacement"};
  const Variable number = require(wanted.variable, wanted <= of, words, n.at, {of.variable});
  const Stream stream = next();
  const Variable mine = dimshuffle(draw(stream, {number}, DType::float64), {0, -1});
  const Variable all = dimshuffle(draw(stream, {n}, DType::float64), {-1, 0});
  const Variable place = dimshuffle(iota(number), {0, -1});
  const Variable other = dimshuffle(iota(n), {-1, 0});
  const Variable before = (all < mine) | (eq(all, mine) & (other < place));
  return sum(cast(before, DType::int64), Axes{1});
}

Variable RandomStreams::permutation(Operand n) {
  return choice({n}, n, false);
}

void RandomStreams::rewind() const {
  for (const Shared& state : states_)
    state.set_value(Array(std::int64_t{0}));
}

}  // namespace hypatia
