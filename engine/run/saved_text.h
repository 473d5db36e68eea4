#pragma once
// The words of a saved function's text: numbers, quoted strings, lists, and arrays by number.

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/array.h"

namespace hypatia {

/// Appends words to lines; arrays are set aside and written by their number.
class SavedWriter {
 public:
  void word(std::string_view plain);
  void end_line();

  void put(bool value);

  void put(int value) { put(std::int64_t{value}); }

  void put(std::int64_t value);
  void put(std::uint64_t value);
  void put(double value);
  void put(const std::string& value);
  void put(DType value);
  void put(Place value);
  void put(const Dims& value);
  void put(const Array& value);

  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::int64_t>(values.size()));
    for (const auto& v : values)
      put(static_cast<T>(v));
  }

  const std::string& text() const { return text_; }

  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  std::string text_;
  bool line_begun_ = false;
  std::vector<Array> arrays_;
};

/// Takes the words back. Throws Error of kind file that names the file and the line.
class SavedReader {
 public:
  SavedReader(std::string path, std::string text, std::vector<Array> arrays);

  /// The next word as it stands.
  std::string word();
  /// The next word, which is this one.
  void expect(std::string_view plain);
  /// Nothing more stands on this line.
  void end_line();

  void take(bool* value);
  void take(int* value);
  void take(std::int64_t* value);
  void take(std::uint64_t* value);
  void take(double* value);
  void take(std::string* value);
  void take(DType* value);
  void take(Place* value);
  void take(Dims* value);
  void take(Array* value);

  template <class T>
  void take(std::vector<T>* values) {
    values->clear();
    for (std::size_t n = count(); n > 0; --n) {
      T value{};
      take(&value);
      values->push_back(std::move(value));
    }
  }

  /// A number of things that follow: not more than the text has letters.
  std::size_t count();
  /// An index below `end`.
  std::size_t index(std::size_t end);
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void skip_blanks();

  std::string path_, text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<Array> arrays_;
};

}  // namespace hypatia
