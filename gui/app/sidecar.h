#pragma once
// What is kept beside recordings, in the user's state folder: notes, how views were set, recent
// files, the theme. Recordings themselves are never written to.

#include <map>
#include <string>
#include <vector>

#include "gui/app/settings.h"
#include "gui/app/theme.h"

namespace hypatia::gui {

/// A remark, on a node or on a range of time.
struct Note {
  std::string node;           // the node's name; empty: of a range
  double begin = 0, end = 0;  // nanoseconds from the first event
  std::string text;

  bool operator==(const Note&) const = default;
};

/// What belongs to one recording.
struct Sidecar {
  std::vector<Note> notes;
  Settings settings;
  std::vector<Note> handed_out;  // from the file that a teacher gave along; never changed here

  bool operator==(const Sidecar&) const = default;
};

/// What belongs to the person.
struct Preferences {
  Theme theme = Theme::dark;
  float scale = 1;
  std::vector<std::string> recent;
};

/// $XDG_STATE_HOME/hypatia or ~/.local/state/hypatia; HYPATIA_STATE overrides both.
std::string state_folder();

/// The notes that travel with a recording: RECORDING.notes.json beside it.
std::string notes_path(const std::string& recording);
std::vector<Note> load_handed_out(const std::string& recording);
/// Writes them there for others; throws Error if the folder can't be written.
void hand_out(const std::string& recording, const std::vector<Note>& notes);

/// Never throw: a damaged or absent file gives the defaults.
Sidecar load_sidecar(const std::string& recording);
Preferences load_preferences();

/// Write by renaming; throw Error if the folder can't be written.
void save_sidecar(const std::string& recording, const Sidecar& sidecar);
void save_preferences(const Preferences& preferences);

}  // namespace hypatia::gui
