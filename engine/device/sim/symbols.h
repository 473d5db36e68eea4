#pragma once
// The variables of a loaded kernel object, from its symbol table.

#include <cstdint>
#include <string>
#include <vector>

namespace hypatia::sim {

/// A variable of an object.
struct Symbol {
  std::string name;  // as in the text: "s", without the function it stands in
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool per_thread = false;  // thread-local: shared memory; `offset` then counts in that block
};

/// Reads the table of a file; empty if the file is not an ELF object of this machine.
std::vector<Symbol> read_symbols(const std::string& path);

}  // namespace hypatia::sim
