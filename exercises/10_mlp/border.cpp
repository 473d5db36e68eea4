// What of this exercise crosses between the learner's program and the check when it is graded.
#include "support/border.h"

using namespace hypatia;

// As in the exercise.
struct Data {
  Array images, labels;
};

struct Settings {
  std::int64_t hidden, batch;
  double rate;
};

struct Network {
  Shared w1, b1, w2, b2;
  Function train, classify;
};

template <class D>
auto border_fields(D& data) -> decltype(std::tie(data.images, data.labels)) {
  return std::tie(data.images, data.labels);
}

template <class S>
auto border_fields(S& settings)
    -> decltype(std::tie(settings.hidden, settings.batch, settings.rate)) {
  return std::tie(settings.hidden, settings.batch, settings.rate);
}

template <class N>
auto border_fields(N& net)
    -> decltype(std::tie(net.w1, net.b1, net.w2, net.b2, net.train, net.classify)) {
  return std::tie(net.w1, net.b1, net.w2, net.b2, net.train, net.classify);
}

HYPATIA_BORDER2(Network, make_network, const Data&, const Settings&)
