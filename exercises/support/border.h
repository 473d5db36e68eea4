#pragma once
// What crosses between a check and the learner's functions when an exercise is graded: they run in
// two processes then, and the learner's can send nothing but answers.

#include <hypatia/hypatia.h>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hypatia::border {

/// The values of one message, in their order.
class Writer {
 public:
  void put(std::int64_t value);
  void put(double value);
  void put(const std::string& value);
  /// Its elements, and which shared variable's memory it is, if any.
  void put(const Array& value);
  void put(const Shared& value);
  /// As Function::save writes it. Throws Error if it can't be saved.
  void put(const Function& value);

  void put(int value) { put(std::int64_t{value}); }

  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::int64_t>(values.size()));
    for (const T& value : values)
      put(value);
  }

  /// A struct with border_fields().
  template <class T>
  auto put(const T& value) -> decltype(border_fields(value), void()) {
    std::apply([this](const auto&... field) { (put(field), ...); }, border_fields(value));
  }

  /// The values of the shared variables that a function takes or changes.
  void put_state(const Function& f);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes them back. The bytes are not trusted: throws Error of kind file where they make no sense.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  void take(std::int64_t& value);
  void take(double& value);
  void take(std::string& value);
  void take(Array& value);
  void take(Shared& value);
  void take(Function& value);
  void take(int& value);

  template <class T>
  void take(std::vector<T>& values) {
    std::int64_t count = 0;
    take(count);
    need(static_cast<std::size_t>(count));  // a value has a byte at least
    values.resize(static_cast<std::size_t>(count));
    for (T& value : values)
      take(value);
  }

  template <class T>
  auto take(T& value) -> decltype(border_fields(value), void()) {
    std::apply([this](auto&... field) { (take(field), ...); }, border_fields(value));
  }

  /// Gives a function's shared variables the values that the other side's ended with.
  void take_state(const Function& f);

 private:
  void need(std::size_t count) const;
  std::string_view part(std::size_t count);

  std::string bytes_;
  std::size_t at_ = 0;
};

/// Sends a message; false if the other side is gone.
bool send(const std::string& message);
/// Waits for one; false if the other side is gone or sends nonsense.
bool receive(std::string& message);

/// The check's side: calls a function of the learner's and waits for its answer. Fails the test if
/// there is none.
Reader ask(const std::string& name, const Writer& arguments);

/// The learner's side: a function that can be asked for.
using Handler = void (*)(Reader& arguments, Writer& answer);

/// Adds one before main() begins.
struct Served {
  Served(const char* name, Handler handler);
};

/// The learner's side: answers until the check is done.
void serve();

/// Runs a function once, so that no later call waits for a compiler, and puts its state back.
void warm(const Function& f);

template <class T>
void warm(const T& /*unused*/) {}

template <class T>
void put_state_of(Writer& to, const T& value) {
  if constexpr (std::is_same_v<T, Function>) to.put_state(value);
}

template <class T>
void take_state_of(Reader& from, const T& value) {
  if constexpr (std::is_same_v<T, Function>) from.take_state(value);
}

template <class R, class... Args>
R call(const char* name, const Args&... arguments) {
  Writer message;
  (message.put(arguments), ...);
  Reader answer = ask(name, message);
  R result{};
  answer.take(result);
  (take_state_of(answer, arguments), ...);
  return result;
}

template <auto function, class R, class... Args>
void answer_by(Reader& from, Writer& to, R (* /*type*/)(Args...)) {
  std::tuple<std::decay_t<Args>...> arguments;
  std::apply([&](auto&... each) { (from.take(each), ...); }, arguments);
  std::apply([&](const auto&... each) { (warm(each), ...); }, arguments);
  to.put(std::apply(function, arguments));
  std::apply([&](const auto&... each) { (put_state_of(to, each), ...); }, arguments);
}

}  // namespace hypatia::border

// HYPATIA_BORDERn(result, name, types of n parameters): for the check a function that asks, for the
// learner's program one that can be asked for.
#ifdef HYPATIA_JUDGE
#define HYPATIA_BORDER0(R, name)            \
  R name() {                                \
    return hypatia::border::call<R>(#name); \
  }
#define HYPATIA_BORDER1(R, name, A)            \
  R name(A a) {                                \
    return hypatia::border::call<R>(#name, a); \
  }
#define HYPATIA_BORDER2(R, name, A, B)            \
  R name(A a, B b) {                              \
    return hypatia::border::call<R>(#name, a, b); \
  }
#define HYPATIA_BORDER3(R, name, A, B, C)            \
  R name(A a, B b, C c) {                            \
    return hypatia::border::call<R>(#name, a, b, c); \
  }
#define HYPATIA_BORDER4(R, name, A, B, C, D)            \
  R name(A a, B b, C c, D d) {                          \
    return hypatia::border::call<R>(#name, a, b, c, d); \
  }
#else
#define HYPATIA_SERVED(name)                                                  \
  static const hypatia::border::Served served_##name(                         \
      #name, [](hypatia::border::Reader& from, hypatia::border::Writer& to) { \
        hypatia::border::answer_by<name>(from, to, name);                     \
      })
#define HYPATIA_BORDER0(R, name) \
  R name();                      \
  HYPATIA_SERVED(name);
#define HYPATIA_BORDER1(R, name, A) \
  R name(A);                        \
  HYPATIA_SERVED(name);
#define HYPATIA_BORDER2(R, name, A, B) \
  R name(A, B);                        \
  HYPATIA_SERVED(name);
#define HYPATIA_BORDER3(R, name, A, B, C) \
  R name(A, B, C);                        \
  HYPATIA_SERVED(name);
#define HYPATIA_BORDER4(R, name, A, B, C, D) \
  R name(A, B, C, D);                        \
  HYPATIA_SERVED(name);
#endif
