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

}  // namespace hypatia::sim
