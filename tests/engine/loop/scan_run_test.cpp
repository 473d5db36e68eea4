// How loops run: as one kernel, as steps again and again, with few rows; each against the
// reference evaluation of the node.
#include <cstdio>
#include <gtest/gtest.h>

#include "engine/graph/graph.h"
#include "engine/loop/body_nodes.h"
#include "engine/loop/scan_op.h"
#include "engine/rewrite/reasons.h"
#include "engine/trace/observer.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

const Apply* loop_of(const Function& f) {
  for (const Apply* node : f.toposort()) {
    if (&node->op() == &scan_op) return node;
  }
  return nullptr;
}

/// The outputs as the reference evaluation gives them: the graph as it was written, op by op.
std::vector<Array> reference(
    const Vars& inputs, const Vars& outputs, const std::vector<Array>& values) {
  const Graph graph(inputs, outputs);
  std::unordered_map<Variable, Array, VariableHash> known;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    known[inputs[i]] = values[i];
  const auto value_of = [&](const Variable& v) {
    const Array* constant = constant_value(v);
    return constant ? *constant : known.at(v);
  };
  for (const Apply* node : graph.order()) {
    std::vector<Array> in;
    Types types, out;
    std::vector<const Array*> pointers;
    for (const Variable& v : node->inputs()) {
      in.push_back(value_of(v));
      types.push_back(v.type().with_dims(in.back().dims()));
    }
    for (const Array& a : in)
      pointers.push_back(&a);
    node->op().infer(TypeCall{node->op(), node->attrs(), types, pointers}, out);
    const std::vector<Array> made = node->op().eval(EvalCall{node->op(), node->attrs(), in, out});
    for (std::size_t i = 0; i < made.size(); ++i)
      known[Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i))] = made[i];
  }
  std::vector<Array> all;
  for (const Variable& v : outputs)
    all.push_back(value_of(v));
  return all;
}

void expect_reference(const Vars& inputs, const Vars& outputs, const std::vector<Array>& values) {
  const std::vector<Array> expected = reference(inputs, outputs, values);
  const Function f = function(std::vector<In>(inputs.begin(), inputs.end()), Outputs(outputs));
  for (int call = 0; call < 3; ++call) {
    const Results got = f.call(std::span<const Array>(values));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(all_close(asarray(got[i]), expected[i]))
          << "output " << i << "\ngot " << to_text(got[i]) << "\nexpected " << to_text(expected[i]);
    }
  }
}

TEST(ScanRun, ElementwiseBodiesAreOneKernel) {
  const Variable x = dvector("x"), s = matrix("s", DType::float64);
  const ScanResult r = scan(
      [](Variable row, Variable b2, Variable b1) {
        return Vars{tanh(b1 + 0.5 * b2) + row, row * b1};
      },
      {.sequences = {s}, .outputs_info = {taps(stack({x, 2 * x}), {-2, -1}), none}});
  const std::vector<Array> values{Array({.1, .2, .3}), Array({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})};
  expect_reference({x, s}, r.outputs, values);
  const Function f = function({x, s}, Outputs(r.outputs));
  f.call(std::span<const Array>(values));
  EXPECT_NE(f.source().find("past0_2"), std::string::npos) << f.source();
}

TEST(ScanRun, RowsThatSwapPlaces) {
  const Variable a = dvector("a"), b = dvector("b");
  const ScanResult r = scan(
      [](Variable x, Variable y) {
        return Vars{y, x + y};
      },
      {.outputs_info = {a, b}, .n_steps = 9});
  expect_reference({a, b}, r.outputs, {Array({1, 2}), Array({1, 5})});
}

TEST(ScanRun, StridedAndReversedSequences) {
  const Variable s = matrix("s", DType::float64), x = dvector("x");
  const ScanResult r = scan(
      [](Variable column, Variable before) { return before * 0.5 + column; },
      {.sequences = {s.T()}, .outputs_info = {x}, .go_backwards = true});
  expect_reference({s, x}, r.outputs, {Array({{1, 2, 3}, {4, 5, 6}}), Array({7, 8})});
}

TEST(ScanRun, ProductsAndSumsRunAsSteps) {
  const Variable w = matrix("w", DType::float64), x = dvector("x"), s = matrix("s", DType::float64);
  const ScanResult r = scan(
      [&](Variable row, Variable before) {
        const Variable next = tanh(dot(before, w) + row);
        return Vars{next, sum(sqr(next)), before[slice(none, none, -1)]};
      },
      {.sequences = {s}, .outputs_info = {x, none, none}});
  const std::vector<Array> values{
      Array({{.1, .2}, {-.3, .4}}), Array({1, 2}), Array({{1, 2}, {3, 4}, {5, 6}, {7, 8}})};
  expect_reference({w, x, s}, r.outputs, values);
  // Only the last rows, from a ring.
  expect_reference({w, x, s}, {r[0][-1], r[1][slice(-2, none)], r[2][-1]}, values);
}

TEST(ScanRun, OnlyTheRowsThatAreReadAreKept) {
  const Variable x = dvector("x"), n = iscalar("n");
  const ScanResult r = scan(
      [](Variable b3, Variable b1) { return b3 + 0.5 * b1; },
      {.outputs_info = {taps(dimshuffle(x, {0, -1}), {-3, -1})}, .n_steps = n});
  const Function f = function({x, n}, r[0][slice(-2, none)]);
  const Apply* loop = loop_of(f);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->attrs().as<ScanAttrs>().kept[0], 5);  // two rows, and the three before the loop
  const Function all = function({x, n}, r[0]);
  for (const int steps : {100, 7, 2, 1}) {
    const Array start({1, 2, 3}), rows = asarray(Array(all(start, steps)));
    const Array last = rows.slice(0, std::max(0, steps - 2), steps);
    EXPECT_TRUE(all_close(asarray(Array(f(start, steps))), last)) << steps;
  }
  EXPECT_THROW(function({x, n}, r[0][-1])(Array({1, 2, 3}), 0), Error);
}

/// True if the loop runs where it should, and as one kernel that stops by itself.
void expect_stops_inside(const Function& f) {
  EXPECT_NE(f.source().find("taken = t + 1;"), std::string::npos) << f.source();
  const Apply* loop = loop_of(f);
  ASSERT_TRUE(loop);
  const bool on_gpu = config().device() != "cpu" && is_float(loop->type(0).dtype());
  EXPECT_EQ(loop->type(0).place().on_host(), !on_gpu);
}

TEST(ScanRun, ConditionsToStopAreInsideTheKernel) {
  const Variable x = dvector("x"), limit = dscalar("limit"), n = iscalar("n");
  const ScanResult r = scan(
      [&](Variable before2, Variable before1) {
        const Variable next = before1 + 0.5 * before2;
        return ScanStep{.outputs = {next, next * 3}, .until = next > limit};
      },
      {.outputs_info = {taps(x, {-2, -1}), none}, .n_steps = n});
  const Array start({1.0, 1.5});
  for (const double stop : {0.0, 2.0, 40.0, 1e3, 1e9}) {
    for (const int steps : {1, 2, 12})
      expect_reference({x, limit, n}, {r[0], r[1]}, {start, Array(stop), Array(steps)});
  }
  const Function f = function({x, limit, n}, {r[0], r[1]});
  EXPECT_EQ(Array(f(start, 1e3, 0)[0]).dims(), Dims{0});
  f(start, 40.0, 12);
  expect_stops_inside(f);
}

TEST(ScanRun, VectorsStopByANumberBesideThem) {
  for (const Dims& dims : {Dims{1}, Dims{5}, Dims{300}, Dims{3, 130}}) {
    const std::vector<bool> pattern(static_cast<std::size_t>(dims.rank()), false);
    const Variable x = tensor(DType::float64, pattern, "x"), limit = dscalar("limit");
    const Variable steps = dvector("steps");
    const ScanResult r = scan(
        [&](Variable by, Variable v, Variable size) {
          const Variable bigger = size + by;
          return ScanStep{
              .outputs = {tanh(v) + 0.1 * size, bigger, v * by}, .until = bigger > limit};
        },
        {.sequences = {steps}, .outputs_info = {x, 0.5, none}});
    RandomState rng(3);
    const std::vector<Array> values{
        rng.uniform(-1, 1, dims), Array(4.0), Array({1., .5, .25, 1.5, 2., 3., 1.})};
    expect_reference({x, limit, steps}, r.outputs, values);
    expect_reference({x, limit, steps}, {r[0][-1], r[1].sum()}, values);
    expect_reference({x, limit, steps}, {grad(r[0][-1].sum(), x)}, values);
    const Function f = function({x, limit, steps}, Outputs(r.outputs));
    f.call(std::span<const Array>(values));
    expect_stops_inside(f);
  }
}

TEST(ScanRun, NumbersBesideVectorsAreInTheKernel) {
  const Variable x = dvector("x"), s = dvector("s");
  const ScanResult r = scan(
      [](Variable row, Variable v, Variable before2, Variable before1) {
        const Variable next = before1 * 0.9 + before2 * row;
        return Vars{v * next + row, next, exp(next)};
      },
      {.sequences = {s}, .outputs_info = {x, taps(s[slice(0, 2)], {-2, -1}), none}});
  for (const std::int64_t size : {0, 1, 4, 300}) {
    const std::vector<Array> values{RandomState(4).uniform(-1, 1, {size}), Array({.1, .2, .3})};
    expect_reference({x, s}, r.outputs, values);
    expect_reference({x, s}, {r[0][-1], r[1][-1]}, values);
  }
  const Function f = function({x, s}, Outputs(r.outputs));
  f(Array({1, 2, 3, 4}), Array({.1, .2, .3}));
  EXPECT_NE(f.source().find("past1_2"), std::string::npos) << f.source();
}

TEST(ScanRun, LoopsThatStopByThemselvesWithProducts) {
  const Variable w = matrix("w", DType::float64), x = dvector("x");
  const ScanResult r = scan(
      [&](Variable before) {
        const Variable next = dot(before, w);
        return ScanStep{.outputs = {next}, .until = sum(abs(next)) < 0.5};
      },
      {.outputs_info = {x}, .n_steps = 50});
  expect_reference({w, x}, {r[0]}, {Array({{.5, .1}, {.1, .5}}), Array({4, 3})});
}

TEST(ScanRun, BodiesThatIndexByTheirValues) {
  const Variable x = dvector("x");
  const ScanResult r = scan(
      [&](Variable i, Variable before) { return before + x[i] * x[slice(0, i)].sum(); },
      {.sequences = {arange(shape_i(x, 0))}, .outputs_info = {0.0}});
  expect_reference({x}, {r[0]}, {Array({1, 2, 3, 4})});
}

/// Notes what functions and plans are recorded, and which steps ran.
class Notes : public Observer {
 public:
  std::uint32_t add_function(const FunctionRecord& record) override {
    functions.push_back(record);
    return static_cast<std::uint32_t>(functions.size());
  }

  std::uint32_t add_plan(const PlanRecord& record) override {
    plans.push_back(record);
    return 1;
  }

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  void on(const Event&) override {}

  void on(const Activity&) override {}

  std::uint32_t begin_call(std::uint32_t) override { return 1; }

  void end_call(std::uint32_t, std::uint32_t, std::int64_t) override {}

  void begin_step(std::uint32_t, std::uint32_t) override {}

  void end_step(std::uint32_t, std::uint32_t step, std::int64_t) override { ++ran[step]; }

  std::vector<FunctionRecord> functions;
  std::vector<PlanRecord> plans;
  std::unordered_map<std::uint32_t, int> ran;
};

/// Bytes of all buffers of the plan for that many steps.
std::int64_t bytes_of(const Variable& n, const Variable& result, const Variable& x, int steps) {
  Notes notes;
  const Function f = function({x, n}, result, {.observer = &notes});
  f(Array::zeros(DType::float64, {8, 8}), steps);
  std::int64_t bytes = 0;
  for (const BufferRecord& buffer : notes.plans.back().buffers)
    bytes += buffer.kind == 'c' ? buffer.bytes : 0;
  return bytes;
}

TEST(ScanRun, MemoryIsFlatWhereFewRowsAreRead) {
  const Variable x = matrix("x", DType::float64), n = iscalar("n");
  const auto loop = [&](int truncate) {
    return scan(
        [](Variable v) { return tanh(dot(v, v) + 1); },
        {.outputs_info = {x}, .n_steps = n, .truncate_gradient = truncate});
  };
  const Variable last = loop(-1)[0][-1], all = loop(-1)[0].sum();
  const Variable truncated = grad(loop(3)[0][-1].sum(), x);
  const Variable through_all = grad(loop(-1)[0][-1].sum(), x);
  std::printf("steps   last row only   gradient through 3   gradient through all (bytes)\n");
  for (const int steps : {10, 100, 1000, 10000}) {
    std::printf(
        "%5d   %13lld   %18lld   %20lld\n",
        steps,
        static_cast<long long>(bytes_of(n, last, x, steps)),
        static_cast<long long>(bytes_of(n, truncated, x, steps)),
        static_cast<long long>(bytes_of(n, through_all, x, steps)));
  }
  if (config().optimizer() == "None") GTEST_SKIP() << "which rows are kept is a rewrite";
  EXPECT_EQ(bytes_of(n, last, x, 10), bytes_of(n, last, x, 10000));
  EXPECT_EQ(bytes_of(n, truncated, x, 10), bytes_of(n, truncated, x, 10000));
  EXPECT_GT(bytes_of(n, all, x, 10000), 10 * bytes_of(n, all, x, 10));
}

/// tanh(v w + row) from a start on, in a plain loop or with checkpoints.
Variable slope_of_loop(int save_every, const Variable& x, const Variable& w, const Variable& rows) {
  const auto step = [](Variable row, Variable v, Variable m) { return tanh(dot(v, m) + row); };
  const ScanOptions options{.sequences = {rows}, .outputs_info = {x}, .non_sequences = {w}};
  const Variable states = save_every > 0 ? Variable(scan_checkpoints(step, options, save_every))
                                         : Variable(scan(step, options));
  return grad(sqr(states[-1]).sum(), w);
}

TEST(ScanRun, CheckpointsGiveTheSameGradient) {
  const Variable x = matrix("x", DType::float64), w = matrix("w", DType::float64);
  const Variable rows = tensor3("rows", DType::float64);
  RandomState rng(5);
  const std::vector<Array> values{
      rng.uniform(-1, 1, {3, 4}), rng.uniform(-1, 1, {4, 4}), rng.uniform(-1, 1, {12, 3, 4})};
  const std::vector<In> in{x, w, rows};
  const Array plain =
      asarray(Array(function(in, slope_of_loop(0, x, w, rows)).call(std::span(values))));
  for (const int save_every : {1, 3, 4, 12}) {
    const Function f = function(in, slope_of_loop(save_every, x, w, rows));
    const Array got = asarray(Array(f.call(std::span(values))));
    EXPECT_TRUE(all_close(got, plain)) << save_every << to_text(got) << to_text(plain);
  }
}

TEST(ScanRun, CheckpointsOfElementwiseStepsAreKernels) {
  const Variable x = dvector("x");
  const auto step = [](Variable v) { return sin(v) * 1.2; };
  const ScanOptions options{.outputs_info = {x}, .n_steps = 60};
  const Variable plain = scan(step, options), saved = scan_checkpoints(step, options, 10);
  expect_reference(
      {x}, {saved, grad(saved[-1].sum(), x), grad(plain[-1].sum(), x)}, {Array({.1, .2, 3})});
  const Function f = function({x}, {grad(saved[-1].sum(), x), grad(plain[-1].sum(), x)});
  const Results r = f(Array({.1, .2, 3}));
  EXPECT_TRUE(all_close(asarray(r[0]), asarray(r[1])));
  EXPECT_NE(f.source().find("past0_1"), std::string::npos);
}

TEST(ScanRun, CheckpointsSaveMemory) {
  const Variable x = matrix("x", DType::float64), w = matrix("w", DType::float64);
  const Variable n = iscalar("n");
  const auto bytes = [&](int save_every) {
    const auto step = [](Variable v, Variable m) { return tanh(dot(v, m)); };
    const ScanOptions options{.outputs_info = {x}, .non_sequences = {w}, .n_steps = 900};
    const Variable states = save_every > 0 ? Variable(scan_checkpoints(step, options, save_every))
                                           : Variable(scan(step, options));
    const Variable slope = grad(sqr(states[-1]).sum(), w);
    const std::vector<std::pair<Variable, Variable>> same{{w, x}};
    return bytes_of(n, substitute(Vars{slope}, same)[0] + n, x, 1);
  };
  const std::int64_t all = bytes(0), some = bytes(30);
  std::printf(
      "900 steps: %lld bytes with all states, %lld with every 30th\n",
      static_cast<long long>(all),
      static_cast<long long>(some));
  EXPECT_LT(some * 5, all);
}

TEST(ScanRun, CheckpointsTellWhatTheyDontTake) {
  const Variable x = dvector("x");
  const auto step = [](Variable v) { return v * 2; };
  EXPECT_THROW(scan_checkpoints(step, {.outputs_info = {x}, .n_steps = 7}, 3), Error);
  EXPECT_THROW(scan_checkpoints(step, {.outputs_info = {x}, .n_steps = 6}, 0), Error);
  EXPECT_THROW(scan_checkpoints(step, {.sequences = {x}}, 3), Error);
}

/// Half of x, on the host wherever the rest runs.
const Op host_half_op{
    .name = "HostHalf",
    .doc = "x / 2",
    .infer = [](const TypeCall& call, Types& out) { out.push_back(call.in[0].with_place(host)); },
    .lowering = HostLowering{},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      Array out = call.in[0].copy();
      for (double& v : out.span<double>())
        v /= 2;
      return {out};
    },
};

// Work on the card can be replayed from the second call on, but not from the middle of a loop.
TEST(ScanRun, StepsOfALoopAreTakenOnceWhereTheHostTakesSome) {
  const Variable w = matrix("w", DType::float64), x = dvector("x");
  const ScanResult r = scan(
      [&](Variable before) {
        return tanh(dot(apply(host_half_op, {exp(before)}), w)) + dot(w, before);
      },
      {.outputs_info = {x}, .n_steps = 4});
  expect_reference({w, x}, {r[0], r[0][-1]}, {Array({{1, 0.5}, {-0.5, 1}}), Array({1, 2})});
}

TEST(ScanRun, TimeInsideIsToldByBodyNode) {
  const Variable w = matrix("w", DType::float64), x = dvector("x");
  const ScanResult r = scan(
      [&](Variable before) { return tanh(dot(before, w)); }, {.outputs_info = {x}, .n_steps = 5});
  Notes notes;
  const Function f = function({w, x}, r[0], {.observer = &notes});
  f(Array({{1, 2}, {3, 4}}), Array({1, 1}));
  int inside = 0;
  for (const NodeRecord& node : notes.functions[0].nodes) {
    if (node.parent < 0) continue;
    ++inside;
    const Side side = notes.functions[0].nodes[static_cast<std::size_t>(node.parent)].side;
    EXPECT_EQ(node.side, side) << node.name;
    EXPECT_EQ(node.op_class.rfind("Gpu", 0) == 0, side == Side::gpu) << node.op_class;
    EXPECT_EQ(notes.functions[0].nodes[static_cast<std::size_t>(node.parent)].op, "Scan");
  }
  EXPECT_EQ(inside, 2);  // the product and the tanh
  int in_body = 0;       // by steps of their own or of one kernel
  for (std::size_t s = 0; s < notes.plans[0].steps.size(); ++s) {
    for (const StepShare& share : notes.plans[0].steps[s].nodes) {
      if (notes.functions[0].nodes.at(share.node).parent < 0) continue;
      ++in_body;
      EXPECT_EQ(notes.ran[static_cast<std::uint32_t>(s) + 1], 5);
    }
  }
  EXPECT_EQ(in_body, 2);
}

TEST(ScanRun, StepsMayHoldOpsWithKernelsOfTheirOwn) {
  RandomState random(3);
  const Variable x = tensor4("x", DType::float64), w = tensor4("w", DType::float64);
  const Variable states = scan(
      [&](Variable before) { return tanh(conv2d(before, w, {.border_mode = "half"})); },
      {.outputs_info = {x}, .n_steps = 4});
  const Variable rows = matrix("rows", DType::float64), first = vector("first", DType::float64);
  const ScanResult sorted = scan(
      [](Variable row, Variable before) {
        return Vars{sort(before * row), cumsum(before) - row};
      },
      {.sequences = {rows}, .outputs_info = {first, none}});
  const Vars inputs{x, w, rows, first};
  const Vars outputs{
      states,
      grad(states[-1].sum(), x),
      grad(states[-1].sum(), w),
      sorted[0],
      sorted[1],
  };
  expect_reference(
      inputs,
      outputs,
      {random.randn({2, 3, 5, 4}),
       random.randn({3, 3, 3, 3}),
       random.randn({6, 7}),
       random.randn({7})});
  const Function f = function({x, w, rows, first}, {states, sorted[0]});
  if (!f.uses_gpu()) return;
  for (const Apply* node : f.toposort())
    EXPECT_TRUE(&node->op() != &scan_op || !node->type(0).place().on_host())
        << print_name(*node) << ": " << cpu_reason(*node);
}

}  // namespace
}  // namespace hypatia
