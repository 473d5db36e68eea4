#pragma once
// What checks are written with: named tests, failures with a tag, and values compared in ulps.

#include <hypatia/hypatia.h>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia::check {

/// One test: a name that the exercise's sheet lists, and a function that returns if all is well.
struct Test {
  const char* name;
  void (*run)();
};

/// Runs the tests in order, each to its first failure; reports to the runner, or prints when there
/// is none. Returns what main returns.
int run(int count, char** words, std::initializer_list<Test> tests);

/// Ends the test. The tag picks the hint; the message is a sentence for the learner.
[[noreturn]] void fail(
    std::string_view tag,
    std::string_view message,
    std::string_view expected = "",
    std::string_view got = "");
/// Fails unless `holds`.
void expect(bool holds, std::string_view tag, std::string_view message);

/// Fails with tag "wrong-value" unless `got` has these dims and each element lies within `ulps`
/// representable steps of the exact value rounded to got's dtype. NaN must meet NaN.
void expect_values(
    const Array& got, const Dims& dims, std::span<const long double> exact, double ulps);

/// What a result was made of, element by element.
struct Given {
  std::string_view name;
  const Array& value;  // of the result's dims
};

/// The same of one result among others: `what` names it ("x+y"), and a failure tells each input at
/// the element that is wrong.
void expect_values_of(
    std::string_view what,
    const Array& got,
    const Dims& dims,
    std::span<const long double> exact,
    double ulps,
    std::initializer_list<Given> inputs);

/// The elements of `got`, which may be anything a learner's function returned. Fails with tag
/// "wrong-shape" unless it has these dims; `what` says whose, as in "the gradient by x".
std::vector<double> elements_of(const Array& got, const Dims& dims, std::string_view what);

/// Fails with tag "overwritten" unless x still holds these numbers, which it held before a call.
void expect_unchanged(const Shared& x, const Array& numbers);

/// Answers a question of the exercise's sheet: what the learner predicted is compared with it.
void measured(std::string_view question, double value);

/// exp of each element of x, in long double.
std::vector<long double> exact_exp(const Array& x);
/// The steps by which exp may be off: a GPU's float32 exp one further than the host's.
double exp_steps();

/// The device that the check runs on: "cpu", "sim", "cuda0", …
std::string device();
bool on_gpu();
/// A number for this run's inputs; the runner may choose another each time.
std::int64_t seed();

}  // namespace hypatia::check
