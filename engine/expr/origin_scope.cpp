#include "engine/expr/origin_scope.h"

namespace hypatia {

namespace {
thread_local const Origin* innermost = nullptr;
}  // namespace

OriginScope::OriginScope(const Origin& origin) : origin_(origin), outer_(innermost) {
  innermost = &origin_;
}

OriginScope::~OriginScope() {
  innermost = outer_;
}

const Origin* OriginScope::current() {
  return innermost;
}

}  // namespace hypatia
