#pragma once
// The two small charts of the node card; the views of the same names show them at full size.

#include "gui/views/draw.h"

namespace hypatia::gui {

/// A bold word above a part of the card.
void card_heading(const char* text);

/// The node's dot under the roofs of the machine; nothing for nodes that have none.
void card_roofline(AppState& state, const NodeStats& node);

/// How the selected node's runs are spread; nothing for nodes without runs.
void card_histogram(AppState& state);

}  // namespace hypatia::gui
