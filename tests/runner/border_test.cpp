// Whatever a learner's program answers, the check ends with a verdict, and nonsense never passes: a
// solution answers each exercise's check, and its answers are changed on their way.
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <optional>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "engine/core/config.h"
#include "engine/graph/graph.h"

#include "exercises/runner/build.h"
#include "exercises/runner/checker.h"
#include "exercises/runner/judging.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/text.h"
#include "tests/runner/scratch.h"

namespace hypatia::runner {

namespace {

using Random = std::mt19937;

/// What is sent in place of an answer: the size that it claims to have, and its bytes. After a
/// message whose size is wrong nothing more comes.
struct Sent {
  std::uint64_t size = 0;
  std::string bytes;

  explicit Sent(std::string whole) : size(whole.size()), bytes(std::move(whole)) {}

  Sent(std::uint64_t claimed, std::string some) : size(claimed), bytes(std::move(some)) {}
};

/// A way to lie: nothing where the answer holds nothing to lie about.
struct Lie {
  const char* name;
  std::optional<Sent> (*of)(const std::string& answer, Random& random);
};

std::string raw(std::int64_t value) {
  std::array<char, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return {bytes.data(), bytes.size()};
}

std::int64_t number_at(const std::string& bytes, std::size_t at) {
  std::int64_t value = -1;
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// An array in a message: the size and name of its dtype, its sizes, its bytes.
struct Found {
  std::size_t begin = 0, end = 0;  // of all that
  std::string dtype;
  std::vector<std::int64_t> sizes;
  std::string elements;
};

std::optional<Found> array_at(const std::string& bytes, std::size_t at) {
  Found found;
  found.begin = at;
  const std::int64_t letters = number_at(bytes, at);
  if (letters < 4 || letters > 10 || at + 16 + static_cast<std::size_t>(letters) > bytes.size()) {
    return std::nullopt;
  }
  found.dtype = bytes.substr(at + 8, static_cast<std::size_t>(letters));
  if (found.dtype != "float64" && found.dtype != "float32" && found.dtype != "int64" &&
      found.dtype != "bool" && found.dtype != "int8") {
    return std::nullopt;
  }
  at += 8 + static_cast<std::size_t>(letters);
  const std::int64_t rank = number_at(bytes, at);
  at += 8;
  if (rank < 0 || rank > 8) return std::nullopt;
  for (std::int64_t i = 0; i < rank; ++i, at += 8)
    found.sizes.push_back(number_at(bytes, at));
  const std::int64_t count = number_at(bytes, at);
  at += 8;
  if (count < 0 || at + static_cast<std::size_t>(count) > bytes.size()) return std::nullopt;
  found.elements = bytes.substr(at, static_cast<std::size_t>(count));
  found.end = at + static_cast<std::size_t>(count);
  return found;
}

std::string written(const Found& array) {
  std::string text = raw(static_cast<std::int64_t>(array.dtype.size())) + array.dtype +
                     raw(static_cast<std::int64_t>(array.sizes.size()));
  for (const std::int64_t size : array.sizes)
    text += raw(size);
  return text + raw(static_cast<std::int64_t>(array.elements.size())) + array.elements;
}

/// The answer with each of its arrays that has elements changed by `change`.
template <class Change>
std::optional<Sent> with_arrays(const std::string& answer, Change change) {
  std::string out;
  bool changed = false;
  for (std::size_t at = 0; at < answer.size();) {
    std::optional<Found> array = array_at(answer, at);
    if (!array || array->elements.empty()) {
      const std::size_t end = array ? array->end : at + 1;
      out.append(answer, at, end - at);
      at = end;
      continue;
    }
    at = array->end;
    change(*array);
    out += written(*array);
    changed = true;
  }
  if (!changed) return std::nullopt;
  return Sent(out);
}

template <class T>
void fill(std::string& elements, T value) {
  for (std::size_t at = 0; at + sizeof value <= elements.size(); at += sizeof value)
    std::memcpy(elements.data() + at, &value, sizeof value);
}

void fill_numbers(Found& array, double value) {
  if (array.dtype == "float64") {
    fill(array.elements, value);
  } else if (array.dtype == "float32") {
    fill(array.elements, static_cast<float>(value));
  } else {
    for (char& byte : array.elements)
      byte = static_cast<char>(~byte);
  }
}

std::size_t width_of(const Found& array) {
  std::int64_t count = 1;
  for (const std::int64_t size : array.sizes)
    count *= size;
  return array.elements.size() / static_cast<std::size_t>(count);
}

/// The answer with each of its functions changed by `change`, which says whether it did.
template <class Change>
std::optional<Sent> with_functions(const std::string& answer, Change change) {
  // As it was built: what the rewrites make of it can't be saved.
  const ChangeFlags as_built(config(), {{"optimizer", "None"}});
  const Scratch scratch;
  const std::string path = (scratch.path / "function.hyf").string();
  std::string out;
  bool changed = false;
  for (std::size_t at = 0; at < answer.size();) {
    const auto size = static_cast<std::size_t>(number_at(answer, at));
    const bool saved = std::string_view(answer).substr(at).substr(0, 12).ends_with("PK\3\4") &&
                       size < answer.size() - at - 7;
    if (!saved) {
      out += answer[at++];
      continue;
    }
    std::string bytes = answer.substr(at + 8, size);
    at += 8 + size;
    write_file(path, bytes);
    Function f = load_function(path);
    if (change(f)) {
      f.save(path);
      bytes = read_file(path);
      changed = true;
    }
    out += raw(static_cast<std::int64_t>(bytes.size())) + bytes;
  }
  if (!changed) return std::nullopt;
  return Sent(out);
}

/// The function with each output replaced.
template <class Change>
bool replace_outputs(Function& f, Change change) {
  const Graph& graph = f.graph();
  if (graph.outputs().empty()) return false;
  Vars outputs;
  for (const Variable& output : graph.outputs())
    outputs.push_back(change(output));
  std::vector<In> inputs(graph.inputs().begin(), graph.inputs().end());
  f = function(
      inputs, outputs, {.updates = graph.updates(), .name = f.name(), .on_unused_input = "ignore"});
  return true;
}

constexpr Lie lies[] = {
    {"nothing", [](const std::string&, Random&) { return std::optional(Sent(std::string())); }},
    {"half of it",
     [](const std::string& answer, Random&) {
       return std::optional(Sent(answer.substr(0, answer.size() / 2)));
     }},
    {"half of it, and the end",
     [](const std::string& answer, Random&) {
       return std::optional(Sent(answer.size(), answer.substr(0, answer.size() / 2)));
     }},
    {"more than there is memory",
     [](const std::string& answer, Random&) {
       return std::optional(Sent(std::uint64_t{1} << 62, answer));
     }},
    {"noise",
     [](const std::string& answer, Random& random) {
       std::string noise = answer;
       for (char& byte : noise)
         byte = static_cast<char>(random());
       return std::optional(Sent(noise));
     }},
    {"noise behind a good beginning",
     [](const std::string& answer, Random& random) {
       std::string noise = answer;
       for (std::size_t i = 8; i < noise.size(); ++i)
         noise[i] = static_cast<char>(random());
       return std::optional(Sent(noise));
     }},
    {"no numbers",
     [](const std::string& answer, Random&) {
       return with_arrays(answer, [](Found& array) { fill_numbers(array, NAN); });
     }},
    {"huge numbers",
     [](const std::string& answer, Random&) {
       return with_arrays(answer, [](Found& array) { fill_numbers(array, 1e300); });
     }},
    {"one number less",
     [](const std::string& answer, Random&) {
       return with_arrays(answer, [](Found& array) {
         const std::size_t width = width_of(array);
         const auto left = static_cast<std::int64_t>(array.elements.size() / width) - 1;
         array.elements.resize(static_cast<std::size_t>(left) * width);
         array.sizes = {left};
       });
     }},
    {"one number more",
     [](const std::string& answer, Random&) {
       return with_arrays(answer, [](Found& array) {
         const std::size_t width = width_of(array);
         array.elements += array.elements.substr(0, width);
         array.sizes = {static_cast<std::int64_t>(array.elements.size() / width)};
       });
     }},
    {"no elements",
     [](const std::string& answer, Random&) {
       return with_arrays(answer, [](Found& array) {
         array.elements.clear();
         array.sizes = {0};
       });
     }},
    {"functions without updates",
     [](const std::string& answer, Random&) {
       return with_functions(answer, [](Function& f) {
         if (f.graph().updates().empty()) return false;
         f = f.copy({.delete_updates = true});
         return true;
       });
     }},
    {"functions of no numbers",
     [](const std::string& answer, Random&) {
       return with_functions(answer, [](Function& f) {
         return replace_outputs(f, [](const Variable& v) { return v * NAN; });
       });
     }},
    {"functions of no elements",
     [](const std::string& answer, Random&) {
       return with_functions(answer, [](Function& f) {
         return replace_outputs(f, [](const Variable& v) {
           return v.type().rank() == 0 ? reshape(v, {1})[slice(0, 0)] : v[slice(0, 0)];
         });
       });
     }},
    {"functions of twice as much",
     [](const std::string& answer, Random&) {
       return with_functions(answer, [](Function& f) {
         return replace_outputs(f, [](const Variable& v) {
           const Variable row = v.type().rank() == 0 ? reshape(v, {1}) : v;
           return concatenate({row, row});
         });
       });
     }},
    {"an axis more",
     [](const std::string& answer, Random&) {
       return with_arrays(answer, [](Found& array) { array.sizes.insert(array.sizes.begin(), 1); });
     }},
};

/// Ends of a pair of sockets: one for a program, one for the relay between the two.
struct Line {
  int theirs = -1, ours = -1;

  Line() {
    std::array<int, 2> of{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, of.data()), 0);
    theirs = of[0];
    ours = of[1];
  }

  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  ~Line() {
    hang_up(theirs);
    hang_up(ours);
  }

  static void hang_up(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  bool read(std::string& to, std::size_t count) const {
    to.resize(count);
    for (std::size_t at = 0; at < count;) {
      const ssize_t got = ::read(ours, to.data() + at, count - at);
      if (got <= 0) return false;
      at += static_cast<std::size_t>(got);
    }
    return true;
  }

  bool receive(std::string& message) const {
    std::string size;
    return read(size, 8) && read(message, static_cast<std::size_t>(number_at(size, 0)));
  }

  bool send(const Sent& what) const {
    const std::string bytes = raw(static_cast<std::int64_t>(what.size)) + what.bytes;
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t put = ::send(ours, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (put <= 0) return false;
      at += static_cast<std::size_t>(put);
    }
    return what.size == what.bytes.size();
  }
};

struct Judged {
  Outcome outcome;
  Verdict verdict;
  int changed = 0;
  bool ended = false;  // by an answer that was not whole
};

/// Carries questions and answers, the latter changed.
void relay(Line& check, Line& learner, const Lie& lie, Random random, Judged& judged) {
  for (std::string message; check.receive(message);) {
    if (!learner.send(Sent(message)) || !learner.receive(message)) break;
    const std::optional<Sent> said = lie.of(message, random);
    judged.changed += said ? 1 : 0;
    judged.ended = said && said->size != said->bytes.size();
    if (!check.send(said.value_or(Sent(message)))) break;
  }
  Line::hang_up(check.ours);
  Line::hang_up(learner.ours);
}

Task task_for(const std::string& program, const std::string& device, int end) {
  Task task;
  task.words = {program};
  task.environment = {
      {"HYPATIA_FLAGS", "device=" + device + ",force_device=True"},
      {"HYPATIA_BORDER", std::to_string(end)}};
  task.keep_open = end;
  task.limit_seconds = 120;
  return task;
}

Judged judged_with(const Exercise& exercise, const Lie& lie, Random random) {
  Line check, learner;
  const std::string device = usual_device(exercise);
  std::thread answering([&] {
    run(task_for(program(exercise.target("graded")), device, learner.theirs));
    Line::hang_up(learner.theirs);
  });
  Judged judged;
  std::thread between([&] { relay(check, learner, lie, random, judged); });
  Task task = task_for(program(exercise.target("judge")), device, check.theirs);
  task.words.insert(task.words.end(), {"--seed", "1"});
  task.report = true;
  judged.outcome = run(task);
  Line::hang_up(check.theirs);
  between.join();
  answering.join();
  judged.verdict.exercise = &exercise;
  read_verdict(judged.verdict, judged.outcome, task.limit_seconds);
  return judged;
}

}  // namespace

TEST(Border, NonsenseNeverPassesAndNeverEndsACheck) {
  if (no_setup() || !std::filesystem::exists(build_folder() + "/build.ninja")) {
    GTEST_SKIP() << "the programs are built, and there is no build folder";
  }
  const char* const asked = std::getenv("HYPATIA_FUZZ_ROUNDS");
  const std::size_t rounds = asked ? static_cast<std::size_t>(std::atoi(asked)) : 1;
  constexpr std::size_t count = std::size(lies);
  for (std::size_t i = 0; i < course().size(); ++i) {
    const Exercise& exercise = course()[i];
    const Built built = build({exercise.target("judge"), exercise.target("graded")}, 600);
    ASSERT_TRUE(built.ok) << built.log;
    for (std::size_t round = 0; round < rounds; ++round) {
      // Each exercise hears another lie, and all of them in as many rounds.
      const Lie& lie = lies[(i + round) % count];
      SCOPED_TRACE(exercise.id + ": " + lie.name);
      const Judged judged = judged_with(exercise, lie, Random(static_cast<unsigned>(round)));
      EXPECT_FALSE(judged.outcome.timed_out);
      EXPECT_EQ(judged.outcome.signal, 0) << tail(judged.outcome.output, 5);
      EXPECT_EQ(judged.verdict.tests.size(), exercise.tests.size());
      EXPECT_EQ(judged.verdict.passed(), judged.changed == 0) << to_text(judged.verdict);
      // An answer that is whole is judged; only one that ends is an end.
      for (const TestResult& test : judged.verdict.tests)
        EXPECT_TRUE(judged.ended || test.tag != "died") << to_text(judged.verdict);
    }
  }
}

}  // namespace hypatia::runner
