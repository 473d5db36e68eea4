#include "engine/rewrite/scan_rows.h"

#include <algorithm>

#include "engine/expr/leaves.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

RowReaders::RowReaders(const Graph& graph) {
  for (const Apply* node : graph.order()) {
    for (const Variable& v : node->inputs())
      users_[v].push_back(node);
  }
  for (const Variable& v : graph.outputs())
    whole_.push_back(v);
  for (const Update& u : graph.updates())
    whole_.push_back(u.value);
}

std::int64_t RowReaders::wanted(const Variable& v, std::int64_t before) const {
  if (std::find(whole_.begin(), whole_.end(), v) != whole_.end()) return all;
  const auto users = users_.find(v);
  if (users == users_.end()) return 0;
  std::int64_t most = 0;
  for (const Apply* user : users->second) {
    const std::int64_t rows = wanted_by(*user, before);
    if (rows == all) return all;
    most = std::max(most, rows);
  }
  return most;
}

bool RowReaders::unread(const Variable& v) const {
  return !users_.contains(v) && std::find(whole_.begin(), whole_.end(), v) == whole_.end();
}

std::int64_t RowReaders::wanted_by(const Apply& user, std::int64_t before) const {
  constexpr int is_slice = 1, has_start = 2, has_stop = 4;
  if (&user.op() == &shape_i_op) return user.attrs().as<AxisAttrs>().axis == 0 ? all : 0;
  if (&user.op() != &subtensor_op) return all;
  const auto& attrs = user.attrs().as<SubtensorAttrs>();
  const int kind = attrs.kinds.empty() ? 0 : attrs.kinds[0];
  const bool open = kind == (is_slice | has_start) && attrs.steps[0] == 1;
  const bool closed = kind == (is_slice | has_start | has_stop) && attrs.steps[0] == 1;
  double index = 0, stop = 0;
  const bool bounded = kind == 0 || open || closed;
  if (attrs.kinds.empty() || !bounded || !constant_number(user.input(1), &index)) return all;
  const auto first = static_cast<std::int64_t>(index);
  // From the end on both sides: where fewer rows are kept the same ones are cut.
  if (closed && (first >= 0 || !constant_number(user.input(2), &stop) || stop >= 0)) return all;
  if (first < 0) return -first;
  // The rows of the loop itself: what is read of them, and those before, so that the slice
  // still cuts what it should. Where there are fewer steps nothing changes.
  if (!open || first != before || before == 0 || attrs.kinds.size() > 1) return all;
  const std::int64_t rows = wanted(Variable(Ref<const Apply>(&user), 0), 0);
  return rows == all ? all : rows + before;
}

}  // namespace hypatia
