#pragma once
// The user's own editor, opened at a line.

#include <cstdint>
#include <string>
#include <vector>

namespace hypatia::gui {

struct AppState;

/// The command that opens `file` at `line`, program first: of $VISUAL, $EDITOR, VS Code and
/// xdg-open the first that is installed and can run here. An editor for terminals gets a terminal
/// of its own. Throws Error if there is none.
std::vector<std::string> editor_command(const std::string& file, std::uint32_t line);

/// Opens `file` at `line` as a process of its own, and says so, or why that can't be.
void open_in_editor(AppState& state, const std::string& file, std::uint32_t line);

/// Opens the line that the selected node was written in, or says why that can't be.
void open_source(AppState& state);

}  // namespace hypatia::gui
