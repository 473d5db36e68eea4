#pragma once
// While it lives, nodes made on this thread carry its origin instead of their own: gradients and
// rewrites belong to the user's line, not to the engine's.

#include "engine/core/origin.h"

namespace hypatia {

/// Overrides the origin of new applications on this thread; scopes nest.
class OriginScope {
 public:
  explicit OriginScope(const Origin& origin);
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;
  ~OriginScope();

  /// The innermost scope's origin, or null.
  static const Origin* current();

 private:
  Origin origin_;
  const Origin* outer_;
};

}  // namespace hypatia
