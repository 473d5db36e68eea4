#include "engine/graph/print.h"

#include <unordered_map>
#include <vector>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/expr/op.h"
#include "engine/ops/reduce.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

/// A, B, …, Z, BA, BB, …: digits of base 26.
std::string letters(int number) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('A' + number % 26));
    number /= 26;
  } while (number > 0);
  return text;
}

std::string constant_text(const Array& value) {
  if (value.rank() == 0) return "TensorConstant{" + to_text(value) + "}";
  const Array first = value.elements() ? value.copy().reshape({-1})[0] : value;
  const bool uniform = value.elements() > 0 && [&] {
    for (double v : value.to_vector()) {
      if (v != first.item()) return false;
    }
    return true;
  }();
  if (uniform) return "TensorConstant{" + to_text(value.dims()) + " of " + to_text(first) + "}";
  return "TensorConstant{" + to_text(value.dims()) + "}";
}

class TreePrinter {
 public:
  TreePrinter(std::span<const Apply* const> order, const PrintOptions& options)
      : options_(options) {
    for (std::size_t i = 0; i < order.size(); ++i)
      position_.emplace(order[i], i);
  }

  std::string print(std::span<const Variable> roots) {
    check_ids();
    for (const Variable& root : roots) {
      stack_.push_back({root, "", "", 0});
      while (!stack_.empty()) {
        const Line line = stack_.back();
        stack_.pop_back();
        show(line);
      }
    }
    return std::move(text_);
  }

 private:
  struct Line {
    Variable variable;
    std::string prefix, child_prefix;
    int depth = 0;
  };

  void check_ids() const {
    for (const char* known : {"CHAR", "int", "id", ""}) {
      if (options_.ids == known) return;
    }
    throw Error(
        Error::Kind::value,
        "debugprint can't name nodes by ids='" + options_.ids + "'",
        "it is one of 'CHAR', 'int', 'id' and ''");
  }

  std::string id_of(const Apply& node, bool* is_new) {
    const auto [found, fresh] = ids_.emplace(&node, static_cast<int>(ids_.size()));
    *is_new = fresh;
    if (options_.ids.empty()) return "";
    if (options_.ids == "id") {
      return " [id " + std::to_string(reinterpret_cast<std::uintptr_t>(&node)) + "]";
    }
    const std::string id =
        options_.ids == "int" ? std::to_string(found->second) : letters(found->second);
    return " [id " + id + "]";
  }

  void show(const Line& line) {
    const Variable& v = line.variable;
    const Apply& node = v.node();
    bool is_new = false;
    const std::string id = id_of(node, &is_new);
    if (is_leaf(node)) {
      text_ += line.prefix + operand_text(v) + id;
    } else {
      text_ += line.prefix + print_name(node);
      if (node.outputs() > 1) text_ += "." + std::to_string(v.index());
      text_ += id;
    }
    if (options_.print_type) text_ += " <" + to_text(v.type()) + ">";
    if (!is_leaf(node)) text_ += " '" + v.name() + "'";
    const auto place = position_.find(&node);
    if (place != position_.end()) text_ += "   " + std::to_string(place->second);
    text_ += "\n";
    const bool named = options_.stop_on_name && line.depth > 0 && !v.name().empty();
    if (!is_new || named || line.depth == options_.depth) return;
    const int last = static_cast<int>(node.inputs().size()) - 1;
    for (int i = last; i >= 0; --i) {
      const std::string below = line.child_prefix + (i == last ? "  " : " |");
      stack_.push_back({node.input(i), line.child_prefix + " |", below, line.depth + 1});
    }
  }

  PrintOptions options_;
  std::unordered_map<const Apply*, std::size_t> position_;
  std::unordered_map<const Apply*, int> ids_;
  std::vector<Line> stack_;
  std::string text_;
};

/// "x[1:, -1]", as Python writes it: bounds are the operands after x.
std::string subtensor_text(const Apply& node, const std::vector<std::string>& operands) {
  constexpr int is_slice = 1, has_start = 2, has_stop = 4;
  const auto& attrs = node.attrs().as<SubtensorAttrs>();
  std::size_t next = 1;
  const auto bound = [&] {
    const Array* value = constant_value(node.inputs()[next]);
    const std::string& text = operands[next++];
    return value ? to_text(*value) : text;
  };
  std::string text = operands[0] + "[";
  for (std::size_t k = 0; k < attrs.kinds.size(); ++k) {
    if (k) text += ", ";
    const int kind = attrs.kinds[k];
    const bool slice = kind & is_slice;
    if (!slice || (kind & has_start)) text += bound();
    if (slice) text += ":";
    if (kind & has_stop) text += bound();
    if (slice && attrs.steps[k] != 1) text += ":" + std::to_string(attrs.steps[k]);
  }
  return text + "]";
}

std::string application_text(const Apply& node, const std::vector<std::string>& operands) {
  const Op& op = node.op();
  if (op.name == "DimShuffle" || op.is_transfer()) return operands[0];
  if (op.name == "neg") return "(-" + operands[0] + ")";
  if (op.name == "dot") return "(" + operands[0] + " \\dot " + operands[1] + ")";
  if (op.name == "pow") return "(" + operands[0] + " ** " + operands[1] + ")";
  if (op.is_scalar() && op.scalar().infix && operands.size() == 2) {
    return "(" + operands[0] + " " + std::string(op.scalar().text.substr(4, 1)) + " " +
           operands[1] + ")";
  }
  if (&op == &subtensor_op) return subtensor_text(node, operands);
  // A reduction of some axes says which.
  const ReduceAttrs* reduced = node.attrs().get_if<ReduceAttrs>();
  const bool partial = reduced && static_cast<int>(reduced->axes.size()) != node.input(0).ndim();
  std::string text = partial ? print_name(node) : std::string(op.name);
  text += "(";
  for (std::size_t i = 0; i < operands.size(); ++i)
    text += (i ? ", " : "") + operands[i];
  return text + ")";
}

}  // namespace

std::string operand_text(const Variable& v) {
  if (!v.name().empty()) return v.name();
  if (v.owner()) return print_name(v.node()) + "." + std::to_string(v.index());
  if (const Array* value = constant_value(v)) return constant_text(*value);
  return "<" + to_text(v.type()) + ">";
}

std::string debugprint(std::span<const Variable> roots, const PrintOptions& options) {
  return TreePrinter({}, options).print(roots);
}

std::string debugprint(const Variable& root, const PrintOptions& options) {
  return debugprint(std::span(&root, 1), options);
}

std::string debugprint(
    std::span<const Variable> roots,
    std::span<const Apply* const> order,
    const PrintOptions& options) {
  return TreePrinter(order, options).print(roots);
}

std::string pprint(const Variable& root) {
  // Longer lines help nobody, and a value used often would make them grow exponentially.
  constexpr std::size_t longest = 4000;

  struct Frame {
    Variable variable;
    std::vector<std::string> operands;
  };

  std::vector<Frame> stack{{root, {}}};
  std::string done;
  while (true) {
    Frame& top = stack.back();
    const Apply& node = top.variable.node();
    if (top.operands.size() < node.inputs().size()) {
      stack.push_back({node.inputs()[top.operands.size()], {}});
      continue;
    }
    done = is_leaf(node) ? operand_text(top.variable) : application_text(node, top.operands);
    if (done.size() > longest) done = done.substr(0, longest) + "…";
    stack.pop_back();
    if (stack.empty()) return done;
    stack.back().operands.push_back(done);
  }
}

}  // namespace hypatia
