// The limits: a copy of the same bytes, and the job by hand, on the engine's own pool.
#include "bench/cases/limits.h"

#include <algorithm>
#include <cstring>

#include "engine/device/cpu/pool.h"

namespace hypatia::bench {

namespace {

// Items worth a thread: a microsecond or two of each kind of work.
constexpr std::int64_t copy_grain = 8192, exp_grain = 2048;

template <class T>
Work copy_way(const std::string& group, std::int64_t n, int reads) {
  const auto from = std::make_shared<Numbers<T>>(n * reads), to = std::make_shared<Numbers<T>>(n);
  const double bytes = static_cast<double>(n) * (reads + 1) * sizeof(T);
  return {group, "copy", bytes, 0, [=] {
            pool().each(n, copy_grain, [&](std::int64_t first, std::int64_t last) {
              const auto count = static_cast<std::size_t>(last - first);
              std::memcpy(to->data() + first, from->data() + first, count * sizeof(T));
              // Jobs with two operands read the second one as well.
              if (reads == 2) {
                std::memcpy(to->data() + first, from->data() + n + first, count * sizeof(T));
              }
            });
          }};
}

const char* name_of(Formula formula) {
  switch (formula) {
    case Formula::a_plus_1:
      return "a+1";
    case Formula::linear:
      return "2a+3b";
    case Formula::square:
      return "a2+b2+2ab";
    case Formula::tenth_power:
      break;
  }
  return "2a+b10";
}

}  // namespace

template <class T>
Numbers<T>::Numbers(std::int64_t count)
    : size_(count), storage_(allocate_host(static_cast<std::size_t>(count) * sizeof(T))) {
  for (std::int64_t i = 0; i < count; ++i)
    data()[i] = static_cast<T>(static_cast<double>(i * 7919 % 10007 + 1) / 10009.0);
}

template class Numbers<float>;
template class Numbers<double>;

template <>
const char* dtype_name<float>() {
  return "float32";
}

template <>
const char* dtype_name<double>() {
  return "float64";
}

std::string group_of_exp(const char* dtype, std::int64_t n) {
  return std::string("exp/") + dtype + '/' + std::to_string(n);
}

std::string group_of(Formula formula, const char* dtype, std::int64_t n) {
  return std::string(name_of(formula)) + '/' + dtype + '/' + std::to_string(n);
}

template <class T>
std::vector<Work> exp_limits(std::int64_t n) {
  const std::string group = group_of_exp(dtype_name<T>(), n);
  const auto x = std::make_shared<Numbers<T>>(n), y = std::make_shared<Numbers<T>>(n);
  const double bytes = 2.0 * static_cast<double>(n) * sizeof(T);
  return {
      copy_way<T>(group, n, 1),
      {group,
       "hand",
       bytes,
       0,
       [=] {
         pool().each(n, exp_grain, [&](std::int64_t first, std::int64_t last) {
           hand_exp(x->data(), y->data(), first, last);
         });
       }},
  };
}

template std::vector<Work> exp_limits<float>(std::int64_t n);
template std::vector<Work> exp_limits<double>(std::int64_t n);

template <class T>
std::vector<Work> formula_limits(Formula formula, std::int64_t n) {
  const std::string group = group_of(formula, dtype_name<T>(), n);
  const int reads = formula == Formula::a_plus_1 ? 1 : 2;
  const double bytes = static_cast<double>(n) * (reads + 1) * sizeof(T);
  std::vector<Work> ways{copy_way<T>(group, n, 1)};
  for (const bool streaming : {false, true}) {
    if (streaming && n < 100'000) continue;
    // Each way has numbers of its own, so that none finds its own in the caches after another.
    const auto a = std::make_shared<Numbers<T>>(n), b = std::make_shared<Numbers<T>>(n);
    const auto y = std::make_shared<Numbers<T>>(n);
    ways.push_back({group, streaming ? "hand, NT" : "hand", bytes, 0, [=] {
                      pool().each(n, copy_grain, [&](std::int64_t first, std::int64_t last) {
                        hand_formula(
                            formula, a->data(), b->data(), y->data(), streaming, first, last);
                      });
                    }});
  }
  return ways;
}

template std::vector<Work> formula_limits<float>(Formula formula, std::int64_t n);
template std::vector<Work> formula_limits<double>(Formula formula, std::int64_t n);

std::vector<Work> logistic_limits() {
  struct Model {
    Numbers<float> x{logistic_rows * logistic_columns}, y{logistic_rows}, w{logistic_columns};
    Numbers<float> prediction{logistic_rows}, cross_entropy{logistic_rows};
    int parts = pool().threads();
    Numbers<float> gradients{logistic_columns * parts};
    std::vector<float> bias_gradients = std::vector<float>(static_cast<std::size_t>(parts));
    float bias = 0;
  };

  const auto model = std::make_shared<Model>();
  for (std::int64_t i = 0; i < logistic_rows; ++i)
    model->y.data()[i] = i % 2 ? 1.0F : 0.0F;
  const double bytes = 4.0 * logistic_rows * logistic_columns;
  const auto step = [model] {
    Model& m = *model;
    const std::int64_t rows = (logistic_rows + m.parts - 1) / m.parts;
    pool().each(m.parts, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t part = first; part < last; ++part) {
        float* gradient = m.gradients.data() + part * logistic_columns;
        std::fill(gradient, gradient + logistic_columns, 0.0F);
        m.bias_gradients[static_cast<std::size_t>(part)] = hand_logistic_rows(
            m.x.data(),
            m.y.data(),
            m.w.data(),
            m.bias,
            logistic_columns,
            std::min(logistic_rows, part * rows),
            std::min(logistic_rows, (part + 1) * rows),
            m.prediction.data(),
            m.cross_entropy.data(),
            gradient);
      }
    });
    // cost = mean cross-entropy + 0.01 sum of squares; steps of 0.1.
    const float scale = 0.1F / static_cast<float>(logistic_rows);
    hand_update(m.w.data(), m.gradients.data(), m.parts, logistic_columns, 0.998F, scale);
    for (const float gradient : m.bias_gradients)
      m.bias -= scale * gradient;
  };
  return {{"logistic/float32/400x784", "hand", bytes, 0, step}};
}

}  // namespace hypatia::bench
