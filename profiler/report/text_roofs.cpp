// How near the nodes of a function on the cpu come to the processor's measured roofs.

#include <algorithm>

#include "profiler/report/format.h"
#include "profiler/report/text_writer.h"

namespace hypatia {

namespace {

/// The host's ceilings; null where they were not measured.
const Limits* host_limits(const Recording& recording) {
  for (const DeviceInfo& device : recording.header().devices) {
    if (device.name == "cpu" && device.limits.f32_flops > 0) return &device.limits;
  }
  return nullptr;
}

std::string giga(double value) {
  return value > 0 ? fmt::format("{:.2f}", value) : "-";
}

const char* bound_of(const Rate& rate, const Limits& limits) {
  if (!rate.memory_bound) return "arithmetic";
  return rate.gigabytes * 1e9 > limits.memory_bandwidth ? "caches" : "memory";
}

}  // namespace

bool lacks_host_roofs(const Recording& recording, const Account& account) {
  if (host_limits(recording)) return false;
  for (const FunctionAccount& function : account.functions) {
    for (const NodeAccount& node : function.nodes) {
      const bool on_host = recording.node(node.id)->side == Side::cpu;
      if (on_host && (node.rate.gflops > 0 || node.rate.gigabytes > 0)) return true;
    }
  }
  return false;
}

void write_host_roofs(TextWriter& out, std::uint32_t function) {
  const Limits* limits = host_limits(out.recording);
  if (!limits || out.recording.functions()[function - 1].device != "cpu") return;
  std::vector<const NodeAccount*> nodes;
  for (const NodeAccount& node : out.account.function(function)->nodes) {
    if (node.rate.roof > 0) nodes.push_back(&node);
  }
  if (nodes.empty()) return;
  std::stable_sort(nodes.begin(), nodes.end(), [](const NodeAccount* a, const NodeAccount* b) {
    return a->parts.total() > b->parts.total();
  });
  out.line(
      "Of what the processor can do ({:.0f} GFLOP/s float32, {:.0f} float64; memory {:.0f} GB/s, "
      "caches {:.0f}):",
      limits->f32_flops * 1e-9,
      limits->f64_flops * 1e-9,
      limits->memory_bandwidth * 1e-9,
      limits->cache_bandwidth * 1e-9);
  out.line("<time per call> <GFLOP/s> <GB/s> <of roof> <bound by> <id> <Apply name>");
  const std::size_t shown = std::min(nodes.size(), out.options.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const NodeAccount& node = *nodes[i];
    const Rate& rate = node.rate;
    const std::string text = fmt::format(
        "{:>15} {:>9} {:>6} {:>8.1f}% {:>10} {:>4} {}{}",
        duration(node.median),
        giga(rate.gflops),
        giga(rate.gigabytes),
        100 * rate.roof,
        bound_of(rate, *limits),
        node.id.node,
        node.approximate ? "≈ " : "",
        out.recording.node(node.id)->name);
    out.line("{}", shorten(text, out.options.columns));
  }
  if (nodes.size() > shown) out.line("   ... (remaining {} nodes)", nodes.size() - shown);
  out.line("");
}

}  // namespace hypatia
