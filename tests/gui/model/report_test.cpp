// The numbers on the screen are the text report's: each node's row, and the sums.

#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>

#include "gui/model/profile.h"
#include "profiler/report/text.h"
#include "tests/gui/host.h"

namespace hypatia::gui {

namespace {

/// A row of the report's table of apply nodes.
struct ReportRow {
  double seconds = 0, per_call = 0;
  std::int64_t calls = 0;
};

/// By function and position there.
std::map<std::pair<std::string, int>, ReportRow> rows_of(const std::string& report) {
  static const std::regex message("^  Message: (\\S+).*");
  static const std::regex row(
      "^ +[0-9.]+% +[0-9.]+% +([0-9.]+)s +([0-9.e+-]+)s +([0-9]+) +([0-9]+) .*");
  std::map<std::pair<std::string, int>, ReportRow> rows;
  std::istringstream lines(report);
  std::string line, function;
  bool in_table = false;
  while (std::getline(lines, line)) {
    std::smatch found;
    if (std::regex_match(line, found, message)) function = found[1];
    if (line == "Apply") in_table = true;
    if (line.empty()) in_table = false;
    if (in_table && std::regex_match(line, found, row))
      rows[{function, std::stoi(found[4])}] = {
          std::stod(found[1]), std::stod(found[2]), std::stoll(found[3])};
  }
  return rows;
}

}  // namespace

TEST(Report, EveryNodesNumbersAreThoseOfTheTextReport) {
  for (const char* name : {"exp-cpu", "exp-cuda", "logistic-cpu", "logistic-cuda"}) {
    const auto profile = make_demo(name);
    TextOptions options;
    options.rows = 10'000;
    options.columns = 400;
    const std::string report = text_report(*profile->recording, options);
    const auto rows = rows_of(report);
    std::size_t met = 0;
    for (const NodeStats& node : profile->nodes) {
      const auto found = rows.find({profile->function_name(node), static_cast<int>(node.id.node)});
      if (found == rows.end()) {
        EXPECT_EQ(node.costs().total(), 0) << name << " " << node.record->name;
        continue;
      }
      ++met;
      const ReportRow& row = found->second;
      const double seconds = node.costs().total() * 1e-9;
      EXPECT_NEAR(row.seconds, seconds, 0.5001e-3) << name << " " << node.record->name;
      EXPECT_EQ(row.calls, node.calls()) << name << " " << node.record->name;
      const double each = seconds / static_cast<double>(node.calls());
      EXPECT_NEAR(row.per_call, each, each * 0.006) << name << " " << node.record->name;
    }
    EXPECT_EQ(met, rows.size()) << name << ": the report has nodes that the GUI lacks";
    EXPECT_GE(met, 1u) << report;
  }
}

TEST(Report, TheSumsAreThoseOfTheTextReport) {
  const auto profile = make_demo("exp-cuda");
  const std::string report = text_report(*profile->recording);
  const std::size_t of_it = report.find("Of it ");
  ASSERT_NE(of_it, std::string::npos) << report;
  std::smatch found;
  const std::string line = report.substr(of_it, report.find('\n', of_it) - of_it);
  static const std::regex sums(
      "Of it ([0-9.]+)s\\(.*\\) on the host, ([0-9.]+)s\\(.*\\) in kernels and ([0-9.]+)s\\(.*");
  ASSERT_TRUE(std::regex_match(line, found, sums)) << line;
  EXPECT_NEAR(std::stod(found[1]), profile->costs.cpu() * 1e-9, 0.5001e-3);
  EXPECT_NEAR(std::stod(found[2]), profile->costs.gpu() * 1e-9, 0.5001e-3);
  EXPECT_NEAR(std::stod(found[3]), profile->costs.transfer() * 1e-9, 0.5001e-3);
}

}  // namespace hypatia::gui
