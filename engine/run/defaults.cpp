// Inputs by name: defaults and private state between calls, and what memory a failed call held.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/graph/print.h"
#include "engine/run/function_impl.h"

namespace hypatia {

std::size_t FunctionImpl::input_named(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (input_name(i) == name) return i;
    if (!input_name(i).empty()) names.push_back(input_name(i));
  }
  throw Error(
      Error::Kind::value,
      "'" + name_ + "' has no input named '" + name + "'",
      names.empty() ? "its inputs have no names: give the variables names, or values in order"
                    : "its inputs are " + join(names));
}

Array FunctionImpl::value(const std::string& input) {
  const std::lock_guard lock(mutex_);
  const Default& value = in_[input_named(input)].value;
  if (value.given) return asarray(value.value).copy();
  throw Error(
      Error::Kind::value,
      "the input '" + input + "' of '" + name_ + "' has no default",
      "declare it as In(x, {.value = …})");
}

void FunctionImpl::set_value(const std::string& input, const Array& value) {
  const std::lock_guard lock(mutex_);
  const std::size_t i = input_named(input);
  in_[i].value = Default(checked_input(value, i).copy());
}

std::vector<Shared> FunctionImpl::shared_variables() const {
  const Graph source(graph_.inputs(), source_.outputs, source_.updates);
  std::vector<Shared> all;
  for (const Variable& v : source.shared())
    all.emplace_back(v);
  return all;
}

std::vector<Shared> Function::get_shared() const {
  return impl().shared_variables();
}

std::string FunctionImpl::footprint() const {
  struct Entry {
    std::string text;
    std::int64_t bytes = 0;
  };

  std::vector<Entry> entries;
  const auto add = [&](const Variable& v, const Array* value, const std::string& what) {
    if (!value) return;
    const auto bytes = static_cast<std::int64_t>(value->bytes());
    entries.push_back(
        {" - " + (v.name().empty() ? "no name" : v.name()) + ", " + what + ", Shape: " +
             to_text(value->dims()) + ", ElemSize: " + std::to_string(size_of(value->dtype())) +
             " Byte(s), TotalSize: " + std::to_string(bytes) + " Byte(s)",
         bytes});
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    add(graph_.inputs()[i], inputs_[i], "Input");
  for (std::size_t i = 0; i < shared_.size(); ++i)
    add(graph_.shared()[i], shared_[i], "Shared Input");
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.bytes > b.bytes;
  });
  std::string text = "the function's graph:\n";
  Vars roots = graph_.outputs();
  for (const Update& u : graph_.updates())
    roots.push_back(u.value);
  text += debugprint(roots, graph_.order(), {.print_type = true}) + "Storage map footprint:";
  std::int64_t total = 0;
  for (const Entry& e : entries) {
    text += "\n" + e.text;
    total += e.bytes;
  }
  return text + "\n TotalSize: " + std::to_string(total) + " Byte(s)";
}

}  // namespace hypatia
