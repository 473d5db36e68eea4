#pragma once
// Which rows of a loop's outputs are read.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/graph/graph.h"

namespace hypatia {

/// How many last rows a reader wants of a value whose first `before` rows come before the loop's.
class RowReaders {
 public:
  static constexpr std::int64_t all = -1;

  explicit RowReaders(const Graph& graph);

  std::int64_t wanted(const Variable& v, std::int64_t before) const;

  /// True if nothing looks at it, not even at its sizes.
  bool unread(const Variable& v) const;

 private:
  std::int64_t wanted_by(const Apply& user, std::int64_t before) const;

  std::unordered_map<Variable, std::vector<const Apply*>, VariableHash> users_;
  Vars whole_;
};

}  // namespace hypatia
