#pragma once
// Comparing the whole text of an Error.

#include <exception>
#include <gtest/gtest.h>
#include <string>

namespace hypatia::tests {

/// What `statement` throws says; "nothing was thrown" if it returns.
template <class F>
std::string message_of(F&& statement) {
  try {
    statement();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace hypatia::tests

#define EXPECT_MESSAGE(expression, text) \
  EXPECT_EQ(::hypatia::tests::message_of([&] { return expression; }), text)

/// The message holds this text; the rest is the places and the help, which have tests of their own.
#define EXPECT_MESSAGE_WITH(expression, text)                                           \
  do {                                                                                  \
    const std::string said_ = ::hypatia::tests::message_of([&] { return expression; }); \
    EXPECT_NE(said_.find(text), std::string::npos) << said_;                            \
  } while (false)
