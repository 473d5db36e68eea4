#pragma once
// Every action has a name, a key where it deserves one, and stands in the palette and on the key
// map.

#include <functional>
#include <string>
#include <vector>

namespace hypatia::gui {

struct AppState;

struct Command {
  std::string name;   // "Show the timeline"
  std::string keys;   // "4", "ctrl+p"; empty: palette only
  std::string group;  // heading on the key map
  std::function<void(AppState&)> run;
};

/// All commands, made once.
const std::vector<Command>& commands();

/// Runs the commands whose keys were pressed in this frame.
void run_pressed_commands(AppState& state);

/// Keys and mouse gestures that views read themselves, for the key map: what to do, what happens.
struct Gesture {
  const char* keys;
  const char* meaning;
};

const std::vector<Gesture>& gestures();

}  // namespace hypatia::gui
