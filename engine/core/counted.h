#pragma once
// The reference count that Ref's targets carry.

#include <cstdint>

namespace hypatia {

/// A count of owners, changed atomically. Objects start with none and end with their last owner.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void add_owner() const { __atomic_add_fetch(&owners_, 1U, __ATOMIC_RELAXED); }

  /// True when the last owner has gone.
  bool drop_owner() const { return __atomic_sub_fetch(&owners_, 1U, __ATOMIC_ACQ_REL) == 0; }

  std::uint32_t owners() const { return __atomic_load_n(&owners_, __ATOMIC_ACQUIRE); }

 protected:
  ~Counted() = default;

 private:
  mutable std::uint32_t owners_ = 0;
};

}  // namespace hypatia
