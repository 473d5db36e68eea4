// The whole join without a GPU: a mock libcupti delivers records, right and wrong ones, and a fake
// sink takes what comes out.

#include "profiler/cupti/tracer.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

#include "engine/trace/clock.h"

#include "tests/checkout.h"
#include "tests/profiler/cupti/mock/mock_cupti.h"

namespace hypatia::cupti {
namespace {

/// The mock's controls, by dlsym from the library that the tracer loads too.
struct Mock {
  Mock() {
    library = dlopen((tests::mock_cupti() + "/libcupti.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    get(control_of, "mock_cupti_control");
    get(launch, "mock_cupti_launch");
    get(copy, "mock_cupti_copy");
    get(fill, "mock_cupti_fill");
    get(wait, "mock_cupti_wait");
    get(memory, "mock_cupti_memory");
    get(load_module, "mock_cupti_load_module");
    get(graph_node, "mock_cupti_graph_node");
    get(clone_node, "mock_cupti_clone_node");
    get(launch_graph, "mock_cupti_launch_graph");
    *control_of() = MockCupti{};
  }

  template <typename Function>
  void get(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }

  MockCupti& control() { return *control_of(); }

  void* library = nullptr;
  decltype(&mock_cupti_control) control_of = nullptr;
  decltype(&mock_cupti_launch) launch = nullptr;
  decltype(&mock_cupti_copy) copy = nullptr;
  decltype(&mock_cupti_fill) fill = nullptr;
  decltype(&mock_cupti_wait) wait = nullptr;
  decltype(&mock_cupti_memory) memory = nullptr;
  decltype(&mock_cupti_load_module) load_module = nullptr;
  decltype(&mock_cupti_graph_node) graph_node = nullptr;
  decltype(&mock_cupti_clone_node) clone_node = nullptr;
  decltype(&mock_cupti_launch_graph) launch_graph = nullptr;
};

class CollectingSink final : public DeviceSink {
 public:
  std::uint16_t lane(LaneRecord::Kind kind, const std::string& device, std::uint64_t id) override {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i].kind == kind && lanes[i].device == device && lanes[i].id == id) {
        return static_cast<std::uint16_t>(i + 1);
      }
    }
    lanes.push_back({kind, device, id, ""});
    return static_cast<std::uint16_t>(lanes.size());
  }

  std::uint32_t detail(const DetailRecord& detail) override {
    details.push_back(detail);
    return static_cast<std::uint32_t>(details.size());
  }

  void event(const Event& event) override { events.push_back(event); }

  void message(const std::string& text) override { messages.push_back(text); }

  DeviceCounts& counts() override { return numbers; }

  std::vector<Event> of(EventKind kind) const {
    std::vector<Event> found;
    for (const Event& event : events) {
      if (event.kind == kind) found.push_back(event);
    }
    return found;
  }

  std::vector<LaneRecord> lanes;
  std::vector<DetailRecord> details;
  std::vector<Event> events;
  std::vector<std::string> messages;
  DeviceCounts numbers;
};

class Tracing : public testing::Test {
 protected:
  Tracing() { setenv("HYPATIA_CUPTI_DIR", tests::mock_cupti().c_str(), 1); }

  ~Tracing() override { unsetenv("HYPATIA_CUPTI_DIR"); }

  void open() {
    ASSERT_NE(mock.library, nullptr) << "the mock library is missing: " << dlerror();
    std::string reason;
    tracer = Tracer::open(reason);
    ASSERT_NE(tracer, nullptr) << reason;
    ASSERT_TRUE(tracer->attach());
  }

  /// Submits inside of a step, as the executor does.
  template <typename Submit>
  void in_step(std::uint32_t call, std::uint32_t step, Submit submit) {
    tracer->push(call, step);
    submit();
    tracer->pop();
  }

  Mock mock;
  std::unique_ptr<Tracer> tracer;
  CollectingSink sink;
};

void expect_owner(const Event& event, std::uint32_t call, std::uint32_t step) {
  EXPECT_EQ(event.call, call);
  EXPECT_EQ(event.step, step);
}

TEST_F(Tracing, JoinsKernelsCopiesAndWaitsToTheirSteps) {
  open();
  const std::int64_t before = now();
  in_step(42, 1, [&] { mock.launch("_Z3addPf", 7, 3300); });
  in_step(42, 2, [&] {
    mock.copy(2, 921'600, 17'000);
    mock.wait(3, 7, 20'000);
  });
  in_step(43, 3, [&] { mock.fill(4096, 900); });
  tracer->collect(sink, true);

  const std::vector<Event> kernels = sink.of(EventKind::kernel);
  ASSERT_EQ(kernels.size(), 1u);
  expect_owner(kernels[0], 42, 1);
  EXPECT_NEAR(static_cast<double>(kernels[0].end - kernels[0].begin), 3300, 2);
  EXPECT_GE(kernels[0].begin, before);
  EXPECT_LE(kernels[0].begin, now() + 1'000'000);
  EXPECT_EQ(sink.details[kernels[0].detail - 1].name, "add(float*)");
  EXPECT_EQ(sink.details[kernels[0].detail - 1].registers, 32);
  EXPECT_EQ(sink.lanes[kernels[0].lane - 1u].kind, LaneRecord::Kind::stream);
  EXPECT_EQ(sink.lanes[kernels[0].lane - 1u].id, 7u);

  const std::vector<Event> copies = sink.of(EventKind::copy_out);
  ASSERT_EQ(copies.size(), 1u);
  expect_owner(copies[0], 42, 2);
  EXPECT_EQ(sink.details[copies[0].detail - 1].bytes, 921'600);
  EXPECT_EQ(sink.details[copies[0].detail - 1].target_memory, 2);
  ASSERT_EQ(sink.of(EventKind::sync).size(), 1u);
  expect_owner(sink.of(EventKind::sync)[0], 42, 2);
  ASSERT_EQ(sink.of(EventKind::fill).size(), 1u);
  expect_owner(sink.of(EventKind::fill)[0], 43, 3);

  // A wait submits nothing, so it has no launch.
  const std::vector<Event> launches = sink.of(EventKind::launch);
  ASSERT_EQ(launches.size(), 3u);
  expect_owner(launches[0], 42, 1);
  EXPECT_LE(launches[0].end, kernels[0].begin);
  EXPECT_EQ(sink.lanes[launches[0].lane - 1u].id, static_cast<std::uint64_t>(gettid()));
  EXPECT_EQ(sink.numbers.unattributed, 0);
  EXPECT_EQ(sink.numbers.unordered, 0);
  EXPECT_EQ(sink.numbers.lost, 0);
  EXPECT_LT(sink.numbers.clock_error, 100'000);
}

TEST_F(Tracing, NamesWhatTheHostWaitedFor) {
  open();
  in_step(1, 1, [&] {
    for (const std::uint32_t type : {1u, 2u, 3u, 4u})
      mock.wait(type, 7, 1000);
  });
  tracer->collect(sink, true);
  std::vector<std::string> names;
  for (const Event& wait : sink.of(EventKind::sync))
    names.push_back(sink.details[wait.detail - 1].name);
  // The second is a stream's, which holds nobody up on the host.
  EXPECT_EQ(
      names,
      (std::vector<std::string>{"wait for an event", "wait for a stream", "wait for the device"}));
}

TEST_F(Tracing, ShowsTheDriversAllocations) {
  open();
  in_step(42, 1, [&] { mock.memory(true, 4 << 20); });
  in_step(43, 2, [&] { mock.memory(false, 4 << 20); });
  mock.memory(true, 64);
  tracer->collect(sink, true);
  const std::vector<Event> made = sink.of(EventKind::allocate);
  ASSERT_EQ(made.size(), 2u);
  expect_owner(made[0], 42, 1);
  EXPECT_EQ(sink.details[made[0].detail - 1].name, "allocation of device memory");
  EXPECT_EQ(sink.details[made[0].detail - 1].bytes, 4 << 20);
  // As long as the driver's call.
  EXPECT_GE(made[0].end - made[0].begin, 2000);
  EXPECT_EQ(sink.lanes[made[0].lane - 1u].kind, LaneRecord::Kind::api);
  ASSERT_EQ(sink.of(EventKind::release).size(), 1u);
  expect_owner(sink.of(EventKind::release)[0], 43, 2);
  // Outside of steps it is no node's, and nothing is wrong.
  expect_owner(made[1], 0, 0);
  EXPECT_EQ(sink.numbers.unattributed, 0);
  EXPECT_TRUE(sink.of(EventKind::launch).empty());
}

TEST_F(Tracing, WaitsForRecordsOfOtherBuffers) {
  mock.control().buffer_bytes = 216;
  mock.control().shuffle = true;
  open();
  for (std::uint32_t i = 1; i <= 200; ++i) {
    in_step(i, i % 7 + 1, [&] { mock.launch("k", i % 3, 500); });
    if (i % 50 == 0) tracer->collect(sink, false);
  }
  tracer->collect(sink, true);
  const std::vector<Event> kernels = sink.of(EventKind::kernel);
  ASSERT_EQ(kernels.size(), 200u);
  for (const Event& kernel : kernels)
    EXPECT_EQ(kernel.step, kernel.call % 7 + 1);
  EXPECT_EQ(sink.numbers.unattributed, 0);
}

/// Captures two calls from call 2 on, each of steps 11 and 12, a node of the graph each; then
/// instantiates the graph, whose copies have numbers from `first`. Instantiating tells of made
/// nodes, too.
void capture(Tracer& tracer, Mock& mock, std::uint64_t first, bool tell_of_copies) {
  std::uint64_t node = first - 100;
  for (const std::uint32_t call : {2u, 3u}) {
    for (const std::uint32_t step : {11u, 12u}) {
      tracer.push_captured(call, step);
      mock.graph_node(node++);
      tracer.pop_captured();
    }
  }
  for (std::uint64_t i = 0; i < 4; ++i) {
    mock.graph_node(first + i);
    if (tell_of_copies) mock.clone_node(first + i, first - 100 + i);
  }
}

void expect_replay(const CollectingSink& sink) {
  const std::vector<Event> kernels = sink.of(EventKind::kernel);
  ASSERT_EQ(kernels.size(), 8u);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    // Submitted by calls 3 and 5, each for itself and the call before it.
    expect_owner(kernels[i], static_cast<std::uint32_t>(2 + i / 2), i % 2 ? 12 : 11);
    EXPECT_TRUE(kernels[i].flags & event_flag::in_graph);
  }
  // One call of the driver launched each graph, and it is no single node's.
  ASSERT_EQ(sink.of(EventKind::launch).size(), 2u);
  expect_owner(sink.of(EventKind::launch)[0], 3, 20);
  EXPECT_EQ(sink.numbers.unattributed, 0);
  EXPECT_EQ(sink.numbers.disagreements, 0);
}

TEST_F(Tracing, FindsTheStepsOfReplayedGraphs) {
  open();
  EXPECT_TRUE(tracer->follows_graphs());
  in_step(3, 20, [&] {
    capture(*tracer, mock, 200, true);
    mock.launch_graph(200, 4, 600);
  });
  in_step(5, 20, [&] { mock.launch_graph(200, 4, 600); });
  tracer->collect(sink, true);
  expect_replay(sink);
  EXPECT_FALSE(sink.of(EventKind::kernel)[0].flags & event_flag::by_interval);
}

TEST_F(Tracing, FindsTheStepsOfReplaysByTheirOrderToo) {
  open();
  mock.control().buffer_bytes = 216;  // a kernel's record each
  mock.control().shuffle = true;
  in_step(3, 20, [&] {
    capture(*tracer, mock, 200, false);
    mock.launch_graph(200, 4, 600);
  });
  in_step(5, 20, [&] { mock.launch_graph(200, 4, 600); });
  for (int round = 0; round < 10; ++round)
    tracer->collect(sink, false);
  tracer->collect(sink, true);
  expect_replay(sink);
  EXPECT_TRUE(sink.of(EventKind::kernel)[0].flags & event_flag::by_interval);
}

TEST_F(Tracing, CountsWorkOfGraphsWhoseOrderSaysOtherwise) {
  open();
  in_step(3, 20, [&] {
    capture(*tracer, mock, 200, true);
    mock.clone_node(201, 100);  // wrong: it is the copy of 101
    mock.launch_graph(200, 4, 600);
  });
  tracer->collect(sink, true);
  EXPECT_EQ(sink.numbers.disagreements, 1);
}

TEST_F(Tracing, CountsWorkOfGraphsThatNobodySawCaptured) {
  open();
  in_step(3, 20, [&] { mock.launch_graph(300, 4, 600); });
  tracer->collect(sink, true);
  expect_owner(sink.of(EventKind::kernel)[0], 3, 20);
  EXPECT_EQ(sink.numbers.unattributed, 4);
}

TEST_F(Tracing, NamesWhoseWorkRunsOutsideOfSteps) {
  open();
  ASSERT_TRUE(tracer->own("shared variable w"));
  mock.copy(1, 3136, 900);
  tracer->pop();
  in_step(1, 1, [&] { EXPECT_FALSE(tracer->own("an array")); });
  tracer->collect(sink, true);
  const std::vector<Event> copies = sink.of(EventKind::copy_in);
  ASSERT_EQ(copies.size(), 1u);
  expect_owner(copies[0], 0, 0);
  EXPECT_EQ(sink.details[copies[0].detail - 1].name, "copy in of shared variable w");
  EXPECT_EQ(sink.numbers.unattributed, 0);
}

TEST_F(Tracing, FallsBackToTheTimeOfTheCall) {
  mock.control().no_external = true;
  open();
  Event step;
  step.kind = EventKind::step;
  step.call = 5;
  step.step = 9;
  step.begin = now() - 1000;
  in_step(5, 9, [&] { mock.launch("k", 7, 500); });
  step.end = now() + 1000;
  tracer->add_step(static_cast<std::uint64_t>(gettid()), step);
  tracer->collect(sink, true);
  ASSERT_EQ(sink.of(EventKind::kernel).size(), 1u);
  expect_owner(sink.of(EventKind::kernel)[0], 5, 9);
  EXPECT_TRUE(sink.of(EventKind::kernel)[0].flags & event_flag::by_interval);
}

TEST_F(Tracing, CountsWhereTheTwoWaysDisagree) {
  open();
  Event step;
  step.kind = EventKind::step;
  step.call = 5;
  step.step = 8;
  step.begin = now() - 1000;
  in_step(5, 9, [&] { mock.launch("k", 7, 500); });
  step.end = now() + 1000;
  tracer->add_step(static_cast<std::uint64_t>(gettid()), step);
  tracer->collect(sink, true);
  expect_owner(sink.of(EventKind::kernel)[0], 5, 9);
  EXPECT_EQ(sink.numbers.disagreements, 1);
}

TEST_F(Tracing, CountsWhatNobodyOwns) {
  open();
  mock.launch("k", 7, 500);
  tracer->collect(sink, true);
  expect_owner(sink.of(EventKind::kernel)[0], 0, 0);
  EXPECT_EQ(sink.numbers.unattributed, 1);
}

TEST_F(Tracing, CountsDroppedRecords) {
  mock.control().dropped = 17;
  open();
  tracer->collect(sink, true);
  EXPECT_EQ(sink.numbers.lost, 17);
}

TEST_F(Tracing, CountsWorkWithoutTimes) {
  mock.control().no_stamps = true;
  open();
  in_step(1, 1, [&] { mock.launch("k", 7, 500); });
  tracer->collect(sink, true);
  EXPECT_EQ(sink.numbers.without_time, 1);
  EXPECT_TRUE(sink.of(EventKind::kernel).empty());
}

TEST_F(Tracing, CountsWorkThatSeemsToComeBeforeItsCall) {
  mock.control().early = true;
  open();
  in_step(1, 1, [&] { mock.launch("k", 7, 500); });
  tracer->collect(sink, true);
  EXPECT_EQ(sink.numbers.unordered, 1);
}

TEST_F(Tracing, ShowsModuleLoadingAsCompiling) {
  open();
  mock.load_module(5000);
  tracer->collect(sink, true);
  ASSERT_EQ(sink.of(EventKind::compile).size(), 1u);
  EXPECT_EQ(sink.details[0].name, "a module is loaded");
}

TEST_F(Tracing, KeepsThreadsApart) {
  open();
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 20; ++i) {
        in_step(t, t, [&] { mock.launch("k", t, 300); });
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  tracer->collect(sink, true);
  std::size_t right = 0;
  for (const Event& kernel : sink.of(EventKind::kernel)) {
    right += kernel.step == kernel.call && sink.lanes[kernel.lane - 1u].id == kernel.step;
  }
  EXPECT_EQ(right, 80u);
  EXPECT_EQ(
      std::count_if(
          sink.lanes.begin(),
          sink.lanes.end(),
          [](const LaneRecord& lane) { return lane.kind == LaneRecord::Kind::api; }),
      4);
}

TEST_F(Tracing, IsOnePerProcess) {
  open();
  EXPECT_FALSE(tracer->attach());
  std::string reason;
  EXPECT_EQ(Tracer::open(reason), nullptr);
  EXPECT_NE(reason.find("another tool is tracing"), std::string::npos);
}

TEST_F(Tracing, ASecondRecordingStartsAfresh) {
  open();
  in_step(1, 1, [&] { mock.launch("first", 7, 500); });
  tracer->collect(sink, true);
  in_step(2, 1, [&] { mock.launch("between", 7, 500); });
  ASSERT_TRUE(tracer->attach());
  in_step(3, 1, [&] { mock.launch("second", 7, 500); });
  CollectingSink second;
  tracer->collect(second, true);
  ASSERT_EQ(second.of(EventKind::kernel).size(), 1u);
  expect_owner(second.of(EventKind::kernel)[0], 3, 1);
}

std::string reason_for(Mock& mock, int subscribe, int enable) {
  mock.control().subscribe_result = subscribe;
  mock.control().enable_result = enable;
  std::string reason;
  EXPECT_EQ(Tracer::open(reason), nullptr);
  return reason;
}

TEST_F(Tracing, SaysWhyItCannotStart) {
  EXPECT_NE(reason_for(mock, 39, 0).find("another tool is tracing"), std::string::npos);
  EXPECT_NE(
      reason_for(mock, 999, 0).find("driver is absent, or older than CUPTI 130001"),
      std::string::npos);
  EXPECT_NE(reason_for(mock, 0, 35).find("administrators"), std::string::npos);
  EXPECT_NE(reason_for(mock, 0, 33).find("virtual GPU"), std::string::npos);
  EXPECT_NE(reason_for(mock, 0, 41).find("confidential"), std::string::npos);
  EXPECT_NE(reason_for(mock, 7, 0).find("7 (a mock's reason)"), std::string::npos);
}

TEST_F(Tracing, SaysWhereNoLibraryIs) {
  setenv("HYPATIA_CUPTI_DIR", "/nowhere", 1);
  std::string reason;
  EXPECT_EQ(Tracer::open(reason), nullptr);
  EXPECT_NE(reason.find("need libcupti"), std::string::npos);
}

TEST(ClockMap, FollowsAClockThatIsSetAndSlewed) {
  ClockMap clock;
  clock.add_anchor(1'000'000, 500, 40);
  EXPECT_EQ(clock.to_host(1'000'100), 600);
  EXPECT_EQ(clock.to_host(999'900), 400);
  clock.add_anchor(2'000'000, 1'000'600, 60);  // gained 100 ns in a millisecond
  EXPECT_EQ(clock.to_host(1'500'000), 500'550);
  EXPECT_EQ(clock.to_host(2'000'010), 1'000'610);
  clock.add_anchor(1'500'000, 2'000'000, 10);  // set back by half a millisecond
  EXPECT_EQ(clock.to_host(1'600'000), 2'100'000);
  EXPECT_EQ(clock.error(), 30);
}

}  // namespace
}  // namespace hypatia::cupti
