// RandomState against NumPy's legacy generator: every draw of a thousand, by a hash of its bytes.
#include "engine/core/random_state.h"

#include <gtest/gtest.h>
#include <numeric>

#include "engine/core/error.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

/// FNV-1a of the elements' bytes.
std::uint64_t hash(const Array& a) {
  std::uint64_t h = 14695981039346656037U;
  const auto* bytes = static_cast<const unsigned char*>(a.address());
  for (std::size_t i = 0; i < a.bytes(); ++i)
    h = (h ^ bytes[i]) * 1099511628211U;
  return h;
}

const std::vector<double> p5{0.1, 0.25, 0.05, 0.4, 0.2}, p0{0.5, 0.0, 0.5};

struct Case {
  std::int64_t seed;
  Array (*draw)(RandomState&);
  std::uint64_t numpy;
};

// clang-format off
const Case cases[] = {
    {0, [](RandomState& r) { return r.rand({1000}); }, 0x6615cf8c1a98ea59U},
    {0, [](RandomState& r) { return r.randn({20, 51}); }, 0xbf353f896447e650U},
    {22, [](RandomState& r) { return r.rand({1000}); }, 0xacdd622c6fb9dabdU},
    {22, [](RandomState& r) { return r.randn({20, 51}); }, 0x8e09a7e4b488fe72U},
    {4294967295, [](RandomState& r) { return r.rand({1000}); }, 0x038b462a2d2dd3c6U},
    {4294967295, [](RandomState& r) { return r.randn({20, 51}); }, 0xa1cfba0df96c4525U},
    {3, [](RandomState& r) { return r.uniform(-2, 5, {1000}); }, 0xecedb2bda2812209U},
    {3, [](RandomState& r) { return r.normal(1.5, 0.25, {999}); }, 0x00132b54de74c228U},
    {3, [](RandomState& r) { return r.exponential(2.5, {1000}); }, 0x6053852c4eaf2569U},
    {4, [](RandomState& r) { return r.gamma(0.0, 2, {500}); }, 0x94eb5aa73e186ba5U},
    {4, [](RandomState& r) { return r.gamma(0.3, 2, {500}); }, 0x84b19ef8c2b1b82eU},
    {4, [](RandomState& r) { return r.gamma(1.0, 2, {500}); }, 0xcab22e18c4b1c413U},
    {4, [](RandomState& r) { return r.gamma(2.5, 2, {500}); }, 0xb035f61e240049e6U},
    {4, [](RandomState& r) { return r.gamma(100.0, 2, {500}); }, 0x74e6079159181ee1U},
    {5, [](RandomState& r) { return r.beta(0.5, 0.5, {500}); }, 0x53b46ff3a4e0f7ffU},
    {5, [](RandomState& r) { return r.beta(2, 3, {500}); }, 0x45494eeb2aa75b4aU},
    {5, [](RandomState& r) { return r.beta(1, 0.1, {500}); }, 0x28eb31ee27e7574bU},
    {5, [](RandomState& r) { return r.beta(0.001, 0.001, {500}); }, 0xca8625e9f6b7f81aU},
    {6, [](RandomState& r) { return r.binomial(10, 0.3, {2000}); }, 0x580040c41e54d725U},
    {6, [](RandomState& r) { return r.binomial(10, 0.7, {2000}); }, 0xf2800dbb250310a5U},
    {6, [](RandomState& r) { return r.binomial(100, 0.2, {2000}); }, 0xada320744b4a4b21U},
    {6, [](RandomState& r) { return r.binomial(1000, 0.4, {2000}); }, 0x6bcf20c1bc5d5292U},
    {6, [](RandomState& r) { return r.binomial(1000, 0.65, {2000}); }, 0xc8c85d1c35e86cc8U},
    {6, [](RandomState& r) { return r.binomial(100000, 0.5, {2000}); }, 0x5a492fcaf8e44c17U},
    {6, [](RandomState& r) { return r.binomial(61, 0.5, {2000}); }, 0xb4305ee17810c95cU},
    {6, [](RandomState& r) { return r.binomial(1000000, 0.01, {2000}); }, 0xa116b4f8e5d355d1U},
    {6, [](RandomState& r) { return r.binomial(0, 0.5, {2000}); }, 0x2c36c2471ceec525U},
    {6, [](RandomState& r) { return r.binomial(5, 0.0, {2000}); }, 0x2c36c2471ceec525U},
    {6, [](RandomState& r) { return r.binomial(5, 1.0, {2000}); }, 0x95eb7d7e0ba80425U},
    {6, [](RandomState& r) { return r.binomial(1000000000, 0.37, {2000}); }, 0x30b30d8ed81c43efU},
    {7, [](RandomState& r) { return r.poisson(0.0, {2000}); }, 0x2c36c2471ceec525U},
    {7, [](RandomState& r) { return r.poisson(0.1, {2000}); }, 0x54e38f6d5fe2db24U},
    {7, [](RandomState& r) { return r.poisson(3, {2000}); }, 0x7a62f1048912daadU},
    {7, [](RandomState& r) { return r.poisson(9.99, {2000}); }, 0x4026749e1871cbbfU},
    {7, [](RandomState& r) { return r.poisson(10, {2000}); }, 0x082bcaafb3f1b400U},
    {7, [](RandomState& r) { return r.poisson(37.5, {2000}); }, 0xfea43152fa7e0fd0U},
    {7, [](RandomState& r) { return r.poisson(10000.0, {2000}); }, 0x5f9a8203fe58e3e0U},
    {7, [](RandomState& r) { return r.poisson(1000000000.0, {2000}); }, 0x656da5ef12a53947U},
    {8, [](RandomState& r) { return r.multinomial(20, p5, {200}); }, 0xf7051ad3b28f9e6bU},
    {8, [](RandomState& r) { return r.multinomial(20, p0, {200}); }, 0x6e0372ca0431b2e7U},
    {9, [](RandomState& r) { return r.randint(0, 2, {1000}); }, 0x5643616bd5e62d45U},
    {9, [](RandomState& r) { return r.randint(0, 10, {1000}); }, 0x10b9b06be95e7d42U},
    {9, [](RandomState& r) { return r.randint(-5, 6, {1000}); }, 0x9906eb4f21c09447U},
    {9, [](RandomState& r) { return r.randint(3, 4, {1000}); }, 0x868927658d15faa5U},
    {9, [](RandomState& r) { return r.randint(0, 4294967296, {1000}); }, 0xd75836cbd0286888U},
    {9, [](RandomState& r) { return r.randint(0, 4294967297, {1000}); }, 0x0f7a5b933b9f9326U},
    {9, [](RandomState& r) { return r.randint(-(1LL << 62), 1LL << 62, {1000}); },
     0x65262e6c9b406459U},
    {9, [](RandomState& r) { return r.randint(0, 2147483648, {1000}); }, 0x87afd74dfdfb5808U},
    {9, [](RandomState& r) { return r.randint(0, 1000000007, {1000}); }, 0xf211a6faaac64de1U},
    {10, [](RandomState& r) { return r.randint(0, 2, {1001}, DType::boolean); },
     0xc1eb99c354b7999cU},
    {10, [](RandomState& r) { return r.randint(-128, 128, {1001}, DType::int8); },
     0x39f42a2de28230b1U},
    {10, [](RandomState& r) { return r.randint(-3, 4, {1001}, DType::int8); }, 0xaec80697d78f7cb6U},
    {10, [](RandomState& r) { return r.randint(0, 256, {1001}, DType::uint8); },
     0xa359a1041026e331U},
    {10, [](RandomState& r) { return r.randint(7, 200, {1001}, DType::uint8); },
     0x98aa5629fd7ad1cbU},
    {10, [](RandomState& r) { return r.randint(-1000, 1001, {1001}, DType::int16); },
     0xd595e4572efcfce5U},
    {10, [](RandomState& r) { return r.randint(0, 65536, {1001}, DType::uint16); },
     0x3a93a82249c55596U},
    {10, [](RandomState& r) { return r.randint(-70000, 70001, {1001}, DType::int32); },
     0x6f90be6a87dad1baU},
    {10, [](RandomState& r) { return r.randint(0, 4294967296, {1001}, DType::uint32); },
     0x1db1a2f2b770b9ceU},
    {10, [](RandomState& r) { return r.randint(5, 10, {1001}, DType::uint64); },
     0x4b4897a4ff443de2U},
    {11, [](RandomState& r) { return r.permutation(1000); }, 0x360a31531588cd7dU},
    {11, [](RandomState& r) { return r.permutation(Array::arange(12).reshape({4, 3})); },
     0x19845ae3cfde0fa5U},
    {12, [](RandomState& r) { return r.choice(10, {500}); }, 0x629e4d4f4be6ff2fU},
    {12, [](RandomState& r) { return r.choice(50, {20}, false); }, 0x2fb4830f1f29c7cfU},
    {12, [](RandomState& r) { return r.choice(5, {500}, true, p5); }, 0x619dd71103763da6U},
    {12, [](RandomState& r) { return r.choice(5, {5}, false, p5); }, 0x3856c8c404d38de1U},
    {12, [](RandomState& r) { return r.choice(3, {2}, false, p0); }, 0xc615adcb76ddf8a7U},
    {12, [](RandomState& r) { return r.choice(Array({1.5, 2.5, 3.5}), {2, 7}); },
     0xa9fa8e639c7c628cU},
};

// clang-format on

TEST(RandomState, EveryDistributionEqualsNumPys) {
  int line = 0;
  for (const Case& c : cases) {
    RandomState random(c.seed);
    const Array drawn = c.draw(random);
    EXPECT_EQ(hash(drawn), c.numpy) << "case " << line << " begins " << to_text(drawn);
    ++line;
  }
}

TEST(RandomState, SeedsOfSeveralWords) {
  const auto words = [](RandomState random) {
    return hash(random.randint(0, std::int64_t{1} << 32, {1000}, DType::uint32));
  };
  std::vector<std::uint32_t> many(700);
  std::iota(many.begin(), many.end(), 0U);
  EXPECT_EQ(words(RandomState({1})), 0xcef0ce499cd28a38U);
  EXPECT_EQ(words(RandomState({1, 2, 3})), 0xa4246596bee90e16U);
  EXPECT_EQ(words(RandomState({~0U, ~0U, ~0U})), 0x958b04e8a680b6e4U);
  EXPECT_EQ(words(RandomState(many)), 0xea4d8430bfe0fc34U);
}

TEST(RandomState, TheTutorialsData) {
  RandomState random(22);
  const Array x = random.randn({400, 784});
  const Array y = random.randint(0, 2, {400});
  const Array w = random.randn({784});
  EXPECT_EQ(x.at({0, 0}), -0.0919499198651913);
  EXPECT_EQ(x.at({0, 1}), -1.4633506528116793);
  EXPECT_EQ(to_text(y.slice(0, 0, 10)), "[0 0 0 1 1 1 1 1 0 0]");
  const std::vector<double> labels = y.to_vector();
  EXPECT_EQ(std::accumulate(labels.begin(), labels.end(), 0.0), 194);
  EXPECT_EQ(w.at({0}), 0.19855538649141077);
  EXPECT_EQ(hash(x), 0xa5a2caf8507607deU);
  EXPECT_EQ(hash(w), 0x217e7de0696cc7e7U);
}

TEST(RandomState, TheExpTestsInput) {
  const Array r = RandomState(22).rand({10 * 30 * 768});
  EXPECT_EQ(r.at({0}), 0.20846053735884262);
  EXPECT_EQ(r.at({-1}), 0.48441974575834135);
  EXPECT_EQ(hash(r), 0xa862632353498ac7U);
}

TEST(RandomState, KnownFirstNormals) {
  EXPECT_EQ(to_text(RandomState(0).randn({3})), "[ 1.76405235  0.40015721  0.97873798]");
  EXPECT_EQ(to_text(RandomState(42).randn({2})), "[ 0.49671415 -0.1382643 ]");
  EXPECT_EQ(to_text(RandomState(123).randn({3})), "[-1.0856306   0.99734545  0.2829785 ]");
  EXPECT_EQ(to_text(RandomState(0).randint(0, 2, {10})), "[0 1 1 0 1 1 1 1 1 1]");
}

TEST(RandomState, ACopyRepeatsWhatFollowsTheSavedNormalToo) {
  RandomState random(1);
  random.randn({3});
  RandomState copy = random;
  EXPECT_TRUE(same_elements(random.randn({5}), copy.randn({5})));
}

TEST(RandomState, ShufflesRowsInPlace) {
  Array rows = Array::arange(12).reshape({4, 3});
  const Array alias = rows;
  RandomState(11).shuffle(rows);
  EXPECT_TRUE(same_elements(alias, RandomState(11).permutation(Array::arange(12).reshape({4, 3}))));
  Array columns = Array::arange(12).reshape({4, 3}).transpose();
  RandomState(3).shuffle(columns);
  EXPECT_TRUE(same_elements(
      columns, RandomState(3).permutation(Array::arange(12).reshape({4, 3}).transpose())));
}

TEST(RandomState, NoElementsAreDrawn) {
  RandomState random(1), same(1);
  EXPECT_EQ(random.rand({0, 3}).dims(), (Dims{0, 3}));
  EXPECT_EQ(random.permutation(0).elements(), 0);
  EXPECT_EQ(random.choice(0, {0}).elements(), 0);
  EXPECT_EQ(random.next_word(), same.next_word());
}

TEST(RandomState, RefusesBadArguments) {
  RandomState random(1);
  EXPECT_MESSAGE(RandomState(-1), "the seed -1 is not between 0 and 2^32 - 1");
  EXPECT_THROW(RandomState(std::int64_t{1} << 32), Error);
  EXPECT_THROW(RandomState(std::span<const std::uint32_t>()), Error);
  EXPECT_MESSAGE(
      random.randint(3, 3, {1}),
      "randint wants low < high, and 3 and 3 came\n   help: high itself is never drawn");
  EXPECT_MESSAGE(
      random.randint(0, 300, {1}, DType::uint8),
      "numbers from 0 to 299 don't fit into uint8\n   help: draw them as int64");
  EXPECT_MESSAGE(
      random.randint(0, 3, {1}, DType::float32),
      "randint draws integers, and float32 was asked for\n"
      "   help: draw floats by rand or uniform");
  EXPECT_MESSAGE(random.normal(0, -1, {1}), "a standard deviation is 0 or more, and -1.0 came");
  EXPECT_MESSAGE(random.binomial(5, 1.5, {1}), "a probability lies between 0 and 1, and 1.5 came");
  EXPECT_MESSAGE(random.poisson(-1, {1}), "poisson wants a mean of 0 to 9.2e18, and -1.0 came");
  EXPECT_MESSAGE(
      random.multinomial(1, p5, {-1}),
      "an array can't have shape (?, 5)\n"
      "   help: sizes are 0 or more and known when an array is made");
  EXPECT_MESSAGE(
      random.choice(3, {4}, false),
      "choice without replacement wants 4 different entries, and there are 3\n"
      "   help: draw fewer, or pass replace = true");
  EXPECT_MESSAGE(
      random.choice(4, {1}, true, p5),
      "choice wants a probability for each of 4 entries, and 5 came");
  const std::vector<double> half{0.25, 0.25};
  EXPECT_MESSAGE(random.choice(2, {1}, true, half), "probabilities sum to 1, and these sum to 0.5");
  EXPECT_MESSAGE(random.choice(0, {1}), "there is nothing to choose from");
  EXPECT_MESSAGE(
      random.choice(3, {3}, false, p0),
      "choice without replacement wants 3 different entries, and there are 2\n"
      "   help: draw fewer, or pass replace = true");
}

}  // namespace
}  // namespace hypatia
