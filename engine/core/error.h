#pragma once
// The one exception of the engine: what was expected, what came, where it was built, what to try.

#include <exception>
#include <string>
#include <vector>

#include "engine/core/origin.h"

namespace hypatia {

/// A mistake in the user's program or a failure of the machine, told in the user's terms.
class Error : public std::exception {
 public:
  enum class Kind { shape, dtype, graph, value, config, compile, device, memory, file, internal };

  /// One value that took part: its role, its type and where it was made.
  struct Operand {
    std::string role;  // "left"
    std::string type;  // "float32[?, 784]"
    std::string name;  // "w (shared)"
    Origin origin;
  };

  Error(Kind kind, std::string summary, std::string help = "");

  Kind kind() const { return kind_; }

  const std::string& summary() const { return summary_; }

  const std::string& help() const { return help_; }

  const std::vector<Operand>& operands() const { return operands_; }

  const Origin& origin() const { return origin_; }

  /// Adds an operand, a place or a note; each returns the error, so that they chain.
  Error& with(Operand operand);
  Error& at(const Origin& origin);
  Error& note(std::string text);

  /// The whole message: summary, operands, the user's source line, notes, help.
  const char* what() const noexcept override;

 private:
  void render();

  Kind kind_;
  std::string summary_, help_, text_;
  std::vector<Operand> operands_;
  std::vector<std::string> notes_;
  Origin origin_;
};

/// The word users read for a kind of error: "shape error", "device error", …
const char* name(Error::Kind kind);

/// For assertions on the engine itself: throws an internal error that asks for a report.
[[noreturn]] void internal_error(const std::string& what, Origin at = Origin::here());

}  // namespace hypatia
