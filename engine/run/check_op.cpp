#include "engine/run/check_op.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/error.h"
#include "engine/core/random_state.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/grad/products.h"
#include "engine/run/array_difference.h"
#include "engine/run/function.h"
#include "engine/run/text_trial.h"
#include "engine/run/verify_grad.h"

namespace hypatia {

namespace {

using Sample = std::vector<Array>;

std::string dims_of(const Sample& sample) {
  std::string text;
  for (const Array& a : sample)
    text += (text.empty() ? "" : ", ") + to_text(a.dims());
  return text;
}

/// The same values, every second element of a longer last axis, or of the storage.
Array with_strides(const Array& value) {
  Dims wide = value.dims();
  if (wide.rank() == 0) return value.copy();
  wide[wide.rank() - 1] *= 2;
  const Array all = Array::zeros(value.dtype(), wide);
  Array part = all.slice(wide.rank() - 1, 0, wide[wide.rank() - 1], 2);
  copy_elements(value, part);
  return part;
}

/// A way to look at memory that a kernel's text must find its way through.
struct View {
  const char* name;
  /// An array of these dims that is such a view; its elements are not set.
  Array (*of)(DType dtype, const Dims& dims);
};

Dims turned(const Dims& dims) {
  Dims other = dims;
  std::reverse(other.begin(), other.end());
  return other;
}

const View views[] = {
    {"transposed",
     [](DType dtype, const Dims& dims) { return Array::zeros(dtype, turned(dims)).transpose(); }},
    {"sliced",
     [](DType dtype, const Dims& dims) {
       Dims longer = dims;
       if (dims.rank() > 0) longer[0] = 2 * dims[0] + 1;
       const Array all = Array::zeros(dtype, longer);
       return dims.rank() > 0 ? all.slice(0, 1, longer[0], 2) : all;
     }},
    {"reversed",
     [](DType dtype, const Dims& dims) {
       Array all = Array::zeros(dtype, dims);
       for (int axis = 0; axis < dims.rank(); ++axis)
         all = all.slice(axis, dims[axis] - 1, INT64_MIN, -1);
       return all;
     }},
};

/// The same values, looked at so.
Sample seen(const Sample& sample, const View& view) {
  Sample all;
  for (const Array& a : sample) {
    all.push_back(view.of(a.dtype(), a.dims()));
    copy_elements(a, all.back());
  }
  return all;
}

Array resized(const Array& value, int axis, std::int64_t size) {
  Dims dims = value.dims();
  if (axis < dims.rank() && dims[axis] > 1) dims[axis] = size;
  return Array::ones(value.dtype(), dims);
}

class OpCheck {
 public:
  OpCheck(const Op& op, const CheckOpOptions& options) : op_(op), options_(options) {}

  std::vector<Broken> run(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      suits(sample);
      check(sample);
      derivatives(sample);
      for (const Sample& small : small_ones(sample)) {
        if (accepts(small)) check(small);
      }
    }
    return std::move(broken_);
  }

 private:
  /// Each promise is reported once, on the first sample that breaks it.
  void report(const std::string& promise, const std::string& text, const Sample& sample) {
    if (is_broken(promise)) return;
    broken_.push_back({promise, text + ", on inputs of dims " + dims_of(sample)});
  }

  bool is_broken(const std::string& promise) const {
    return std::any_of(
        broken_.begin(), broken_.end(), [&](const Broken& b) { return b.promise == promise; });
  }

  Types types_of(const Sample& sample, bool with_values) const {
    Types in, out;
    std::vector<const Array*> values;
    for (const Array& a : sample) {
      Type type(a.dtype(), 0);
      for (std::int64_t d : a.dims())
        type.push_axis(d, d == 1);
      in.push_back(type);
      values.push_back(with_values ? &a : nullptr);
    }
    op_.infer(TypeCall{op_, options_.attrs, in, values}, out);
    return out;
  }

  void suits(const Sample& sample) const {
    if (op_.arity >= 0 && static_cast<int>(sample.size()) != op_.arity) {
      throw Error(
          Error::Kind::value,
          "a sample for " + std::string(op_.name) + " holds its " + std::to_string(op_.arity) +
              " inputs, and one with " + std::to_string(sample.size()) + " came");
    }
    static_cast<void>(types_of(sample, true));
  }

  bool accepts(const Sample& sample) const {
    try {
      static_cast<void>(types_of(sample, true));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  static std::vector<Sample> small_ones(const Sample& sample) {
    int rank = 0;
    for (const Array& a : sample)
      rank = std::max(rank, a.rank());
    std::vector<Sample> all;
    for (const std::int64_t size : {0, 2}) {
      for (int axis = 0; axis < rank; ++axis) {
        Sample small;
        for (const Array& a : sample)
          small.push_back(resized(a, axis, size));
        all.push_back(small);
      }
    }
    return all;
  }

  std::vector<Array> evaluate(const Sample& sample, const Types& out) const {
    return op_.eval(EvalCall{op_, options_.attrs, sample, out});
  }

  void check(const Sample& sample) {
    if (!op_.eval) return report("type", "it has no reference evaluation", sample);
    if (std::holds_alternative<LeafLowering>(op_.lowering)) {
      return report(
          "type", "it has no lowering: HostLowering{} runs it by its reference evaluation", sample);
    }
    const Types types = types_of(sample, true);
    Sample before;
    for (const Array& a : sample)
      before.push_back(a.copy());
    std::vector<Array> results;
    try {
      results = evaluate(sample, types);
    } catch (const Error& error) {
      return report("shape", "the evaluation failed: " + error.summary(), sample);
    }
    for (Array& r : results)
      r = r.copy();
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if (same_elements(sample[i], before[i])) continue;
      report("input", "the evaluation changes input " + std::to_string(i), sample);
      copy_elements(before[i], sample[i]);
    }
    if (!promised(types, results, sample)) return;
    compare(
        "repeatable",
        "a second evaluation gives other values",
        evaluate(before, types),
        results,
        sample);
    strided(before, types, results);
    swapped(before, types, results);
    costs(sample, types);
    text(before, results);
  }

  /// Number, dtypes and dims of results are those that the type rule said.
  bool promised(const Types& types, const std::vector<Array>& results, const Sample& sample) {
    if (results.size() != types.size()) {
      report(
          "type",
          "the type rule gives " + std::to_string(types.size()) + " outputs and the evaluation " +
              std::to_string(results.size()),
          sample);
      return false;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string which = "output " + std::to_string(i);
      if (types[i].dtype() != results[i].dtype()) {
        report(
            "type",
            which + " is " + std::string(name(types[i].dtype())) + " by the type rule and " +
                std::string(name(results[i].dtype())) + " by the evaluation",
            sample);
        return false;
      }
      if (!(types[i].dims() == results[i].dims())) {
        report(
            "shape",
            which + " has dims " + to_text(types[i].dims()) + " by the type rule and " +
                to_text(results[i].dims()) + " by the evaluation",
            sample);
        return false;
      }
    }
    return true;
  }

  void compare(
      const std::string& promise,
      const std::string& what,
      const std::vector<Array>& got,
      const std::vector<Array>& expected,
      const Sample& sample) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::string how;
      if (i >= got.size()) {
        how = "is missing";
      } else if (!(got[i].dims() == expected[i].dims())) {
        how = "should have dims " + to_text(expected[i].dims()) + ", has " + to_text(got[i].dims());
      } else {
        const Array same_type =
            got[i].dtype() == expected[i].dtype() ? got[i] : got[i].astype(expected[i].dtype());
        if (all_close(same_type, expected[i])) continue;
        how = difference_text(same_type, expected[i]);
      }
      return report(promise, what + ": output " + std::to_string(i) + " " + how, sample);
    }
  }

  void strided(const Sample& sample, const Types& types, const std::vector<Array>& results) {
    Sample apart;
    for (const Array& a : sample)
      apart.push_back(with_strides(a));
    compare(
        "strides",
        "with gaps between the elements of its inputs the evaluation gives others",
        evaluate(apart, types),
        results,
        sample);
  }

  void swapped(const Sample& sample, const Types& types, const std::vector<Array>& results) {
    if (!op_.commutative || sample.size() != 2) return;
    const bool alike =
        sample[0].dtype() == sample[1].dtype() && sample[0].dims() == sample[1].dims();
    if (!alike) return;
    compare(
        "commutative",
        "it is declared commutative, and with its operands exchanged",
        evaluate({sample[1], sample[0]}, types),
        results,
        sample);
  }

  void costs(const Sample& sample, const Types& out) {
    if (!op_.cost) return;
    Types in;
    for (const Array& a : sample)
      in.push_back(a.type());
    const Cost cost = op_.cost(CostCall{op_, options_.attrs, in, out});
    const bool sane = std::isfinite(cost.flops) && std::isfinite(cost.bytes) && cost.flops >= 0 &&
                      cost.bytes >= 0;
    if (!sane) report("cost", "its cost is not a number of operations and bytes", sample);
  }

  void text(const Sample& sample, const std::vector<Array>& results) {
    try_on(device_at(host), "host_c", sample, results);
    static Opened& sim = *new Opened(open_device("sim", Place{0}));
    if (sim.device) try_on(*sim.device, "cuda_c", sample, results);
  }

  void try_on(
      Device& device,
      const std::string& promise,
      const Sample& sample,
      const std::vector<Array>& results) {
    try_once(device, promise, "", sample, results);
    const auto* own = std::get_if<KernelLowering>(&op_.lowering);
    if (!own || !own->strided || own->inplace >= 0) return;
    for (const View& view : views)
      try_once(device, promise, view.name, seen(sample, view), results);
  }

  /// `view` says how the inputs lie, "" if row-major.
  void try_once(
      Device& device,
      const std::string& promise,
      const std::string& view,
      const Sample& sample,
      const std::vector<Array>& results) {
    const Trial trial = try_text(op_, options_.attrs, sample, device);
    if (!trial.has_text) return;
    if (!trial.error.empty()) return report(promise, "its text fails: " + trial.error, sample);
    if (trial.changed_input >= 0) {
      report(
          "input",
          "the " + promise + " text changes input " + std::to_string(trial.changed_input) +
              ", and it is not declared inplace",
          sample);
    }
    if (trial.beyond) report(promise, "its text writes beyond the end of a result", sample);
    const std::string how =
        view.empty() ? "" : " on " + view + " inputs, which .strided says it takes,";
    const std::string what = "its text and the reference evaluation differ" + how;
    compare(promise, what, trial.results, results, sample);
  }

  void derivatives(const Sample& sample) {
    if (!op_.pullback && !op_.pushforward) return;
    for (const Array& a : sample) {
      if (a.dtype() != DType::float64) return;
    }
    const Types types = types_of(sample, true);
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i].dtype() != DType::float64) continue;
      if (op_.pullback) gradient(sample, i);
      if (!is_broken("gradient")) tangent(sample, i);  // made of the pullback, or beside it
    }
  }

  Variable output(const Vars& inputs, std::size_t i) const {
    return apply_all(op_, inputs, options_.attrs)[i];
  }

  void gradient(const Sample& sample, std::size_t i) {
    try {
      verify_grad([&](const Vars& v) { return output(v, i); }, sample, {.step = options_.step});
    } catch (const Error& error) {
      report("gradient", "of output " + std::to_string(i) + ": " + error.summary(), sample);
    }
  }

  /// The change of output i along a direction, by R_op and by differences.
  void tangent(const Sample& sample, std::size_t i) {
    try {
      Vars inputs, directions;
      std::vector<Array> values;
      RandomState random(22);
      for (const Array& a : sample) {
        Type type(a.dtype(), 0);
        for (std::int64_t d : a.dims())
          type.push_axis(d, d == 1);
        inputs.push_back(input(type));
        directions.push_back(input(type));
        values.push_back(random.uniform(-1, 1, a.dims()));
      }
      const Variable y = output(inputs, i);
      const Vars moved = Rop(Vars{y}, inputs, directions);
      std::vector<In> arguments(inputs.begin(), inputs.end());
      arguments.insert(arguments.end(), directions.begin(), directions.end());
      std::vector<Array> all = sample;
      all.insert(all.end(), values.begin(), values.end());
      const Function f = function(arguments, moved[0], {.on_unused_input = "ignore"});
      const Array got = asarray(f.call(std::span<const Array>(all)).only());
      compare(
          "R_op",
          "of output " + std::to_string(i) + " differs from differences",
          {got},
          {difference(sample, values, i)},
          sample);
    } catch (const Error& error) {
      report("R_op", "of output " + std::to_string(i) + ": " + error.summary(), sample);
    }
  }

  Array difference(const Sample& sample, const std::vector<Array>& along, std::size_t i) const {
    const auto at = [&](double by) {
      Sample moved;
      for (std::size_t k = 0; k < sample.size(); ++k) {
        moved.push_back(sample[k].copy());
        double* to = moved.back().data<double>();
        const double* d = along[k].data<double>();
        for (std::int64_t e = 0; e < moved.back().elements(); ++e)
          to[e] += by * d[e];
      }
      return evaluate(moved, types_of(moved, true))[i].copy();
    };
    const Array ahead = at(options_.step), behind = at(-options_.step);
    Array slope(DType::float64, ahead.dims());
    for (std::int64_t e = 0; e < slope.elements(); ++e) {
      slope.data<double>()[e] =
          (ahead.data<double>()[e] - behind.data<double>()[e]) / (2 * options_.step);
    }
    return slope;
  }

  const Op& op_;
  const CheckOpOptions& options_;
  std::vector<Broken> broken_;
};

}  // namespace

std::vector<Broken> check_op(
    const Op& op, const std::vector<std::vector<Array>>& samples, const CheckOpOptions& options) {
  return OpCheck(op, options).run(samples);
}

}  // namespace hypatia
