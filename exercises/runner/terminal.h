#pragma once

// The terminal: single keys without Enter, and a clean screen.

#include <cstddef>

namespace hypatia::runner {

/// True if a person sits at both ends.
bool at_a_terminal();

/// While it lives, keys arrive one by one and are not echoed. However the program ends, by a signal
/// too, the terminal is then as it was.
class Keys {
 public:
  Keys();
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  /// Line mode again, for programs that ask questions; resume() goes back to keys.
  void pause();
  void resume();

  /// The next key, or 0 if none comes within that time. A lost terminal reads as 'q', and so does
  /// Control-C. `other` is a descriptor that ends the waiting, too; -1: none.
  char next(int milliseconds, int other = -1);
};

/// How wide the terminal behind a descriptor is; 0 if there is none, or it does not say.
std::size_t terminal_columns(int descriptor);

/// Empties the screen; what scrolled out of it stays.
void clear_screen();

}  // namespace hypatia::runner
