// Values of flags: numbers and choices in atomics, so that the engine reads them without a lock,
// texts behind one.

#include "engine/core/config.h"

#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <mutex>
#include <shared_mutex>

#include "engine/core/config_sources.h"
#include "engine/core/error.h"
#include "engine/core/flags.h"
#include "engine/core/text.h"

namespace hypatia {

namespace {

constexpr std::size_t most_flags = 256;

template <class T>
T number(std::string_view text) {
  T value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// A checked value as a word: booleans and integers as they are, reals as bits, choices as place
/// and length in the flag's list.
std::uint64_t encoded(const Flag& flag, std::string_view value) {
  switch (flag.kind) {
    case FlagKind::boolean:
      return value == "True";
    case FlagKind::integer:
      return static_cast<std::uint64_t>(number<std::int64_t>(value));
    case FlagKind::real:
      return std::bit_cast<std::uint64_t>(number<double>(value));
    case FlagKind::choice: {
      std::size_t at = 0;
      for (const std::string& name : split(flag.allowed, ',')) {
        if (trimmed(name) == value) at += name.size() - value.size();
        if (trimmed(name) == value) break;
        at += name.size() + 1;
      }
      return at << 32 | value.size();
    }
    default:
      return 0;
  }
}

bool lower_equal(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

/// Names in files may be written in any case, as Python's ConfigParser has it.
std::size_t row_of_setting(const Setting& setting, bool any_case) {
  const std::span<const Flag> table = flags();
  for (std::size_t i = 0; any_case && i < table.size(); ++i) {
    if (lower_equal(table[i].name, setting.name)) return i;
  }
  return flag_row(setting.name);
}

}  // namespace

struct Config::State {
  struct Entry {
    std::string value, source;
  };

  mutable std::shared_mutex mutex;
  std::vector<Entry> entries, start;
  std::vector<std::string> notices;
  std::array<std::atomic<std::uint64_t>, most_flags> words{};
  std::array<std::atomic<bool>, most_flags> used{};

  void write(std::size_t row, std::string value, std::string source) {
    words[row].store(encoded(flags()[row], value), std::memory_order_relaxed);
    entries[row] = {std::move(value), std::move(source)};
  }

  void note_idle(std::size_t row) {
    const Flag& flag = flags()[row];
    if (flag.idle.empty() || entries[row].value == checked_value(flag, flag.value)) return;
    notices.push_back(
        "the flag " + std::string(flag.name) + " (" + entries[row].source +
        ") has no effect here: " + std::string(flag.idle));
  }

  void apply(const std::vector<Setting>& settings, bool any_case) {
    for (const Setting& setting : settings) {
      try {
        const std::size_t row = row_of_setting(setting, any_case);
        write(row, checked_value(flags()[row], setting.value), setting.source);
      } catch (Error& error) {
        throw error.note("set by " + setting.source);
      }
    }
  }

  std::string text(std::size_t row) const {
    const std::shared_lock lock(mutex);
    return entries[row].value;
  }

  void refuse_late_change(std::size_t row, const std::string& value) const {
    const Flag& flag = flags()[row];
    if (!flag.fixed || !used[row].load(std::memory_order_relaxed)) return;
    if (entries[row].value == value) return;
    const std::string name(flag.name);
    throw Error(
        Error::Kind::config,
        "the flag " + name + " is '" + entries[row].value + "' and can't become '" + value +
            "' any more, because it has been used",
        "set it before the first function is compiled, or start with HYPATIA_FLAGS=" + name + "=" +
            value);
  }
};

Config::Config(const ConfigSources& sources) : state_(new State) {
  try {
    if (flags().size() > most_flags) internal_error("there are more flags than words for them");
    state_->entries.resize(flags().size());
    for (std::size_t row = 0; row < flags().size(); ++row)
      state_->write(row, checked_value(flags()[row], flags()[row].value), "default");
    for (const std::string& file : sources.files)
      state_->apply(read_ini(file, sources.files_required), true);
    const bool fallback = sources.flags.empty() && !sources.fallback_flags.empty();
    const std::string whose = fallback ? "THEANO_FLAGS" : "HYPATIA_FLAGS";
    if (fallback) state_->notices.push_back("HYPATIA_FLAGS is not set, so THEANO_FLAGS is used");
    state_->apply(parse_flags(fallback ? sources.fallback_flags : sources.flags, whose), false);
    for (std::size_t row = 0; row < flags().size(); ++row)
      state_->note_idle(row);
    state_->start = state_->entries;
  } catch (...) {
    delete state_;
    throw;
  }
}

Config::~Config() {
  delete state_;
}

std::string Config::get(std::string_view name) const {
  return state_->text(flag_row(name));
}

std::string Config::source(std::string_view name) const {
  const std::size_t row = flag_row(name);
  const std::shared_lock lock(state_->mutex);
  return state_->entries[row].source;
}

void Config::set(std::string_view name, std::string_view value) {
  const std::size_t row = flag_row(name);
  const std::string checked = checked_value(flags()[row], value);
  const std::unique_lock lock(state_->mutex);
  state_->refuse_late_change(row, checked);
  state_->write(row, checked, "the program");
  state_->note_idle(row);
}

void Config::set(std::string_view name, const char* value) {
  set(name, std::string_view(value));
}

void Config::set(std::string_view name, bool value) {
  set(name, value ? "True" : "False");
}

void Config::set(std::string_view name, int value) {
  set(name, std::to_string(value));
}

void Config::set(std::string_view name, double value) {
  set(name, number_text(value));
}

void Config::restore(std::size_t row, const std::string& value, const std::string& source) {
  const std::unique_lock lock(state_->mutex);
  state_->write(row, value, source);
}

std::uint64_t Config::word(std::size_t row) const {
  return state_->words[row].load(std::memory_order_relaxed);
}

std::string Config::use(std::string_view name) const {
  const std::size_t row = flag_row(name);
  state_->used[row].store(true, std::memory_order_relaxed);
  return state_->text(row);
}

std::vector<std::string> Config::take_notices() {
  const std::unique_lock lock(state_->mutex);
  return std::exchange(state_->notices, {});
}

void Config::reset() {
  const std::unique_lock lock(state_->mutex);
  for (std::size_t row = 0; row < flags().size(); ++row) {
    state_->write(row, state_->start[row].value, state_->start[row].source);
    state_->used[row] = false;
  }
  state_->notices.clear();
}

Config& config() {
  // Never destroyed: profiles are written by destructors of static lifetime.
  static Config& instance = *new Config(ConfigSources::of_environment());
  return instance;
}

ChangeFlags::ChangeFlags(Changes changes) : ChangeFlags(config(), changes) {}

ChangeFlags::ChangeFlags(Config& config, Changes changes) : config_(config) {
  try {
    for (const auto& [name, value] : changes) {
      Old old{flag_row(name), config.get(name), config.source(name)};
      config.set(name, value);
      old_.push_back(std::move(old));
    }
  } catch (...) {
    undo();
    throw;
  }
}

ChangeFlags::~ChangeFlags() {
  undo();
}

void ChangeFlags::undo() {
  for (auto old = old_.rbegin(); old != old_.rend(); ++old)
    config_.restore(old->row, old->value, old->source);
  old_.clear();
}

std::string to_text(const Config& config) {
  std::string text;
  for (const Flag& flag : flags()) {
    text += std::string(flag.name) + " (" + allowed_text(flag) + ")\n";
    text += "    Doc:  " + std::string(flag.doc) + "\n";
    if (!flag.idle.empty()) text += "          No effect here: " + std::string(flag.idle) + ".\n";
    text += "    Value:  " + config.get(flag.name) + "\n\n";
  }
  return text;
}

}  // namespace hypatia
