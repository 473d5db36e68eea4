#include "profiler/report/graph_picture.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "profiler/report/format.h"
#include "profiler/report/graph_layout.h"

namespace hypatia {

namespace {

constexpr int node_width = 190, node_height = 46, gap_x = 26, gap_y = 44, margin = 20;

/// From pale to full with the share of the function's time; red for transfers, blue for the cpu,
/// orange for the gpu: the colours of every view.
std::string colour_of(const NodeRecord& node, double share) {
  struct Rgb {
    double r, g, b;
  };

  const Rgb full = node.side == Side::transfer ? Rgb{204, 40, 40}
                   : node.side == Side::gpu    ? Rgb{230, 159, 0}
                                               : Rgb{0, 114, 178};
  const double depth = 0.12 + 0.88 * std::clamp(share, 0.0, 1.0);
  const auto mix = [&](double channel) { return static_cast<int>(255 + (channel - 255) * depth); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(full.r), mix(full.g), mix(full.b));
}

double share_of(const FunctionAccount& function, std::size_t node) {
  const double all = function.parts.total();
  return all > 0 ? function.nodes[node].parts.total() / all : 0;
}

bool transfers(const FunctionRecord& function, const InputRecord& input, const NodeRecord& to) {
  if (to.side == Side::transfer) return true;
  return input.node >= 0 &&
         function.nodes[static_cast<std::size_t>(input.node)].side == Side::transfer;
}

std::string time_line(const FunctionAccount& function, std::size_t node) {
  const NodeAccount& spent = function.nodes[node];
  const double calls = static_cast<double>(std::max<std::int64_t>(1, spent.calls));
  return fmt::format(
      "{}{} a call, {:.1f}%",
      spent.approximate ? "≈ " : "",
      duration(spent.parts.total() / calls),
      100 * share_of(function, node));
}

/// For a string in quotes of Graphviz.
std::string escape_dot(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

struct Point {
  double x, y;
};

constexpr const char* simulated_words =
    "GPU and transfer times are simulated: modelled, not measured.";

class SvgWriter {
 public:
  SvgWriter(const FunctionRecord& record, const FunctionAccount& account, bool simulated)
      : record_(record), account_(account), layout_(lay_out(record)), simulated_(simulated) {}

  std::string write() {
    const int width = 2 * margin + std::max(1, layout_.widest) * (node_width + gap_x) - gap_x;
    const int height = 2 * margin + std::max(1, layout_.layers) * (node_height + gap_y) - gap_y;
    fmt::format_to(
        std::back_inserter(text_),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
        "font-size=\"11\">\n<title>{2}</title>\n",
        width,
        height,
        escape_markup(record_.name));
    if (simulated_) {
      fmt::format_to(
          std::back_inserter(text_),
          "<text x=\"{}\" y=\"{}\" fill=\"#666\">{}</text>\n",
          margin,
          margin - 6,
          simulated_words);
    }
    for (std::size_t i = 0; i < record_.nodes.size(); ++i)
      write_edges(i);
    for (std::size_t i = 0; i < record_.nodes.size(); ++i)
      write_node(i);
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  Point corner(std::size_t node) const {
    const PlacedNode& placed = layout_.nodes[node];
    return {
        margin + placed.position * double{node_width + gap_x},
        margin + placed.layer * double{node_height + gap_y}};
  }

  void write_edges(std::size_t to) {
    const NodeRecord& node = record_.nodes[to];
    for (const InputRecord& input : node.inputs) {
      if (input.node < 0) continue;
      const Point from = corner(static_cast<std::size_t>(input.node)), end = corner(to);
      const double middle = (from.y + node_height + end.y) / 2;
      const bool red = transfers(record_, input, node);
      fmt::format_to(
          std::back_inserter(text_),
          "<path d=\"M{:.0f} {:.0f} C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}\" fill=\"none\" "
          "stroke=\"{}\" stroke-width=\"{}\"/>\n",
          from.x + node_width / 2.0,
          from.y + node_height,
          from.x + node_width / 2.0,
          middle,
          end.x + node_width / 2.0,
          middle,
          end.x + node_width / 2.0,
          end.y,
          red ? "#cc2828" : "#888888",
          red ? 2 : 1);
    }
  }

  void write_node(std::size_t i) {
    const NodeRecord& node = record_.nodes[i];
    const Point at = corner(i);
    const double share = share_of(account_, i);
    const char* ink = share > 0.5 ? "white" : "black";
    fmt::format_to(
        std::back_inserter(text_),
        "<g><title>{}\n{}{}{}</title>"
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" "
        "stroke=\"#444444\"/>"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\">{}</text>"
        "<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\">{}</text></g>\n",
        escape_markup(node.name),
        escape_markup(place(node.origin.file, node.origin.line)),
        node.reason.empty() ? "" : "\n",
        escape_markup(node.reason),
        at.x,
        at.y,
        node_width,
        node_height,
        colour_of(node, share),
        at.x + 8,
        at.y + 19,
        ink,
        escape_markup(shorten(fmt::format("{} {}", i, node.name), 30)),
        at.x + 8,
        at.y + 36,
        ink,
        time_line(account_, i));
  }

  const FunctionRecord& record_;
  const FunctionAccount& account_;
  GraphLayout layout_;
  bool simulated_;
  std::string text_;
};

}  // namespace

std::string dot_graph(const Recording& recording, const Account& account, std::uint32_t id) {
  const FunctionRecord* function = recording.function(id);
  std::string text = "digraph function {\n  node [shape=box, style=filled];\n";
  if (recording.header().simulated) text += std::string("  label=\"") + simulated_words + "\";\n";
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; function && i < function->nodes.size(); ++i) {
    const NodeRecord& node = function->nodes[i];
    const double share = share_of(account.functions[id - 1], i);
    fmt::format_to(
        out,
        "  n{} [label=\"{} {}\\n{}\", fillcolor=\"{}\", fontcolor={}];\n",
        i,
        i,
        escape_dot(node.name),
        time_line(account.functions[id - 1], i),
        colour_of(node, share),
        share > 0.5 ? "white" : "black");
    for (const InputRecord& input : node.inputs) {
      if (input.node < 0) continue;
      const bool red = transfers(*function, input, node);
      fmt::format_to(out, "  n{} -> n{}{};\n", input.node, i, red ? " [color=red]" : "");
    }
  }
  return text + "}\n";
}

std::string svg_graph(const Recording& recording, const Account& account, std::uint32_t id) {
  static const FunctionRecord nothing;
  static const FunctionAccount no_time;
  const FunctionRecord* function = recording.function(id);
  return SvgWriter(
             function ? *function : nothing,
             function ? account.functions[id - 1] : no_time,
             recording.header().simulated)
      .write();
}

}  // namespace hypatia
