#pragma once
// Settings as they stand in the environment and in files, before they are judged.

#include <string>
#include <string_view>
#include <vector>

namespace hypatia {

struct Setting {
  std::string name, value, source;
};

/// The settings of a flags text: "floatX=float32,nvcc.flags='-a, -b'". Throws Error on an entry
/// without '=' and on open quotes; `source` says whose text it is.
std::vector<Setting> parse_flags(std::string_view text, const std::string& source);
/// The settings of an INI text; sections become the part before the dot, [global] none. Throws
/// Error with the line on what is neither a section nor a setting.
std::vector<Setting> parse_ini(std::string_view text, const std::string& file);
/// A file's settings. Throws Error if it can't be read; none if it is not there and not required.
std::vector<Setting> read_ini(const std::string& path, bool required);
/// ~ at the begin replaced by the user's home.
std::string expand_home(const std::string& path);

}  // namespace hypatia
