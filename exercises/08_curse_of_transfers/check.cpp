// Checks the five variants: their values against products in long double, how many transfers their
// graphs hold, and that what is shared is followed.
#include "support/check.h"

#include <cmath>
#include <string>
#include <vector>

using namespace hypatia;

// As in the exercise.
struct Resident {
  Shared m, x, b, y;
  Function step;
};

Array in_plain_cpp(const Array& m, const Array& x, const Array& b);
Function on_the_cpu();
Function from_the_host();
Function with_parameters_shared(const Array& m, const Array& b);
Resident all_resident(const Array& m, const Array& x, const Array& b);

namespace {

struct Matrices {
  Array m, x, b;

  explicit Matrices(std::int64_t n) {
    RandomState rng(static_cast<std::uint32_t>(check::seed() * 1000 + n));
    m = rng.randn({n, n}).astype(DType::float32);
    x = rng.randn({n, n}).astype(DType::float32);
    b = rng.randn({n, n}).astype(DType::float32);
  }
};

/// Within the error of a float32 sum of n products.
void expect_product(const char* variant, const Array& got, const Matrices& in) {
  const std::int64_t n = in.m.dim(0);
  check::expect(
      got.dtype() == DType::float32,
      "wrong-dtype",
      std::string(variant) + " should give float32: the matrices are");
  check::expect(
      got.dims() == in.b.dims(), "wrong-shape", std::string(variant) + " has the wrong dims");
  const std::vector<double> y = asarray(got).to_vector(), m = in.m.to_vector(),
                            x = in.x.to_vector(), b = in.b.to_vector();
  const auto at = [n](std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(i * n + j);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      long double sum = b[at(i, j)], size = std::fabs(sum);
      for (std::int64_t k = 0; k < n; ++k) {
        const long double product = static_cast<long double>(m[at(i, k)]) * x[at(k, j)];
        sum += product;
        size += std::fabs(product);
      }
      const long double off = std::fabs(y[at(i, j)] - sum);
      if (off <= size * 6e-8L * 16) continue;
      check::fail(
          "wrong-value",
          std::string(variant) + ": element (" + std::to_string(i) + ", " + std::to_string(j) +
              ") is wrong",
          std::to_string(static_cast<double>(sum)),
          std::to_string(y[at(i, j)]));
    }
  }
}

// The nodes of a function that carry values to the device, and back.
struct Transfers {
  int there = 0, back = 0;
};

Transfers transfers(const Function& f) {
  Transfers found;
  for (const Apply* node : f.toposort()) {
    const std::string name = class_name(*node);
    found.there += name == "GpuFromHost" ? 1 : 0;
    found.back += name == "HostFromGpu" ? 1 : 0;
  }
  return found;
}

std::string told(const Transfers& of) {
  return std::to_string(of.there) + " GpuFromHost and " + std::to_string(of.back) + " HostFromGpu";
}

void expect_transfers(const Function& f, const Transfers& on_gpu) {
  const Transfers wanted = check::on_gpu() ? on_gpu : Transfers{};
  const Transfers found = transfers(f);
  if (found.there == wanted.there && found.back == wanted.back) return;
  std::string why;
  if (found.there > wanted.there) why = ": more is carried to the device than has to be";
  if (found.there < wanted.there) why = ": an input of the host has to get to the device";
  if (found.back > wanted.back) why += ": more comes back than is asked for";
  if (found.back < wanted.back) why += ": a result has to come back to the host";
  check::fail(
      "transfers",
      "'" + f.name() + "' should hold " + told(wanted) + ", it holds " + told(found) + why,
      "",
      to_text(f.toposort()));
}

void values_of_the_given() {
  for (const std::int64_t n : {1, 3, 64}) {
    const Matrices in(n);
    expect_product("variant 1", in_plain_cpp(in.m, in.x, in.b), in);
    expect_product("variant 2", on_the_cpu()(in.m, in.x, in.b), in);
    expect_product("variant 3", from_the_host()(in.m, in.x, in.b), in);
  }
  expect_transfers(on_the_cpu(), {0, 0});
  check::expect(!on_the_cpu().uses_gpu(), "wrong-device", "variant 2 ran on the gpu");
  expect_transfers(from_the_host(), {3, 1});
}

bool takes_two(const Function& f, const Matrices& in) {
  try {
    f(in.x, in.m);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void four_takes_x_alone() {
  const Matrices in(33);
  const Function f = with_parameters_shared(in.m, in.b);
  expect_product("variant 4", f(in.x), in);
  // With another x the same m and b hold.
  Matrices other(33);
  other.x = Matrices(34).x.slice(0, 0, 33).slice(1, 0, 33).copy();
  expect_product("variant 4 with another x", f(other.x), other);
  // Other m and b make another function.
  const Matrices third(34);
  Matrices now(33);
  now.m = third.m.slice(0, 1, 34).slice(1, 1, 34).copy();
  now.b = third.b.slice(0, 1, 34).slice(1, 1, 34).copy();
  expect_product(
      "variant 4 made of another m and b", with_parameters_shared(now.m, now.b)(now.x), now);
  check::expect(
      !takes_two(f, in),
      "not-shared",
      "variant 4 should have x as its only input: m and b are inputs with defaults, which lie on "
      "the host and are carried to a device in each call");
}

void four_has_two_transfers() {
  const Matrices in(8);
  const Function f = with_parameters_shared(in.m, in.b);
  expect_transfers(f, {1, 1});
  constexpr double megabytes = 1000 * 1000 * sizeof(float) * 1e-6;  // of one matrix
  const Transfers carried = transfers(f);
  if (check::on_gpu()) check::measured("carried", 500 * (carried.there + carried.back) * megabytes);
}

void five_updates_y() {
  for (const std::int64_t n : {1, 20}) {
    const Matrices in(n);
    const Resident all = all_resident(in.m, in.x, in.b);
    const Results results = all.step();
    expect_product("y of variant 5", all.y.get_value(), in);
    check::expect(
        results.size() == 0,
        "returns",
        "variant 5 returns a result: on a GPU it is carried to the host");
  }
}

void five_has_no_transfers() {
  const Matrices in(8);
  const Resident all = all_resident(in.m, in.x, in.b);
  expect_transfers(all.step, {0, 0});
  if (check::on_gpu()) check::measured("five", static_cast<double>(all.step.toposort().size()));
}

void five_follows_its_variables() {
  const Matrices in(20), other(21);
  const Resident all = all_resident(in.m, in.x, in.b);
  all.step();
  Matrices now(20);
  now.x = other.x.slice(0, 1, 21).slice(1, 0, 20).copy();
  all.x.set_value(now.x);
  all.step();
  all.step();
  expect_product("y after x was changed", all.y.get_value(), now);
  now.m = other.m.slice(0, 1, 21).slice(1, 0, 20).copy();
  all.m.set_value(now.m);
  all.step();
  expect_product("y after m was changed", all.y.get_value(), now);
  now.b = other.b.slice(0, 1, 21).slice(1, 0, 20).copy();
  all.b.set_value(now.b);
  all.step();
  expect_product("y after b was changed", all.y.get_value(), now);
}

void five_on_large_matrices() {
  const Matrices in(257);
  const Resident all = all_resident(in.m, in.x, in.b);
  for (int i = 0; i < 3; ++i)
    all.step();
  expect_product("y of variant 5", all.y.get_value(), in);
}

}  // namespace

int main(int count, char** words) {
  return check::run(
      count,
      words,
      {
          {"values_of_the_given", values_of_the_given},
          {"four_takes_x_alone", four_takes_x_alone},
          {"four_has_two_transfers", four_has_two_transfers},
          {"five_updates_y", five_updates_y},
          {"five_has_no_transfers", five_has_no_transfers},
          {"five_follows_its_variables", five_follows_its_variables},
          {"five_on_large_matrices", five_on_large_matrices},
      });
}
