#include "engine/run/saved_text.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "engine/core/error.h"

namespace hypatia {

namespace {

template <class T>
bool reads_as(const std::string& word, T* value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

void SavedWriter::word(std::string_view plain) {
  if (line_begun_) text_ += ' ';
  text_ += plain;
  line_begun_ = true;
}

void SavedWriter::end_line() {
  text_ += '\n';
  line_begun_ = false;
}

void SavedWriter::put(bool value) {
  word(value ? "true" : "false");
}

void SavedWriter::put(std::int64_t value) {
  word(std::to_string(value));
}

void SavedWriter::put(std::uint64_t value) {
  word(std::to_string(value));
}

void SavedWriter::put(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  word(text);
}

void SavedWriter::put(const std::string& value) {
  std::string quoted = "\"";
  for (char c : value) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  word(quoted + '"');
}

void SavedWriter::put(DType value) {
  word(name(value));
}

void SavedWriter::put(Place value) {
  put(std::int64_t{value.context});
}

void SavedWriter::put(const Dims& value) {
  put(std::vector<std::int64_t>(value.begin(), value.end()));
}

void SavedWriter::put(const Array& value) {
  put(static_cast<std::int64_t>(arrays_.size()));
  arrays_.push_back(asarray(value).copy());
}

SavedReader::SavedReader(std::string path, std::string text, std::vector<Array> arrays)
    : path_(std::move(path)), text_(std::move(text)), arrays_(std::move(arrays)) {}

void SavedReader::fail(const std::string& what) const {
  throw Error(
      Error::Kind::file,
      path_ + " is no good saved function: line " + std::to_string(line_) + " of its text " + what,
      "write it again, by Function::save");
}

void SavedReader::skip_blanks() {
  while (at_ < text_.size() && text_[at_] == ' ')
    ++at_;
}

std::string SavedReader::word() {
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] == '\n') fail("ends too early");
  std::string word;
  const bool quoted = text_[at_] == '"';
  if (!quoted) {
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n')
      word += text_[at_++];
    return word;
  }
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
    if (escaped) ++at_;
    word += escaped && text_[at_] == 'n' ? '\n' : text_[at_];
  }
  if (at_ >= text_.size()) fail("has a quote that is not closed");
  ++at_;
  return word;
}

void SavedReader::expect(std::string_view plain) {
  const std::string found = word();
  if (found != plain) fail("has '" + found + "' where '" + std::string(plain) + "' belongs");
}

void SavedReader::end_line() {
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != '\n') fail("has more than belongs there");
  ++at_;
  ++line_;
}

void SavedReader::take(bool* value) {
  const std::string text = word();
  if (text != "true" && text != "false") fail("has '" + text + "' where true or false belongs");
  *value = text == "true";
}

void SavedReader::take(std::int64_t* value) {
  const std::string text = word();
  if (!reads_as(text, value)) fail("has '" + text + "' where a whole number belongs");
}

void SavedReader::take(int* value) {
  std::int64_t wide = 0;
  take(&wide);
  *value = static_cast<int>(wide);
  if (*value != wide) fail("has a number that is too large");
}

void SavedReader::take(std::uint64_t* value) {
  const std::string text = word();
  if (!reads_as(text, value)) fail("has '" + text + "' where a whole number belongs");
}

void SavedReader::take(double* value) {
  const std::string text = word();
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end) fail("has '" + text + "' where a number belongs");
}

void SavedReader::take(std::string* value) {
  *value = word();
}

void SavedReader::take(DType* value) {
  const std::string text = word();
  try {
    *value = parse_dtype(text);
  } catch (const Error&) {
    fail("has '" + text + "' where a dtype belongs");
  }
}

void SavedReader::take(Place* value) {
  std::int64_t context = 0;
  take(&context);
  if (context < -1 || context > 15) fail("names a place that there is not");
  value->context = static_cast<std::int8_t>(context);
}

void SavedReader::take(Dims* value) {
  std::vector<std::int64_t> sizes;
  take(&sizes);
  if (sizes.size() > static_cast<std::size_t>(max_rank)) fail("has too many axes");
  *value = Dims(std::span<const std::int64_t>(sizes));
}

void SavedReader::take(Array* value) {
  *value = arrays_[index(arrays_.size())];
}

std::size_t SavedReader::count() {
  return index(text_.size());
}

std::size_t SavedReader::index(std::size_t end) {
  std::int64_t number = 0;
  take(&number);
  if (number < 0 || static_cast<std::size_t>(number) >= end) {
    fail("has the number " + std::to_string(number) + ", which is out of range");
  }
  return static_cast<std::size_t>(number);
}

}  // namespace hypatia
