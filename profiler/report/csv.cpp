// A recording's tables as comma-separated values.
#include <fmt/format.h>
#include <iterator>

#include "profiler/analyze/account.h"
#include "profiler/report/format.h"
#include "profiler/report/json.h"

namespace hypatia {

namespace {

/// Quoted where a comma, a quote or a line's end is inside.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string csv_report(const Recording& recording) {
  const Account account = account_for(recording);
  std::string text =
      "function,node,name,class,side,calls,host_ns,launch_ns,copy_in_ns,copy_out_ns,copy_on_ns,"
      "kernel_ns,queue_ns,sync_ns,compile_ns,total_ns,wall_ns,median_ns,p90_ns,approximate,"
      "simulated,"
      "flops_per_call,bytes_per_call,gflops,gigabytes,roof,line\n";
  for (const FunctionAccount& function : account.functions) {
    const FunctionRecord& record = recording.functions()[function.id - 1];
    for (const NodeAccount& node : function.nodes) {
      const NodeRecord& what = record.nodes[node.id.node];
      const char* side = what.side == Side::cpu   ? "cpu"
                         : what.side == Side::gpu ? "gpu"
                                                  : "transfer";
      fmt::format_to(
          std::back_inserter(text),
          "{},{},{},{},{},{}",
          cell(record.name),
          node.id.node,
          cell(what.name),
          cell(what.op_class),
          side,
          node.calls);
      for (const double time : node.parts.nanoseconds) {
        fmt::format_to(std::back_inserter(text), ",{:.0f}", time);
      }
      fmt::format_to(
          std::back_inserter(text),
          ",{:.0f},{:.0f},{:.0f},{:.0f},{},{},{:g},{:g},{:.3f},{:.3f},{:.4f},{}\n",
          node.parts.total(),
          node.wall.total(),
          node.median,
          node.p90,
          node.approximate ? 1 : 0,
          recording.header().simulated && what.side != Side::cpu ? 1 : 0,
          node.rate.flops,
          node.rate.bytes,
          node.rate.gflops,
          node.rate.gigabytes,
          node.rate.roof,
          cell(place(what.origin.file, what.origin.line)));
    }
  }
  return text;
}

}  // namespace hypatia
