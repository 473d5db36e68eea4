// fn(n_calls=N): the same results and new values as N calls, in far fewer submissions on a GPU.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/device/device.h"
#include "engine/run/start_up.h"
#include "engine/trace/observer.h"

namespace hypatia {
namespace {

Array count_up(const Dims& dims, DType dtype = DType::float32) {
  Array values(DType::float64, dims);
  for (std::int64_t i = 0; i < values.elements(); ++i)
    values.data<double>()[i] = static_cast<double>(i % 97) / 97;
  return values.astype(dtype);
}

/// A function that needs no values, and what it changes.
struct Repeated {
  Function f;
  std::vector<Shared> state;
};

struct RepeatedMaker {
  const char* name;
  Repeated (*make)();
  bool works_on_host = false;  // between the GPU's work
  bool large = false;
};

/// Under the thread sanitizer a simulated barrier takes microseconds: large functions do not end in
/// 25 minutes.
#if defined(__SANITIZE_THREAD__)
constexpr bool large_ones = false;
#else
constexpr bool large_ones = true;
#endif

Repeated results_and_updates() {
  const Shared s = shared(0.0, "s"), v = shared(count_up({40}), "v");
  return {
      function({}, {s, v * 2.0F}, {.updates = {{s, s + 1}, {v, v + 0.5F}}}),
      {s, v},
  };
}

Repeated result_only() {
  return {function({}, exp(shared(count_up({300}), "x"))), {}};
}

Repeated on_the_device() {
  const Shared x = shared(count_up({300}), "x");
  const Place place = x.type().place();
  return {function({}, transfer(exp(x), place), {.updates = {{x, x * 0.75F}}}), {x}};
}

Repeated views_and_twice_the_same() {
  const Shared m = shared(count_up({12, 8}), "m");
  const Variable next = tanh(m + 0.25F);
  return {function({}, {m, m.T(), next, next, next[3]}, {.updates = {{m, next}}}), {m}};
}

Repeated updates_only() {
  const Shared w = shared(count_up({30, 20}), "w"), b = shared(count_up({20}), "b");
  return {function({}, Vars{}, {.updates = {{w, tanh(w + b)}, {b, sum(w, 0) * 0.01F}}}), {w, b}};
}

/// Temporaries of more than a megabyte, which are given back between calls.
Repeated large_temporaries() {
  const Shared u = shared(count_up({600, 2}), "u"), v = shared(count_up({2, 500}), "v");
  const Variable product = dot(u, v);
  return {function({}, max(product), {.updates = {{u, u * 0.5F + mean(product)}}}), {u}};
}

Repeated random_numbers() {
  RandomStreams rng(7);
  const Variable u = rng.uniform({50});
  return {function({}, {u, rng.normal({4}) + sum(u)}), rng.states()};
}

Repeated a_sum_that_the_host_keeps() {
  const Shared on_host = shared(Array(0.0F), "total", {.target = "cpu"});
  const Shared x = shared(count_up({100}), "x");
  return {
      function({}, {sum(x), on_host}, {.updates = {{on_host, on_host + sum(x)}, {x, x * 0.5F}}}),
      {on_host, x},
  };
}

Repeated a_loop() {
  const Shared x = shared(count_up({20}), "x");
  const ScanResult r = scan(
      [](Variable v) { return ScanStep{.outputs = {tanh(v) + 0.1F}}; },
      {.outputs_info = {x}, .n_steps = 5});
  return {function({}, r[0], {.updates = {{x, r[0][-1]}}}), {x}};
}

Repeated a_loop_that_stops() {
  const Shared x = shared(Array(0.5F), "x");
  const ScanResult r = scan(
      [](Variable v) { return ScanStep{.outputs = {v * 1.5F}, .until = v > 3.0F}; },
      {.outputs_info = {x}, .n_steps = 20});
  return {function({}, r[0][-1], {.updates = {{x, x + 0.125F}}}), {x}};
}

Repeated an_input_with_a_default() {
  const Variable total = dscalar("total");
  const Shared x = shared(Array(1.5), "x");
  return {function({In(total, {.value = 1.0, .update = total + x})}, total), {}};
}

Repeated a_choice() {
  const Shared s = shared(Array(0.0F), "s");
  return {
      function({}, ifelse(gt(s, 5.0F), exp(s * 0.01F), s - 1.0F), {.updates = {{s, s + 1.0F}}}),
      {s},
  };
}

constexpr std::array<RepeatedMaker, 12> makers{{
    {"results and updates", results_and_updates},
    {"a result only", result_only},
    {"on the device", on_the_device},
    {"views, and twice the same", views_and_twice_the_same},
    {"updates only", updates_only},
    {"large temporaries", large_temporaries, false, true},
    {"random numbers", random_numbers, true},
    {"a sum that the host keeps", a_sum_that_the_host_keeps, true},
    {"a loop", a_loop},
    {"a loop that stops", a_loop_that_stops, true},
    {"an input with a default", an_input_with_a_default, true},
    {"a choice", a_choice, true},
}};

void expect_same(const Array& got, const Array& wanted, const std::string& what) {
  EXPECT_EQ(to_text(asarray(got)), to_text(asarray(wanted))) << what;
}

/// Counts of calls on both sides of a batch, and results that are held while others are made.
void expect_calls_repeat(const RepeatedMaker& maker) {
  const ChangeFlags flags({{"compile.background", "False"}});  // the interpreter rounds differently
  const Repeated one_by_one = maker.make(), together = maker.make();
  std::vector<Results> kept;
  std::vector<std::string> kept_texts;
  for (const int n : {1, 2, 3, 7, 64, 65, 66, 130, 10, 200, 200, 200, 200}) {
    const std::string what = std::string(maker.name) + ", " + std::to_string(n) + " calls";
    Results wanted;
    for (int i = 0; i < n; ++i)
      wanted = one_by_one.f();
    const Results got = together.f.fn({.n_calls = n});
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i) {
      expect_same(got[i], wanted[i], what + ", result " + std::to_string(i));
      EXPECT_EQ(got[i].place(), wanted[i].place()) << what;
      kept_texts.push_back(to_text(asarray(wanted[i])));
    }
    for (std::size_t i = 0; i < together.state.size(); ++i) {
      expect_same(
          together.state[i].get_value(),
          one_by_one.state[i].get_value(),
          what + ", new value " + std::to_string(i));
    }
    kept.push_back(got);
  }
  std::size_t next = 0;
  for (const Results& results : kept) {
    for (const Array& result : results)
      EXPECT_EQ(to_text(asarray(result)), kept_texts[next++]) << maker.name << ", kept";
  }
}

TEST(CallTimes, AreThatManyCallsForEveryKindOfFunction) {
  for (const RepeatedMaker& maker : makers)
    expect_calls_repeat(maker);
}

/// For a process of its own: on the GPU of this one, else on a simulated one. Exits with 0 if all
/// was well.
void on_a_gpu(void (*body)()) {
  // Reading config().device() would settle it.
  if (config().get("device") == "cpu") config().set("device", std::string("sim"));
  body();
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); ++i)
    std::fprintf(stderr, "%s\n", result.GetTestPartResult(i).summary());
  std::_Exit(result.Failed() ? 1 : 0);
}

class CallTimesDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(CallTimesDeathTest, AGpuDoesTheSame) {
  EXPECT_EXIT(
      on_a_gpu([] {
        for (const RepeatedMaker& maker : makers) {
          if (large_ones || !maker.large) expect_calls_repeat(maker);
        }
      }),
      testing::ExitedWithCode(0),
      "");
}

constexpr int many = 300;

/// What `many` calls take, once they are warm.
void expect_few_submissions(const RepeatedMaker& maker, bool results_kept) {
  const std::string what =
      std::string(maker.name) + (results_kept ? ", results kept" : ", results dropped");
  const Repeated repeated = maker.make();
  Device& device = device_at(default_place());
  Results kept;
  const auto call = [&] {
    Results last = repeated.f.fn({.n_calls = many});
    last.sync();
    if (results_kept) kept = std::move(last);
  };
  for (int i = 0; i < 4; ++i)
    call();
  const Device::Replays before = device.replays();
  const std::size_t live = device.memory().live;
  call();
  call();
  const Device::Replays after = device.replays();
  EXPECT_EQ(after.captured, before.captured) << what;
  // A twentieth of a submission a call.
  EXPECT_LE(after.submitted - before.submitted, 2U * many / 20) << what;
  EXPECT_GE(after.submitted - before.submitted, 2U) << what;
  EXPECT_EQ(device.memory().live, live) << what;
}

/// Every function whose work is the device's alone.
void expect_few_submissions_of_all() {
  for (const RepeatedMaker& maker : makers) {
    if (maker.works_on_host || (maker.large && !large_ones)) continue;
    expect_few_submissions(maker, false);
    expect_few_submissions(maker, true);
  }
}

TEST_F(CallTimesDeathTest, AGpuGetsManyCallsInFewSubmissions) {
  EXPECT_EXIT(on_a_gpu(expect_few_submissions_of_all), testing::ExitedWithCode(0), "");
}

/// Counts what a simulated GPU did.
class Counter final : public Observer {
 public:
  std::uint32_t add_function(const FunctionRecord&) override { return 1; }

  std::uint32_t add_plan(const PlanRecord&) override { return 1; }

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return ++calls; }

  void end_call(std::uint32_t, std::uint32_t, std::int64_t) override { ++ended; }

  void begin_step(std::uint32_t, std::uint32_t) override {}

  void end_step(std::uint32_t, std::uint32_t, std::int64_t) override {}

  bool follows_replays() const override { return true; }

  void on(const Event&) override {}

  void on(const Activity& activity) override {
    kernels += activity.kind == EventKind::kernel;
    copies_out += activity.kind == EventKind::copy_out;
  }

  std::uint32_t calls = 0, ended = 0;
  int kernels = 0, copies_out = 0;
};

void expect_few_copies() {
  config().set("device", std::string("sim"));
  Counter counter;
  const Shared x = shared(count_up({100}), "x");
  const Function f = function({}, sum(exp(x)), {.updates = {{x, x + 1.0F}}, .observer = &counter});
  f();
  const int single = counter.kernels;
  f.fn({.n_calls = many});
  EXPECT_EQ(counter.calls, static_cast<std::uint32_t>(many + 1));
  EXPECT_EQ(counter.ended, static_cast<std::uint32_t>(many + 1));
  EXPECT_EQ(counter.kernels, single * (many + 1));
  // That of the first call, of the last, and of calls that were no part of a batch.
  EXPECT_LE(counter.copies_out, 10);
  EXPECT_GE(counter.copies_out, 2);
}

TEST_F(CallTimesDeathTest, ResultsThatNobodySeesAreNotCopiedToTheHost) {
  EXPECT_EXIT(on_a_gpu(expect_few_copies), testing::ExitedWithCode(0), "");
}

/// A graph of all launches of many long loops would take longer to make than to run.
void expect_long_loops_alone() {
  const Shared x = shared(count_up({8, 60}), "x"), w = shared(count_up({60, 60}), "w");
  const ScanResult r = scan(
      [&](Variable v) { return ScanStep{.outputs = {tanh(dot(v, w))}}; },
      {.outputs_info = {x}, .n_steps = 1500});
  const Function f = function({}, r[0][-1], {.updates = {{x, 1.0F - r[0][-1]}}});
  constexpr int calls = 6;
  Device& device = device_at(default_place());
  std::uint64_t before = 0;
  for (int i = 0; i < 3; ++i) {
    before = device.replays().submitted;
    f.fn({.n_calls = calls});
  }
  EXPECT_EQ(device.replays().submitted - before, static_cast<std::uint64_t>(calls));
}

TEST_F(CallTimesDeathTest, LongLoopsAreSubmissionsOfTheirOwn) {
  EXPECT_EXIT(on_a_gpu(expect_long_loops_alone), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hypatia
