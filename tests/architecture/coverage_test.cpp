// docs/reference/coverage.md: every row names what proves it, and the page is that of the rows.
#include "exercises/runner/coverage.h"

#include <gtest/gtest.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

std::vector<runner::CoverageRow> rows() {
  return runner::coverage_rows(runner::read_file(root() + "/docs/reference/coverage.txt"));
}

std::string fault_of(const std::string& text) {
  try {
    runner::coverage_rows(text);
  } catch (const runner::Stop& stop) {
    return stop.message;
  }
  return "";
}

}  // namespace

TEST(Coverage, EveryRowNamesWhatThereIs) {
  EXPECT_GT(rows().size(), 150U);
  const std::vector<std::string> faults = runner::coverage_faults(rows(), root());
  EXPECT_TRUE(faults.empty()) << joined(faults);
}

TEST(Coverage, ThePageIsThatOfTheRows) {
  EXPECT_EQ(
      runner::read_file(root() + "/docs/reference/coverage.md"), runner::coverage_page(rows()))
      << "run ./hypatia dev coverage";
}

TEST(Coverage, CoversEverySectionAndCountsWhatIsPlanned) {
  std::set<std::string> numbers;
  int planned = 0;
  for (const runner::CoverageRow& row : rows()) {
    numbers.insert(row.section.substr(0, row.section.find(' ')));
    planned += row.planned.empty() ? 0 : 1;
  }
  for (int i = 1; i <= 15; ++i)
    EXPECT_TRUE(numbers.count("1." + std::to_string(i))) << "no rows of 1." << i;
  std::printf("%d rows are planned\n", planned);
}

TEST(Coverage, ARowWithoutProofOrReasonIsSeen) {
  const auto faults = [](const std::string& row) {
    const auto rows = runner::coverage_rows("# 1.1 Types\n" + row + "\n");
    return runner::coverage_faults(rows, root())[0];
  };
  EXPECT_EQ(fault_of("# 1.1 Types\nscalars\n"), "coverage.txt:2 is no row");
  EXPECT_EQ(fault_of("scalars | op exp\n"), "coverage.txt:1 is no row");
  EXPECT_EQ(fault_of("# 1\na | exp\n"), "coverage.txt:2 has a proof without a name: exp");
  EXPECT_EQ(faults("a | op nope"), "coverage.txt:2 there is no op nope");
  EXPECT_EQ(faults("a | rule nope"), "coverage.txt:2 there is no rule nope");
  EXPECT_EQ(faults("a | test No.Such"), "coverage.txt:2 there is no test No.Such");
  EXPECT_EQ(faults("a | file no/such"), "coverage.txt:2 there is no file no/such");
  EXPECT_EQ(faults("a | word of honour"), "coverage.txt:2 there is no word of honour");
  EXPECT_EQ(faults("a | op exp"), "coverage.txt does not list the flag floatX");
}

}  // namespace hypatia::architecture
