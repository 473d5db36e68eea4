// The registry of views.

#include "gui/views/views.h"

#include <array>
#include <cstring>

#include "gui/app/state.h"

namespace hypatia::gui {

namespace {

constexpr std::array list = {
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
};

}  // namespace

std::span<const View> views() {
  return list;
}

const View* find_view(const char* name) {
  for (const View& view : list)
    if (std::strcmp(view.name, name) == 0) return &view;
  return nullptr;
}

void step_view(AppState& state, int by) {
  const int count = static_cast<int>(list.size());
  const View* current = find_view(state.settings.view.c_str());
  const int at = current ? static_cast<int>(current - list.data()) : 0;
  state.settings.view = list[static_cast<std::size_t>((at + by + count) % count)].name;
}

}  // namespace hypatia::gui
