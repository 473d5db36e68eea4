// hypatia_array.h, from a program in C and from C++.
#include <gtest/gtest.h>
#include <hypatia_array.h>
#include <string>

extern "C" int array_c_program(const char* place);

namespace {

TEST(ArrayC, AProgramInCRunsOnTheHost) {
  EXPECT_EQ(array_c_program("cpu"), 0) << "the line that failed; " << hypatia_error();
}

TEST(ArrayC, AndOnTheDefaultDevice) {
  EXPECT_EQ(array_c_program(""), 0) << "the line that failed; " << hypatia_error();
}

TEST(ArrayC, TellsMistakesAsText) {
  const std::int64_t dims[] = {2};
  EXPECT_EQ(hypatia_array_new("float31", 1, dims, "cpu"), nullptr);
  EXPECT_NE(std::string(hypatia_error()).find("float31"), std::string::npos) << hypatia_error();
  EXPECT_EQ(hypatia_array_new("float32", 99, dims, "cpu"), nullptr);
  EXPECT_NE(std::string(hypatia_error()).find("99 axes"), std::string::npos) << hypatia_error();
  EXPECT_EQ(hypatia_array_new("float32", 1, dims, "nowhere"), nullptr);
  EXPECT_NE(std::string(hypatia_error()).find("nowhere"), std::string::npos) << hypatia_error();
  hypatia_array* a = hypatia_array_new("float32", 1, dims, "cpu");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(std::string(hypatia_error()), "");
  float one = 0;
  EXPECT_NE(hypatia_array_read(a, &one, sizeof one), 0);
  hypatia_array_release(a);
}

}  // namespace
