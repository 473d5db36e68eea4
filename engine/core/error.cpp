// The text of an error, with the user's source lines read when it is made.

#include "engine/core/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "engine/core/source_file.h"

namespace hypatia {

namespace {

// Read when an error is rendered, so that building a graph costs three words a node.
std::string source_line(const Origin& at) {
  std::ifstream file(source_file(at.file));
  std::string line;
  for (std::uint32_t i = 0; i < at.line; ++i) {
    if (!std::getline(file, line)) return "";
  }
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

std::string place(const Origin& at) {
  std::string file = at.file;
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(at.line);
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::terminate_handler other_handler = nullptr;

// An error that nobody caught is told as it would be by a program that catches it, without an
// abort.
[[noreturn]] void tell_uncaught() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      std::fflush(stdout);
      std::fprintf(stderr, "%s: %s\n", name(error.kind()), error.what());
      std::_Exit(EXIT_FAILURE);
    } catch (...) {
    }
  }
  if (other_handler) other_handler();
  std::abort();
}

[[maybe_unused]] const bool installed = [] {
  other_handler = std::set_terminate(tell_uncaught);
  return true;
}();

}  // namespace

const char* name(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::shape:
      return "shape error";
    case Error::Kind::dtype:
      return "dtype error";
    case Error::Kind::graph:
      return "graph error";
    case Error::Kind::value:
      return "value error";
    case Error::Kind::config:
      return "configuration error";
    case Error::Kind::compile:
      return "compile error";
    case Error::Kind::device:
      return "device error";
    case Error::Kind::memory:
      return "out of memory";
    case Error::Kind::file:
      return "file error";
    case Error::Kind::internal:
      break;
  }
  return "internal error";
}

Error::Error(Kind kind, std::string summary, std::string help)
    : kind_(kind), summary_(std::move(summary)), help_(std::move(help)) {
  render();
}

Error& Error::with(Operand operand) {
  operands_.push_back(std::move(operand));
  render();
  return *this;
}

Error& Error::at(const Origin& origin) {
  origin_ = origin;
  render();
  return *this;
}

Error& Error::note(std::string text) {
  notes_.push_back(std::move(text));
  render();
  return *this;
}

const char* Error::what() const noexcept {
  return text_.c_str();
}

void Error::render() {
  text_ = summary_;
  std::size_t role = 0, type = 0, label = 0;
  for (const Operand& o : operands_) {
    role = std::max(role, o.role.size());
    type = std::max(type, o.type.size());
    label = std::max(label, o.name.size());
  }
  for (const Operand& o : operands_) {
    text_ += "\n   " + padded(o.role, role) + "   " + padded(o.type, type) + "   " +
             padded(o.name, label);
    if (o.origin) text_ += "   made at " + place(o.origin) + "   " + source_line(o.origin);
  }
  if (origin_) text_ += "\n   at " + place(origin_) + "   " + source_line(origin_);
  for (const std::string& n : notes_)
    text_ += "\n   " + n;
  if (!help_.empty()) text_ += "\n   help: " + help_;
}

void internal_error(const std::string& what, Origin at) {
  throw Error(
      Error::Kind::internal,
      "internal error: " + what,
      "this is a fault of Hypatia itself: please report it with the program that caused it")
      .at(at);
}

}  // namespace hypatia
