#include "engine/device/sim/symbols.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>

namespace hypatia::sim {

namespace {

/// "k(float*)::s" and "_ZZ1kPfE1s" are "s".
std::string plain_name(const char* mangled) {
  // "d" would be demangled, too: to "double".
  if (std::strncmp(mangled, "_Z", 2) != 0) return mangled;
  // A compiler that splits a variable gives its parts names with a suffix.
  const std::string whole = std::string(mangled).substr(0, std::strcspn(mangled, "."));
  int status = 0;
  char* text = abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text ? text : mangled;
  std::free(text);
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// A table of T at an offset of the file; empty if it doesn't lie within.
template <class T>
std::vector<T> table(const std::vector<char>& file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return {};
  std::vector<T> rows(bytes / sizeof(T));
  std::memcpy(rows.data(), file.data() + offset, rows.size() * sizeof(T));
  return rows;
}

}  // namespace

std::vector<Symbol> read_symbols(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  const auto headers = table<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const ElfW(Ehdr)& header = headers[0];
  const auto sections =
      table<ElfW(Shdr)>(file, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(ElfW(Shdr)));
  std::vector<Symbol> symbols;
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const ElfW(Shdr)& strings = sections[section.sh_link];
    auto names = table<char>(file, strings.sh_offset, strings.sh_size);
    names.push_back('\0');
    for (const ElfW(Sym) & row : table<ElfW(Sym)>(file, section.sh_offset, section.sh_size)) {
      const auto type = ELF64_ST_TYPE(row.st_info);
      if ((type != STT_TLS && type != STT_OBJECT) || row.st_size == 0) continue;
      if (row.st_name >= names.size()) continue;
      symbols.push_back(
          {plain_name(names.data() + row.st_name), row.st_value, row.st_size, type == STT_TLS});
    }
  }
  return symbols;
}

}  // namespace hypatia::sim
