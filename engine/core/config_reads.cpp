// Reads of flags by kind and by name: an atomic load each, but for texts.

#include <bit>

#include "engine/core/config.h"
#include "engine/core/config_sources.h"
#include "engine/core/error.h"
#include "engine/core/flags.h"
#include "engine/core/text.h"

namespace hypatia {

namespace {

std::size_t row_of(std::string_view name, FlagKind kind) {
  const std::size_t row = flag_row(name);
  if (flags()[row].kind != kind)
    internal_error("the flag " + std::string(name) + " is of another kind");
  return row;
}

}  // namespace

std::string_view Config::choice_at(std::size_t row) const {
  const std::uint64_t at = word(row);
  return flags()[row].allowed.substr(at >> 32, at & 0xffffffffU);
}

bool Config::boolean(std::string_view name) const {
  return word(row_of(name, FlagKind::boolean)) != 0;
}

std::int64_t Config::integer(std::string_view name) const {
  return static_cast<std::int64_t>(word(row_of(name, FlagKind::integer)));
}

double Config::real(std::string_view name) const {
  return std::bit_cast<double>(word(row_of(name, FlagKind::real)));
}

std::string_view Config::choice(std::string_view name) const {
  return choice_at(row_of(name, FlagKind::choice));
}

DType Config::float_x() const {
  static const std::size_t row = flag_row("floatX");
  return choice_at(row) == "float32" ? DType::float32 : DType::float64;
}

void Config::float_x(DType dtype) {
  set("floatX", name(dtype));
}

bool Config::allow_gc() const {
  static const std::size_t row = flag_row("allow_gc");
  return word(row) != 0;
}

void Config::allow_gc(bool value) {
  set("allow_gc", value);
}

bool Config::profile() const {
  static const std::size_t row = flag_row("profile");
  return word(row) != 0;
}

void Config::profile(bool value) {
  set("profile", value);
}

bool Config::profile_memory() const {
  static const std::size_t row = flag_row("profile_memory");
  return word(row) != 0;
}

bool Config::profile_split() const {
  static const std::size_t row = flag_row("profile.split");
  return word(row) != 0;
}

std::string_view Config::mode() const {
  static const std::size_t row = flag_row("mode");
  return choice_at(row);
}

std::string_view Config::optimizer() const {
  static const std::size_t row = flag_row("optimizer");
  return choice_at(row);
}

void Config::optimizer(std::string_view value) {
  set("optimizer", value);
}

std::string_view Config::linker() const {
  static const std::size_t row = flag_row("linker");
  return choice_at(row);
}

std::string_view Config::cast_policy() const {
  static const std::size_t row = flag_row("cast_policy");
  return choice_at(row);
}

std::string_view Config::int_division() const {
  static const std::size_t row = flag_row("int_division");
  return choice_at(row);
}

std::string_view Config::warn_float64() const {
  static const std::size_t row = flag_row("warn_float64");
  return choice_at(row);
}

std::string_view Config::compute_test_value() const {
  static const std::size_t row = flag_row("compute_test_value");
  return choice_at(row);
}

std::string_view Config::on_unused_input() const {
  static const std::size_t row = flag_row("on_unused_input");
  return choice_at(row);
}

std::string_view Config::assert_no_cpu_op() const {
  static const std::size_t row = flag_row("assert_no_cpu_op");
  return choice_at(row);
}

bool Config::high_verbosity() const {
  return choice("exception_verbosity") == "high";
}

bool Config::tf32() const {
  static const std::size_t row = flag_row("tf32");
  return word(row) != 0;
}

bool Config::modelled_host_time() const {
  static const std::size_t row = flag_row("sim.host_time");
  return choice_at(row) == "modelled";
}

std::string Config::device() const {
  return use("device");
}

bool Config::force_device() const {
  return use("force_device") == "True";
}

std::string Config::init_gpu_device() const {
  return use("init_gpu_device");
}

std::vector<std::pair<std::string, std::string>> Config::contexts() const {
  const std::vector<std::string> items = split(use("contexts"), ';');
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& item : items) {
    const std::size_t arrow = item.find("->");
    if (arrow == std::string::npos) continue;
    pairs.emplace_back(
        trimmed(std::string_view(item).substr(0, arrow)),
        trimmed(std::string_view(item).substr(arrow + 2)));
  }
  return pairs;
}

int Config::threads() const {
  return std::stoi(use("threads"));
}

double Config::preallocate() const {
  return std::stod(use("gpuarray.preallocate"));
}

std::string Config::base_compiledir() const {
  return expand_home(use("base_compiledir"));
}

std::string Config::compiledir() const {
  const std::string named = use("compiledir");
  return named.empty() ? base_compiledir() + "/kernels" : expand_home(named);
}

}  // namespace hypatia
