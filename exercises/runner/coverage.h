#pragma once
// What of Theano there is: rows of docs/reference/coverage.txt, each with what proves it, and the
// page made of them.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia::runner {

/// What covers a row: "op exp", "rule softplus", "pass fuse", "flag floatX", "test Grad.OfASquare",
/// "verb profile", "file docs/gui.md".
struct CoverageProof {
  std::string kind, name;
};

/// One feature. It has proofs, or a reason for being left out, or is planned.
struct CoverageRow {
  std::string section, feature;
  std::vector<CoverageProof> proofs;
  std::string left_out, planned;
  int line = 0;
};

/// Reads the rows. A section begins with "# 1.4 Title", a row is "feature | proof; proof",
/// "feature | left out: reason" or "feature | planned: what". Throws Stop with the line on others.
std::vector<CoverageRow> coverage_rows(std::string_view text);
/// Names of all tests below a folder, "Suite.Name".
std::set<std::string> tests_below(const std::string& folder);
/// What the rows claim and is not so, a line each.
std::vector<std::string> coverage_faults(
    const std::vector<CoverageRow>& rows, const std::string& root);
/// The page of all rows, and of the ops that a GPU has no kernel for.
std::string coverage_page(const std::vector<CoverageRow>& rows);

}  // namespace hypatia::runner
