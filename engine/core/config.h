#pragma once
// The process's configuration: the flags of flags_table.cpp with their values, from the program,
// the environment, files and defaults, in this order.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/dtype.h"

namespace hypatia {

/// Where a Config is read from.
struct ConfigSources {
  std::string flags;               // HYPATIA_FLAGS: "a=b,c.d=e", shell quotes allowed
  std::string fallback_flags;      // THEANO_FLAGS, used where `flags` is empty
  std::vector<std::string> files;  // the right ones win
  bool files_required = false;     // HYPATIARC names them, so that they must exist

  static ConfigSources of_environment();
};

/// Values of all flags. Everything may be called from several threads at once.
class Config {
 public:
  explicit Config(const ConfigSources& sources);
  ~Config();
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  /// The value in its normal form: booleans are "True" and "False". Throws Error on unknown names.
  std::string get(std::string_view name) const;
  /// Sets a flag for the whole process. Throws Error on an unknown name, a bad value, and another
  /// value of a flag that can't change any more (device and its like, once the engine used them).
  void set(std::string_view name, std::string_view value);
  void set(std::string_view name, const char* value);
  void set(std::string_view name, bool value);
  void set(std::string_view name, int value);
  void set(std::string_view name, double value);
  /// Who set it: "default", "the program", "HYPATIA_FLAGS", or "FILE:LINE".
  std::string source(std::string_view name) const;

  /// Reads by kind, for flags without an accessor below; a wrong kind is an internal error.
  bool boolean(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  /// A choice; the text lives for ever.
  std::string_view choice(std::string_view name) const;

  DType float_x() const;
  void float_x(DType dtype);
  bool allow_gc() const;
  void allow_gc(bool value);
  bool profile() const;
  void profile(bool value);
  bool profile_memory() const;
  bool profile_split() const;
  std::string_view mode() const;
  std::string_view optimizer() const;
  void optimizer(std::string_view value);
  std::string_view linker() const;
  std::string_view cast_policy() const;
  std::string_view int_division() const;
  std::string_view warn_float64() const;
  std::string_view compute_test_value() const;
  std::string_view on_unused_input() const;
  std::string_view assert_no_cpu_op() const;
  bool high_verbosity() const;  // exception_verbosity
  bool tf32() const;
  bool modelled_host_time() const;  // sim.host_time

  /// From the first call of these on, the flag can't change.
  std::string device() const;
  bool force_device() const;
  std::string init_gpu_device() const;
  /// Pairs of a context's name and its device.
  std::vector<std::pair<std::string, std::string>> contexts() const;
  int threads() const;
  double preallocate() const;           // gpuarray.preallocate
  std::string base_compiledir() const;  // with ~ replaced
  std::string compiledir() const;       // likewise; below base_compiledir unless set
  /// Freezes a flag that has no accessor and returns its value.
  std::string use(std::string_view name) const;

  /// What the user should be told once, a line each: flags without effect, THEANO_FLAGS in use.
  /// The list is empty afterwards.
  std::vector<std::string> take_notices();

  /// Back to the values that the process started with, all changeable: for tests.
  void reset();

 private:
  friend class ChangeFlags;
  struct State;

  std::uint64_t word(std::size_t row) const;
  std::string_view choice_at(std::size_t row) const;
  void restore(std::size_t row, const std::string& value, const std::string& source);

  State* state_;
};

/// The configuration of this process, read from the environment at the first call. Throws Error if
/// that can't be read.
Config& config();

/// Sets flags and sets them back at the end of the block: ChangeFlags fast({{"optimizer",
/// "None"}}).
class ChangeFlags {
 public:
  using Changes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  ChangeFlags(Changes changes);
  ChangeFlags(Config& config, Changes changes);
  ~ChangeFlags();
  ChangeFlags(const ChangeFlags&) = delete;
  ChangeFlags& operator=(const ChangeFlags&) = delete;

 private:
  struct Old {
    std::size_t row;
    std::string value, source;
  };

  void undo();

  Config& config_;
  std::vector<Old> old_;
};

/// Every flag with what it may be, what it does and its value.
std::string to_text(const Config& config);

}  // namespace hypatia
