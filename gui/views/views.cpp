// The registry of views.

#include "gui/views/views.h"

#include <array>
#include <cstring>

#include "gui/app/state.h"

namespace hypatia::gui {

namespace {

constexpr std::array all_views = {
    View{
        "bars",
        "CPU / GPU / transfer",
        "Overview",
        '1',
        "How is each node's time split between CPU, GPU and transfer?",
        true,
        draw_bars},
    View{"summary", "Summary", "Overview", '2', "Where does the time go?", true, draw_summary},
    View{"nodes", "Nodes", "Overview", '3', "What does each node cost, exactly?", true, draw_table},
    View{
        "timeline",
        "Timeline",
        "Time",
        '4',
        "What ran when, and what waited?",
        true,
        draw_timeline},
    View{
        "histogram",
        "Spread",
        "Time",
        '7',
        "How much do the times of one node differ?",
        true,
        draw_histogram},
    View{
        "gaps",
        "Idle gaps",
        "Time",
        0,
        "When did the device have nothing to do, and why?",
        true,
        draw_gaps},
    View{
        "path",
        "Critical path",
        "Time",
        0,
        "Which chain of work decided the length of a call, and what if it were faster?",
        true,
        draw_path},
    View{
        "live",
        "Calls",
        "Time",
        0,
        "How long did each call take, and the newest ones?",
        true,
        draw_live},
    View{
        "graph",
        "Graph",
        "Graph",
        '5',
        "Which nodes feed which, and where do values cross between host and device?",
        true,
        draw_graph},
    View{
        "rewrites",
        "Rewrites",
        "Graph",
        0,
        "Which passes changed the graph, and what did each cost?",
        true,
        draw_rewrites},
    View{
        "compile",
        "Compile time",
        "Graph",
        0,
        "What was paid before the first call?",
        true,
        draw_compile},
    View{
        "compare",
        "Compare",
        "Compare",
        '6',
        "What changed against the baseline, and is it more than noise?",
        true,
        draw_compare},
    View{
        "roofline",
        "Roofline",
        "Device",
        '8',
        "How near is each node to what the machine can do?",
        true,
        draw_roofline},
    View{
        "transfers",
        "Transfers",
        "Device",
        '9',
        "What was copied, how fast, and what for nothing?",
        true,
        draw_transfers},
    View{
        "launch",
        "Launches",
        "Device",
        0,
        "What does it cost to get work onto the device?",
        true,
        draw_launch},
    View{
        "memory",
        "Memory",
        "Device",
        0,
        "How much memory is alive when, and who holds it?",
        true,
        draw_memory},
    View{"notes", "Notes", "Class", 0, "What did we see here?", true, draw_notes},
    View{
        "course",
        "Course",
        "Class",
        0,
        "Which exercises are there, and how far am I?",
        false,
        draw_course},
};

}  // namespace

std::span<const View> views() {
  return all_views;
}

const View* find_view(const char* name) {
  for (const View& view : all_views)
    if (std::strcmp(view.name, name) == 0) return &view;
  return nullptr;
}

void step_view(AppState& state, int by) {
  const int count = static_cast<int>(all_views.size());
  const View* current = find_view(state.settings.view.c_str());
  const int at = current ? static_cast<int>(current - all_views.data()) : 0;
  state.settings.view = all_views[static_cast<std::size_t>((at + by + count) % count)].name;
}

}  // namespace hypatia::gui
