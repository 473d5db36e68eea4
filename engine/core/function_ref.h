#pragma once
// A borrowed callable: two words, no allocation, for parameters only.

#include <type_traits>
#include <utility>

namespace hypatia {

template <class Signature>
class FunctionRef;

/// Refers to any callable for the time of a call; never stored.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>

  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& f)  // NOLINT: made for implicit conversion
      : object_(const_cast<void*>(static_cast<const volatile void*>(&f))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace hypatia
