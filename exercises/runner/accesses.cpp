#include "exercises/runner/accesses.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

void add(LineCounts& to, const nlohmann::json& from) {
  const auto more = [&](std::int64_t& sum, const char* key) {
    sum += from.value(key, std::int64_t{0});
  };
  more(to.loads, "global_loads");
  more(to.stores, "global_stores");
  more(to.requests, "global_requests");
  more(to.sectors, "sectors");
  more(to.shared_loads, "shared_loads");
  more(to.shared_stores, "shared_stores");
  more(to.shared_requests, "shared_requests");
  more(to.bank_conflicts, "bank_conflicts");
  more(to.atomics, "atomics");
  more(to.barriers, "barriers");
  more(to.active_lanes, "active_lanes");
}

LineCounts& line_of(std::vector<LineCounts>& lines, const nlohmann::json& json) {
  LineCounts wanted;
  wanted.line = json.value("line", 0);
  wanted.array = json.value("array", "");
  wanted.text = json.value("text", "");
  const auto key = [](const LineCounts& l) { return std::tie(l.line, l.array); };
  const auto at = std::lower_bound(
      lines.begin(), lines.end(), wanted, [&](const LineCounts& a, const LineCounts& b) {
        return key(a) < key(b);
      });
  if (at != lines.end() && key(*at) == key(wanted)) return *at;
  return *lines.insert(at, wanted);
}

KernelAccesses& kernel_of(std::vector<KernelAccesses>& all, const nlohmann::json& json) {
  const std::string name = json.value("kernel", ""), file = json.value("file", "");
  const std::string nodes = json.value("nodes", "");
  for (KernelAccesses& known : all) {
    if (known.kernel == name && known.file == file && known.nodes == nodes) return known;
  }
  all.push_back({name, file, nodes, 0, 0, {}, {}, {}});
  return all.back();
}

void add_launch(std::vector<KernelAccesses>& all, const nlohmann::json& json) {
  KernelAccesses& kernel = kernel_of(all, json);
  kernel.launches += json.value("launches", std::int64_t{1});
  kernel.skipped += json.value("skipped", std::int64_t{0});
  for (const nlohmann::json& problem : json.value("problems", nlohmann::json::array())) {
    const AccessProblem found{
        problem.value("tag", ""), problem.value("text", ""), kernel.file, problem.value("line", 0)};
    // The same mistake shows in each launch, with other threads.
    const bool known = std::any_of(
        kernel.problems.begin(), kernel.problems.end(), [&](const AccessProblem& other) {
          return other.tag == found.tag && other.line == found.line;
        });
    if (!known) kernel.problems.push_back(found);
  }
  for (const nlohmann::json& line : json.value("lines", nlohmann::json::array()))
    add(line_of(kernel.lines, line), line);
  for (const nlohmann::json& site : json.value("sites", nlohmann::json::array()))
    add(line_of(kernel.sites, site), site);
}

std::string ratio(std::int64_t of, std::int64_t to) {
  return to ? fmt::format("{:.1f}", static_cast<double>(of) / static_cast<double>(to)) : "-";
}

std::string line_as_shown(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first, 44);
}

}  // namespace

bool KernelAccesses::is_the_engines() const {
  return file.starts_with("verify_grad.cpp:") || file.starts_with("check_op.cpp:");
}

std::string KernelAccesses::title() const {
  const std::string counted =
      skipped > 0 ? fmt::format("the first {} of {} launches", launches, launches + skipped)
                  : fmt::format("{} launch{}", launches, launches == 1 ? "" : "es");
  return fmt::format("{}{} ({}), {}", nodes.empty() ? "" : nodes + ": ", kernel, file, counted);
}

std::vector<KernelAccesses> read_accesses(const std::string& path) {
  std::vector<KernelAccesses> all;
  if (!std::filesystem::exists(path)) return all;  // no kernel was launched
  for (const std::string& line : lines_of(read_file(path))) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) add_launch(all, json);
  }
  return all;
}

void add_access_findings(Verdict& verdict, const std::string& path) {
  std::vector<TestResult> found;
  for (const KernelAccesses& kernel : read_accesses(path)) {
    for (const AccessProblem& problem : kernel.problems) {
      const std::string place =
          problem.line > 0 ? fmt::format("{}:{} ", problem.file, problem.line) : "";
      found.push_back(
          {"accesses of " + kernel.kernel,
           "fail",
           problem.tag,
           place + problem.text,
           "",
           "",
           0,
           0});
    }
  }
  if (found.empty()) return;
  const std::vector<std::string> others = std::exchange(verdict.tags, {});
  for (const TestResult& problem : found)
    verdict.add_tag(problem.tag);
  for (const std::string& tag : others)
    verdict.add_tag(tag);
  if (verdict.status == "pass") verdict.status = "fail";
  verdict.tests.insert(verdict.tests.begin(), found.begin(), found.end());
}

std::string to_text(const KernelAccesses& kernel, const std::string& source, bool site) {
  std::vector<std::vector<std::string>> rows{
      {"line",
       "loads",
       "stores",
       "sectors/r",
       "shared",
       "conflicts",
       "atomics",
       "barriers",
       "lanes/r",
       "text"}};
  const std::vector<std::string> text = lines_of(source);
  for (const LineCounts& l : site ? kernel.sites : kernel.lines) {
    const auto index = static_cast<std::size_t>(std::max(l.line, 1)) - 1;
    rows.push_back(
        {std::to_string(l.line),
         std::to_string(l.loads),
         std::to_string(l.stores),
         ratio(l.sectors, l.requests),
         std::to_string(l.shared_loads + l.shared_stores),
         std::to_string(l.bank_conflicts),
         std::to_string(l.atomics),
         std::to_string(l.barriers),
         ratio(l.active_lanes, l.requests + l.shared_requests),
         line_as_shown(index < text.size() ? text[index] : l.text)});
    if (site) rows.back().insert(rows.back().begin() + 1, l.array.empty() ? "?" : l.array);
  }
  if (site) rows[0].insert(rows[0].begin() + 1, "array");
  std::string all = kernel.title() + " (simulated: counts exact)\n";
  for (const AccessProblem& problem : kernel.problems)
    all += "  " + problem.tag + ": " + problem.text + "\n";
  return all + table(rows);
}

}  // namespace hypatia::runner
