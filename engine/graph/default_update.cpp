#include "engine/graph/default_update.h"

#include "engine/expr/leaves.h"
#include "engine/expr/shared_guard.h"
#include "engine/graph/graph.h"

namespace hypatia {

namespace {

Variable replaced(const Variable& root, const Variable& from, const Variable& to) {
  const std::pair<Variable, Variable> pair{from, to};
  return substitute({&root, 1}, {&pair, 1})[0];
}

}  // namespace

Variable default_update(const Variable& shared) {
  SharedBox::Guard& guard = shared_box(shared).guard();
  const std::lock_guard lock(guard.mutex);
  if (!guard.default_update) return {};
  return replaced(guard.default_update, guard.itself, shared);
}

void set_default_update(const Variable& shared, const Variable& value) {
  SharedBox::Guard& guard = shared_box(shared).guard();
  const std::lock_guard lock(guard.mutex);
  guard.itself = input(shared.type(), shared.name());
  guard.default_update = value ? replaced(value, shared, guard.itself) : value;
}

}  // namespace hypatia
