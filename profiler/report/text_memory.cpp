// The memory profile: peaks with their what-ifs, and the largest outputs.

#include <algorithm>

#include "profiler/analyze/memory.h"
#include "profiler/report/format.h"
#include "profiler/report/text_writer.h"

namespace hypatia {

namespace {

std::int64_t kilobytes(std::int64_t bytes) {
  return (bytes + 512) / 1024;
}

void write_peak(TextWriter& out, const char* title, const LiveBytes& bytes) {
  out.line("    {}", title);
  out.line("        CPU: {}KB", kilobytes(bytes.host));
  out.line("        GPU: {}KB", kilobytes(bytes.device));
  out.line("        CPU + GPU: {}KB", kilobytes(bytes.total()));
}

const char* word(char kind) {
  return kind == 'i' ? "i" : kind == 'v' ? "v" : "c";
}

void write_buffers(TextWriter& out, const FunctionRecord& function, const PlanRecord& plan) {
  std::vector<const BufferRecord*> buffers;
  std::int64_t all = 0, hidden = 0;
  for (const BufferRecord& buffer : plan.buffers) {
    all += buffer.bytes;
    if (buffer.bytes >= out.options.least_bytes) buffers.push_back(&buffer);
  }
  if (buffers.empty()) {
    out.line(
        "    All Apply nodes have output sizes that take less than {}B.", out.options.least_bytes);
    return;
  }
  std::stable_sort(buffers.begin(), buffers.end(), [](const auto* a, const auto* b) {
    return a->bytes > b->bytes;
  });
  const std::size_t shown = std::min(buffers.size(), out.options.rows);
  out.line(
      "    <Sum apply outputs (bytes)> <Apply outputs type> <created/inplace/view> <Apply node>");
  out.line("");
  std::int64_t printed = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const BufferRecord& buffer = *buffers[i];
    const NodeRecord& node = function.nodes[buffer.node];
    const std::string type = node.output_types.empty() ? "" : node.output_types[0];
    printed += buffer.bytes;
    out.line(
        "{}",
        shorten(
            fmt::format(
                "     {:9d}B  [{}] {} {}", buffer.bytes, type, word(buffer.kind), node.name),
            out.options.columns));
  }
  hidden = all - printed;
  out.line(
      "   ... (remaining {} Apply account for {:4d}B/{}B ({:.2f}%) of the Apply outputs)",
      plan.buffers.size() - shown,
      hidden,
      all,
      percent(static_cast<double>(hidden), static_cast<double>(all)));
  out.line("");
  out.line("    c: created, i: worked in place, v: view of an input");
}

}  // namespace

void write_memory(TextWriter& out, std::uint32_t function) {
  const PlanRecord* plan = nullptr;
  for (const PlanRecord& candidate : out.recording.plans()) {
    // The plan with the most bytes stands for the function, as Theano's maximum did.
    const auto bytes = [](const PlanRecord& p) {
      std::int64_t sum = 0;
      for (const BufferRecord& buffer : p.buffers)
        sum += buffer.bytes;
      return sum;
    };
    if (candidate.function != function || candidate.buffers.empty()) continue;
    if (!plan || bytes(candidate) > bytes(*plan)) plan = &candidate;
  }
  if (!plan) return;
  const MemoryAnalysis memory = analyze_memory(out.recording, *plan);
  const LiveBytes* const all[] = {
      &memory.peak, &memory.without_inplace, &memory.without_gc, &memory.reserved};
  constexpr std::int64_t least = 1024;  // the unit of what follows
  if (std::all_of(std::begin(all), std::end(all), [](const LiveBytes* bytes) {
        return bytes->total() < least;
      }))
    return;
  const std::string& name = out.recording.functions()[function - 1].name;
  const std::string sizes = plan->dims.empty() ? "" : " for " + plan->dims;
  out.line("{}", shorten("Memory Profile of " + name + sizes, out.options.columns));
  out.line("---");
  write_peak(out, "Max peak memory with current setting", memory.peak);
  write_peak(
      out,
      "Max peak memory with current setting and flag optimizer_excluding=inplace",
      memory.without_inplace);
  write_peak(out, "Max peak memory if allow_gc=False", memory.without_gc);
  write_peak(out, "Held for the whole call by the plan's buffers", memory.reserved);
  out.line("---");
  out.line(
      "    Minimum peak from {} apply node order is {}KB",
      memory.best_is_exact ? "all valid" : "a good valid",
      kilobytes(memory.best_order));
  out.line("---");
  write_buffers(out, out.recording.functions()[function - 1], *plan);
  out.line("");
}

}  // namespace hypatia
