#include "engine/expr/watch.h"

#include <mutex>
#include <set>
#include <tuple>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/op.h"
#include "engine/expr/shared_guard.h"

namespace hypatia {

namespace {

thread_local int unwatched = 0;

/// True the first time that an op's node is seen at a line, so that loops warn once.
bool first_there(const Apply& node) {
  static std::mutex mutex;
  static auto& seen = *new std::set<std::tuple<const char*, std::uint32_t, const Op*>>;
  const std::lock_guard lock(mutex);
  return seen.emplace(node.origin().file, node.origin().line, &node.op()).second;
}

void tell_float64(const Apply& node, const std::string& summary, const std::string& help) {
  const std::string_view action = config().warn_float64();
  if (action == "warn" && !first_there(node)) return;
  Error finding(Error::Kind::dtype, "warn_float64: " + summary, help);
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Variable& v = node.inputs()[i];
    finding.with(describe(v, v.type(), "input " + std::to_string(i)));
  }
  report(action, finding.at(node.origin()));
}

/// A node is the first that widened if none of its variables is float64 already.
void watch_float64(const Apply& node) {
  bool wide = false;
  for (const Type& t : node.types())
    wide |= t.dtype() == DType::float64;
  for (const Variable& v : node.inputs())
    wide &= v.dtype() != DType::float64 || is_constant(v);
  if (!wide) return;
  tell_float64(
      node,
      print_name(node) + " makes a float64 of other dtypes",
      "int32 and int64 with float32 give float64: cast to float32 first, or set floatX=float32 for "
      "the numbers of the program");
}

/// The test value of a variable in its own dtype; false if it has none.
bool test_value(const Variable& v, Array* value) {
  if (const Array* constant = constant_value(v)) {
    *value = *constant;
  } else if (const Array* noted = v.node().test_value(v.index())) {
    *value = asarray(*noted).astype(v.dtype());
  } else if (is_shared(v)) {
    SharedBox& box = shared_box(v);
    const std::lock_guard lock(box.guard().mutex);
    *value = asarray(box.value).copy();
  } else {
    return false;
  }
  return true;
}

void tell_missing(const Apply& node, const Variable& v) {
  const std::string name = v.name().empty() ? "an input without a name" : "'" + v.name() + "'";
  Error finding(
      Error::Kind::value,
      "compute_test_value: " + name + " has no test value",
      "give it one, as x.tag().test_value = Array({1, 2}), or set compute_test_value=ignore");
  report(
      config().compute_test_value(),
      finding.with(describe(v, v.type(), "input")).at(node.origin()));
}

void compute_test_values(const Apply& node) {
  std::vector<Array> in(node.inputs().size());
  std::vector<const Array*> values;
  Types types;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Variable& v = node.inputs()[i];
    if (!test_value(v, &in[i])) return tell_missing(node, v);
    values.push_back(&in[i]);
  }
  try {
    for (std::size_t i = 0; i < in.size(); ++i)
      types.push_back(node.inputs()[i].type().with_dims(in[i].dims()));
    const TypeCall call{node.op(), node.attrs(), types, values};
    const Types out = infer_types(call, node.inputs(), node.origin());
    const std::vector<Array> results = node.op().eval({node.op(), node.attrs(), in, out});
    for (std::size_t i = 0; i < results.size(); ++i)
      node.tag(static_cast<int>(i)).test_value = results[i].copy();
  } catch (Error& error) {
    error.at(node.origin()).note("found by compute_test_value, with the test values of the inputs");
    throw;
  }
}

}  // namespace

void watch(const Apply& node) {
  if (unwatched) return;
  if (config().warn_float64() != "ignore") watch_float64(node);
  if (config().compute_test_value() != "off" && node.op().eval) compute_test_values(node);
}

void watch_leaf(const Variable& leaf) {
  if (unwatched || leaf.dtype() != DType::float64 || config().warn_float64() == "ignore") return;
  const std::string name = leaf.name().empty() ? "a variable" : "'" + leaf.name() + "'";
  tell_float64(
      leaf.node(), name + " is made as float64", "give a dtype, or set floatX=float32 before");
}

Variable stand_in(const Variable& v) {
  const Unwatched engine;
  Variable result = input(v.type());
  Array value;
  if (config().compute_test_value() != "off" && test_value(v, &value)) {
    result.tag().test_value = value;
  }
  return result;
}

Unwatched::Unwatched() {
  ++unwatched;
}

Unwatched::~Unwatched() {
  --unwatched;
}

}  // namespace hypatia
