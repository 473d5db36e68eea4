// Reads names and types as the engine prints them.

#include "profiler/analyze/node_kind.h"

#include <algorithm>
#include <cctype>

namespace hypatia {

namespace {

/// The pattern that a word such as "matrix" or "4D" stands for; the word itself if it is none.
std::string pattern_of(const std::string& word) {
  if (word == "row") return "(True, False)";
  if (word == "col") return "(False, True)";
  int rank = -1;
  if (word == "scalar") rank = 0;
  if (word == "vector") rank = 1;
  if (word == "matrix") rank = 2;
  if (word.size() == 2 && std::isdigit(static_cast<unsigned char>(word[0])) && word[1] == 'D')
    rank = word[0] - '0';
  if (rank < 0) return word;
  std::string text = "(";
  for (int i = 0; i < rank; ++i)
    text += i ? ", False" : "False";
  return text + (rank == 1 ? ",)" : ")");
}

std::string without(const std::string& prefix, const std::string& name) {
  const bool there = name.size() > prefix.size() && name.starts_with(prefix) &&
                     std::isupper(static_cast<unsigned char>(name[prefix.size()]));
  return there ? name.substr(prefix.size()) : name;
}

}  // namespace

std::string kind_of(const NodeRecord& node) {
  return node.op.empty() ? without("C", without("Gpu", node.op_class)) : node.op;
}

std::string values_of(const std::string& type) {
  const std::size_t open = type.find('('), comma = type.find(", ", std::min(open, type.size()));
  if (comma == std::string::npos || !type.ends_with(')')) return type;
  const std::size_t begin = comma + 2;
  return type.substr(open, begin - open) + pattern_of(type.substr(begin, type.size() - 1 - begin)) +
         ")";
}

bool is_the_engines(const FunctionRecord& function) {
  const std::string& file = function.origin.file;
  const std::size_t at = file.find("engine/run/");
  return at != std::string::npos && (at == 0 || file[at - 1] == '/');
}

}  // namespace hypatia
