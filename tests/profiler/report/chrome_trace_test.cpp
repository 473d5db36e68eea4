// Exported traces keep the format's rules, and the check of the rules finds each offence.

#include "profiler/report/chrome_trace.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiler/record/synthetic.h"

namespace hypatia {
namespace {

TEST(ChromeTrace, KeepsTheRules) {
  for (const char* device : {"cpu", "cuda0"}) {
    SyntheticOptions options;
    options.device = device;
    EXPECT_EQ(trace_problem(chrome_trace(Recording(synthetic_logistic(options)))), "");
    EXPECT_EQ(trace_problem(chrome_trace(Recording(synthetic_exp(options)))), "");
  }
  EXPECT_EQ(trace_problem(chrome_trace(Recording(RecordingData{}))), "");
}

TEST(ChromeTrace, HoldsEveryEventAndAnArrowPerLaunch) {
  const Recording recording(synthetic_exp({.calls = 7}));
  const auto trace = nlohmann::json::parse(chrome_trace(recording));
  std::size_t slices = 0, starts = 0;
  for (const auto& event : trace["traceEvents"]) {
    slices += event["ph"] == "X";
    starts += event["ph"] == "s";
    if (event["ph"] == "X" && event["cat"] == "kernel") {
      EXPECT_EQ(event["args"]["nodes"], "GpuElemwise{exp,no_inplace}");
      EXPECT_EQ(event["args"]["grid"], "264 1 1");
    }
  }
  EXPECT_EQ(slices, recording.event_count());
  EXPECT_EQ(starts, 14u);
  // 32 bytes grow to a few hundred.
  EXPECT_LT(chrome_trace(recording).size(), 400 * recording.event_count());
}

TEST(ChromeTrace, CountsTheWorkThatWaits) {
  const Recording recording(synthetic_exp({.calls = 7}));
  const auto trace = nlohmann::json::parse(chrome_trace(recording));
  int last = -1, most = 0;
  double time = -1;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "C") continue;
    EXPECT_EQ(event["name"], "submitted, not done");
    EXPECT_GE(event["ts"].get<double>(), time);
    time = event["ts"];
    last = event["args"]["pieces of work"];
    EXPECT_GE(last, 0);
    most = std::max(most, last);
  }
  EXPECT_EQ(last, 0);
  EXPECT_GE(most, 1);
}

TEST(TraceCheck, FindsEachOffence) {
  const auto problem = [](const std::string& events) {
    return trace_problem("{\"traceEvents\":[" + events + "]}");
  };
  const std::string slice = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":10,"dur":5})";
  EXPECT_EQ(problem(slice), "");
  EXPECT_EQ(trace_problem("{"), "it is not JSON");
  EXPECT_EQ(trace_problem("{}"), "there is no traceEvents");
  const auto starts = [&](const std::string& events, const std::string& expected) {
    EXPECT_EQ(problem(events).rfind(expected, 0), 0u) << problem(events);
  };
  starts(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":10})", "a slice has no length");
  starts(R"({"ph":"X","name":"a","tid":1,"ts":10,"dur":1})", "an event has no process");
  starts(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":-1,"dur":1})", "an event has no time");
  starts(slice + R"(,{"ph":"X","name":"b","pid":1,"tid":1,"ts":9,"dur":1})", "times of a thread");
  starts(slice + R"(,{"ph":"X","name":"b","pid":1,"tid":1,"ts":12,"dur":9})", "slices of a thread");
  const std::string counter = R"({"ph":"C","name":"c","pid":1,"tid":0,"ts":1,"args":)";
  EXPECT_EQ(problem(counter + R"({"n":3}})"), "");
  starts(counter + R"({"n":"3"}})", "a counter has no numbers");
  starts(counter + "{}}", "a counter has no numbers");
  const std::string from = R"({"ph":"s","name":"l","id":3,"pid":1,"tid":1,"ts":10})";
  starts(from, "an arrow has not");
  starts(from + R"(,{"ph":"f","name":"l","id":3,"pid":1,"tid":1,"ts":9})", "an arrow points back");
  EXPECT_EQ(problem(from + R"(,{"ph":"f","name":"l","id":3,"pid":1,"tid":1,"ts":11})"), "");
}

}  // namespace
}  // namespace hypatia
