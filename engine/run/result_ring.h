#pragma once
// Storage for a result that is made anew by every call: what nobody holds any more is used again.

#include <array>

#include "engine/plan/plan.h"

namespace hypatia {

/// Hands out storages of one size. A loop that keeps only the last result alternates between two,
/// so that a warm call takes no memory and captured graphs find the same addresses again.
class ResultRing {
 public:
  /// `pinned_by` is the GPU that fills a host buffer; the host itself if none does.
  ResultRing(const Buffer& buffer, Place pinned_by);

  /// A storage that only the ring holds.
  Storage& take();
  /// True of a storage that the ring keeps alive.
  bool keeps(const Storage& storage) const;

 private:
  Ref<Storage> make() const;

  std::size_t bytes_;
  Place place_, pinned_by_;
  std::array<Ref<Storage>, 4> ring_;
  std::size_t next_ = 0;
};

}  // namespace hypatia
