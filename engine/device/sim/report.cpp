#include "engine/device/sim/report.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>

namespace hypatia::sim {

namespace {

using OrderedJson = nlohmann::ordered_json;

struct Kept {
  std::mutex mutex;
  std::vector<SimReport> reports;
};

Kept& kept() {
  static Kept& instance = *new Kept;
  return instance;
}

OrderedJson line_json(const SimLine& line) {
  return {
      {"line", line.line},
      {"text", line.text},
      {"global_loads", line.global_loads},
      {"global_stores", line.global_stores},
      {"global_requests", line.global_requests},
      {"sectors", line.sectors},
      {"shared_loads", line.shared_loads},
      {"shared_stores", line.shared_stores},
      {"shared_requests", line.shared_requests},
      {"bank_conflicts", line.bank_conflicts},
      {"atomics", line.atomics},
      {"barriers", line.barriers},
      {"active_lanes", line.active_lanes},
  };
}

OrderedJson problem_json(const SimProblem& problem) {
  return {
      {"tag", problem.tag},
      {"text", problem.text},
      {"line", problem.line},
      {"other_line", problem.other_line},
      {"block", problem.block},
      {"thread", problem.thread},
      {"other_thread", problem.other_thread},
      {"count", problem.count},
  };
}

bool same_kernel(const SimReport& a, const SimReport& b) {
  return a.kernel == b.kernel && a.file == b.file && a.nodes == b.nodes && a.problems.empty() &&
         b.problems.empty();
}

void add(SimLine& to, const SimLine& from) {
  to.global_loads += from.global_loads;
  to.global_stores += from.global_stores;
  to.global_requests += from.global_requests;
  to.sectors += from.sectors;
  to.shared_loads += from.shared_loads;
  to.shared_stores += from.shared_stores;
  to.shared_requests += from.shared_requests;
  to.bank_conflicts += from.bank_conflicts;
  to.atomics += from.atomics;
  to.barriers += from.barriers;
  to.active_lanes += from.active_lanes;
}

void add(std::vector<SimLine>& to, const std::vector<SimLine>& from) {
  const auto key = [](const SimLine& line) { return std::tie(line.line, line.array); };
  for (const SimLine& line : from) {
    auto at = to.begin();
    while (at != to.end() && key(*at) < key(line))
      ++at;
    if (at == to.end() || key(*at) != key(line)) {
      to.insert(at, line);
    } else {
      add(*at, line);
    }
  }
}

void add(SimReport& to, const SimReport& from) {
  to.accesses += from.accesses;
  to.launches += from.launches;
  to.skipped += from.skipped;
  add(to.lines, from.lines);
  add(to.sites, from.sites);
}

std::string row(const SimLine& l) {
  const auto per = [](std::uint64_t a, std::uint64_t b) {
    return b ? static_cast<double>(a) / static_cast<double>(b) : 0.0;
  };
  char text[160];
  std::snprintf(
      text,
      sizeof text,
      "%6d %10llu %10llu %9.2f %10llu %10llu %9llu %8llu %8llu %7.1f\n",
      l.line,
      static_cast<unsigned long long>(l.global_loads),
      static_cast<unsigned long long>(l.global_stores),
      per(l.sectors, l.global_requests),
      static_cast<unsigned long long>(l.shared_loads),
      static_cast<unsigned long long>(l.shared_stores),
      static_cast<unsigned long long>(l.bank_conflicts),
      static_cast<unsigned long long>(l.atomics),
      static_cast<unsigned long long>(l.barriers),
      per(l.active_lanes, l.global_requests + l.shared_requests));
  return text;
}

}  // namespace

void keep_report(SimReport report) {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const char* path = std::getenv("HYPATIA_SIM_REPORT");
  if (path && *path) std::ofstream(path, std::ios::app) << to_json(report) << '\n';
  if (!all.reports.empty() && same_kernel(all.reports.back(), report)) {
    add(all.reports.back(), report);
  } else {
    all.reports.push_back(std::move(report));
  }
}

std::vector<SimReport> take_reports() {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.reports, {});
}

std::string to_json(const SimReport& report) {
  OrderedJson json{
      {"kernel", report.kernel},
      {"file", report.file},
      {"nodes", report.nodes},
      {"grid", report.shape.grid},
      {"block", report.shape.block},
      {"shared_bytes", report.shape.shared_bytes},
      {"launches", report.launches},
      {"skipped", report.skipped},
      {"accesses", report.accesses},
      {"problems", OrderedJson::array()},
      {"lines", OrderedJson::array()},
      {"sites", OrderedJson::array()},
  };
  for (const SimProblem& problem : report.problems)
    json["problems"].push_back(problem_json(problem));
  for (const SimLine& line : report.lines)
    json["lines"].push_back(line_json(line));
  for (const SimLine& site : report.sites) {
    json["sites"].push_back(line_json(site));
    json["sites"].back()["array"] = site.array;
  }
  return json.dump();
}

std::string to_text(const SimReport& report) {
  std::string text = report.kernel + " (" + report.file + "), simulated, " +
                     std::to_string(report.accesses) + " accesses checked\n";
  for (const SimProblem& p : report.problems) {
    text += "  " + p.tag + ": " + p.text;
    if (p.count > 1) text += " (" + std::to_string(p.count) + " times)";
    text += "\n";
  }
  if (report.lines.empty()) return text;
  text +=
      "  line      loads     stores sectors/r  sh. loads sh. stores conflicts  atomics barriers   "
      "lanes\n";
  for (const SimLine& line : report.lines)
    text += row(line);
  return text;
}

}  // namespace hypatia::sim
