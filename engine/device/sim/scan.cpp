// Splits the text into words and punctuation, finds function bodies by their braces, and follows
// calls by name.
#include "engine/device/sim/scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

namespace hypatia::sim {

namespace {

struct Token {
  std::string_view text;
  bool directive = false;  // on a preprocessor line
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// One past the end of the comment or literal that starts at `at`, or `at` if none does.
std::size_t skip_opaque(std::string_view text, std::size_t at) {
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") == 0) {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n')
    end += text[end] == '\\' ? 2U : 1U;
  return std::min(end + 1, text.size());
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  bool directive = false, line_start = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      directive = directive && i > 0 && text[i - 1] == '\\';
      line_start = true;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (const std::size_t end = skip_opaque(text, i); end != i) {
      i = end;
    } else if (c == '#' && line_start) {
      directive = true;
      ++i;
    } else {
      line_start = false;
      std::size_t stop = i + 1;
      if (is_word(c)) {
        while (stop < text.size() && is_word(text[stop]))
          ++stop;
      }
      tokens.push_back({text.substr(i, stop - i), directive});
      i = stop;
    }
  }
  return tokens;
}

bool is_collective(std::string_view word) {
  static constexpr std::array<std::string_view, 8> starts{
      "__syncthreads",
      "__syncwarp",
      "__shfl",
      "__ballot",
      "__match",
      "__reduce_",
      "__any_sync",
      "__all_sync",
  };
  // The last two end a thread, whose number only a fiber knows.
  if (word == "__activemask" || word == "assert" || word == "__trap") return true;
  return std::any_of(starts.begin(), starts.end(), [word](std::string_view start) {
    return word.substr(0, start.size()) == start;
  });
}

struct Function {
  std::string_view name;
  bool kernel = false;  // that can be launched by its name
  bool templated = false;
  std::size_t parameters = 0;       // token of their bracket
  std::size_t first = 0, last = 0;  // tokens of its body
  bool cooperates = false;
};

/// The token after the bracket that closes the one at `open`.
std::size_t after_match(const std::vector<Token>& tokens, std::size_t open) {
  const std::string_view left = tokens[open].text, right = left == "{" ? "}" : ")";
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == left) ++depth;
    if (tokens[i].text == right && --depth == 0) return i + 1;
  }
  return tokens.size();
}

std::vector<Function> functions_of(const std::vector<Token>& tokens) {
  std::vector<Function> functions;
  Function pending;
  std::size_t namespace_end = 0;
  for (std::size_t i = 0; i < tokens.size();) {
    const std::string_view word = tokens[i].text;
    if (word == "__global__") pending.kernel = i >= namespace_end;
    if (word == "template") pending.templated = true;
    if (word == "namespace") {
      while (i < tokens.size() && tokens[i].text != "{" && tokens[i].text != ";")
        ++i;
      if (i < tokens.size() && tokens[i].text == "{")
        namespace_end = std::max(namespace_end, after_match(tokens, i));
      continue;
    }
    if (word == ";" || word == "}") pending = {};
    if (word == "(" && i > 0) {
      pending.name = tokens[i - 1].text;
      pending.parameters = i;
      i = after_match(tokens, i);
    } else if (word == "{" && !pending.name.empty()) {
      pending.first = i;
      pending.last = after_match(tokens, i);
      functions.push_back(pending);
      i = pending.last;
      pending = {};
    } else {
      ++i;
    }
  }
  return functions;
}

bool has_word(const std::vector<Token>& tokens, const Function& f, std::string_view word) {
  return std::any_of(
      tokens.begin() + static_cast<std::ptrdiff_t>(f.parameters),
      tokens.begin() + static_cast<std::ptrdiff_t>(f.last),
      [word](const Token& t) { return t.text == word; });
}

/// The last word of each parameter, and its whole declaration.
void add_parameters(const std::vector<Token>& tokens, const Function& f, ScannedKernel& kernel) {
  std::string last, declaration;
  int depth = 0;
  const std::size_t end = after_match(tokens, f.parameters);
  for (std::size_t i = f.parameters + 1; i < end; ++i) {
    const std::string_view word = tokens[i].text;
    if ((word == "," && depth == 0) || i + 1 == end) {
      if (last.empty()) continue;
      kernel.parameters.push_back(std::exchange(last, ""));
      kernel.declarations.push_back(std::exchange(declaration, ""));
      continue;
    }
    declaration += (declaration.empty() ? "" : " ") + std::string(word);
    if (word == "(" || word == "<") {
      ++depth;
    } else if (word == ")" || word == ">") {
      --depth;
    } else if (is_word(word[0]) && depth == 0) {
      last = word;
    }
  }
}

bool mentions(
    const std::vector<Token>& tokens, const Function& f, const std::set<std::string_view>& words) {
  return std::any_of(
      tokens.begin() + static_cast<std::ptrdiff_t>(f.first),
      tokens.begin() + static_cast<std::ptrdiff_t>(f.last),
      [&](const Token& t) { return is_collective(t.text) || words.contains(t.text); });
}

/// Marks what co-operates; a function that calls such a one does, too.
void mark_cooperating(const std::vector<Token>& tokens, std::vector<Function>& functions) {
  std::set<std::string_view> names;
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& f : functions) {
      if (f.cooperates || !mentions(tokens, f, names)) continue;
      f.cooperates = changed = true;
      names.insert(f.name);
    }
  }
}

std::vector<std::string> dynamic_shared(const std::vector<Token>& tokens) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != "extern" || tokens[i + 1].text != "__shared__") continue;
    for (std::size_t j = i + 2; j < tokens.size() && tokens[j].text != ";"; ++j) {
      if (tokens[j].text == "[") names.emplace_back(tokens[j - 1].text);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Scan scan_kernels(std::string_view text) {
  const std::vector<Token> tokens = tokens_of(text);
  std::vector<Function> functions = functions_of(tokens);
  mark_cooperating(tokens, functions);
  // A macro may hide a barrier anywhere.
  const bool hidden = std::any_of(tokens.begin(), tokens.end(), [](const Token& t) {
    return t.directive && is_collective(t.text);
  });
  Scan scan;
  for (const Function& f : functions) {
    if (!f.kernel || f.templated) continue;
    scan.kernels.push_back(
        {std::string(f.name),
         f.cooperates || hidden,
         has_word(tokens, f, "double"),
         has_word(tokens, f, "["),
         {},
         {}});
    add_parameters(tokens, f, scan.kernels.back());
  }
  scan.dynamic_shared = dynamic_shared(tokens);
  return scan;
}

}  // namespace hypatia::sim
