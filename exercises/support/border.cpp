// Messages between a check and the learner's functions, and which shared variables both know.
#include "support/border.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/core/file.h"

#include "support/check.h"

namespace hypatia::border {

namespace {

constexpr std::uint64_t longest_message = std::uint64_t{1} << 28;
constexpr std::int64_t no_shared = -1;
constexpr std::string_view mark = "#border ";  // before a shared variable's number in a saved name

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Error::Kind::file, "the learner's program sent an answer that is none: " + what);
}

// Shared variables that both sides know, by number. The check gives even ones.
class Known {
 public:
  std::int64_t number_of(const Shared& variable) {
    for (const auto& [number, shared] : by_number_) {
      if (&shared.node() == &variable.node()) return number;
    }
    by_number_.emplace(next_, variable);
    next_ += 2;
    return next_ - 2;
  }

  // Whose memory the array is: a number, or no_shared.
  std::int64_t owner_of(const Array& value) const {
    for (const auto& [number, shared] : by_number_) {
      const Array own = shared.get_device_value(true);
      if (own.elements() > 0 && own.address() == value.address() && own.dims() == value.dims() &&
          own.place() == value.place()) {
        return number;
      }
    }
    return no_shared;
  }

  Shared* find(std::int64_t number) {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : &found->second;
  }

  void add(std::int64_t number, const Shared& variable) {
    if (by_number_.size() > 4096) refuse("thousands of shared variables");
    by_number_.emplace(number, variable);
  }

  const std::map<std::int64_t, Shared>& all() const { return by_number_; }

  void count_from(std::int64_t first) { next_ = first; }

 private:
  std::map<std::int64_t, Shared> by_number_;
  std::int64_t next_ = 0;
};

Known& known() {
  static Known all;
  return all;
}

struct Entry {
  const char* name;
  Handler handler;
};

std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}

int channel() {
  static const int end = [] {
    const char* text = std::getenv("HYPATIA_BORDER");
    return text ? std::atoi(text) : -1;
  }();
  return end;
}

bool write_all(const char* from, std::size_t count) {
  while (count > 0) {
    const ssize_t put = ::send(channel(), from, count, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    count -= static_cast<std::size_t>(put);
  }
  return true;
}

bool read_all(char* to, std::size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(channel(), to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

// A file of this process's own, for functions on their way.
struct Scratch {
  std::string path =
      (std::filesystem::temp_directory_path() / ("border-" + std::to_string(::getpid()) + ".hyf"))
          .string();

  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

// While it lives, the shared variables that both sides know go by their numbers.
class Numbered {
 public:
  Numbered() {
    for (const auto& [number, shared] : known().all()) {
      names_.push_back(shared.name());
      shared.set_name(std::string(mark) + std::to_string(number) + " " + shared.name());
    }
  }

  Numbered(const Numbered&) = delete;
  Numbered& operator=(const Numbered&) = delete;

  ~Numbered() {
    std::size_t i = 0;
    for (const auto& [number, shared] : known().all())
      shared.set_name(names_[i++]);
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

void Writer::put(std::int64_t value) {
  std::array<char, sizeof value> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  bytes_.append(raw.data(), raw.size());
}

void Writer::put(double value) {
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  put(bits);
}

void Writer::put(const std::string& value) {
  put(static_cast<std::int64_t>(value.size()));
  bytes_ += value;
}

void Writer::put(const Array& value) {
  value.sync();
  put(known().owner_of(value));
  const Array here = asarray(value).copy();
  put(std::string(name(here.dtype())));
  put(std::vector<std::int64_t>(here.dims().begin(), here.dims().end()));
  put(std::string(static_cast<const char*>(here.address()), here.bytes()));
}

void Writer::put(const Shared& value) {
  put(known().number_of(value));
  put(value.name());
  put(value.get_value());
}

void Writer::put(const Function& value) {
  const Scratch file;
  {
    const Numbered names;
    value.save(file.path);
  }
  put(read_file(file.path));
}

void Writer::put_state(const Function& f) {
  std::vector<std::string> names;
  std::vector<Array> values;
  for (const Shared& used : f.get_shared()) {
    names.push_back(used.name());
    values.push_back(used.get_value());
  }
  put(names);
  put(values);
}

void Reader::need(std::size_t count) const {
  if (count > bytes_.size() - at_) refuse("it is cut off");
}

std::string_view Reader::part(std::size_t count) {
  need(count);
  at_ += count;
  return std::string_view(bytes_).substr(at_ - count, count);
}

void Reader::take(std::int64_t& value) {
  std::memcpy(&value, part(sizeof value).data(), sizeof value);
}

void Reader::take(double& value) {
  std::memcpy(&value, part(sizeof value).data(), sizeof value);
}

void Reader::take(int& value) {
  std::int64_t wide = 0;
  take(wide);
  value = static_cast<int>(wide);
}

void Reader::take(std::string& value) {
  std::int64_t size = 0;
  take(size);
  value = part(static_cast<std::size_t>(size));
}

void Reader::take(Array& value) {
  std::int64_t owner = no_shared;
  std::string dtype, elements;
  std::vector<std::int64_t> sizes;
  take(owner);
  take(dtype);
  take(sizes);
  take(elements);
  if (sizes.size() > max_rank) refuse("an array of too many axes");
  std::uint64_t count = static_cast<std::uint64_t>(size_of(parse_dtype(dtype)));
  for (const std::int64_t size : sizes) {
    if (size < 0 || static_cast<std::uint64_t>(size) > longest_message) refuse("an array's sizes");
    count *= static_cast<std::uint64_t>(size);
    if (count > longest_message) refuse("an array's sizes");
  }
  if (count != elements.size()) refuse("an array's elements");
  value = Array(parse_dtype(dtype), Dims(sizes));
  if (count > 0) std::memcpy(value.address(), elements.data(), elements.size());
  if (const Shared* shared = known().find(owner)) value = shared->get_device_value(true);
}

void Reader::take(Shared& value) {
  std::int64_t number = 0;
  std::string name;
  Array now;
  take(number);
  take(name);
  take(now);
  if (const Shared* there = known().find(number)) {
    value = *there;
    value.set_value(now);
    return;
  }
  value = shared(now, name);
  known().add(number, value);
}

void Reader::take(Function& value) {
  std::string bytes;
  take(bytes);
  const Scratch file;
  write_file(file.path, bytes);
  value = load_function(file.path);
  CopyOptions options;
  for (const Shared& loaded : value.get_shared()) {
    const std::string name = loaded.name();
    if (name.substr(0, mark.size()) != mark) continue;
    std::size_t digits = name.find(' ', mark.size());
    if (digits == std::string::npos) digits = name.size();
    const std::int64_t number = std::atoll(name.c_str() + mark.size());
    if (const Shared* there = known().find(number)) {
      options.swap.emplace_back(loaded, *there);
    } else {
      loaded.set_name(name.substr(std::min(digits + 1, name.size())));
      known().add(number, loaded);
    }
  }
  if (!options.swap.empty()) value = value.copy(options);
}

void Reader::take_state(const Function& f) {
  std::vector<std::string> names;
  std::vector<Array> values;
  take(names);
  take(values);
  std::vector<Shared> left = f.get_shared();
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    const auto named = [&](const Shared& each) { return each.name() == names[i]; };
    const auto found = std::find_if(left.begin(), left.end(), named);
    if (found == left.end()) continue;
    found->set_value(values[i]);
    left.erase(found);
  }
}

bool send(const std::string& message) {
  const std::uint64_t size = message.size();
  std::array<char, sizeof size> raw{};
  std::memcpy(raw.data(), &size, sizeof size);
  return write_all(raw.data(), raw.size()) && write_all(message.data(), message.size());
}

bool receive(std::string& message) {
  std::uint64_t size = 0;
  std::array<char, sizeof size> raw{};
  if (!read_all(raw.data(), raw.size())) return false;
  std::memcpy(&size, raw.data(), sizeof size);
  if (size > longest_message) {
    // The other side may still be sending it: neither must wait for the other.
    ::shutdown(channel(), SHUT_RDWR);
    return false;
  }
  message.resize(size);
  return read_all(message.data(), message.size());
}

Reader ask(const std::string& name, const Writer& arguments) {
  Writer message;
  message.put(name);
  std::string answer;
  if (!send(message.bytes() + arguments.bytes()) || !receive(answer)) {
    check::fail("died", "the program ended before it answered " + name + "()");
  }
  Reader reader(std::move(answer));
  std::string problem;
  reader.take(problem);
  if (!problem.empty()) throw Error(Error::Kind::value, problem.substr(0, 4000));
  return reader;
}

Served::Served(const char* name, Handler handler) {
  entries().push_back({name, handler});
}

void serve() {
  known().count_from(1);
  std::string message;
  while (receive(message)) {
    Reader reader(std::move(message));
    Writer answer;
    try {
      std::string name;
      reader.take(name);
      answer.put(std::string());
      for (const Entry& entry : entries()) {
        if (name == entry.name) entry.handler(reader, answer);
      }
    } catch (const std::exception& error) {
      answer = Writer();
      answer.put(std::string(error.what()) + " ");  // never empty
    }
    if (!send(answer.bytes())) return;
  }
}

void warm(const Function& f) {
  const std::vector<Shared> used = f.get_shared();
  std::vector<Array> before;
  for (const Shared& each : used)
    before.push_back(each.get_value());
  try {
    const Results results = f();
    results.sync();
  } catch (const Error&) {
    // It takes inputs; its own call will say what is wrong.
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    used[i].set_value(before[i]);
}

}  // namespace hypatia::border
