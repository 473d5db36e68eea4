#include "exercises/runner/coverage.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <regex>

#include "engine/core/flags.h"
#include "engine/core/text.h"
#include "engine/ops/registry.h"
#include "engine/rewrite/pass.h"
#include "engine/rewrite/rule.h"

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

[[noreturn]] void fault(int line, const std::string& what) {
  throw Stop{
      exit_authoring,
      fmt::format("coverage.txt:{} {}", line, what),
      "write: feature | op exp; test Grad.OfASquare, or: feature | left out: reason"};
}

std::string after(std::string_view text, std::string_view begin) {
  return text.starts_with(begin) ? std::string(trimmed(text.substr(begin.size()))) : "";
}

CoverageRow row_of(std::string_view line, int number, const std::string& section) {
  const std::size_t bar = line.find(" | ");
  if (section.empty() || bar == std::string_view::npos) fault(number, "is no row");
  CoverageRow row;
  row.section = section;
  row.line = number;
  row.feature = trimmed(line.substr(0, bar));
  const std::string_view what = trimmed(line.substr(bar + 3));
  row.left_out = after(what, "left out:");
  row.planned = after(what, "planned:");
  if (!row.left_out.empty() || !row.planned.empty()) return row;
  for (const std::string& part : split(what, ';')) {
    const std::string_view proof = trimmed(part);
    const std::size_t blank = proof.find(' ');
    if (blank == std::string_view::npos) fault(number, "has a proof without a name: " + part);
    row.proofs.push_back(
        {std::string(proof.substr(0, blank)), std::string(trimmed(proof.substr(blank + 1)))});
  }
  return row;
}

bool is_rule(std::string_view name) {
  const auto all = all_rules();
  return std::any_of(all.begin(), all.end(), [&](const Rule* r) { return r->name == name; });
}

bool is_pass(std::string_view name) {
  const auto& all = pipeline();
  return std::any_of(all.begin(), all.end(), [&](const Pass& p) { return p.name == name; });
}

bool is_flag(std::string_view name) {
  const auto all = flags();
  return std::any_of(all.begin(), all.end(), [&](const Flag& f) { return f.name == name; });
}

bool is_verb(std::string_view name) {
  const auto& all = commands();
  return std::any_of(all.begin(), all.end(), [&](const Command* c) { return c->name == name; });
}

bool holds(
    const CoverageProof& proof, const std::set<std::string>& tests, const std::string& root) {
  if (proof.kind == "op") return find_op(proof.name) != nullptr;
  if (proof.kind == "rule") return is_rule(proof.name);
  if (proof.kind == "pass") return is_pass(proof.name);
  if (proof.kind == "flag") return is_flag(proof.name);
  if (proof.kind == "verb") return is_verb(proof.name);
  if (proof.kind == "test") return tests.count(proof.name) > 0;
  return proof.kind == "file" && std::filesystem::exists(root + "/" + proof.name);
}

/// A flag without effect says why itself.
std::string idle_reason(const CoverageProof& proof) {
  if (proof.kind != "flag") return "";
  return std::string(flags()[flag_row(proof.name)].idle);
}

std::string cell(const CoverageRow& row) {
  if (!row.left_out.empty()) return "left out: " + row.left_out;
  if (!row.planned.empty()) return "planned: " + row.planned;
  std::vector<std::string> parts;
  for (const CoverageProof& proof : row.proofs) {
    const std::string idle = idle_reason(proof);
    parts.push_back(
        proof.kind + " `" + proof.name + "`" + (idle.empty() ? "" : " (no effect: " + idle + ")"));
  }
  return join(parts);
}

/// The ops that a GPU has no kernel for, each with what `hypatia why` says of it.
std::string ops_on_the_cpu() {
  std::string table =
      "\n## Ops without a GPU kernel\n\nThey run on the CPU on every device; what they take and "
      "give is "
      "carried where it lies on a GPU.\n\n| op | why |\n|---|---|\n";
  for (const Op* op : all_ops()) {
    const auto* on_host = std::get_if<HostLowering>(&op->lowering);
    if (on_host) table += fmt::format("| `{}`, {} | {} |\n", op->name, op->doc, on_host->why);
  }
  return table;
}

}  // namespace

std::vector<CoverageRow> coverage_rows(std::string_view text) {
  std::vector<CoverageRow> rows;
  std::string section;
  int number = 0;
  for (const std::string& raw : lines_of(text)) {
    ++number;
    const std::string_view line = trimmed(raw);
    if (line.empty() || line.starts_with("//")) continue;
    if (line.starts_with("# ")) {
      section = line.substr(2);
    } else {
      rows.push_back(row_of(line, number, section));
    }
  }
  return rows;
}

std::set<std::string> tests_below(const std::string& folder) {
  static const std::regex test("\\nTEST(_F|_P)?\\(\\s*(\\w+),\\s*(\\w+)\\)");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path().string());
    for (std::sregex_iterator m(text.begin(), text.end(), test), end; m != end; ++m)
      names.insert((*m)[2].str() + "." + (*m)[3].str());
  }
  return names;
}

std::vector<std::string> coverage_faults(
    const std::vector<CoverageRow>& rows, const std::string& root) {
  const std::set<std::string> tests = tests_below(root + "/tests");
  std::vector<std::string> faults;
  for (const CoverageRow& row : rows) {
    for (const CoverageProof& proof : row.proofs) {
      if (holds(proof, tests, root)) continue;
      faults.push_back(
          fmt::format("coverage.txt:{} there is no {} {}", row.line, proof.kind, proof.name));
    }
  }
  for (const Flag& flag : flags()) {
    const bool listed = std::any_of(rows.begin(), rows.end(), [&](const CoverageRow& row) {
      return std::any_of(row.proofs.begin(), row.proofs.end(), [&](const CoverageProof& p) {
        return p.kind == "flag" && p.name == flag.name;
      });
    });
    if (!listed) faults.push_back("coverage.txt does not list the flag " + std::string(flag.name));
  }
  return faults;
}

std::string coverage_page(const std::vector<CoverageRow>& rows) {
  const auto count = [&](auto member) {
    return std::count_if(
        rows.begin(), rows.end(), [&](const CoverageRow& r) { return !(r.*member).empty(); });
  };
  const auto left_out = count(&CoverageRow::left_out), planned = count(&CoverageRow::planned);
  std::string page = fmt::format(
      "# What of Theano there is\n\n"
      "Made by `./hypatia dev coverage` of [coverage.txt](coverage.txt); a test fails where the "
      "two "
      "differ and\nwhere a row names what there is not. {} rows: {} covered, {} left out with the "
      "reason, {} planned.\n",
      rows.size(),
      static_cast<long>(rows.size()) - left_out - planned,
      left_out,
      planned);
  std::string section;
  for (const CoverageRow& row : rows) {
    if (row.section != section) {
      section = row.section;
      page += "\n## " + section + "\n\n| feature | covered by |\n|---|---|\n";
    }
    page += "| " + row.feature + " | " + cell(row) + " |\n";
  }
  return page + ops_on_the_cpu();
}

}  // namespace hypatia::runner
