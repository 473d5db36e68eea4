// Random expressions against NumPy: the same expression is built here and written as Python. Where
// NumPy can be had the seed is a new one each run; stored values of one seed are compared always.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "hypatia/hypatia.h"
#include "tests/checkout.h"

namespace hypatia {
namespace {

namespace fs = std::filesystem;

/// A value on both sides.
struct Term {
  Variable v;
  std::string python;
  Dims dims;
  /// Equal to the bit on both sides: only such are compared, or go where small errors grow.
  bool exact = false;
};

/// An input: what it is here, and its values as Python writes them.
struct Given {
  Variable v;
  Array value;
  std::string name;
};

class Expressions {
 public:
  explicit Expressions(std::uint32_t seed) : random_(seed) {
    give("a", DType::float64, {3, 4});
    give("b", DType::float64, {4});
    give("c", DType::float32, {3, 1});
    give("d", DType::float32, {3, 4});
    give("n", DType::int64, {3, 4});
    give("k", DType::int8, {4});
    give("i", DType::int32, {4, 3});
    give("m", DType::boolean, {3, 4});
  }

  const std::vector<Given>& given() const { return given_; }

  Term next() {
    terms_.clear();
    for (const Given& g : given_)
      terms_.push_back({g.v, g.name, g.value.dims(), true});
    Term last = terms_[0];
    for (int steps = 2 + below(4); steps > 0;) {
      Term made = step();
      if (!made.v) continue;
      terms_.push_back(made);
      last = made;
      --steps;
    }
    return last;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void give(const char* name, DType dtype, const Dims& dims) {
    Type type(dtype, 0);
    Array value(DType::float64, dims);
    for (std::int64_t d : dims)
      type.push_axis(d, d == 1);
    for (double& x : value.span<double>()) {
      x = is_float(dtype)           ? (below(4001) - 2000) / 1000.0
          : dtype == DType::boolean ? below(2)
                                    : below(9) - 4;
    }
    given_.push_back({input(type, name), value.astype(dtype), name});
  }

  /// One of the terms, the newest ones more often.
  const Term& any() {
    const int count = static_cast<int>(terms_.size());
    const int back = below(3) ? below(std::min(count, 3)) : below(count);
    return terms_[static_cast<std::size_t>(count - 1 - back)];
  }

  Term step() {
    switch (below(6)) {
      case 0:
      case 1:
        return unary(any());
      case 2:
      case 3:
        return binary(any(), any());
      case 4:
        return reduction(any());
      default:
        return shaped(any());
    }
  }

  Term unary(const Term& t) {
    const Variable& v = t.v;
    const std::string& p = t.python;
    if (v.dtype() == DType::boolean) return {~v, "(~" + p + ")", t.dims, true};
    if (!is_float(v.dtype())) {
      const std::array<Term, 4> made{
          {{-v, "(-" + p + ")", t.dims, true},
           {abs(v), "np.abs(" + p + ")", t.dims, true},
           {~v, "(~" + p + ")", t.dims, true},
           {sgn(v), "np.sign(" + p + ")", t.dims, true}}};
      return made[static_cast<std::size_t>(below(4))];
    }
    // Arguments are kept where functions are finite and smooth.
    const std::array<Term, 14> made{
        {{exp(-abs(v)), "np.exp(-np.abs(" + p + "))", t.dims},
         {log1p(abs(v)), "np.log1p(np.abs(" + p + "))", t.dims},
         {sin(v), "np.sin(" + p + ")", t.dims},
         {cos(v), "np.cos(" + p + ")", t.dims},
         {tanh(v), "np.tanh(" + p + ")", t.dims},
         {arctan(v), "np.arctan(" + p + ")", t.dims},
         {sqr(v), "np.square(" + p + ")", t.dims},
         {expm1(tanh(v)), "np.expm1(np.tanh(" + p + "))", t.dims},
         {-v, "(-" + p + ")", t.dims},
         {arcsinh(v), "np.arcsinh(" + p + ")", t.dims},
         {sigmoid(v), "sigmoid(" + p + ")", t.dims},
         {softplus(v), "softplus(" + p + ")", t.dims},
         {sqrt(abs(v)), "np.sqrt(np.abs(" + p + "))", t.dims},
         {v > zero(v), "(" + p + " > 0)", t.dims, true}}};
    return made[static_cast<std::size_t>(below(t.exact ? 14 : 12))];
  }

  static Variable zero(const Variable& v) { return constant(Array(0.0).astype(v.dtype())); }

  /// Sizes of both together; false where only sizes that happen to be 1 would stretch.
  static bool broadcasts(const Term& a, const Term& b, Dims* dims) {
    const int rank = std::max(a.dims.rank(), b.dims.rank());
    for (int axis = 0; axis < rank; ++axis) {
      const auto at = [&](const Term& t, bool* stretches) {
        const int own = axis - (rank - t.dims.rank());
        *stretches = own < 0 || t.v.type().broadcastable(own);
        return own < 0 ? 1 : t.dims[own];
      };
      bool left = false, right = false;
      const std::int64_t n = at(a, &left), m = at(b, &right);
      if (n != m && !left && !right) return false;
      dims->push_back(left ? m : n);
    }
    return true;
  }

  Term binary(const Term& a, const Term& b) {
    Dims dims;
    if (!broadcasts(a, b, &dims)) return {};
    const bool bools = a.v.dtype() == DType::boolean && b.v.dtype() == DType::boolean;
    const bool ints = !is_float(a.v.dtype()) && !is_float(b.v.dtype());
    const auto text = [&](const char* op) { return "(" + a.python + op + b.python + ")"; };
    const bool exact = a.exact && b.exact;
    const int pick = below(exact ? 10 : 7);
    if (bools) {
      if (pick < 4) return {a.v & b.v, text(" & "), dims, true};
      return {a.v ^ b.v, text(" ^ "), dims, true};
    }
    if (a.v.dtype() == DType::boolean) {
      // A choice between the second operand and its negative.
      return {
          switch_(a.v, b.v, -b.v),
          "np.where(" + a.python + ", " + b.python + ", -" + b.python + ")",
          dims,
          b.exact};
    }
    if (b.v.dtype() == DType::boolean) return {};
    switch (pick) {
      case 0:
      case 1:
        return {a.v + b.v, text(" + "), dims, ints};
      case 2:
        return {a.v - b.v, text(" - "), dims, ints};
      case 3:
      case 4:
        return {a.v * b.v, text(" * "), dims, ints};
      case 5:
        return {maximum(a.v, b.v), "np.maximum(" + a.python + ", " + b.python + ")", dims, exact};
      case 6:
        return {minimum(a.v, b.v), "np.minimum(" + a.python + ", " + b.python + ")", dims, exact};
      case 7:
        return {a.v <= b.v, text(" <= "), dims, true};
      case 8:
        if (ints) return {a.v & b.v, text(" & "), dims, true};
        return {arctan2(a.v, b.v), "np.arctan2(" + a.python + ", " + b.python + ")", dims};
      default:
        if (!ints) return {};
        return {neq(a.v, b.v), text(" != "), dims, true};
    }
  }

  Term reduction(const Term& t) {
    if (t.dims.rank() == 0) return {};
    const int axis = below(t.dims.rank());
    const bool keep = below(2);
    Dims dims;
    for (int k = 0; k < t.dims.rank(); ++k) {
      if (k != axis) dims.push_back(t.dims[k]);
      if (k == axis && keep) dims.push_back(1);
    }
    const std::string options =
        ", axis=" + std::to_string(axis) + ", keepdims=" + (keep ? "True)" : "False)");
    const Axes axes({axis}, keep);
    const bool is_bool = t.v.dtype() == DType::boolean;
    switch (below(7)) {
      case 0:
        return {sum(t.v, axes), "np.sum(" + t.python + options, dims, !is_float(t.v.dtype())};
      case 1:
        return {mean(t.v, axes), "np.mean(" + t.python + options, dims};
      case 2:
        return {max(t.v, axes), "np.max(" + t.python + options, dims, t.exact};
      case 3:
        return {min(t.v, axes), "np.min(" + t.python + options, dims, t.exact};
      case 4:
        if (!t.exact) return {};
        return {argmax(t.v, axis, keep), "np.argmax(" + t.python + options, dims, true};
      case 5:
        if (is_bool) return {hypatia::any(t.v, axes), "np.any(" + t.python + options, dims, true};
        return {var(t.v, axes), "np.var(" + t.python + options, dims};
      default:
        if (is_bool) return {hypatia::all(t.v, axes), "np.all(" + t.python + options, dims, true};
        return {std(t.v, axes), "np.std(" + t.python + options, dims};
    }
  }

  Term shaped(const Term& t) {
    const Variable& v = t.v;
    const std::string& p = t.python;
    const int rank = t.dims.rank();
    if (rank == 0) return {};
    Dims dims = t.dims;
    switch (below(8)) {
      case 0:
        std::reverse(dims.begin(), dims.end());
        return {v.T(), p + ".T", dims, t.exact};
      case 1:
        return {v.flatten(), p + ".reshape(-1)", Dims{elements(dims)}, t.exact};
      case 2:
        return {v[slice(none, none, -1)], p + "[::-1]", dims, t.exact};
      case 3:
        dims[0] = (dims[0] + 1) / 2;
        return {v[slice(0, none, 2)], p + "[0::2]", dims, t.exact};
      case 4:
        dims[0] *= 2;
        return {join(0, {v, v}), "np.concatenate([" + p + ", " + p + "])", dims, t.exact};
      case 5:
        if (!is_float(v.dtype())) return {};
        return {cumsum({v}, 0), "np.cumsum(" + p + ", axis=0)", dims};
      case 6:
        dims[0] = 2;
        return {
            v[constant(Array::of<std::int64_t>({-1, 0}))],
            p + "[np.array([-1, 0])]",
            dims,
            t.exact};
      default:
        if (rank != 2 || v.dtype() == DType::boolean) return {};
        return {dot(v, v.T()), "np.dot(" + p + ", " + p + ".T)", Dims{dims[0], dims[0]}};
    }
  }

  std::mt19937 random_;
  std::vector<Given> given_;
  std::vector<Term> terms_;
};

constexpr int count = 40;

std::string script(const Expressions& e, const std::vector<Term>& terms) {
  std::string text =
      "import json\nimport numpy as np\nnp.seterr(all='ignore')\n\n"
      "def sigmoid(x):\n    return (1 / (1 + np.exp(-x))).astype(x.dtype)\n\n"
      "def softplus(x):\n    return np.logaddexp(0, x).astype(x.dtype)\n\n";
  for (const Given& g : e.given()) {
    text += g.name + " = np.array([";
    for (double x : g.value.to_vector())
      text += std::to_string(x) + ", ";
    std::string dims;
    for (std::int64_t d : g.value.dims())
      dims += std::to_string(d) + ", ";
    text += "]).astype('" + std::string(name(g.value.dtype())) + "').reshape((" + dims + "))\n";
  }
  text += "results = []\n";
  for (const Term& t : terms) {
    text += "r = np.asarray(" + t.python + ")\nresults.append({'expression': \"" + t.python +
            "\", 'dtype': str(r.dtype), 'dims': list(r.shape), "
            "'values': [repr(float(x)) for x in r.reshape(-1)]})\n";
  }
  return text + "print(json.dumps(results, indent=0))\n";
}

void expect_equal(
    const std::vector<Term>& terms, const Results& got, const nlohmann::json& wanted) {
  ASSERT_EQ(wanted.size(), terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    SCOPED_TRACE(terms[i].python);
    const nlohmann::json& w = wanted[i];
    ASSERT_EQ(w["expression"].get<std::string>(), terms[i].python)
        << "the stored values are of other expressions: store them anew";
    EXPECT_EQ(w["dtype"].get<std::string>().substr(0, 7), std::string(name(got[i].dtype())));
    std::vector<std::int64_t> dims(got[i].dims().begin(), got[i].dims().end());
    ASSERT_EQ(w["dims"].get<std::vector<std::int64_t>>(), dims);
    // Inputs c and d are float32.
    static const std::regex narrow("\\b[cd]\\b");
    const double tolerance = std::regex_search(terms[i].python, narrow) ? 5e-4 : 1e-9;
    const std::vector<double> values = got[i].to_vector();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double value = std::strtod(w["values"][k].get<std::string>().c_str(), nullptr);
      if (std::isnan(value) && std::isnan(values[k])) continue;
      EXPECT_NEAR(values[k], value, tolerance * (1 + std::fabs(value))) << "element " << k;
    }
  }
}

Results computed(const Expressions& e, const std::vector<Term>& terms) {
  std::vector<In> inputs;
  std::vector<Array> values;
  for (const Given& g : e.given()) {
    inputs.emplace_back(g.v);
    values.push_back(g.value);
  }
  Vars outputs;
  for (const Term& t : terms)
    outputs.push_back(t.v);
  return function(inputs, Outputs(outputs), {.on_unused_input = "ignore"}).call(values);
}

std::vector<Term> several(Expressions* e) {
  std::vector<Term> terms;
  for (int i = 0; i < count; ++i)
    terms.push_back(e->next());
  return terms;
}

/// Runs a command; its output's last line.
int run_command(const std::string& command, std::string* last) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), pipe))
    *last = line.data();
  return pclose(pipe);
}

constexpr std::uint32_t stored_seed = 42;

fs::path stored_file() {
  return fs::path(tests::checkout()) / "tests/engine/run/numpy_values.json";
}

// HYPATIA_STORE_NUMPY=1 writes the file of values anew, where NumPy can be had.
TEST(NumPy, StoredValuesOfRandomExpressions) {
  Expressions e(stored_seed);
  const std::vector<Term> terms = several(&e);
  if (std::getenv("HYPATIA_STORE_NUMPY")) GTEST_SKIP() << "values are being stored";
  std::ifstream file(stored_file());
  expect_equal(terms, computed(e, terms), nlohmann::json::parse(file));
}

TEST(NumPy, RandomExpressionsOfANewSeed) {
  const fs::path environment = fs::path(tests::checkout()) / "build/test-environment";
  const std::string maker = tests::checkout() + "/tests/environment.sh ";
  std::string reason;
  if (run_command("timeout 120 " + maker + environment.string(), &reason) != 0) {
    GTEST_SKIP() << "NumPy can't be had: " << reason << "stored values are compared instead";
  }
  const bool store = std::getenv("HYPATIA_STORE_NUMPY") != nullptr;
  const std::uint32_t seed = store ? stored_seed : std::random_device{}();
  std::printf("seed %u\n", seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Expressions e(seed);
  const std::vector<Term> terms = several(&e);
  const fs::path folder = fs::temp_directory_path() / ("hypatia_numpy_" + std::to_string(seed));
  fs::create_directories(folder);
  const fs::path results = store ? stored_file() : folder / "results.json";
  std::ofstream(folder / "script.py") << script(e, terms);
  const std::string python = (environment / "bin/python").string();
  std::string said;
  const int status =
      run_command(python + " " + (folder / "script.py").string() + " > " + results.string(), &said);
  ASSERT_EQ(status, 0) << said;
  std::ifstream file(results);
  expect_equal(terms, computed(e, terms), nlohmann::json::parse(file));
  if (!HasFailure()) fs::remove_all(folder);
}

}  // namespace
}  // namespace hypatia
