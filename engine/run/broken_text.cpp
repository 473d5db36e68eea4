// What check_op found, as text.
#include <sstream>

#include "engine/run/check_op.h"

namespace hypatia {

namespace {

/// In lines of at most 100 columns, those after the first moved in; at most eight.
std::string wrapped(const std::string& text) {
  constexpr std::size_t columns = 100;
  constexpr int most = 8;
  std::string all, line;
  int lines = 0;
  const auto end_line = [&] {
    if (++lines < most) all += line + "\n";
    if (lines == most) all += "  ...\n";
    line = "  ";
  };
  std::istringstream rows(text);
  for (std::string row; std::getline(rows, row);) {
    std::istringstream words(row);
    bool first = true;  // of its row
    for (std::string word; words >> word; first = false) {
      const std::size_t blank = first ? 0 : 1;
      if (line.size() + blank + word.size() > columns && !first) end_line();
      const bool fresh = line.empty() || line == "  ";
      line += (fresh ? "" : " ") + word.substr(0, columns - 2);
    }
    end_line();
  }
  return all;
}

}  // namespace

std::string to_text(const std::vector<Broken>& broken) {
  std::string text;
  for (const Broken& b : broken) {
    const std::string promise = b.promise == "R_op" ? "forward derivative (R_op)" : b.promise;
    text += wrapped(promise + ": " + b.text);
  }
  return text;
}

}  // namespace hypatia
