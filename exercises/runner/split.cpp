// Sums a recording per apply node and prints it.
#include "exercises/runner/split.h"

#include <algorithm>
#include <fmt/core.h>

#include "exercises/runner/text.h"
#include "profiler/analyze/account.h"
#include "profiler/record/recording.h"

namespace hypatia::runner {

namespace {

constexpr double per_millisecond = 1e-6;  // from nanoseconds
constexpr std::size_t most_name = 46;

SplitRow row_of(const std::string& name, const Parts& parts, std::int64_t calls) {
  SplitRow row;
  row.name = name;
  row.cpu = parts.cpu() * per_millisecond;
  row.gpu = parts.gpu() * per_millisecond;
  row.transfer = parts.transfer() * per_millisecond;
  row.calls = calls;
  return row;
}

double total(const SplitRow& row) {
  return row.cpu + row.gpu + row.transfer;
}

std::string number(double milliseconds) {
  return fmt::format("{:.3f}", milliseconds);
}

void add(SplitRow& sum, const SplitRow& row) {
  sum.cpu += row.cpu;
  sum.gpu += row.gpu;
  sum.transfer += row.transfer;
}

std::vector<std::string> line_of(
    const std::string& name, const SplitRow& row, const std::string& calls) {
  return {name, number(row.cpu), number(row.gpu), number(row.transfer), calls};
}

}  // namespace

Split split_of(const std::string& recording) {
  const std::shared_ptr<const Recording> opened = Recording::open(recording);
  const Account account = account_for(*opened);
  Split split;
  split.simulated = opened->header().simulated;
  split.messages = opened->header().messages;
  for (const FunctionAccount& function : account.functions) {
    const FunctionRecord* record = opened->function(function.id);
    if (!record) continue;
    split.device = record->device;
    split.wall += function.call_time * per_millisecond;
    for (const NodeAccount& node : function.nodes) {
      SplitRow row = row_of(opened->node(node.id)->name, node.parts, node.calls);
      row.approximate = node.approximate;
      split.rows.push_back(row);
    }
    const SplitRow rest =
        row_of("(" + record->name + ": outside its nodes)", function.other, function.calls);
    if (total(rest) > 0) split.rows.push_back(rest);
  }
  std::stable_sort(split.rows.begin(), split.rows.end(), [](const SplitRow& a, const SplitRow& b) {
    return total(a) > total(b);
  });
  return split;
}

SplitRow sum_of(const Split& split) {
  SplitRow sum;
  for (const SplitRow& row : split.rows)
    add(sum, row);
  return sum;
}

std::string to_text(const Split& split, std::size_t most_rows) {
  std::vector<std::vector<std::string>> rows{
      {"apply node, ms over all calls", "cpu", "gpu", "transfer", "calls"}};
  // One more than asked for is shown rather than counted.
  const std::size_t all = split.rows.size(), own_lines = all <= most_rows + 1 ? all : most_rows;
  SplitRow others;
  bool approximate = false;
  for (std::size_t i = 0; i < all; ++i) {
    const SplitRow& row = split.rows[i];
    if (i >= own_lines) {
      add(others, row);
      continue;
    }
    approximate = approximate || row.approximate;
    const std::string name = row.name.substr(0, most_name) + (row.approximate ? " ≈" : "");
    rows.push_back(line_of(name, row, std::to_string(row.calls)));
  }
  if (own_lines < all)
    rows.push_back(line_of(fmt::format("({} other nodes)", all - own_lines), others, ""));
  rows.push_back(line_of("sum", sum_of(split), ""));
  std::string text = table(rows);
  if (split.simulated) text += "GPU and transfer times are simulated: modelled, not measured.\n";
  if (approximate) text += "≈ shares of merged kernels, by modelled cost.\n";
  for (const std::string& message : split.messages)
    text += wrap(message) + "\n";
  return text;
}

}  // namespace hypatia::runner
