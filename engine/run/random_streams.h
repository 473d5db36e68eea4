#pragma once
// RandomStreams: random numbers inside graphs, drawn anew by each call of a function.

#include <cstdint>
#include <vector>

#include "engine/expr/operand.h"
#include "engine/run/shared.h"

namespace hypatia {

/// Makes random variables. Each has a state of its own, which a function that reads it moves on
/// (but with no_default_updates): the same seed and order of requests give the same numbers, on
/// every device. Sizes are numbers or 0-d integer variables: rng.uniform({3, x.shape(0)}).
class RandomStreams {
 public:
  explicit RandomStreams(std::uint64_t seed) : seed_(seed) {}

  /// In [low, high).
  Variable uniform(
      const Operands& size, Operand low = 0.0, Operand high = 1.0, DTypeChoice dtype = {});
  /// Of a mean and a standard deviation.
  Variable normal(
      const Operands& size, Operand mean = 0.0, Operand deviation = 1.0, DTypeChoice dtype = {});
  /// int64 counts of successes in `trials` of probability p.
  Variable binomial(const Operands& size, int trials = 1, Operand p = 0.5);
  /// int64 of low, … high, both included.
  Variable random_integers(const Operands& size, Operand low, Operand high);
  /// int64 counts per outcome of `trials` draws; the last axis of `p` holds the probabilities.
  Variable multinomial(int trials, Operand p);
  /// int64 of 0, … n-1; without replacement `size` is one axis of at most n.
  Variable choice(const Operands& size, Operand n, bool replace = true);
  /// 0, … n-1 in random order, int64.
  Variable permutation(Operand n);

  /// The states of all random variables made so far: int64 counts of calls.
  const std::vector<Shared>& states() const { return states_; }

  /// Back to the first call of every random variable.
  void rewind() const;

 private:
  struct Stream {
    Variable state;
    std::uint64_t key = 0;
  };

  Stream next();
  static Variable draw(
      const Stream& stream, const Operands& size, DType dtype, std::uint64_t part = 0);

  std::uint64_t seed_;
  std::vector<Shared> states_;
};

}  // namespace hypatia
