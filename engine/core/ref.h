#pragma once
// An intrusive pointer of one word. T says how by `retain(const T*)` and `release(const T*)`,
// found by argument-dependent look-up, so that T may be incomplete here.

#include <cstddef>
#include <utility>

namespace hypatia {

/// Shared ownership of a T that counts its own owners.
template <class T>
class Ref {
 public:
  Ref() = default;

  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): null is a value of every pointer

  explicit Ref(T* object) : object_(object) {
    if (object_) retain(object_);
  }

  Ref(const Ref& other) : object_(other.object_) {
    if (object_) retain(object_);
  }

  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}

  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  ~Ref() {
    if (object_) release(object_);
  }

  T* get() const { return object_; }

  T* operator->() const { return object_; }

  T& operator*() const { return *object_; }

  explicit operator bool() const { return object_ != nullptr; }

  bool operator==(const Ref& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace hypatia
