#pragma once
// A captured sequence of submissions, run again as one.

#include <functional>
#include <vector>

#include "engine/device/sim/device.h"

namespace hypatia::sim {

class SimReplay final : public Replay {
 public:
  struct Piece {
    Work work;
    std::function<void()> act;
  };

  std::vector<Piece> pieces;
};

/// Adds a piece to a capture.
void keep(Replay& capture, Work work, const std::function<void()>& act);

}  // namespace hypatia::sim
