// What of this exercise crosses between the learner's program and the check when it is graded.
#include "support/border.h"

using namespace hypatia;

// As in the exercise.
struct Data {
  Array images, labels;
};

struct Settings {
  std::int64_t first, second;
  std::int64_t size, pool;
  std::int64_t batch;
  double rate;
};

struct Network {
  Shared w1, b1, w2, b2, w3, b3;
  Function features, train, classify;
};

template <class D>
auto border_fields(D& data) -> decltype(std::tie(data.images, data.labels)) {
  return std::tie(data.images, data.labels);
}

template <class S>
auto border_fields(S& s) -> decltype(std::tie(s.first, s.second, s.size, s.pool, s.batch, s.rate)) {
  return std::tie(s.first, s.second, s.size, s.pool, s.batch, s.rate);
}

template <class N>
auto border_fields(N& n)
    -> decltype(std::tie(n.w1, n.b1, n.w2, n.b2, n.w3, n.b3, n.features, n.train, n.classify)) {
  return std::tie(n.w1, n.b1, n.w2, n.b2, n.w3, n.b3, n.features, n.train, n.classify);
}

HYPATIA_BORDER2(Network, make_network, const Data&, const Settings&)
