// Reading HYPATIA_FLAGS and INI files.

#include "engine/core/config_sources.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/text.h"

namespace hypatia {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The entries between commas, quotes and backslashes taken away as a shell does.
std::vector<std::string> entries(std::string_view text, const std::string& source) {
  std::vector<std::string> found(1);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      found.back() += text[++i];
    } else if (quote) {
      c == quote ? static_cast<void>(quote = 0) : found.back().push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  if (quote) {
    throw Error(
        Error::Kind::config,
        source + " has a quote " + quote + " that is not closed",
        "close it, or write \\" + std::string(1, quote) + " for the character itself");
  }
  return found;
}

Error not_a_setting(const std::string& file, int line, std::string_view text) {
  return Error(
      Error::Kind::config,
      file + ":" + std::to_string(line) +
          " is neither a setting nor a section: " + std::string(trimmed(text)),
      "write name = value below a [section]; names without a dot stand below [global]");
}

/// Without what follows a blank and ; or #.
std::string_view without_comment(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool blank = text[i - 1] == ' ' || text[i - 1] == '\t';
    if (blank && (text[i] == ';' || text[i] == '#')) return text.substr(0, i);
  }
  return text;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// Takes an INI text line by line.
class IniReader {
 public:
  explicit IniReader(const std::string& file) : file_(file) {}

  void line(std::string_view text) {
    ++line_;
    const std::string_view content = trimmed(text);
    if (content.empty() || content[0] == '#' || content[0] == ';') return;
    const bool continues = in_setting_ && indentation(text) > indentation_;
    if (continues) {
      settings_.back().value += " " + std::string(trimmed(without_comment(content)));
    } else if (content.front() == '[') {
      section(content);
    } else {
      setting(text, content);
    }
  }

  std::vector<Setting> take() { return std::move(settings_); }

 private:
  void section(std::string_view content) {
    const std::size_t end = content.find(']');
    if (end == std::string_view::npos) throw not_a_setting(file_, line_, content);
    const std::string name(trimmed(content.substr(1, end - 1)));
    prefix_ = name == "global" ? "" : name + ".";
    in_section_ = true;
    in_setting_ = false;
  }

  void setting(std::string_view text, std::string_view content) {
    const std::size_t sign = content.find_first_of("=:");
    if (!in_section_ || sign == std::string_view::npos || sign == 0)
      throw not_a_setting(file_, line_, content);
    const std::string_view value = without_comment(content.substr(sign + 1));
    settings_.push_back({
        prefix_ + std::string(trimmed(content.substr(0, sign))),
        std::string(trimmed(value)),
        file_ + ":" + std::to_string(line_),
    });
    in_setting_ = true;
    indentation_ = indentation(text);
  }

  const std::string& file_;
  std::vector<Setting> settings_;
  std::string prefix_;
  int line_ = 0;
  bool in_section_ = false, in_setting_ = false;
  std::size_t indentation_ = 0;
};

}  // namespace

ConfigSources ConfigSources::of_environment() {
  ConfigSources sources;
  sources.flags = environment("HYPATIA_FLAGS");
  sources.fallback_flags = environment("THEANO_FLAGS");
  const std::string named = environment("HYPATIARC");
  sources.files_required = !named.empty();
  for (const std::string& path : split(named.empty() ? "~/.hypatiarc" : named, ':')) {
    if (!path.empty()) sources.files.push_back(path);
  }
  return sources;
}

std::vector<Setting> parse_flags(std::string_view text, const std::string& source) {
  std::vector<Setting> settings;
  for (const std::string& entry : entries(text, source)) {
    const std::string_view content = trimmed(entry);
    if (content.empty()) continue;
    const std::size_t sign = content.find('=');
    if (sign == std::string_view::npos || sign == 0) {
      throw Error(
          Error::Kind::config,
          source + " has the entry '" + std::string(content) + "', which is not name=value",
          "write name=value, with commas between entries and quotes around commas in a value");
    }
    settings.push_back({
        std::string(trimmed(content.substr(0, sign))),
        std::string(trimmed(content.substr(sign + 1))),
        source,
    });
  }
  return settings;
}

std::vector<Setting> parse_ini(std::string_view text, const std::string& file) {
  IniReader reader(file);
  for (const std::string& line : split(text, '\n'))
    reader.line(line);
  return reader.take();
}

std::vector<Setting> read_ini(const std::string& path, bool required) {
  const std::string file = expand_home(path);
  std::error_code ignored;
  if (!required && !std::filesystem::exists(file, ignored)) return {};
  const auto fail = [&](const std::string& reason) {
    throw Error(
        Error::Kind::config,
        "the configuration file " + file + " can't be read: " + reason,
        required ? "HYPATIARC names it: correct the path or unset HYPATIARC"
                 : "make it readable, or move it away");
  };
  if (std::filesystem::is_directory(file, ignored)) fail("it is a folder");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) fail("reading it failed");
  return parse_ini(text, file);
}

std::string expand_home(const std::string& path) {
  if (path != "~" && path.substr(0, 2) != "~/") return path;
  const std::string home = environment("HOME");
  return home.empty() ? path : home + path.substr(1);
}

}  // namespace hypatia
