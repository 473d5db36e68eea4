// Random programs: every optimizer level, the interpreter and the compiled kernels agree with the
// ops' reference evaluations.
#include "engine/run/specialised.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <random>

#include "engine/expr/op.h"
#include "engine/graph/graph.h"

namespace hypatia {
namespace {

/// Draws expressions over a few inputs, sizes 0, 1 and more, all dtypes.
class Drawer {
 public:
  explicit Drawer(unsigned seed) : random_(seed) {
    sizes_ = {pick({0, 1, 2, 5, 17}), pick({1, 3, 8, 33})};
    const int count = pick({1, 2, 3});
    for (int i = 0; i < count; ++i)
      add_input();
  }

  Vars outputs() {
    const int nodes = pick({2, 5, 9, 14});
    for (int i = 0; i < nodes; ++i)
      pool_.push_back(combine());
    Vars outputs;
    const int count = pick({1, 2, 3});
    for (int i = 0; i < count; ++i)
      outputs.push_back(pool_[pool_.size() - 1 - pick_index(3)]);
    return outputs;
  }

  const Vars& inputs() const { return inputs_; }

  const std::vector<Array>& values() const { return values_; }

 private:
  int pick(std::initializer_list<int> choices) {
    return choices.begin()[random_() % choices.size()];
  }

  std::size_t pick_index(std::size_t most) { return random_() % std::min(most, pool_.size()); }

  DType dtype() {
    static constexpr DType often[] = {
        DType::float64, DType::float32, DType::float64, DType::float32, DType::int64, DType::int8};
    return random_() % 4 ? often[random_() % 6] : static_cast<DType>(random_() % dtype_count);
  }

  void add_input() {
    const int rank = pick({0, 1, 2, 2});
    std::vector<bool> pattern;
    Dims dims;
    for (int axis = 0; axis < rank; ++axis) {
      const bool stretches = random_() % 4 == 0;
      pattern.push_back(stretches);
      dims.push_back(stretches ? 1 : sizes_[static_cast<std::size_t>(2 - rank + axis)]);
    }
    const DType type = dtype();
    Variable v = tensor(type, pattern, "input" + std::to_string(inputs_.size()));
    Array value(DType::float64, dims);
    for (double& x : value.span<double>()) {
      x = static_cast<double>(static_cast<int>(random_() % 161) - 80) / 16.0;
    }
    inputs_.push_back(v);
    values_.push_back(value.astype(type));
    pool_.push_back(v);
  }

  Variable any() { return pool_[random_() % pool_.size()]; }

  /// Values stay small, so that dtypes and orders of summation differ by rounding only.
  Variable combine() {
    const Variable a = any(), b = any();
    switch (random_() % 16) {
      case 0:
        return a + b;
      case 1:
        return cast(a, DType::float64) - b;
      case 2:
        return a * b;
      case 3:
        return tanh(a);
      case 4:
        return sigmoid(cast(a, DType::float32));
      case 5:
        return switch_(a > b, a, b);
      case 6:
        return maximum(a, b);
      case 7:
        return exp(minimum(cast(a, DType::float64), 3.0));
      case 8:
        return sum(cast(a, DType::float64));
      case 9:
        return a.ndim() > 0 ? sum(cast(a, DType::float64), Axes(0)) : abs(a * 1);
      case 10:
        return a.ndim() > 1 ? a.T() : sqr(tanh(a));
      case 11:
        return a.ndim() > 1 ? mean(cast(a, DType::float64), Axes(1)) : -tanh(b);
      case 12:
        return cast(a, dtype_for_casts());
      case 13:
        return log1p(abs(cast(a, DType::float64)));
      case 14:
        return eq(a, b);
      default:
        return 1 / (1 + exp(-cast(a, DType::float64)));
    }
  }

  DType dtype_for_casts() { return random_() % 2 ? DType::int32 : DType::float32; }

  std::mt19937 random_;
  std::vector<std::int64_t> sizes_;
  Vars inputs_, pool_;
  std::vector<Array> values_;
};

/// The outputs by the ops' own evaluations, node after node.
std::vector<Array> reference(const Graph& graph, const std::vector<Array>& values) {
  std::unordered_map<Variable, Array, VariableHash> known;
  for (std::size_t i = 0; i < values.size(); ++i)
    known[graph.inputs()[i]] = values[i];
  const auto value_of = [&](const Variable& v) {
    const Array* constant = constant_value(v);
    return constant ? *constant : known.at(v);
  };
  for (const Apply* node : graph.order()) {
    std::vector<Array> in;
    Types types, out;
    std::vector<const Array*> pointers;
    for (const Variable& v : node->inputs())
      in.push_back(value_of(v));
    for (std::size_t i = 0; i < in.size(); ++i) {
      types.push_back(node->inputs()[i].type().with_dims(in[i].dims()));
      pointers.push_back(&in[i]);
    }
    node->op().infer(TypeCall{node->op(), node->attrs(), types, pointers}, out);
    const std::vector<Array> results =
        node->op().eval(EvalCall{node->op(), node->attrs(), in, out});
    for (std::size_t i = 0; i < results.size(); ++i) {
      known[Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i))] = results[i];
    }
  }
  std::vector<Array> outputs;
  for (const Variable& v : graph.outputs())
    outputs.push_back(value_of(v));
  return outputs;
}

/// Whether a program of this seed could be drawn at all: some operations have no common shape.
bool check_seed(unsigned seed, const std::string& optimizer) {
  try {
    Drawer drawer(seed);
    const Vars outputs = drawer.outputs();
    Vars used;
    std::vector<Array> values;
    const Vars leaves = leaves_of(outputs);
    for (std::size_t i = 0; i < drawer.inputs().size(); ++i) {
      const Variable& v = drawer.inputs()[i];
      if (std::find(leaves.begin(), leaves.end(), v) == leaves.end()) continue;
      used.push_back(v);
      values.push_back(drawer.values()[i]);
    }
    const std::vector<Array> expected = reference(Graph(used, outputs), values);
    const Function f = function(
        std::vector<In>(used.begin(), used.end()), Outputs(outputs), {.optimizer = optimizer});
    const Results results = f.call(std::span<const Array>(values));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      results[i].sync();
      EXPECT_EQ(results[i].dtype(), expected[i].dtype()) << "seed " << seed;
      EXPECT_TRUE(all_close(results[i], expected[i], 1e-4, 1e-4))
          << "seed " << seed << " optimizer " << optimizer << " output " << i << "\n"
          << pprint(outputs[i]) << "\ngot      " << to_text(results[i]) << "\nexpected "
          << to_text(expected[i]);
    }
    return true;
  } catch (const Error& error) {
    // Operands whose sizes differ, and bools that are subtracted, are refused: that is right too.
    const bool refused = error.kind() == Error::Kind::shape || error.kind() == Error::Kind::dtype;
    EXPECT_TRUE(refused) << "seed " << seed << ": " << error.what();
    return false;
  }
}

int count_of_programs() {
  const char* wanted = std::getenv("HYPATIA_RANDOM_PROGRAMS");
  constexpr int in_every_run = 150;
  return wanted ? std::atoi(wanted) : in_every_run;
}

unsigned first_seed() {
  const char* wanted = std::getenv("HYPATIA_RANDOM_SEED");
  const unsigned seed =
      wanted ? static_cast<unsigned>(std::atoi(wanted)) : std::random_device{}() % 1000000U;
  std::printf("first seed %u (HYPATIA_RANDOM_SEED repeats it)\n", seed);
  return seed;
}

TEST(RandomPrograms, AgreeWithTheReference) {
  const unsigned seed = first_seed();
  int drawn = 0;
  for (int i = 0; i < count_of_programs(); ++i) {
    static const char* const levels[] = {"fast_run", "o1", "o2", "fast_run"};
    drawn += check_seed(seed + static_cast<unsigned>(i), levels[i % 4]) ? 1 : 0;
  }
  EXPECT_GT(drawn, count_of_programs() / 4);
}

TEST(RandomPrograms, AgreeInTheInterpreter) {
  const ChangeFlags flags({{"mode", "FAST_COMPILE"}});
  const unsigned seed = first_seed();
  int drawn = 0;
  for (int i = 0; i < 2 * count_of_programs(); ++i) {
    drawn += check_seed(seed + static_cast<unsigned>(i), "fast_run") ? 1 : 0;
  }
  EXPECT_GT(drawn, count_of_programs() / 2);
}

}  // namespace
}  // namespace hypatia
