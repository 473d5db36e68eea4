// Saved functions: what comes back is the same program with the same values, for graphs of every op
// of the registry; and every way in which a file can be wrong.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <random>
#include <set>

#include "engine/core/zip.h"
#include "engine/graph/graph.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/registry.h"

#include "tests/engine/core/messages.h"
#include "tests/engine/core/temporary_folder.h"

namespace hypatia {
namespace {

using tests::TemporaryFolder;

unsigned seed_of_values() {
  const char* wanted = std::getenv("HYPATIA_RANDOM_SEED");
  const unsigned seed =
      wanted ? static_cast<unsigned>(std::atoi(wanted)) : std::random_device{}() % 1000000U;
  std::printf("first seed %u (HYPATIA_RANDOM_SEED repeats it)\n", seed);
  return seed;
}

Attrs attrs_of(const Op& op) {
  if (&op == &cast_op || op.name == "random_uniform") return CastAttrs{DType::float64};
  if (op.name == "grad_clip") return GradClipAttrs{-2, 0.1};
  return op.name == "grad_scale" ? Attrs(GradScaleAttrs{0.3}) : Attrs();
}

Variable wide(const Variable& v) {
  return cast(v, DType::float64);
}

/// An elementwise op of 3 by 3 matrices, on the dtype that it takes.
Variable elementwise_of(const Op& op, const Variable& a, const Variable& b) {
  for (DType dtype : {DType::float64, DType::int64, DType::uint64}) {
    Operands operands;
    for (int i = 0; i < op.arity; ++i)
      operands.emplace_back(cast(i % 2 ? b : a, dtype));
    try {
      return wide(apply_elementwise(op, operands, attrs_of(op)));
    } catch (const Error&) {
      // Bits are of integers.
    }
  }
  return a;
}

using Build = Variable (*)(const Variable& a, const Variable& b);

Variable regular(const Variable& a) {
  return dot(a, a.T()) + eye(3) * 5.0;
}

Variable image(const Variable& a) {
  return a.reshape({1, 1, 3, 3});
}

/// What is not elementwise: each makes a 3 by 3 float64 matrix of two.
constexpr Build builds[] = {
    [](const Variable& a, const Variable& b) { return a.sum(0) + b.sum(1, true); },
    [](const Variable& a, const Variable& b) { return a.prod() * b.max(0) - a.min(1, true); },
    [](const Variable& a, const Variable& b) {
      return wide(any(a > b, 0)) + wide(all(a < b, 1)) + a;
    },
    [](const Variable& a, const Variable& b) { return dot(a, b.T()) / tensordot(a, b, 2); },
    [](const Variable& a, const Variable& b) {
      return join(0, {a(slice(0, 1)), b(slice(1, none))});
    },
    [](const Variable& a, const Variable& b) { return set_subtensor(a(0, every), b(every, 1)); },
    [](const Variable& a, const Variable& b) {
      return inc_subtensor(a[Array::of<std::int64_t>({2, 0})], b(slice(0, 2)));
    },
    [](const Variable& a, const Variable& b) { return take(a, argsort(b(0, every)), 0); },
    [](const Variable& a, const Variable& b) { return sort(a, 0) + cumsum(b, 1) + cumprod(a, 0); },
    [](const Variable& a, const Variable& b) {
      return wide(searchsorted(sort(a(0, every)), b(1, every))) + a;
    },
    [](const Variable& a, const Variable& b) { return a + wide(arange(b.shape(0))); },
    [](const Variable& a, const Variable& b) { return diag(a(0, every)) + diag(b) + a.shape(1); },
    [](const Variable& a, const Variable& b) {
      return broadcast_to(a(0, every), {b.shape(0), 3});
    },
    [](const Variable& a, const Variable& b) { return addbroadcast(a(slice(0, 1)), {0}) + b; },
    [](const Variable& a, const Variable& b) { return a + wide(nonzero(b > -1e300)[0]).sum(); },
    [](const Variable& a, const Variable& b) { return topk(a, 1, 0).sum() + b; },
    [](const Variable& a, const Variable& b) {
      return a + categorical_crossentropy(sqr(b), argmax(a, 1)).sum();
    },
    [](const Variable& a, const Variable& b) {
      // Cut off from each other, because what came before need not have a gradient.
      const ConvOptions half{.border_mode = "half"};
      const Variable y = conv2d(image(a), image(disconnected_grad(b)), half);
      const Variable z = conv2d(image(disconnected_grad(a)), image(b), half);
      return grad(sum(sqr(y)), a) + grad(sum(z), b) + y.reshape({3, 3});
    },
    [](const Variable& a, const Variable& b) {
      const Variable y = pool_2d(image(a), {.row_stride = 1, .column_stride = 1});
      return grad(grad(sum(sqr(y)), a).sum(), a) + b;
    },
    [](const Variable& a, const Variable& b) {
      const PoolOptions mean{.row_stride = 1, .column_stride = 1, .mode = "average"};
      return grad(sum(pool_2d(image(a), mean)), a) * b;
    },
    [](const Variable& a, const Variable& b) {
      return matrix_inverse(regular(a)) + det(regular(b));
    },
    [](const Variable& a, const Variable& b) {
      return cholesky(regular(a)) + logabsdet(regular(b));
    },
    [](const Variable& a, const Variable& b) { return solve(regular(a), b); },
    [](const Variable& a, const Variable& b) { return eigh(regular(a))[0] + pinv(b); },
    [](const Variable& a, const Variable& b) { return abs(qr(a)[1]) + svd(b)[1]; },
};

/// Ops that only rewrites make, and those that this test can't run.
const std::set<std::string_view> left_out{"Composite", "gemm", "Gemm", "transfer", "rebroadcast"};

Function random_function(unsigned seed, std::set<std::string_view>* seen) {
  std::mt19937 random(seed);
  RandomState values(static_cast<std::int64_t>(seed));
  const Variable x = dmatrix("x"), y = dmatrix("y");
  const Shared w = shared(values.uniform(0.1, 0.9, {3, 3}), "w");
  Vars pool{x, y, w, constant(values.uniform(0.1, 0.9, {3, 3}))};
  std::vector<const Op*> scalars;
  for (const Op* op : all_ops()) {
    if (op->is_scalar() && op->name != "random_uniform") scalars.push_back(op);
  }
  const auto any_of = [&](const auto& list) -> decltype(auto) {
    return list[random() % std::size(list)];
  };
  for (int i = 0; i < 14; ++i) {
    const Variable &a = any_of(pool), &b = any_of(pool);
    const Variable made = i % 2 ? any_of(builds)(a, b) : elementwise_of(*any_of(scalars), a, b);
    // Kept small, so that no program ends in nothing but NaN.
    pool.push_back(tanh(switch_(isnan(made), 0.25, made)));
  }
  const Variable last = pool.back();
  Function f = function(
      {x, In(y, {.value = values.uniform(0, 1, {3, 3}), .name = "second"})},
      {{"last", last}, {"sum", pool[pool.size() - 2].sum()}},
      {.updates = {{w, w + 0.125 * last}},
       .name = "random",
       .mode = {.name = "FAST_COMPILE"},
       .on_unused_input = "ignore"});
  const Vars roots{last, pool[pool.size() - 2], w + 0.125 * last};
  for (const Apply* node : topological_order(roots))
    seen->insert(node->op().name);
  return f;
}

void expect_same_results(const Function& f, const Function& g, const Array& x) {
  for (int call = 0; call < 2; ++call) {
    const Results a = f(x), b = g(x);
    for (const char* name : {"last", "sum"}) {
      EXPECT_TRUE(same_elements(a[name], b[name])) << to_text(a[name]) << "\n" << to_text(b[name]);
    }
  }
  const std::vector<Shared> of_f = f.get_shared(), of_g = g.get_shared();
  ASSERT_EQ(of_f.size(), of_g.size());
  for (std::size_t i = 0; i < of_f.size(); ++i) {
    EXPECT_EQ(of_f[i].name(), of_g[i].name());
    EXPECT_FALSE(of_f[i] == of_g[i]) << "the loaded function has a state of its own";
    EXPECT_TRUE(same_elements(of_f[i].get_value(), of_g[i].get_value()));
  }
}

TEST(SavedFunction, ComesBackForRandomGraphsOfTheRegistry) {
  const TemporaryFolder folder;
  const unsigned seed = seed_of_values();
  std::set<std::string_view> seen;
  constexpr unsigned programs = 40;
  for (unsigned i = 0; i < programs; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed + i));
    const Function f = random_function(seed + i, &seen);
    f.save(folder / "f.hyf");
    const Function g = load_function(folder / "f.hyf");
    EXPECT_EQ(g.name(), "random");
    EXPECT_EQ(debugprint(f), debugprint(g));
    RandomState values(7);
    expect_same_results(f, g, values.uniform(0.1, 0.9, {3, 3}));
    g.save(folder / "g.hyf");
    EXPECT_EQ(debugprint(load_function(folder / "g.hyf")), debugprint(f)) << "saved twice";
  }
  EXPECT_GT(seen.size(), all_ops().size() / 2);
}

TEST(SavedFunction, EveryOpOfTheRegistryCanBeSaved) {
  const TemporaryFolder folder;
  const Variable x = dmatrix("x"), y = dmatrix("y");
  Vars results;
  for (const Build& build : builds)
    results.push_back(build(x, y));
  for (const Op* op : all_ops()) {
    if (op->is_scalar()) results.push_back(elementwise_of(*op, x, y));
  }
  RandomStreams random(3);
  results.push_back(random.uniform({3, 3}));
  results.push_back(make_vector({x.shape(0), y.shape(1)}));
  results.push_back(x[constant(Array::of<std::int64_t>({0, 2}))]);
  results.push_back(x.transfer("cpu"));
  results.push_back(Print("x", {"shape", "mean"})(x));
  results.push_back(ifelse(gt(x[0][0], 0), x + 1, y * 2));
  std::set<std::string_view> seen;
  for (const Apply* node : topological_order(results))
    seen.insert(node->op().name);
  std::string missing;
  for (const Op* op : all_ops()) {
    if (!seen.contains(op->name) && !left_out.contains(op->name)) {
      missing += std::string(op->name) + " ";
    }
  }
  EXPECT_EQ(missing, "") << "add an expression with these ops to the test";
  const Function f = function({x, y}, Outputs(results), {.mode = {.name = "FAST_COMPILE"}});
  f.save(folder / "all.hyf");
  EXPECT_EQ(debugprint(load_function(folder / "all.hyf")), debugprint(f));
}

TEST(SavedFunction, KeepsLoopsWithinLoops) {
  const TemporaryFolder folder;
  const Variable a = dvector("a"), k = lscalar("k");
  const ScanResult powers = scan(
      [](Variable before, Variable x) {
        const ScanResult sums =
            scan([](Variable sum) { return sum + 1; }, {.outputs_info = {before}, .n_steps = 2});
        return sums[0][-1] * x - 2 * x;
      },
      {.outputs_info = {ones_like(a)}, .non_sequences = {a}, .n_steps = k});
  const Variable last = powers[0][-1];
  const Function f = function({a, k}, {last, grad(last.sum(), a)});
  f.save(folder / "f.hyf");
  const Function g = load_function(folder / "f.hyf");
  const Array values({1, 2, 3});
  const Results r = g(values, std::int64_t{3}), wanted = f(values, std::int64_t{3});
  EXPECT_EQ(r[0].to_vector(), (std::vector<double>{1, 8, 27}));
  EXPECT_TRUE(same_elements(r[1], wanted[1])) << to_text(r[1]);
  EXPECT_EQ(debugprint(f), debugprint(g));
}

TEST(SavedFunction, KeepsWhatTheInputsSay) {
  const TemporaryFolder folder;
  const Variable x = fscalar("x"), total = dscalar("total"), n = iscalar("n");
  const Function f = function(
      {In(x, {.strict = true}),
       In(total, {.value = 10.0, .name = "so far", .update = total + x}),
       In(n, {.value = 2, .allow_downcast = Downcast::always})},
      total * n);
  EXPECT_EQ(f(1.0F).only().item(), 20);
  f.save(folder / "f.hyf");
  const Function g = load_function(folder / "f.hyf");
  EXPECT_EQ(g(1.0F).only().item(), 22) << "private state goes on";
  EXPECT_EQ(f(1.0F).only().item(), 22) << "and is the loaded function's own";
  EXPECT_EQ(g.value("so far").item(), 12);
  EXPECT_EQ(g(1.0F, named("n", 3.7)).only().item(), 36);
  EXPECT_MESSAGE_WITH(g(1.0), "an input of exactly float32 got a value of float64");
}

TEST(SavedFunction, KeepsTheUsersLines) {
  const TemporaryFolder folder;
  const Variable x = dvector("x"), y = dvector("y");
  const Variable z = x + y;
  const std::string line = "saved_function_test.cpp:" + std::to_string(__LINE__ - 1);
  function({x, y}, z).save(folder / "f.hyf");
  const Function g = load_function(folder / "f.hyf");
  EXPECT_MESSAGE_WITH(g(Array({1, 2}), Array({1, 2, 3})), "   at " + line);
}

TEST(SavedFunction, KeepsNumbersToTheBit) {
  const TemporaryFolder folder;
  const Variable x = dvector("x");
  const double tenth = 0.1;
  const Variable clipped = grad(sum(sqr(grad_clip(x, -tenth, 1e300))), x);
  const Function f = function({x}, clipped * std::numeric_limits<double>::denorm_min());
  f.save(folder / "f.hyf");
  const Array at({1e308, -3});
  EXPECT_TRUE(same_elements(load_function(folder / "f.hyf")(at), f(at)));
}

TEST(SavedFunction, DoesNotDisturbTheOldFileWhenWritingFails) {
  const TemporaryFolder folder;
  const Variable x = dscalar("x");
  const Function f = function({x}, x * 2);
  EXPECT_MESSAGE(
      f.save(folder / "nowhere/f.hyf"),
      (folder / "nowhere/f.hyf") +
          " can't be written: No such file or directory\n   help: check the path and its folder");
  f.save(folder / "f.hyf");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / "."))
    ++files;
  EXPECT_EQ(files, 1) << "nothing half written lies about";
}

/// A saved function with another text.
std::string with_text(const TemporaryFolder& folder, const std::string& text) {
  std::string path = folder / "made.hyf";
  ZipWriter zip(path);
  zip.add("function.txt", text, true);
  zip.commit();
  return path;
}

constexpr const char* begin =
    "hypatia-function 1\nfunction \"f\" \"\" \"\" \"o4\" 0 0 0 \"a.cpp\" \"main\" 3\n";

TEST(SavedFunctionErrors, TellWhatIsWrongWithTheFile) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE_WITH(load_function(folder / "none.hyf"), "can't be read: No such file");
  const std::string text = folder.write("text.hyf", "not a zip");
  EXPECT_MESSAGE_WITH(
      load_function(text), text + " is no good saved function: it is cut off, or no zip at all");
  const Variable x = dscalar("x");
  const std::string path = folder / "f.hyf";
  function({x}, x * 2).save(path);
  const std::string whole = read_file(path);
  for (std::size_t cut : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_MESSAGE_WITH(
        load_function(folder.write("cut.hyf", whole.substr(0, cut))), "is no good saved function");
  }
  std::string flipped = whole;
  flipped[60] = static_cast<char>(flipped[60] ^ 0x10);  // in the packed text
  EXPECT_MESSAGE_WITH(
      load_function(folder.write("flipped.hyf", flipped)), "is no good saved function");
  save_npz(folder / "arrays.npz", {{"a", Array({1.0})}});
  EXPECT_MESSAGE_WITH(load_function(folder / "arrays.npz"), "it holds no function.txt");
}

TEST(SavedFunctionErrors, TellOfVersions) {
  const TemporaryFolder folder;
  const std::string newer = with_text(folder, "hypatia-function 2\n");
  EXPECT_MESSAGE_WITH(
      load_function(newer),
      newer + " is a saved function of format 2, and this version reads format 1");
  const std::string op = std::string(begin) + "apply \"frobnicate\" none 0 0 \"\" \"\" 0\nend\n";
  EXPECT_MESSAGE_WITH(
      load_function(with_text(folder, op)),
      "uses the op 'frobnicate', which this version does not");
}

TEST(SavedFunctionErrors, TellTheLine) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& line, const std::string& message) {
    EXPECT_MESSAGE_WITH(load_function(with_text(folder, begin + line)), message);
  };
  expect("", "line 3 of its text ends too early");
  expect("garden 1\nend\n", "line 3 of its text begins with 'garden', which is no part");
  expect("input float128 0 0 false \"\" \"\" \"\" 0\n", "has 'float128' where a dtype belongs");
  expect("input float64 9 false\n", "line 3 of its text");
  expect("constant float64 0 0 \"\" \"\" \"\" 0\n", "has the number 0, which is out of range");
  expect("result 0 0 \"\"\nend\n", "has the number 0, which is out of range");
  expect("apply \"exp\" gemmy 0 0 \"\" \"\" 0\n", "has the attributes 'gemmy', which");
  expect("apply \"exp\" none 0 1 \"\" \"\" \"\" 0\n", "exp takes 1 inputs, and 0 came");
  expect("input float64 0 0 false \"x\" \"\" \"\" 0 7\n", "has more than belongs there");
  expect("input float64 0 0 false \"x \"\" \"\" 0\n", "line 3 of its text");
}

TEST(SavedFunctionErrors, RandomDamageIsAnErrorAndNothingElse) {
  const TemporaryFolder folder;
  std::set<std::string_view> seen;
  random_function(5, &seen).save(folder / "f.hyf");
  const std::string whole = read_file(folder / "f.hyf");
  std::mt19937 random(seed_of_values());
  int refused = 0;
  constexpr int tries = 300;
  for (int i = 0; i < tries; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    try {
      // What stands in names of members and unused fields of the zip may change unseen.
      load_function(folder.write("damaged.hyf", damaged));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::file) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, tries / 2);
}

}  // namespace
}  // namespace hypatia
