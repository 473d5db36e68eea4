#pragma once
// Print: the identity that writes its value when it runs.

#include <string>
#include <vector>

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

struct PrintAttrs {
  std::string message;
  std::vector<std::string> attrs;

  auto fields() const { return std::tie(message, attrs); }
};

/// Print("msg")(x) is x; each run writes "msg __str__ = [ 1.  2.  3.]" to stdout. Attributes are
/// "__str__", "shape", "dtype", "ndim", "size", "min", "max" and "mean", a line each; others throw
/// Error. Rewrites don't see through it, and on a GPU it brings its value to the host.
class Print {
 public:
  explicit Print(std::string message = "", std::vector<std::string> attrs = {"__str__"});

  Variable operator()(Operand x) const;

 private:
  PrintAttrs attrs_;
};

extern const Op print_op;

}  // namespace hypatia
