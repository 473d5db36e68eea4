#pragma once
// What a person can change about how things are shown, and what is selected: plain values, so that
// undo, history and the sidecar file are copies of them.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace hypatia::gui {

enum class Grouping : std::uint8_t { node, op, op_class, line, shape };
enum class BarOrder : std::uint8_t { total, cpu, gpu, transfer, execution, name };
enum class GraphCost : std::uint8_t { time, gpu, transfer, memory, roof };

/// How the views are set. Every change can be undone.
struct Settings {
  std::string view = "bars";
  int function = -1;  // position in Profile::functions; -1: all
  std::string filter;

  BarOrder bar_order = BarOrder::total;
  bool bars_per_cent = false;
  bool bars_per_call = false;
  bool bars_compare = false;

  Grouping grouping = Grouping::node;

  double time_begin = 0, time_end = 0;  // nanoseconds from the first event; equal: everything

  GraphCost graph_cost = GraphCost::time;
  double graph_zoom = 0;  // 0: fitted
  double graph_x = 0, graph_y = 0;
  double graph_fade = 0;       // nodes below this share of the time fade
  bool graph_bodies = false;   // bodies of scans and fused nodes are open …
  std::set<int> graph_turned;  // … but not these nodes', or only theirs

  bool histogram_log_time = true;
  bool histogram_log_count = false;
  bool histogram_by_time = false;  // bars show time, not numbers of calls

  bool show_left = true, show_card = true, show_log = false;
  float left_width = 19, card_width = 21, log_height = 9;  // in font sizes

  bool operator==(const Settings&) const = default;
};

/// What every view shows as selected.
struct Selection {
  int node = -1;                          // position in Profile::nodes; -1: none
  std::uint32_t call = 0;                 // a call's number; 0: none
  int track = -1;                         // the event's track …
  std::int64_t event = -1;                // … and its position there; -1: none
  double range_begin = 0, range_end = 0;  // nanoseconds from the first event; equal: none

  bool operator==(const Selection&) const = default;

  bool has_range() const { return range_end > range_begin; }
};

/// Where a person was: what Back returns to.
struct Place {
  std::string view;
  Selection selection;

  bool operator==(const Place&) const = default;
};

}  // namespace hypatia::gui
