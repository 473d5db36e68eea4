#include "engine/rewrite/rule.h"

#include <mutex>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/math.h"
#include "engine/rewrite/selection.h"

namespace hypatia {

namespace {

struct HoleAttrs {
  int number = 0;

  auto fields() const { return std::tie(number); }
};

constinit const Op hole_op{.name = "hole", .doc = "any value, in a pattern", .arity = 0};

const HoleAttrs* hole_of(const Variable& pattern) {
  return &pattern.node().op() == &hole_op ? &pattern.node().attrs().as<HoleAttrs>() : nullptr;
}

bool match_value(const Variable& pattern, const Variable& value, std::vector<Variable>* holes);

bool match_operands(const Apply& pattern, const Vars& operands, std::vector<Variable>* holes) {
  const std::vector<Variable> before = *holes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (match_value(pattern.inputs()[i], operands[i], holes)) continue;
    *holes = before;
    return false;
  }
  return true;
}

bool match_hole(std::size_t number, const Variable& value, std::vector<Variable>* holes) {
  if (holes->size() <= number) holes->resize(number + 1);
  Variable& filled = (*holes)[number];
  if (filled) return filled == value;
  filled = value;
  return true;
}

bool match_value(const Variable& pattern, const Variable& value, std::vector<Variable>* holes) {
  if (const HoleAttrs* h = hole_of(pattern)) {
    return match_hole(static_cast<std::size_t>(h->number), value, holes);
  }
  double wanted = 0, given = 0;
  if (constant_number(pattern, &wanted)) {
    return constant_number(value, &given) && wanted == given;
  }
  return value.index() == 0 && match_pattern(pattern, value.node(), holes);
}

/// The replacement in the type of what it replaces; no variable if it can't have it.
Variable fitted(const Variable& replacement, const Type& wanted) {
  if (replacement.type().same(wanted)) return replacement;
  if (replacement.type().with_dtype(wanted.dtype()).same(wanted)) {
    return cast(replacement, wanted.dtype());
  }
  return {};
}

struct Counts {
  std::mutex mutex;
  std::unordered_map<std::string_view, long> fired;
};

Counts& counts() {
  static Counts& instance = *new Counts;
  return instance;
}

/// Rules by the op of their root, so that a node asks only those that can match it.
using RuleIndex = std::unordered_map<const Op*, std::vector<const Rule*>>;

RuleIndex index_of(const Rules& rules, std::string_view pass, const RewriteSelection* selection) {
  RuleIndex index;
  for (const Rule& r : rules) {
    if (selection && !selection->allows(pass, r.name)) continue;
    index[r.from ? &r.from.node().op() : r.root].push_back(&r);
  }
  return index;
}

Variable try_rule(const Rule& rule, const Apply& node) {
  std::vector<Variable> holes;
  if (rule.from && !match_pattern(rule.from, node, &holes)) return {};
  const Match match{node, std::move(holes)};
  Variable replacement = rule.build ? rule.build(match)
                         : rule.own_build
                             ? rule.own_build(node, match.holes)
                             : fill_pattern(rule.to, match.holes, node.type(0).dtype());
  return replacement ? fitted(replacement, node.type(0)) : replacement;
}

class Sweep {
 public:
  Sweep(const RuleIndex& index, const PassContext& context) : index_(index), context_(context) {}

  /// What rules make of a node, after as many as fire one after another; empty if none does.
  Replacement visit(const Apply& node) {
    Variable current;
    for (int round = 0; round < most_rounds; ++round) {
      const Apply& at = current ? current.node() : node;
      if (current && (current.index() != 0 || is_leaf(at))) break;
      Variable next = step(at);
      if (!next) break;
      current = std::move(next);
    }
    return current ? Replacement{current} : Replacement{};
  }

  int fired() const { return fired_; }

 private:
  static constexpr int most_rounds = 50;

  Variable step(const Apply& node) {
    const auto rules = index_.find(&node.op());
    if (rules == index_.end() || node.outputs() != 1) return {};
    for (const Rule* rule : rules->second) {
      Variable replacement = safely(*rule, node);
      if (!replacement || &replacement.node() == &node) continue;
      record(*rule, node, replacement);
      return replacement;
    }
    return {};
  }

  /// A rule that throws is skipped, unless on_opt_error says otherwise.
  static Variable safely(const Rule& rule, const Apply& node) {
    try {
      return try_rule(rule, node);
    } catch (Error& error) {
      const std::string_view then = config().choice("on_opt_error");
      error.note("in the rewrite " + std::string(rule.name) + " of " + print_name(node));
      if (then == "raise" || then == "pdb") throw;
      if (then == "warn") warn("a rewrite failed and is skipped: " + std::string(error.what()));
      return {};
    }
  }

  void record(const Rule& rule, const Apply& node, const Variable& after) {
    ++fired_;
    {
      const std::lock_guard lock(counts().mutex);
      ++counts().fired[rule.name];
    }
    if (!context_.log) return;
    const Variable before(Ref<const Apply>(&node), 0);
    context_.log->rewrites.push_back({std::string(rule.name), before, after, node.origin()});
  }

  const RuleIndex& index_;
  const PassContext& context_;
  int fired_ = 0;
};

/// Rules from outside the engine, with the pass that each belongs to.
struct OwnRules {
  std::mutex mutex;
  std::vector<std::pair<Rule, std::string>> rules;
};

OwnRules& own_rules() {
  static OwnRules& instance = *new OwnRules;
  return instance;
}

void add_own_rules(std::string_view pass, Rules* rules) {
  OwnRules& own = own_rules();
  const std::lock_guard lock(own.mutex);
  for (const auto& [rule, of] : own.rules) {
    if (of == pass) rules->push_back(rule);
  }
}

}  // namespace

void register_rewrite(const OwnRewrite& rewrite, std::string_view pass) {
  if (pass != "canonicalize" && pass != "stabilize" && pass != "specialize") {
    throw Error(
        Error::Kind::value,
        "rewrites can't be added to a pass '" + std::string(pass) + "'",
        "it is one of 'canonicalize', 'stabilize', 'specialize'");
  }
  const std::string name(rewrite.name);
  if (!rewrite.from || is_leaf(rewrite.from.node()) || (!rewrite.to && !rewrite.build)) {
    throw Error(
        Error::Kind::value,
        "the rewrite '" + name + "' needs an expression to look for, and what to put there",
        "give `from`, and `to` or `build`");
  }
  OwnRules& own = own_rules();
  const std::lock_guard lock(own.mutex);
  bool taken = false;
  for (const auto& [other, of] : own.rules)
    taken |= other.name == rewrite.name;
  for (const Rule* engine : all_rules())
    taken |= engine->name == rewrite.name;
  if (taken) {
    throw Error(Error::Kind::value, "there is a rewrite '" + name + "' already");
  }
  Rule rule;
  rule.name = rewrite.name;
  rule.from = rewrite.from;
  rule.to = rewrite.to;
  rule.own_build = rewrite.build;
  own.rules.emplace_back(std::move(rule), pass);
}

void remove_rewrite(std::string_view name) {
  OwnRules& own = own_rules();
  const std::lock_guard lock(own.mutex);
  std::erase_if(own.rules, [&](const auto& entry) { return entry.first.name == name; });
}

Variable hole(int number) {
  return Variable(
      Apply::make_typed(hole_op, {}, HoleAttrs{number}, {Type(DType::float64, 0)}, {}), 0);
}

bool match_pattern(const Variable& pattern, const Apply& node, std::vector<Variable>* holes) {
  const Apply& wanted = pattern.node();
  if (&wanted.op() != &node.op() || wanted.inputs().size() != node.inputs().size()) return false;
  if (!wanted.attrs().empty() && !(wanted.attrs() == node.attrs())) return false;
  if (match_operands(wanted, node.inputs(), holes)) return true;
  if (!node.op().commutative || node.inputs().size() != 2) return false;
  return match_operands(wanted, {node.input(1), node.input(0)}, holes);
}

Variable fill_pattern(const Variable& pattern, const std::vector<Variable>& holes, DType dtype) {
  if (const HoleAttrs* h = hole_of(pattern)) return holes[static_cast<std::size_t>(h->number)];
  if (const Array* value = constant_value(pattern)) {
    return is_float(value->dtype()) && is_float(dtype) ? constant(value->astype(dtype)) : pattern;
  }
  const Apply& node = pattern.node();
  Operands operands;
  for (const Variable& v : node.inputs()) {
    operands.emplace_back(fill_pattern(v, holes, dtype), node.origin());
  }
  if (node.op().is_scalar()) return apply_elementwise(node.op(), operands, node.attrs());
  Vars inputs;
  for (const Operand& o : operands)
    inputs.push_back(o.variable);
  return apply(node.op(), std::move(inputs), node.attrs(), node.origin());
}

Graph apply_rules(
    const Graph& graph, const Rules& rules, std::string_view pass, const PassContext& context) {
  constexpr int most_sweeps = 30;
  Rules all = rules;
  add_own_rules(pass, &all);
  const RuleIndex index = index_of(all, pass, context.selection);
  Graph current = graph;
  constexpr int small = 20;  // a graph of few nodes may need many
  double left = config().real("optdb.max_use_ratio") * (graph.size() + small);
  for (int i = 0; i < most_sweeps; ++i) {
    Sweep sweep(index, context);
    current = current.rebuild(
        [&](const Apply& node, const Apply&) -> Replacement { return sweep.visit(node); });
    if (sweep.fired() == 0) break;
    left -= sweep.fired();
    if (left > 0) continue;
    warn(
        "the rewrites of " + std::string(pass) + " were stopped before they were done: more than " +
        "optdb.max_use_ratio of them for each node");
    break;
  }
  return current;
}

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> all;
  for (const Rules* rules : {&canonical_rules(), &stability_rules(), &special_rules()}) {
    for (const Rule& r : *rules)
      all.push_back(&r);
  }
  return all;
}

const std::unordered_map<std::string_view, long>& fired_rules() {
  return counts().fired;
}

}  // namespace hypatia
