// The text report: golden texts, width, and sums that a reader would add up.

#include "profiler/report/text.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/record/synthetic.h"
#include "profiler/report/chrome_trace.h"
#include "profiler/report/format.h"
#include "profiler/report/graph_picture.h"
#include "profiler/report/html.h"
#include "profiler/report/json.h"
#include "tests/checkout.h"

namespace hypatia {
namespace {

/// Compares with tests/profiler/report/golden/<name>; HYPATIA_UPDATE_GOLDEN=1 rewrites it instead.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = tests::checkout() + "/tests/profiler/report/golden/" + name;
  if (std::getenv("HYPATIA_UPDATE_GOLDEN")) std::ofstream(path) << text;
  std::ifstream file(path);
  const std::string expected((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, expected) << "(" << path << ")";
}

TEST(TextReport, LogisticRegressionOnTheGpu) {
  expect_golden("logistic_cuda.txt", text_report(Recording(synthetic_logistic())));
}

TEST(TextReport, LogisticRegressionOnTheCpu) {
  expect_golden("logistic_cpu.txt", text_report(Recording(synthetic_logistic({.device = "cpu"}))));
}

TEST(TextReport, ExpOnTheGpu) {
  expect_golden("exp_cuda.txt", text_report(Recording(synthetic_exp())));
}

/// Columns on a terminal: bytes that continue a UTF-8 character take none.
std::size_t width(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line)
    columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

TEST(TextReport, FitsAHundredColumns) {
  RecordingData data = synthetic_logistic();
  data.functions[0].nodes[4].name = std::string(300, 'n');
  data.header.command_line = std::string(300, 'c');
  std::istringstream report(text_report(Recording(std::move(data))));
  for (std::string line; std::getline(report, line);)
    EXPECT_LE(width(line), 100u) << line;
}

TEST(TextReport, SaysWhenNothingRan) {
  EXPECT_NE(
      text_report(Recording(RecordingData{})).find("No execution time accumulated"),
      std::string::npos);
}

TEST(TextReport, NamesWhatIsNotKnown) {
  RecordingData data = synthetic_exp();
  data.header.dropped = 12;
  data.header.without_time = 3;
  data.header.closed = false;
  data.header.simulated = true;
  data.header.messages = {"GPU lanes need libcupti."};
  const std::string report = text_report(Recording(std::move(data)));
  for (const char* part :
       {"12 records were LOST",
        "3 records came without times",
        "was killed",
        "simulated",
        "GPU lanes need libcupti."}) {
    EXPECT_NE(report.find(part), std::string::npos) << part;
  }
}

TEST(JsonReport, HoldsTheSums) {
  const auto json = nlohmann::json::parse(json_report(Recording(synthetic_logistic())));
  EXPECT_EQ(json["header"]["exercise"], "03_logistic_regression");
  const double length = json["end"].get<double>() - json["begin"].get<double>();
  EXPECT_NEAR(json["wall"]["total"].get<double>(), length, 1);
  double percent = 0;
  for (const auto& row : json["classes"])
    percent += row["percent"].get<double>();
  EXPECT_NEAR(percent, 100, 1e-6);
  EXPECT_EQ(json["functions"][0]["nodes"].size(), 11u);
  EXPECT_EQ(json["functions"][0]["plans"][0]["steps"][3]["nodes"].size(), 4u);
}

TEST(JsonReport, SurvivesTextsThatAreNotUtf8) {
  RecordingData data = synthetic_exp();
  data.functions[0].name = "caf\xe9";
  EXPECT_NO_THROW(json_report(Recording(std::move(data))));
}

TEST(CsvReport, HasAsManyCellsInEveryLine) {
  RecordingData data = synthetic_logistic();
  data.functions[0].nodes[3].name = "with, comma and \"quote\"";
  std::istringstream csv(csv_report(Recording(std::move(data))));
  std::size_t lines = 0;
  for (std::string line; std::getline(csv, line); ++lines) {
    std::size_t commas = 0;
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      commas += c == ',' && !quoted;
    }
    EXPECT_EQ(commas, 26u) << line;
  }
  EXPECT_EQ(lines, 1u + 11u + 2u);
}

TEST(Reports, OfASimulatedDeviceSaySo) {
  const auto simulated = [](bool is) {
    RecordingData data = synthetic_logistic();
    data.header.simulated = is;
    for (DeviceInfo& device : data.header.devices)
      device.simulated = is;
    return Recording(std::move(data));
  };
  const Recording modelled = simulated(true), measured = simulated(false);
  using Report = std::string (*)(const Recording&);
  const std::pair<const char*, Report> reports[] = {
      {"text", [](const Recording& r) { return text_report(r); }},
      {"html", [](const Recording& r) { return html_report(r); }},
      {"csv", [](const Recording& r) { return csv_report(r); }},
      {"json", [](const Recording& r) { return json_report(r); }},
      {"trace", [](const Recording& r) { return chrome_trace(r); }},
      {"dot", [](const Recording& r) { return dot_graph(r, account_for(r), 1); }},
      {"svg", [](const Recording& r) { return svg_graph(r, account_for(r), 1); }},
  };
  for (const auto& [name, report] : reports) {
    const std::string text = report(modelled);
    EXPECT_NE(text.find("simulated"), std::string::npos) << name;
    EXPECT_NE(text, report(measured)) << name;
  }
}

TEST(Format, WritesThreeDigitsAndAUnit) {
  EXPECT_EQ(duration(0), "0ns");
  EXPECT_EQ(duration(999), "999ns");
  EXPECT_EQ(duration(999.6), "1.00us");
  EXPECT_EQ(duration(3300), "3.30us");
  EXPECT_EQ(duration(12.34e6), "12.3ms");
  EXPECT_EQ(duration(999.7e6), "1.00s");
  EXPECT_EQ(duration(123e9), "123s");
  EXPECT_EQ(byte_count(921600), "922KB");
  EXPECT_EQ(shorten("abcdef", 5), "ab...");
  EXPECT_EQ(escape_markup("a<b>&\"\x01"), "a&lt;b&gt;&amp;&quot; ");
}

TEST(TextReport, PutsTheEnginesOwnFunctionsLast) {
  RecordingData data = synthetic_logistic();
  data.functions[0].origin = {"/x/engine/run/verify_grad.cpp", "verify_grad", 62};
  const std::string own = "Message: " + data.functions[0].name;
  const std::string user = "Message: " + data.functions[1].name;
  const std::string report = text_report(Recording(std::move(data)));
  ASSERT_NE(report.find(own), std::string::npos);
  EXPECT_LT(report.find(user), report.find(own));
  EXPECT_LT(report.find(own), report.find("The engine's own: a check by verify_grad or check_op"));
}

TEST(TextReport, LeavesOutMemoryBelowAKilobyte) {
  const auto report_for = [](std::int64_t bytes) {
    RecordingData data = synthetic_exp({.device = "cpu"});
    for (PlanRecord& plan : data.plans)
      for (BufferRecord& buffer : plan.buffers)
        buffer.bytes = bytes;
    return text_report(Recording(std::move(data)));
  };
  EXPECT_NE(report_for(4096).find("Memory Profile of"), std::string::npos);
  EXPECT_EQ(report_for(8).find("Memory Profile of"), std::string::npos);
}

TEST(TextReport, SaysWhyWorkTakesLongerThanTheCalls) {
  const auto explains = [](const RecordingData& data) {
    return text_report(Recording(data)).find("(over 100%: ") != std::string::npos;
  };
  EXPECT_TRUE(explains(synthetic_logistic()));
  EXPECT_FALSE(explains(synthetic_logistic({.device = "cpu"})));
}

}  // namespace
}  // namespace hypatia
