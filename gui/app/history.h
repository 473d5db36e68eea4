#pragma once
// A line of values with a current one: undo and redo, back and forward.

#include <cstddef>
#include <deque>
#include <utility>

namespace hypatia::gui {

/// Keeps the last 200 values.
template <class Value>
class History {
 public:
  /// Makes `value` current and forgets what was undone; nothing if it is current already.
  void push(const Value& value) {
    if (!values_.empty() && values_[at_] == value) return;
    if (!values_.empty())
      values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, values_.end());
    values_.push_back(value);
    if (values_.size() > 200) values_.pop_front();
    at_ = values_.size() - 1;
  }

  /// The value before or after the current one, which it becomes; null at the end of the line.
  const Value* back() { return at_ > 0 ? &values_[--at_] : nullptr; }

  const Value* forward() { return at_ + 1 < values_.size() ? &values_[++at_] : nullptr; }

  bool can_go_back() const { return at_ > 0; }

  bool can_go_forward() const { return at_ + 1 < values_.size(); }

 private:
  std::deque<Value> values_;
  std::size_t at_ = 0;
};

}  // namespace hypatia::gui
