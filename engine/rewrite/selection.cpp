#include "engine/rewrite/selection.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/rewrite/rule.h"

namespace hypatia {

namespace {

constexpr Optimizer table[] = {
    {"None", "nothing but placing nodes and merging kernels; answers may lose precision", 0},
    {"merge", "one node for equal work", 1, "merge"},
    {"stabilize", "everything up to the stabilising rules", 1, "stabilize"},
    {"o1", "merging, constants, canonical and stable forms: compiles fastest", 1},
    {"fast_compile", "o1", 1},
    {"o2", "o1 with cheaper spellings and fused elementwise nodes", 2},
    {"o3", "o2 with gemms: all but work in place", 3},
    {"unsafe", "o3; there are no asserts to remove", 3},
    {"o4", "all rewrites", 4},
    {"fast_run", "o4", 4},
};

/// The names by which Theano's users know groups of our passes.
struct Tag {
  std::string_view name, pass;
};

constexpr Tag tags[] = {
    {"fusion", "fuse"},
    {"elemwise_fusion", "fuse"},
    {"constant_folding", "fold"},
    {"constant_folding", "fold_numbers"},
    {"constant_folding", "fold_again"},
    {"merge", "merge_again"},
    {"BlasOpt", "blas"},
    {"gpuarray", "place"},
    {"assert_no_cpu_op", "place"},
};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Pass& pass : pipeline())
    names.emplace_back(pass.name);
  for (const Tag& tag : tags)
    names.emplace_back(tag.name);
  for (const Rule* rule : all_rules())
    names.emplace_back(rule->name);
  for (const Optimizer& optimizer : table)
    names.emplace_back(optimizer.name);
  return names;
}

/// Adds a name and the passes that it stands for.
void add(const std::string& name, const std::string& list, std::set<std::string, std::less<>>* to) {
  static const std::vector<std::string> known = known_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const std::vector<std::string> near = near_names(name, known);
    throw Error(
        Error::Kind::config,
        list + ": there is no rewrite, pass or tag named '" + name + "'",
        near.empty() ? "f.story() names the rewrites that a function went through"
                     : "did you mean " + join(near, " or ") + "?");
  }
  to->insert(name);
  for (const Tag& tag : tags) {
    if (tag.name == name) to->emplace(tag.pass);
  }
}

const Optimizer* optimizer_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Optimizer& optimizer : table) {
    if (optimizer.name == name || (name == "none" && optimizer.level == 0)) return &optimizer;
    names.emplace_back(optimizer.name);
  }
  throw Error(
      Error::Kind::config,
      "there is no optimizer '" + std::string(name) + "'",
      "it is one of " + join(names));
}

std::size_t place_of(std::string_view pass) {
  std::size_t place = 0;
  while (place < pipeline().size() && pipeline()[place].name != pass)
    ++place;
  return place;
}

/// The rules of a pass that are named.
bool names_rule_of(const Pass& pass, const std::set<std::string, std::less<>>& names) {
  if (!pass.rules) return false;
  const Rules& rules = pass.rules();
  return std::any_of(
      rules.begin(), rules.end(), [&](const Rule& rule) { return names.contains(rule.name); });
}

}  // namespace

std::span<const Optimizer> optimizers() {
  return table;
}

RewriteSelection::RewriteSelection(std::string_view optimizer, const Names& names)
    : optimizer_(optimizer_named(optimizer)) {
  for (const std::string& name : names.included)
    add(name, "optimizer_including", &included_);
  for (const std::string& name : names.excluded)
    add(name, "optimizer_excluding", &excluded_);
  for (const std::string& name : names.required)
    add(name, "optimizer_requiring", &required_);
}

bool RewriteSelection::by_level(const Pass& pass) const {
  if (pass.level > optimizer_->level) return false;
  return optimizer_->last.empty() || place_of(pass.name) <= place_of(optimizer_->last);
}

bool RewriteSelection::runs(const Pass& pass) const {
  if (pass.level == 0) return true;
  if (excluded_.contains(pass.name)) return false;
  const bool required = required_.empty() || required_.contains(pass.name);
  const bool wanted =
      by_level(pass) || included_.contains(pass.name) || names_rule_of(pass, included_);
  return wanted && (required || names_rule_of(pass, required_));
}

bool RewriteSelection::allows(std::string_view pass, std::string_view rule) const {
  if (excluded_.contains(rule)) return false;
  if (!required_.empty() && !required_.contains(rule) && !required_.contains(pass)) return false;
  const auto found = std::find_if(
      pipeline().begin(), pipeline().end(), [&](const Pass& p) { return p.name == pass; });
  const bool whole = found == pipeline().end() || by_level(*found) || included_.contains(pass);
  return whole || included_.contains(rule);
}

bool RewriteSelection::merges_kernels() const {
  return !excluded_.contains("fuse");
}

std::vector<std::string> rewrite_names(std::string_view joined) {
  std::vector<std::string> names;
  for (const std::string& name : split(joined, ':')) {
    if (!trimmed(name).empty()) names.emplace_back(trimmed(name));
  }
  return names;
}

}  // namespace hypatia
