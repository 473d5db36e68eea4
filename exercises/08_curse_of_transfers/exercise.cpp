// The curse of transfers: y = m x + b for matrices of 1000 by 1000, in five variants. The numbers
// are the same each time; what differs is what has to be carried between the host and the device.
#include <cstdio>
#include <hypatia/hypatia.h>
#include <string>
#include <vector>

#include "support/blas.h"
#include "support/count.h"

using namespace hypatia;

constexpr std::int64_t size = 1000;

// 1: plain C++ with BLAS.
Array in_plain_cpp(const Array& m, const Array& x, const Array& b) {
  Array y = b.copy();
  const std::int64_t n = m.dim(0);
  const float* const rows = m.data<float>();
  support::sgemm(n, n, n, rows, x.data<float>(), 1, y.data<float>());
  return y;
}

// 2: a graph on the CPU, whatever the device: its inputs may not leave the host.
Function on_the_cpu() {
  const Variable m = keep_on_host(fmatrix("m")), x = keep_on_host(fmatrix("x"));
  const Variable b = keep_on_host(fmatrix("b"));
  return function({m, x, b}, dot(m, x) + b, {.name = "2 on the cpu"});
}

// 3: the same on the device; m, x and b come from the host in each call, and y goes back.
Function from_the_host() {
  const Variable m = fmatrix("m"), x = fmatrix("x"), b = fmatrix("b");
  return function({m, x, b}, dot(m, x) + b, {.name = "3 all from the host"});
}

// 4: m and b stay on the device. The function takes x and returns y.
Function with_parameters_shared(const Array& m, const Array& b) {
  // >>> edit between these marks
  // m and b have default values, so that they need not be given. But where do those lie?
  const Variable m_in = fmatrix("m"), x = fmatrix("x"), b_in = fmatrix("b");
  return function(
      {x, In(m_in, {.value = m}), In(b_in, {.value = b})},
      dot(m_in, x) + b_in,
      {.name = "4 m and b shared"});
  // <<< edit between these marks
}

// 5: everything stays on the device, y too. The function has neither inputs nor outputs.
struct Resident {
  Shared m, x, b, y;
  Function step;
};

Resident all_resident(const Array& m, const Array& x, const Array& b) {
  Resident all;
  all.m = shared(m, "m");
  all.x = shared(x, "x");
  all.b = shared(b, "b");
  all.y = shared(Array::zeros(b.dtype(), b.dims()), "y");
  // >>> edit between these marks
  // All inputs lie on the device. Where does the result go?
  all.step = function({}, dot(all.m, all.x) + all.b, {.name = "5 all shared"});
  // <<< edit between these marks
  return all;
}

// The nodes of a function that carry values between the host and the device.
int transfers(const Function& f) {
  int count = 0;
  for (const Apply* node : f.toposort()) {
    const std::string name = class_name(*node);
    count += name == "GpuFromHost" || name == "HostFromGpu" ? 1 : 0;
  }
  return count;
}

// Seconds for some calls of `step`, to the end of their work.
template <class Step, class Wait>
double time_of(int calls, Step step, Wait wait) {
  step();
  wait();
  const double begin = seconds();
  for (int i = 0; i < calls; ++i)
    step();
  wait();
  return seconds() - begin;
}

struct Row {
  std::string name;
  double time;
  int transfers;
};

std::vector<Row> measure(int calls, const Array& m, const Array& x, const Array& b) {
  std::vector<Row> rows;
  Array y;
  const auto sync = [&] { y.sync(); };
  const auto add = [&](const char* name, const Function& f, auto step, auto wait) {
    rows.push_back({name, time_of(calls, step, wait), transfers(f)});
    std::printf("%s\n", to_text(f.toposort()).c_str());
  };
  rows.push_back(
      {"1 plain C++",
       time_of(
           calls, [&] { y = in_plain_cpp(m, x, b); }, sync),
       0});
  const Function cpu = on_the_cpu(), carried = from_the_host(), some = with_parameters_shared(m, b);
  const Resident all = all_resident(m, x, b);
  add(
      "2 graph on the cpu", cpu, [&] { y = cpu(m, x, b); }, sync);
  add(
      "3 all from the host", carried, [&] { y = carried(m, x, b); }, sync);
  add(
      "4 m and b shared", some, [&] { y = some(x); }, sync);
  add(
      "5 all shared", all.step, [&] { all.step(); }, [&] { all.y.get_device_value(true).sync(); });
  return rows;
}

int main(int count, char** words) {
  const int calls = support::count_in(words, count, 1, 50);  // the original took 500
  RandomState rng(123);
  const Array m = rng.randn({size, size}).astype(DType::float32);
  const Array x = rng.randn({size, size}).astype(DType::float32);
  const Array b = rng.randn({size, size}).astype(DType::float32);
  const std::vector<Row> rows = measure(calls, m, x, b);
  // What variant 5 does without is what carrying costs.
  const double bare = rows.back().time;
  std::printf("\n%d times y = m x + b   seconds   ms a call   transfers   their share\n", calls);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    std::printf(
        "  %-22s %9.4f   %9.4f   %9d",
        row.name.c_str(),
        row.time,
        row.time / calls * 1e3,
        row.transfers);
    if (row.transfers > 0) std::printf("   %9.0f %%", 100 * (1 - bare / row.time));
    std::printf("\n");
  }
  return 0;
}
