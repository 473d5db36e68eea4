#pragma once
// How long a call would take if some of its work were faster: the call is played again with other
// durations, keeping who waits for whom: work of one stream for the work before it, and work of any
// for what made its inputs.

#include <cstdint>
#include <set>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// How many times faster each kind of work gets; 1 leaves it.
struct Speedups {
  double host = 1, launch = 1, kernel = 1, transfer = 1;
  std::set<std::uint32_t> steps;  // these steps' work is faster …
  double chosen = 1;              // … by this

  bool operator==(const Speedups&) const = default;
};

/// One recorded call, taken apart once and played again as often as a slider moves.
class Replay {
 public:
  Replay() = default;
  /// Empty if the call was not recorded or holds over 100,000 events.
  Replay(const Recording& recording, std::uint32_t call);

  bool empty() const { return pieces_.empty(); }

  /// Nanoseconds from the call's begin to its end with these speed-ups; with none of them, what was
  /// recorded.
  double length(const Speedups& speedups) const;

  double recorded() const { return recorded_; }

 private:
  struct Piece {
    enum class Kind : std::uint8_t { host, launch, sync, kernel, transfer };
    Kind kind = Kind::host;
    std::uint32_t step = 0;
    std::size_t track = 0;            // of device work
    double begin = 0, end = 0;        // as recorded, from the call's begin
    std::vector<std::size_t> after;   // pieces whose end it waits for
    std::ptrdiff_t launched_by = -1;  // the piece whose begin it waits for
    double slack = 0;                 // between the last of these and its own begin (sync: end)
  };

  static bool on_device(Piece::Kind kind) {
    return kind == Piece::Kind::kernel || kind == Piece::Kind::transfer;
  }

  void add_host(const Recording& recording, const Call& call);
  void add_device(const Recording& recording, const Call& call);
  void connect(const Recording& recording, std::uint32_t function);
  double factor(const Piece& piece, const Speedups& speedups) const;

  std::vector<Piece> pieces_;  // in order of their begin, so that each comes after what it needs
  double recorded_ = 0;
};

}  // namespace hypatia::gui
