#pragma once
// Samples of every op that brings CUDA C of its own: what is tried on the simulated GPU, and
// compiled by NVRTC.

#include <map>
#include <string>
#include <vector>

#include "engine/expr/leaves.h"
#include "engine/ops/conv.h"
#include "engine/ops/order.h"
#include "engine/ops/pool.h"
#include "engine/ops/registry.h"

#include "hypatia/hypatia.h"

namespace hypatia {

/// An op's inputs. Those that decide sizes are integers.
struct OwnSample {
  const Op* op = nullptr;
  Attrs attrs;
  std::vector<Array> inputs;
};

/// Draws inputs. float32 gets small integers: their sums are exact in any order, and windows have
/// ties. float64 gets numbers that no step of a difference brings past each other.
class OwnSampler {
 public:
  explicit OwnSampler(DType dtype) : dtype_(dtype) {}

  std::vector<OwnSample> all() {
    for (const char* mode : {"valid", "full", "half"}) {
      convolutions({mode, 1, 1}, {2, 3, 5, 6}, {4, 3, 2, 3});
      convolutions({mode, 2, 3}, {1, 2, 7, 8}, {9, 2, 3, 3});
    }
    // More taps than a chunk, more places than a block has threads, and several filters a thread.
    convolutions({"valid", 1, 1}, {3, 4, 14, 13}, {6, 4, 5, 3});
    convolutions({"valid", 1, 1}, {70, 1, 24, 24}, {16, 1, 1, 1});
    convolutions({"half", 1, 1}, {1, 40, 3, 3}, {11, 40, 3, 3});
    // Nothing to sum over, nothing to make, a single element.
    convolutions({"valid", 1, 1}, {0, 2, 4, 4}, {3, 2, 2, 2});
    convolutions({"valid", 1, 1}, {2, 0, 4, 4}, {3, 0, 2, 2});
    convolutions({"valid", 1, 1}, {2, 2, 4, 4}, {0, 2, 2, 2});
    convolutions({"full", 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1});
    poolings({2, 2, 2, 2}, {2, 3, 4, 5});
    poolings({3, 2, 1, 2}, {1, 2, 6, 7});
    poolings({2, 3, 3, 4}, {2, 1, 8, 11});
    poolings({1, 1, 1, 1}, {1, 1, 1, 1});
    poolings({3, 3, 1, 1}, {2, 2, 2, 2});  // no window fits
    poolings({2, 2, 2, 2}, {0, 2, 4, 4});
    for (int axis : {0, 1, 2})
      lines({axis}, {3, 4, 5});
    // Lines of one element, of a whole number of parts, and such as don't fit shared memory.
    for (const Dims& dims : {Dims{1}, Dims{0}, Dims{512}, Dims{700}, Dims{4500}, Dims{9001}})
      lines({0}, dims);
    lines({1}, {2, 0, 3});
    lines({0}, {2, 0, 3});
    lines({0}, {700, 3});
    searches();
    return samples_;
  }

 private:
  Array drawn(const Dims& dims) {
    if (dtype_ == DType::float32) return random_.randint(-4, 5, dims).astype(dtype_);
    // A shuffled range: no two elements are close.
    const std::int64_t count = elements(dims);
    const Array order = random_.permutation(count);
    Array values(DType::float64, Dims{count});
    for (std::int64_t i = 0; i < count; ++i)
      values.data<double>()[i] = 0.01 * (order.at({i}) - static_cast<double>(count) / 2) + 0.004;
    return values.reshape(dims);
  }

  static Dims result_of(const Op& op, const Attrs& attrs, const std::vector<Array>& inputs) {
    Vars constants;
    for (const Array& a : inputs)
      constants.push_back(constant(a));
    return apply(op, constants, attrs).type().dims();
  }

  void add(const Op& op, const Attrs& attrs, std::vector<Array> inputs) {
    samples_.push_back({&op, attrs, std::move(inputs)});
  }

  void convolutions(const ConvAttrs& attrs, const Dims& images, const Dims& filters) {
    const Array x = drawn(images), f = drawn(filters);
    const Array y = drawn(result_of(conv2d_op, attrs, {x, f}));
    add(conv2d_op, attrs, {x, f});
    add(conv2d_images_op, attrs, {f, y, Array(images[2]), Array(images[3])});
    add(conv2d_filters_op, attrs, {x, y, Array(filters[2]), Array(filters[3])});
  }

  void poolings(const PoolAttrs& attrs, const Dims& images) {
    const Array x = drawn(images);
    const Array y = drawn(result_of(pool_max_op, attrs, {x}));
    add(pool_max_op, attrs, {x});
    add(pool_pick_op, attrs, {x, drawn(images)});
    add(pool_spread_op, attrs, {x, y});
    add(pool_mean_op, attrs, {x});
    add(pool_mean_spread_op, attrs, {y, Array(images[2]), Array(images[3])});
  }

  void lines(const AxisAttrs& attrs, const Dims& dims) {
    const Array x = drawn(dims);
    for (const Op* op : {&sort_op, &argsort_op, &cumsum_op})
      add(*op, attrs, {x});
    // Products stay near 1.
    Array near = x.copy();
    if (dtype_ == DType::float64) {
      for (double& v : near.span<double>())
        v = 1 + v / 1000;
    }
    add(cumprod_op, attrs, {near});
    if (dtype_ == DType::float64) return;
    for (const DType integers : {DType::int32, DType::uint8, DType::boolean}) {
      for (const Op* op : {&sort_op, &argsort_op, &cumsum_op})
        add(*op, attrs, {x.astype(integers)});
    }
  }

  void searches() {
    for (bool right : {false, true}) {
      for (const Dims& sorted : {Dims{0}, Dims{1}, Dims{1000}}) {
        add(searchsorted_op, SideAttrs{right}, {sorted_line(drawn(sorted)), drawn({3, 7})});
      }
      add(searchsorted_op, SideAttrs{right}, {sorted_line(drawn({9})), drawn({0})});
    }
  }

  static Array sorted_line(const Array& line) {
    const Attrs attrs = AxisAttrs{0};
    const Types out{line.type()};
    const std::vector<Array> in{line};
    return sort_op.eval(EvalCall{sort_op, attrs, in, out})[0];
  }

  DType dtype_;
  RandomState random_{5};
  std::vector<OwnSample> samples_;
};

inline std::vector<OwnSample> own_samples(DType dtype) {
  return OwnSampler(dtype).all();
}

/// "conv2d of (2, 3, 5, 6) and (4, 3, 2, 3)".
inline std::string to_text(const OwnSample& sample) {
  std::string text = std::string(sample.op->name) + " of";
  for (const Array& a : sample.inputs)
    text += " " + to_text(a.dims());
  return text;
}

}  // namespace hypatia
