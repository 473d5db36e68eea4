// Mistakes in expressions and gradients, each with the words that tell of it.
#include <gtest/gtest.h>

#include "engine/expr/op.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

/// A mistake: the kind and a part of the message that it must give.
struct Mistake {
  const char* what;
  void (*make)();
  Error::Kind kind;
  const char* says;
};

Variable known(const Dims& dims) {
  return input(Type(DType::float64, dims), "known");
}

void expect_told(const Mistake& m) {
  SCOPED_TRACE(m.what);
  try {
    m.make();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.kind(), m.kind) << text;
    EXPECT_NE(text.find(m.says), std::string::npos) << text;
    // The user's line, and what to do about it.
    EXPECT_NE(text.find("errors_test.cpp:"), std::string::npos) << text;
  }
}

const Mistake of_dims[] = {
    {"sizes that differ",
     [] { known({3}) + known({4}); },
     Error::Kind::shape,
     "sizes differ along axis 0: 3 and 4"},
    {"a size that happens to be 1",
     [] {
       const Variable x = dmatrix("x"), y = dmatrix("y");
       function({x, y}, x + y)(Array::ones(DType::float64, {1, 3}), Array({{1, 2, 3}, {4, 5, 6}}));
     },
     Error::Kind::shape,
     "only an axis declared broadcastable stretches"},
    {"a broken promise",
     [] {
       const Variable x = drow("x");
       function({x}, x * 2)(Array::ones(DType::float64, {2, 1}));
     },
     Error::Kind::shape,
     "axis 0 is broadcastable, which promises size 1, and has size 2"},
    {"another rank at a call",
     [] {
       const Variable x = dmatrix("x");
       function({x}, x * 2)(Array({1, 2, 3}));
     },
     Error::Kind::shape,
     "wrong number of dimensions: expected 2, got 1 with shape (3,)"},
    {"a product of other sizes",
     [] {
       dot(known({2, 3}), known({4, 5}));
     },
     Error::Kind::shape,
     "dot: inner dimensions differ, 3 and 4"},
    {"a size to be found that is none",
     [] {
       const Variable x = dmatrix("x");
       function({x}, x.reshape({5, -1}))(Array({{1, 2}, {3, 4}}));
     },
     Error::Kind::shape,
     "reshape of 4 elements to (5, -1)"},
    {"counts of some elements",
     [] {
       const Variable x = dvector("x"), n = lvector("n");
       const Array counts = Array::of<std::int64_t>({1, 2});
       function({x, n}, repeat(x, n, 0))(Array({1, 2, 3}), counts);
     },
     Error::Kind::value,
     "repeat of 3 elements by 2 counts"},
    {"counts below 0",
     [] {
       const Variable x = dvector("x"), n = lvector("n");
       const Array counts = Array::of<std::int64_t>({1, -2});
       function({x, n}, repeat(x, n, 0))(Array({1, 2}), counts);
     },
     Error::Kind::value,
     "repeat by counts below 0"},
    {"counts that are no integers",
     [] { repeat(dvector(), dvector(), 0); },
     Error::Kind::dtype,
     "repeat counts in integers, and float64[?] came"},
    {"a dropped axis",
     [] { dimshuffle(dmatrix(), {0}); },
     Error::Kind::shape,
     "dimshuffle drops axis 1, which is not broadcastable"},
    {"an axis named twice",
     [] {
       dimshuffle(dmatrix(), {0, 1, 0});
     },
     Error::Kind::shape,
     "dimshuffle names axis 0 twice"},
    {"an axis beyond the rank",
     [] { sum(dmatrix(), 2); },
     Error::Kind::shape,
     "axis 2 of a value with 2 axes"},
    {"a reduction that names an axis twice",
     [] {
       sum(dmatrix(), {0, -2});
     },
     Error::Kind::shape,
     "names an axis twice"},
    {"too many indices",
     [] { dvector()(0, 1); },
     Error::Kind::shape,
     "2 indices of a value with 1 axes"},
    {"an index beyond the end",
     [] { known({3})[3]; },
     Error::Kind::value,
     "index 3 is out of bounds for axis 0 with size 3"},
};

const Mistake of_dtypes[] = {
    {"an unknown dtype", [] { scalar("x", "float23"); }, Error::Kind::dtype, "float23"},
    {"bools subtracted",
     [] { vector("a", "bool") - vector("b", "bool"); },
     Error::Kind::dtype,
     "bools can't be subtracted or negated"},
    {"bits of floats",
     [] { dvector() & lvector(); },
     Error::Kind::dtype,
     "bitwise operations need integers or bool, and float64 came"},
    {"floats as indices", [] { dvector()[dvector()]; }, Error::Kind::dtype, "indices are integers"},
    {"a float as a size", [] { zeros({0.5}); }, Error::Kind::dtype, "sizes and bounds are"},
    {"a wide value at a call",
     [] {
       const Variable x = fvector("x");
       function({x}, x * 2)(Array({0.1, 0.2}));
     },
     Error::Kind::dtype,
     "float32"},
};

const Mistake of_gradients[] = {
    {"a cost with axes",
     [] {
       const Variable x = dvector("x");
       grad(x * 2, x);
     },
     Error::Kind::shape,
     "the cost must be a scalar, and it has 1 axes"},
    {"no cost",
     [] { grad(Variable(), dvector("x")); },
     Error::Kind::graph,
     "grad needs a cost, or known_grads"},
    {"no variable",
     [] {
       const Variable x = dscalar("x");
       grad(x * 2, Variable());
     },
     Error::Kind::graph,
     "grad by no variable"},
    {"a disconnected variable",
     [] { grad(dscalar("x") * 2, dscalar("y")); },
     Error::Kind::graph,
     "the cost does not depend on 'y'"},
    {"a variable used through integers alone",
     [] {
       const Variable x = dvector("x");
       grad(cast(shape_i(x, 0), DType::float64), x);
     },
     Error::Kind::graph,
     "does not depend on 'x'"},
    {"an undefined gradient",
     [] {
       const Variable x = dscalar("x");
       grad(undefined_grad(x) * x, x);
     },
     Error::Kind::graph,
     "the gradient by 'x' is undefined"},
    {"a known gradient of another rank",
     [] {
       const Variable x = dvector("x"), y = x * 2;
       grad(Variable(), x, {.known_grads = {{y, dmatrix("g")}}});
     },
     Error::Kind::graph,
     "a known gradient must be a float of as many axes as its variable"},
    {"an unknown word",
     [] {
       const Variable x = dscalar("x");
       grad(x * 2, x, {.disconnected_inputs = "rise"});
     },
     Error::Kind::value,
     "disconnected_inputs of grad can't be 'rise'"},
    {"a point of another rank",
     [] {
       const Variable x = dvector("x");
       Rop(x * 2, x, dmatrix("v"));
     },
     Error::Kind::shape,
     "a point must have the axes of its variable"},
    {"too few points",
     [] {
       const Variable x = dvector("x");
       Lop(Vars{x * 2, x * 3}, Vars{x}, Vars{x});
     },
     Error::Kind::graph,
     "2 variables and 1 points came"},
    {"a pushforward of what does not move",
     [] {
       const Variable x = dvector("x"), y = dvector("y");
       Rop(sqr(y), x, x);
     },
     Error::Kind::graph,
     "does not depend"},
    {"a jacobian of a matrix",
     [] {
       const Variable x = dmatrix("x");
       jacobian(sqr(x), x);
     },
     Error::Kind::shape,
     "jacobian takes a vector of floats, or a scalar"},
    {"a hessian by a matrix",
     [] {
       const Variable x = dmatrix("x");
       hessian(sqr(x).sum(), x);
     },
     Error::Kind::shape,
     "hessian derives by a vector"},
};

TEST(ExpressionErrors, OfDims) {
  for (const Mistake& m : of_dims)
    expect_told(m);
}

TEST(ExpressionErrors, OfDTypes) {
  for (const Mistake& m : of_dtypes)
    expect_told(m);
}

TEST(ExpressionErrors, OfGradients) {
  for (const Mistake& m : of_gradients)
    expect_told(m);
}

TEST(ExpressionErrors, OfArity) {
  try {
    apply(add_op, {dscalar("x")}, {}, Origin::here());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("add takes 2 inputs, and 1 came"), std::string::npos);
  }
}

TEST(ExpressionErrors, NameTheOperandsTheirTypesAndLines) {
  const Variable w = input(Type(DType::float32, Dims{784, unknown_dim}), "w");
  const int line = __LINE__ - 1;
  try {
    dot(known({2, 3}), w);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const std::string& part :
         {std::string("float32[784, ?]"),
          std::string("float64[2, 3]"),
          std::string("w "),
          "errors_test.cpp:" + std::to_string(line)}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
    }
  }
}

}  // namespace
}  // namespace hypatia
