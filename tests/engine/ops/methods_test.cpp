// Methods, aliases and constructors name the same ops as the functions do.
#include <map>

#include "engine/ops/values.h"

namespace hypatia {
namespace {

TEST(Methods, AreTheFunctionsOfTheirNames) {
  const Variable x = counting({3, 2}) - 1.5f, n = shared(Array::arange(2), "n");
  const std::pair<Variable, Variable> pairs[] = {
      {x.size(), prod(shape(x))},
      {x.T(), transpose(x)},
      {x.transpose({1, 0}), transpose(x)},
      {x.swapaxes(0, 1), transpose(x)},
      {x.flatten(1), flatten(x)},
      {x.any(0), any(x, 0)},
      {x.all(), all(x)},
      {x.argmax(), argmax(x)},
      {x.argmin(1), argmin(x, 1)},
      {x.sort(0), sort(x, 0)},
      {x.argsort(), argsort(x)},
      {x.cumsum(1), cumsum(x, 1)},
      {x.cumprod(), cumprod(x)},
      {x.dot(x.T()), dot(x, transpose(x))},
      {x.take(n, 0), take(x, n, 0)},
      {x.diagonal(), diag(x)},
      {x.trace(), trace(x)},
      {x.norm(), norm(x)},
      {x.fill(n[1]), fill(x, n[1])},
      {x.max(0, true), max(x, Axes({0}, true))},
      {x.nonzero()[1], nonzero(x)[1]},
      {dimshuffle(x, {0, -1, 1}).squeeze(), x},
  };
  Vars all;
  for (const auto& [method, plain] : pairs) {
    EXPECT_TRUE(method.type().same(plain.type()));
    all.push_back(method);
    all.push_back(plain);
  }
  const Results r = function({}, Outputs(all))();
  for (std::size_t i = 0; i < r.size(); i += 2)
    EXPECT_TRUE(same_elements(asarray(r[i]), asarray(r[i + 1]))) << "pair " << i / 2;
}

TEST(Aliases, AreTheOpsOfOtherNames) {
  const Variable a = vector("a", DType::float64), b = vector("b", DType::float64);
  const Variable n = lvector("n");
  const std::pair<Variable, const Op*> pairs[] = {
      {add(a, b), &add_op},  {sub(a, b), &sub_op},     {mul(a, b), &mul_op},
      {mod(a, b), &mod_op},  {neg(a), &neg_op},        {true_div(a, b), &true_div_op},
      {lt(a, b), &lt_op},    {le(a, b), &le_op},       {gt(a, b), &gt_op},
      {ge(a, b), &ge_op},    {and_(n, n), &and_op},    {or_(n, n), &or_op},
      {xor_(n, n), &xor_op}, {invert(n), &invert_op},  {abs_(a), &abs_op},
      {sign(a), &sgn_op},    {square(a), &sqr_op},     {reciprocal(a), &inv_op},
      {digamma(a), &psi_op}, {second(a, b), &fill_op}, {where(n, a, b), &switch_op},
  };
  for (const auto& [v, op] : pairs)
    EXPECT_EQ(&v.node().op(), op) << op->name;
}

TEST(Constructors, MakeTheTypesOfTheirNames) {
  const std::map<std::string, Vars> plurals{
      {"float32", fmatrices(2)},
      {"float64", dmatrices({"a", "b"})},
      {"int32", imatrices("ab")},
      {"int64", lmatrices(2)},
  };
  for (const auto& [dtype, made] : plurals) {
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(to_text(made[1].type()), "TensorType(" + dtype + ", matrix)");
  }
  EXPECT_EQ(plurals.at("float64")[1].name(), "b");
  EXPECT_EQ(plurals.at("int32")[0].name(), "a");
  EXPECT_EQ(plurals.at("int64")[0].name(), "");
  EXPECT_EQ(fscalars(1)[0].ndim(), 0);
  EXPECT_EQ(dvectors("xyz").size(), 3U);
  EXPECT_EQ(irows(1)[0].broadcastable(), (std::vector<bool>{true, false}));
  EXPECT_EQ(lcols(1)[0].broadcastable(), (std::vector<bool>{false, true}));
  EXPECT_EQ(ftensor3s(1)[0].ndim(), 3);
  EXPECT_EQ(dtensor4s(1)[0].ndim(), 4);
  EXPECT_EQ(to_text(bmatrix().type()), "TensorType(int8, matrix)");
  EXPECT_EQ(wcol().dtype(), DType::int16);
  EXPECT_EQ(
      to_text(tensor("float32", {true, false, true}).type()),
      "TensorType(float32, (True, False, True))");
}

TEST(Constructors, ReadFloatXWhenTheyAreCalled) {
  const ChangeFlags narrow({{"floatX", "float32"}});
  EXPECT_EQ(scalar().dtype(), DType::float32);
  EXPECT_EQ(tensor("floatX", {false}).dtype(), DType::float32);
  const ChangeFlags wide({{"floatX", "float64"}});
  EXPECT_EQ(scalar().dtype(), DType::float64);
  EXPECT_EQ(tensor("floatX", {false}).dtype(), DType::float64);
}

TEST(Shapes, ComeFromVectorsAndPaddings) {
  const Variable x = counting({2, 3}), y = counting({3, 2});
  EXPECT_EQ(value_of(reshape(x, shape(y), 2)).dims(), (Dims{3, 2}));
  EXPECT_EQ(shape_padleft(x).broadcastable(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(shape_padright(x, 2).broadcastable(), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(list_of(full_like(x, 7)), (List{7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(full_like(x, 7).dtype(), DType::float32);
  EXPECT_EQ(value_of(as_tensor_variable({x, x, x})).dims(), (Dims{3, 2, 3}));
  EXPECT_EQ(as_tensor_variable(x), x);
}

TEST(Eval, GivesTheValueForTheseInputs) {
  const Variable x = dscalar("x"), y = dscalar("y");
  EXPECT_EQ((x * y + 1).eval({{x, 2.0}, {y, 3.0}}).item(), 7);
}

}  // namespace
}  // namespace hypatia
