// Random programs: every optimizer level, the interpreter and the compiled kernels agree with the
// ops' reference evaluations, in results and in updates of shared variables.
#include "engine/run/specialised.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <random>

#include "engine/expr/op.h"
#include "engine/graph/graph.h"
#include "engine/ops/math.h"

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
    if (pick({0, 1})) add_shared();
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

  /// New values of the shared variables, of their types: sums of whatever there is move them.
  std::vector<Update> updates() {
    std::vector<Update> updates;
    for (const Shared& s : shared_) {
      const Variable moved = s + sum(cast(tanh(cast(any(), DType::float64)), DType::float64));
      updates.push_back({s, cast(moved, s.dtype())});
    }
    return updates;
  }

  const Vars& inputs() const { return inputs_; }

  const std::vector<Array>& values() const { return values_; }

  const std::vector<Shared>& shared_variables() const { return shared_; }

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
    inputs_.push_back(v);
    values_.push_back(numbers(dims).astype(type));
    pool_.push_back(v);
  }

  void add_shared() {
    const Dims dims = pick({0, 1}) ? Dims{sizes_[1]} : Dims{};
    const DType type = pick({0, 1}) ? DType::float64 : DType::float32;
    shared_.push_back(shared(numbers(dims).astype(type), "shared"));
    pool_.push_back(shared_.back());
  }

  Array numbers(const Dims& dims) {
    Array value(DType::float64, dims);
    for (double& x : value.span<double>())
      x = static_cast<double>(static_cast<int>(random_() % 161) - 80) / 16.0;
    return value;
  }

  Variable any() { return pool_[random_() % pool_.size()]; }

  /// Values stay small, so that dtypes and orders of summation differ by rounding only.
  Variable combine() {
    const Variable a = any(), b = any();
    switch (random_() % 19) {
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
        // Floats that come by two ways may differ in the last digit.
        return is_float(a.dtype()) || is_float(b.dtype()) ? gt(a, b + 0.37) : eq(a, b);
      case 15:
        return ifelse(some(b), exp(minimum(cast(a, DType::float64), 2.0)), float64_of(a) - 0.5);
      case 16:
        return branches(a, b);
      case 17:
        return loop(a, b);
      default:
        return 1 / (1 + exp(-cast(a, DType::float64)));
    }
  }

  static Variable float64_of(const Variable& v) { return cast(v, DType::float64); }

  /// A condition of one number.
  static Variable some(const Variable& v) { return sum(tanh(float64_of(v))) > 0.37; }

  /// Two values by one condition, a branch that holds another, and work that both need.
  static Variable branches(const Variable& a, const Variable& b) {
    const Variable both = tanh(float64_of(a)), c = some(b);
    const Vars chosen = ifelse(
        c, {both * 2, sum(both)}, {ifelse(some(both), sigmoid(both), both - 1), sum(sqr(both))});
    return chosen[0] + chosen[1];
  }

  /// The last row of a loop, which may stop by itself.
  Variable loop(const Variable& a, const Variable& b) {
    const bool stops = pick({0, 1});
    const ScanResult r = scan(
        [&](Variable v, Variable n) {
          const ScanStep step{.outputs = {0.7 * tanh(v) + 0.1 * n, n + 1.25}};
          return stops ? ScanStep{.outputs = step.outputs, .until = n > 2.0} : step;
        },
        {.outputs_info = {float64_of(a), tanh(sum(float64_of(b)))}, .n_steps = pick({1, 2, 5})});
    return pick({0, 1}) ? r[0][-1] : sum(r[1]);
  }

  DType dtype_for_casts() { return random_() % 2 ? DType::int32 : DType::float32; }

  std::mt19937 random_;
  std::vector<std::int64_t> sizes_;
  Vars inputs_, pool_;
  std::vector<Array> values_;
  std::vector<Shared> shared_;
};

using Known = std::unordered_map<Variable, Array, VariableHash>;

/// True for a number that becomes an int32 as the device likes (docs/decisions/dtypes.md).
bool is_devices_choice(const Array& from, DType to) {
  if (!is_float(from.dtype()) || to != DType::int32) return false;
  for (const double x : from.to_vector())
    if (!(std::abs(x) < 2147483647.0)) return true;
  return false;
}

/// Outputs and then new values by the ops' own evaluations, node after node.
std::vector<Array> reference(const Graph& graph, Known known) {
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
    if (&node->op() == &cast_op && is_devices_choice(in[0], out[0].dtype()))
      throw Error(Error::Kind::dtype, "devices differ in what becomes of a number that large");
    for (std::size_t i = 0; i < results.size(); ++i) {
      known[Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i))] = results[i];
    }
  }
  std::vector<Array> values;
  for (const Variable& v : graph.outputs())
    values.push_back(value_of(v));
  for (const Update& u : graph.updates())
    values.push_back(value_of(u.value));
  return values;
}

/// A program, with what two calls of it must give.
struct Drawn {
  unsigned seed = 0;
  Vars inputs, outputs;
  std::vector<Array> values;
  std::vector<Update> updates;
  std::vector<Shared> state;
  std::vector<Array> first_state;
  std::vector<Array> expected[2];
};

/// The program of a seed; false where operations have no common shape or refuse a dtype.
bool draw(unsigned seed, Drawn* drawn) {
  try {
    Drawer drawer(seed);
    drawn->seed = seed;
    drawn->outputs = drawer.outputs();
    drawn->updates = drawer.updates();
    drawn->state = drawer.shared_variables();
    Vars roots = drawn->outputs;
    for (const Update& u : drawn->updates)
      roots.push_back(u.value);
    const Vars leaves = leaves_of(roots);
    Known known;
    for (std::size_t i = 0; i < drawer.inputs().size(); ++i) {
      const Variable& v = drawer.inputs()[i];
      if (std::find(leaves.begin(), leaves.end(), v) == leaves.end()) continue;
      drawn->inputs.push_back(v);
      drawn->values.push_back(drawer.values()[i]);
      known[v] = drawer.values()[i];
    }
    for (const Shared& s : drawn->state) {
      drawn->first_state.push_back(s.get_value());
      known[s] = s.get_value();
    }
    const Graph graph(drawn->inputs, drawn->outputs, drawn->updates);
    for (std::vector<Array>& expected : drawn->expected) {
      expected = reference(graph, known);
      for (std::size_t i = 0; i < drawn->updates.size(); ++i)
        known[drawn->updates[i].target] = expected[drawn->outputs.size() + i];
    }
    return true;
  } catch (const Error& error) {
    // Operands whose sizes differ, and bools that are subtracted, are refused: that is right too.
    const bool refused = error.kind() == Error::Kind::shape || error.kind() == Error::Kind::dtype;
    EXPECT_TRUE(refused) << "seed " << seed << ": " << error.what();
    return false;
  }
}

void expect_close(
    const Array& value, const Array& expected, const Drawn& drawn, const std::string& what) {
  value.sync();
  EXPECT_EQ(value.dtype(), expected.dtype()) << "seed " << drawn.seed;
  EXPECT_TRUE(all_close(value, expected, 1e-4, 1e-4))
      << "seed " << drawn.seed << ", " << what << "\ngot      " << to_text(value) << "\nexpected "
      << to_text(expected);
}

/// Runs several programs as one function: compilers start once for all of them.
void check(const std::vector<Drawn>& programs, const std::string& optimizer) {
  std::vector<In> inputs;
  std::vector<Array> values;
  Vars outputs;
  std::vector<Update> updates;
  for (const Drawn& drawn : programs) {
    inputs.insert(inputs.end(), drawn.inputs.begin(), drawn.inputs.end());
    values.insert(values.end(), drawn.values.begin(), drawn.values.end());
    outputs.insert(outputs.end(), drawn.outputs.begin(), drawn.outputs.end());
    updates.insert(updates.end(), drawn.updates.begin(), drawn.updates.end());
    for (std::size_t i = 0; i < drawn.state.size(); ++i)
      drawn.state[i].set_value(drawn.first_state[i]);
  }
  const Function f =
      function(inputs, Outputs(outputs), {.updates = updates, .optimizer = optimizer});
  for (int call = 0; call < 2; ++call) {
    const Results results = f.call(std::span<const Array>(values));
    const Array* result = results.begin();
    for (const Drawn& drawn : programs) {
      const std::vector<Array>& expected = drawn.expected[call];
      for (std::size_t i = 0; i < drawn.outputs.size(); ++i) {
        expect_close(
            *result++,
            expected[i],
            drawn,
            "optimizer " + optimizer + ", output " + std::to_string(i) + " of call " +
                std::to_string(call) + ": " + pprint(drawn.outputs[i]));
      }
      for (std::size_t i = 0; i < drawn.updates.size(); ++i) {
        expect_close(
            drawn.state[i].get_value(),
            expected[drawn.outputs.size() + i],
            drawn,
            "optimizer " + optimizer + ", update after call " + std::to_string(call) + ": " +
                pprint(drawn.updates[i].value));
      }
    }
  }
}

/// How many programs: 100,000 by command, a fiftieth of that in every run of the tests.
int count_of_programs() {
  const char* wanted = std::getenv("HYPATIA_RANDOM_PROGRAMS");
  constexpr int in_every_run = 2000;
  return wanted ? std::atoi(wanted) : in_every_run;
}

unsigned first_seed() {
  const char* wanted = std::getenv("HYPATIA_RANDOM_SEED");
  const unsigned seed =
      wanted ? static_cast<unsigned>(std::atoi(wanted)) : std::random_device{}() % 1000000U;
  std::printf("first seed %u (HYPATIA_RANDOM_SEED repeats it)\n", seed);
  std::fflush(stdout);  // it must be known of a test that crashes, too
  return seed;
}

/// Checks `count` programs in functions of `together`, each at the next optimizer level.
void check_programs(int count, std::size_t together) {
  static const char* const levels[] = {"fast_run", "o1", "o2", "o3", "None", "stabilize"};
  const unsigned seed = first_seed();
  std::vector<Drawn> programs;
  int drawn = 0, functions = 0;
  for (int i = 0; i < count; ++i) {
    Drawn program;
    if (draw(seed + static_cast<unsigned>(i), &program)) {
      programs.push_back(std::move(program));
      ++drawn;
    }
    if (programs.size() < together && i + 1 < count) continue;
    check(programs, levels[functions++ % 6]);
    programs.clear();
  }
  EXPECT_GT(drawn, count / 4);
}

TEST(RandomPrograms, AgreeInTheInterpreter) {
  const std::string device = config().device();
  if (device.rfind("cuda", 0) == 0)
    GTEST_SKIP() << "a GPU has no interpreter: each program would wait for NVRTC";
  const ChangeFlags flags({{"linker", "vm"}});
  // Nor has the simulated one: each program waits for a compiler.
  check_programs(device == "cpu" ? count_of_programs() : count_of_programs() / 20, 1);
}

// Compilers take longer: a tenth of the programs.
TEST(RandomPrograms, AgreeWhenCompiled) {
  const ChangeFlags flags({{"compile.background", "False"}});
  check_programs(count_of_programs() / 10, 20);
}

}  // namespace
}  // namespace hypatia
