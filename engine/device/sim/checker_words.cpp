// What a checked launch found, in words: lines for code addresses, names for memory.
#include <algorithm>

#include "engine/device/sim/build.h"
#include "engine/device/sim/checker.h"

namespace hypatia::sim {

namespace {

std::string at_line(std::int32_t line) {
  return line > 0 ? " at line " + std::to_string(line) : "";
}

using Counted = std::map<std::pair<std::int32_t, std::string>, SimLine>;

SimLine& line_of(Counted& lines, std::int32_t number, const std::string& array = "") {
  SimLine& line = lines[{number, array}];
  line.line = number;
  line.array = array;
  return line;
}

}  // namespace

void Checker::found(Found problem, std::uint64_t key) {
  const auto [at, first] = problems_.try_emplace(key, std::move(problem));
  if (!first) ++at->second.count;
}

void Checker::found_at(
    const char* tag, const Access& me, bool write, std::uint32_t bytes, const void* at) {
  Found problem;
  problem.tag = tag;
  // A tag and a site are reported once, whatever the element.
  const std::uint64_t key = std::uint64_t{static_cast<unsigned char>(tag[0])} << 48 | me.site;
  const auto known = problems_.find(key);
  if (known != problems_.end()) {
    ++known->second.count;
    return;
  }
  const Target target = target_of(at);
  const auto size = static_cast<std::ptrdiff_t>(std::max(bytes, 1U));
  problem.me = me;
  problem.write = write;
  problem.bytes = bytes;
  if (!target.name.empty()) {
    const std::ptrdiff_t floor = target.offset < 0 ? size - 1 : 0;
    problem.element = target.name + "[" + std::to_string((target.offset - floor) / size) + "]";
    problem.extent = target.name + " has " +
                     std::to_string(target.bytes / static_cast<std::size_t>(size)) + " elements";
  }
  problems_.emplace(key, std::move(problem));
}

void Checker::on_bad_shuffle(
    Block& block, std::int32_t line, unsigned warp, unsigned lane, unsigned source) {
  Checker& self = *active();
  Found problem;
  problem.tag = "shuffle";
  problem.me = self.access_now(0, false);
  problem.me.thread = static_cast<std::uint16_t>(warp * 32 + lane);
  problem.line = line;
  problem.text = self.thread_name(problem.me) + " shuffles" + at_line(line) + " from lane " +
                 std::to_string(source) + ", which takes no part (thread " +
                 std::to_string(warp * 32 + source) +
                 (warp * 32 + source < block.threads() ? " has exited or is not in the mask)"
                                                       : " doesn't exist)");
  self.found(problem, std::uint64_t{1} << 56 | static_cast<std::uint32_t>(line));
}

std::string Checker::thread_name(const Access& access) const {
  return "thread " + std::to_string(access.thread) + " of block " +
         std::to_string(index_of_serial_[access.serial - first_serial_]);
}

SimProblem Checker::words(const Found& f, const std::vector<std::int32_t>& lines) const {
  SimProblem p;
  p.tag = f.tag;
  p.count = f.count;
  p.line = f.line ? f.line : lines[f.me.site];
  p.block = index_of_serial_[f.me.serial - first_serial_];
  p.thread = f.me.thread;
  const std::string who = thread_name(f.me), verb = f.write ? " writes " : " reads ";
  const std::string what = f.element.empty() ? "memory" : f.element;
  if (!f.text.empty()) {
    p.text = f.text;
  } else if (f.tag == "race") {
    const bool same_block = f.other.serial == f.me.serial;
    p.other_line = lines[f.other.site];
    p.other_thread = f.other.thread;
    p.text = who + verb + what + at_line(p.line) + "; " +
             (same_block ? "thread " + std::to_string(f.other.thread) : thread_name(f.other)) +
             (f.other_write ? " wrote it" : " read it") + at_line(p.other_line) +
             (same_block ? ", with no barrier between" : ", and blocks run in any order");
  } else if (f.tag == "out-of-bounds") {
    p.text = who + verb + what + at_line(p.line) + "; " +
             (f.extent.empty() ? "no array of this launch is there" : f.extent);
  } else if (f.tag == "uninitialised") {
    p.text = who + " reads " + what + at_line(p.line) + " before anything was written to it";
  } else if (f.tag == "misaligned") {
    p.text = who + verb + std::to_string(f.bytes) + " bytes of " + what + at_line(p.line) +
             " at an address that is not a multiple of " + std::to_string(f.bytes);
  } else {
    p.text = who + verb + "host memory" + at_line(p.line) +
             ", which a GPU can't reach: copy the array to the device";
  }
  return p;
}

std::vector<std::int32_t> Checker::site_lines() const {
  std::vector<std::uintptr_t> addresses;
  for (const std::uintptr_t key : sites_) {
    if (key != 0 && static_cast<std::intptr_t>(key) > 0) addresses.push_back(key);
  }
  const auto& known = kernel_.module.lines_at(addresses);
  std::vector<std::int32_t> lines;
  for (const std::uintptr_t key : sites_) {
    const auto at = known.find(key);
    const bool is_line = static_cast<std::intptr_t>(key) < 0;
    lines.push_back(is_line ? static_cast<std::int32_t>(~key) : at == known.end() ? 0 : at->second);
  }
  return lines;
}

std::vector<SimLine> Checker::counts_of(const std::vector<std::int32_t>& lines, bool arrays) const {
  Counted all;
  const std::vector<SiteCounts>& counts = counters_.counts();
  for (std::size_t site = 1; site < counts.size(); ++site) {
    const SiteCounts& from = counts[site];
    if (arrays && !from.at) continue;
    SimLine& to = line_of(all, lines[site], arrays ? target_of(from.at).name : "");
    to.global_loads += from.loads;
    to.global_stores += from.stores;
    to.global_requests += from.requests;
    to.sectors += from.sectors;
    to.shared_loads += from.shared_loads;
    to.shared_stores += from.shared_stores;
    to.shared_requests += from.shared_requests;
    to.bank_conflicts += from.bank_conflicts;
    to.atomics += from.atomics;
    to.active_lanes += from.active_lanes;
  }
  for (const auto& [line, count] : barrier_lines_) {
    if (!arrays) line_of(all, line).barriers += count;
  }
  std::vector<SimLine> result;
  const std::string& text = kernel_.module.source().text;
  for (const auto& [key, line] : all) {
    result.push_back(line);
    result.back().text = line_of(text, line.line);
  }
  return result;
}

void Checker::add_fault(SimReport& report, const Fault& fault) const {
  if (!fault) return;
  // A crash at an address that was already reported says nothing new.
  if (fault.tag == "memory" && !report.problems.empty()) return;
  SimProblem problem;
  problem.tag = fault.tag;
  problem.line = fault.line;
  problem.block = fault.block;
  problem.thread = fault.thread;
  problem.text = "in block " + std::to_string(fault.block) + ", " + fault.what;
  report.problems.push_back(problem);
}

SimReport empty_report(const SimKernel& kernel, const Shape& shape) {
  SimReport report;
  report.kernel = kernel.name();
  const KernelSource& source = kernel.module.source();
  report.file = file_name(source);
  const auto entry = std::find(source.entries.begin(), source.entries.end(), report.kernel);
  const auto number = static_cast<std::size_t>(entry - source.entries.begin());
  if (number < source.nodes.size()) report.nodes = source.nodes[number];
  report.shape = shape;
  return report;
}

SimReport Checker::report(const Fault& fault) {
  SimReport report = empty_report(kernel_, shape_);
  report.accesses = accesses_;
  const std::vector<std::int32_t> lines = site_lines();
  for (const auto& [key, problem] : problems_)
    report.problems.push_back(words(problem, lines));
  std::stable_sort(
      report.problems.begin(), report.problems.end(), [](const SimProblem& a, const SimProblem& b) {
        return a.line < b.line;
      });
  add_fault(report, fault);
  report.lines = counts_of(lines, false);
  report.sites = counts_of(lines, true);
  return report;
}

}  // namespace hypatia::sim
