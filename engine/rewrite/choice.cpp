#include "engine/rewrite/choice.h"

#include <algorithm>

#include "engine/core/config.h"
#include "engine/core/text.h"
#include "engine/core/warning.h"
#include "engine/rewrite/rule.h"

namespace hypatia {

namespace {

/// Theano's word for a pass of ours.
std::string our_word(const std::string& word) {
  if (word == "fusion" || word == "elemwise_fusion") return "fuse";
  if (word == "constant_folding") return "fold";
  return word == "BlasOpt" ? "blas" : word;
}

/// "fold" names "fold", "fold_numbers" and "fold_again".
bool names_pass(std::string_view word, std::string_view pass) {
  return pass == word || (pass.size() > word.size() && pass.substr(0, word.size()) == word &&
                          pass[word.size()] == '_');
}

std::vector<std::string> known_words() {
  std::vector<std::string> words{"fast_run", "fast_compile"};
  for (const Pass& p : pipeline())
    words.emplace_back(p.name);
  for (const Rule* r : all_rules())
    words.emplace_back(r->name);
  return words;
}

std::vector<std::string> words_of_flag(std::string_view flag) {
  std::vector<std::string> words;
  for (const std::string& part : split(config().get(flag), ':')) {
    if (trimmed(part).empty()) continue;
    words.push_back(our_word(std::string(trimmed(part))));
    const std::vector<std::string> known = known_words();
    if (std::find(known.begin(), known.end(), words.back()) != known.end()) continue;
    const std::vector<std::string> near = near_names(words.back(), known);
    warn(
        "the flag " + std::string(flag) + " names '" + words.back() +
        "', which is no rewrite here" +
        (near.empty() ? "" : "; did you mean " + join(near, " or ") + "?"));
  }
  return words;
}

int level_of(std::string_view optimizer) {
  if (optimizer == "None") return 0;
  if (optimizer == "fast_compile") return 1;
  return optimizer.size() == 2 && optimizer[0] == 'o' ? optimizer[1] - '0' : 4;
}

}  // namespace

RewriteChoice::RewriteChoice(std::string_view optimizer)
    : level_(level_of(optimizer)),
      only_merge_(optimizer == "merge"),
      until_stable_(optimizer == "stabilize"),
      excluded_(words_of_flag("optimizer_excluding")),
      included_(words_of_flag("optimizer_including")),
      required_(words_of_flag("optimizer_requiring")),
      on_error_(config().choice("on_opt_error")),
      ratio_(config().real("optdb.max_use_ratio")) {}

bool RewriteChoice::among(const std::vector<std::string>& words, std::string_view name) {
  return std::any_of(
      words.begin(), words.end(), [&](const std::string& w) { return names_pass(w, name); });
}

bool RewriteChoice::takes(const Pass& pass) const {
  if (pass.level == 0) return true;  // the function could not run without
  if (among(excluded_, pass.name)) return false;
  if (among(included_, pass.name)) return true;
  for (const std::string& word : required_) {
    const bool has = names_pass(word, pass.name) || word == "fast_run" ||
                     (word == "fast_compile" && pass.level <= 1);
    if (!has) return false;
  }
  if (only_merge_) return pass.run == merge;
  const bool early =
      pass.run == merge || pass.run == fold || pass.run == canonicalize || pass.run == stabilize;
  return until_stable_ ? early : pass.level <= level_;
}

double RewriteChoice::most_applications(int nodes) const {
  constexpr int small = 20;  // a graph of few nodes may need many
  return ratio_ * (nodes + small);
}

}  // namespace hypatia
