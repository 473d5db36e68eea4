#pragma once
// Counts on a program's command line.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace hypatia::support {

/// The count, 1 or more, in words[place], where `words` are main's; `usual` if there are not so
/// many. Any other word ends the program with a sentence and exit code 2.
inline int count_in(char** words, int number_of_words, int place, int usual) {
  if (place >= number_of_words) return usual;
  const std::string word = words[place];
  const char* const end = word.data() + word.size();
  int count = 0;
  const auto [read, error] = std::from_chars(word.data(), end, count);
  if (error == std::errc() && read == end && count > 0) return count;
  std::fprintf(
      stderr,
      "'%s' should be a count, 1 or more: it is %d if nothing is said\n",
      word.c_str(),
      usual);
  std::exit(2);
}

}  // namespace hypatia::support
